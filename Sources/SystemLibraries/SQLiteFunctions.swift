/// The functions of SQLite that are used here, with the types of `sqlite3.h`. A database, a statement and a value are
/// passed by their addresses.
///
/// A cell is found once, as a value, and then asked for all that is wanted of it: looking it up again for each answer,
/// as SQLite's functions for columns do, would make reading a row slower. It is allowed for a connection that only one
/// thread uses at a time, opened without a lock of its own ("Protected and Unprotected sqlite3_value Objects" in
/// SQLite's reference).
///
/// A class, so that whatever reads a row carries one reference and not all functions.
package final class SQLiteFunctions: Sendable {
    package typealias Database = OpaquePointer?
    package typealias Statement = OpaquePointer?
    package typealias Value = OpaquePointer?
    /// What frees bound bytes: nil for bytes that outlive the statement's run, -1 for bytes
    /// that SQLite is to copy.
    package typealias Destructor = UnsafeMutableRawPointer?
    /// Hears of every action that a statement would take, while it is compiled.
    package typealias Authorizer =
        @convention(c) (
            UnsafeMutableRawPointer?, _ action: CInt, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
            _ database: UnsafePointer<CChar>?, _ trigger: UnsafePointer<CChar>?
        ) -> CInt

    package typealias Number = @convention(c) @Sendable () -> CInt
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
    /// A function of a database, a statement or a value that gives a number.
    package typealias Ask = @convention(c) @Sendable (OpaquePointer?) -> CInt
    package typealias AskWith = @convention(c) @Sendable (OpaquePointer?, CInt) -> CInt
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

    package let versionNumber: Number
    package let open: Open
    package let close: Ask
    package let fileName: FileName
    package let fileControl: FileControl
    package let setExtendedResultCodes: AskWith
    package let setBusyTimeout: AskWith
    package let setAuthorizer: SetAuthorizer
    package let errorMessage: Message
    /// Nil before SQLite 3.38.
    package let errorOffset: Ask?
    package let codeMessage: CodeMessage
    package let changes: Ask
    package let totalChanges: Ask
    package let isAutocommit: Ask
    package let prepare: Prepare
    package let finalize: Ask
    package let step: Ask
    package let reset: Ask
    package let clearBindings: Ask
    package let isReadOnly: Ask
    package let isBusy: Ask
    package let status: Status
    package let parameterCount: Ask
    package let bindNull: AskWith
    package let bindInteger: BindInteger
    package let bindReal: BindReal
    package let bindText: BindText
    package let bindBlob: BindBlob
    package let columnCount: Ask
    package let columnName: ColumnName
    package let columnValue: ColumnValue
    package let valueType: Ask
    package let valueInteger: ValueInteger
    package let valueReal: ValueReal
    package let valueText: ValueText
    package let valueBlob: ValueBlob
    package let valueBytes: Ask

    init(
        versionNumber: @escaping Number, open: @escaping Open, close: @escaping Ask,
        fileName: @escaping FileName, fileControl: @escaping FileControl, setExtendedResultCodes: @escaping AskWith,
        setBusyTimeout: @escaping AskWith,
        setAuthorizer: @escaping SetAuthorizer, errorMessage: @escaping Message, errorOffset: Ask?,
        codeMessage: @escaping CodeMessage, changes: @escaping Ask, totalChanges: @escaping Ask,
        isAutocommit: @escaping Ask, prepare: @escaping Prepare, finalize: @escaping Ask, step: @escaping Ask,
        reset: @escaping Ask, clearBindings: @escaping Ask, isReadOnly: @escaping Ask, isBusy: @escaping Ask,
        status: @escaping Status, parameterCount: @escaping Ask, bindNull: @escaping AskWith,
        bindInteger: @escaping BindInteger,
        bindReal: @escaping BindReal, bindText: @escaping BindText, bindBlob: @escaping BindBlob,
        columnCount: @escaping Ask, columnName: @escaping ColumnName, columnValue: @escaping ColumnValue,
        valueType: @escaping Ask, valueInteger: @escaping ValueInteger, valueReal: @escaping ValueReal,
        valueText: @escaping ValueText, valueBlob: @escaping ValueBlob, valueBytes: @escaping Ask
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

    /// The system's SQLite, looked for once.
    package static let system = Result { () throws(SystemLibraryError) in try load() }
}
