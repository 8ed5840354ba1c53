/// The functions of SQLite that are used here, with the types of `sqlite3.h`. A database and a statement are passed by
/// their addresses.
///
/// A class, so that whatever reads a row carries one reference and not all functions.
package final class SQLiteFunctions: Sendable {
    package typealias Database = OpaquePointer?
    package typealias Statement = OpaquePointer?
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
    package typealias CodeMessage = @convention(c) @Sendable (CInt) -> UnsafePointer<CChar>?
    /// A function of a database or a statement that gives a number.
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
    package typealias ColumnInteger = @convention(c) @Sendable (Statement, CInt) -> Int64
    package typealias ColumnReal = @convention(c) @Sendable (Statement, CInt) -> Double
    package typealias ColumnText = @convention(c) @Sendable (Statement, CInt) -> UnsafePointer<UInt8>?
    package typealias ColumnBlob = @convention(c) @Sendable (Statement, CInt) -> UnsafeRawPointer?

    package let versionNumber: Number
    package let open: Open
    package let close: Ask
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
    package let status: Status
    package let parameterCount: Ask
    package let bindNull: AskWith
    package let bindInteger: BindInteger
    package let bindReal: BindReal
    package let bindText: BindText
    package let bindBlob: BindBlob
    package let columnCount: Ask
    package let columnName: ColumnName
    package let columnType: AskWith
    package let columnInteger: ColumnInteger
    package let columnReal: ColumnReal
    package let columnText: ColumnText
    package let columnBlob: ColumnBlob
    package let columnBytes: AskWith

    init(
        versionNumber: @escaping Number, open: @escaping Open, close: @escaping Ask,
        setExtendedResultCodes: @escaping AskWith, setBusyTimeout: @escaping AskWith,
        setAuthorizer: @escaping SetAuthorizer, errorMessage: @escaping Message, errorOffset: Ask?,
        codeMessage: @escaping CodeMessage, changes: @escaping Ask, totalChanges: @escaping Ask,
        isAutocommit: @escaping Ask, prepare: @escaping Prepare, finalize: @escaping Ask, step: @escaping Ask,
        reset: @escaping Ask, clearBindings: @escaping Ask, isReadOnly: @escaping Ask, status: @escaping Status,
        parameterCount: @escaping Ask, bindNull: @escaping AskWith, bindInteger: @escaping BindInteger,
        bindReal: @escaping BindReal, bindText: @escaping BindText, bindBlob: @escaping BindBlob,
        columnCount: @escaping Ask, columnName: @escaping ColumnName, columnType: @escaping AskWith,
        columnInteger: @escaping ColumnInteger, columnReal: @escaping ColumnReal, columnText: @escaping ColumnText,
        columnBlob: @escaping ColumnBlob, columnBytes: @escaping AskWith
    ) {
        self.versionNumber = versionNumber
        self.open = open
        self.close = close
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
        self.status = status
        self.parameterCount = parameterCount
        self.bindNull = bindNull
        self.bindInteger = bindInteger
        self.bindReal = bindReal
        self.bindText = bindText
        self.bindBlob = bindBlob
        self.columnCount = columnCount
        self.columnName = columnName
        self.columnType = columnType
        self.columnInteger = columnInteger
        self.columnReal = columnReal
        self.columnText = columnText
        self.columnBlob = columnBlob
        self.columnBytes = columnBytes
    }

    /// The system's SQLite, looked for once.
    package static let system = Result { () throws(SystemLibraryError) in try load() }
}
