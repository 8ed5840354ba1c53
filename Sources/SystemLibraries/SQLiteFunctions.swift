/// Function table of SQLite, with the types of `sqlite3.h`. Databases, statements and values are pointers.
///
/// Cells are read through `sqlite3_value`: `sqlite3_column_value` locates the cell once, where each `sqlite3_column_*` call
/// would locate it again. This requires a connection opened without a mutex and used by one thread at a time ("Protected
/// and Unprotected sqlite3_value Objects" in SQLite's reference).
///
/// A class, so that rows hold one reference instead of all function pointers.
package final class SQLiteFunctions: Sendable {
    package typealias Database = OpaquePointer?
    package typealias Statement = OpaquePointer?
    package typealias Value = OpaquePointer?
    /// Destructor of bound bytes: nil is `SQLITE_STATIC` (not copied), -1 is `SQLITE_TRANSIENT` (copied).
    package typealias Destructor = UnsafeMutableRawPointer?
    /// Callback for each action of a statement during compilation (`sqlite3_set_authorizer`).
    package typealias Authorizer =
        @convention(c) (
            UnsafeMutableRawPointer?, _ action: CInt, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
            _ database: UnsafePointer<CChar>?, _ trigger: UnsafePointer<CChar>?
        ) -> CInt

    package typealias VersionNumber = @convention(c) @Sendable () -> CInt
    package typealias Open =
        @convention(c) @Sendable (
            UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?, _ flags: CInt, UnsafePointer<CChar>?
        ) -> CInt
    package typealias Prepare =
        @convention(c) @Sendable (
            Database, UnsafePointer<CChar>?, _ byteCount: CInt, _ flags: CUnsignedInt,
            UnsafeMutablePointer<OpaquePointer?>?, _ tail: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> CInt
    package typealias SetAuthorizer =
        @convention(c) @Sendable (Database, Authorizer?, UnsafeMutableRawPointer?) -> CInt
    package typealias Message = @convention(c) @Sendable (Database) -> UnsafePointer<CChar>?
    package typealias FileName =
        @convention(c) @Sendable (Database, _ schema: UnsafePointer<CChar>?) -> UnsafePointer<CChar>?
    package typealias FileControl =
        @convention(c) @Sendable (
            Database, _ schema: UnsafePointer<CChar>?, _ operation: CInt, UnsafeMutableRawPointer?
        ) -> CInt
    package typealias CodeMessage = @convention(c) @Sendable (CInt) -> UnsafePointer<CChar>?
    /// A function of a handle (database, statement or value) that returns an integer.
    package typealias HandleFunction = @convention(c) @Sendable (OpaquePointer?) -> CInt
    /// A function of a handle and an integer that returns an integer.
    package typealias HandleIntFunction = @convention(c) @Sendable (OpaquePointer?, CInt) -> CInt
    package typealias Status = @convention(c) @Sendable (Statement, _ counter: CInt, _ reset: CInt) -> CInt
    package typealias BindInteger = @convention(c) @Sendable (Statement, CInt, Int64) -> CInt
    package typealias BindReal = @convention(c) @Sendable (Statement, CInt, Double) -> CInt
    package typealias BindText =
        @convention(c) @Sendable (
            Statement, CInt, UnsafePointer<CChar>?, _ count: UInt64, Destructor, _ encoding: UInt8
        ) -> CInt
    package typealias BindBlob =
        @convention(c) @Sendable (Statement, CInt, UnsafeRawPointer?, _ count: UInt64, Destructor) -> CInt
    package typealias ColumnName = @convention(c) @Sendable (Statement, CInt) -> UnsafePointer<CChar>?
    package typealias ColumnValue = @convention(c) @Sendable (Statement, CInt) -> Value
    package typealias ValueInteger = @convention(c) @Sendable (Value) -> Int64
    package typealias ValueReal = @convention(c) @Sendable (Value) -> Double
    package typealias ValueText = @convention(c) @Sendable (Value) -> UnsafePointer<UInt8>?
    package typealias ValueBlob = @convention(c) @Sendable (Value) -> UnsafeRawPointer?

    package let versionNumber: VersionNumber
    package let open: Open
    package let close: HandleFunction
    package let fileName: FileName
    package let fileControl: FileControl
    package let setExtendedResultCodes: HandleIntFunction
    package let setBusyTimeout: HandleIntFunction
    package let setAuthorizer: SetAuthorizer
    package let errorMessage: Message
    /// Nil for SQLite before 3.38.
    package let errorOffset: HandleFunction?
    package let codeMessage: CodeMessage
    package let changes: HandleFunction
    package let totalChanges: HandleFunction
    package let isAutocommit: HandleFunction
    package let prepare: Prepare
    package let finalize: HandleFunction
    package let step: HandleFunction
    package let reset: HandleFunction
    package let clearBindings: HandleFunction
    package let isReadOnly: HandleFunction
    package let isBusy: HandleFunction
    package let status: Status
    package let parameterCount: HandleFunction
    package let bindNull: HandleIntFunction
    package let bindInteger: BindInteger
    package let bindReal: BindReal
    package let bindText: BindText
    package let bindBlob: BindBlob
    package let columnCount: HandleFunction
    package let columnName: ColumnName
    package let columnValue: ColumnValue
    package let valueType: HandleFunction
    package let valueInteger: ValueInteger
    package let valueReal: ValueReal
    package let valueText: ValueText
    package let valueBlob: ValueBlob
    package let valueBytes: HandleFunction

    package init(
        versionNumber: @escaping VersionNumber, open: @escaping Open, close: @escaping HandleFunction,
        fileName: @escaping FileName, fileControl: @escaping FileControl,
        setExtendedResultCodes: @escaping HandleIntFunction,
        setBusyTimeout: @escaping HandleIntFunction,
        setAuthorizer: @escaping SetAuthorizer, errorMessage: @escaping Message, errorOffset: HandleFunction?,
        codeMessage: @escaping CodeMessage, changes: @escaping HandleFunction, totalChanges: @escaping HandleFunction,
        isAutocommit: @escaping HandleFunction, prepare: @escaping Prepare, finalize: @escaping HandleFunction,
        step: @escaping HandleFunction,
        reset: @escaping HandleFunction, clearBindings: @escaping HandleFunction, isReadOnly: @escaping HandleFunction,
        isBusy: @escaping HandleFunction,
        status: @escaping Status, parameterCount: @escaping HandleFunction, bindNull: @escaping HandleIntFunction,
        bindInteger: @escaping BindInteger,
        bindReal: @escaping BindReal, bindText: @escaping BindText, bindBlob: @escaping BindBlob,
        columnCount: @escaping HandleFunction, columnName: @escaping ColumnName, columnValue: @escaping ColumnValue,
        valueType: @escaping HandleFunction, valueInteger: @escaping ValueInteger, valueReal: @escaping ValueReal,
        valueText: @escaping ValueText, valueBlob: @escaping ValueBlob, valueBytes: @escaping HandleFunction
    ) {
        self.versionNumber = versionNumber
        self.open = open
        self.close = close
        self.fileName = fileName
        self.fileControl = fileControl
        self.setExtendedResultCodes = setExtendedResultCodes
        self.setBusyTimeout = setBusyTimeout
        self.setAuthorizer = setAuthorizer
        self.errorMessage = errorMessage
        self.errorOffset = errorOffset
        self.codeMessage = codeMessage
        self.changes = changes
        self.totalChanges = totalChanges
        self.isAutocommit = isAutocommit
        self.prepare = prepare
        self.finalize = finalize
        self.step = step
        self.reset = reset
        self.clearBindings = clearBindings
        self.isReadOnly = isReadOnly
        self.isBusy = isBusy
        self.status = status
        self.parameterCount = parameterCount
        self.bindNull = bindNull
        self.bindInteger = bindInteger
        self.bindReal = bindReal
        self.bindText = bindText
        self.bindBlob = bindBlob
        self.columnCount = columnCount
        self.columnName = columnName
        self.columnValue = columnValue
        self.valueType = valueType
        self.valueInteger = valueInteger
        self.valueReal = valueReal
        self.valueText = valueText
        self.valueBlob = valueBlob
        self.valueBytes = valueBytes
    }

    /// The system's SQLite, loaded once.
    package static let system = Result { () throws(SystemLibraryError) in try load() }
}
