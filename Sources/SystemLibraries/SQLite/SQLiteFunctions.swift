/// Function table of SQLite, with the types of `sqlite3.h`. Databases, statements and values are pointers.
///
/// Cells are read through `sqlite3_value`: `sqlite3_column_value` locates the cell once, where each `sqlite3_column_*`
/// call would locate it again. This requires a connection opened without a mutex and used by one thread at a time
/// ("Protected and Unprotected sqlite3_value Objects" in SQLite's reference).
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

    /// Callback after each N steps of a statement; a result other than 0 interrupts it.
    package typealias Progress = @convention(c) (UnsafeMutableRawPointer?) -> CInt
    /// Callback while another connection has locked the file, with the number of earlier calls; 0 gives up.
    package typealias Busy = @convention(c) (UnsafeMutableRawPointer?, _ count: CInt) -> CInt
    /// Callback after each commit, with the pages in the write-ahead log; a result other than 0 is the commit's error.
    package typealias Committed =
        @convention(c) (UnsafeMutableRawPointer?, Database, _ name: UnsafePointer<CChar>?, _ pages: CInt) -> CInt

    /// `sqlite3_db_config` with the arguments of an option that is on or off: the new value, and its result.
    ///
    /// The C function is variadic. Such a call is the same as that of a function with fixed arguments, except on
    /// Apple's ARM processors: there the variable arguments are on the stack, in slots of 8 bytes, which are those
    /// after the first eight arguments.
    #if canImport(Darwin) && arch(arm64)
        package typealias Configure =
            @convention(c) @Sendable (
                Database, _ option: CInt, Int, Int, Int, Int, Int, Int, _ value: Int, UnsafeMutablePointer<CInt>?
            ) -> CInt
    #else
        package typealias Configure =
            @convention(c) @Sendable (Database, _ option: CInt, _ value: CInt, UnsafeMutablePointer<CInt>?) -> CInt
    #endif
    package typealias Interrupt = @convention(c) @Sendable (Database) -> Void
    package typealias SetProgressHandler =
        @convention(c) @Sendable (Database, _ steps: CInt, Progress?, UnsafeMutableRawPointer?) -> Void
    package typealias SetBusyHandler = @convention(c) @Sendable (Database, Busy?, UnsafeMutableRawPointer?) -> CInt
    package typealias SetCommitHook =
        @convention(c) @Sendable (Database, Committed?, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    package typealias Checkpoint =
        @convention(c) @Sendable (
            Database, _ name: UnsafePointer<CChar>?, _ mode: CInt, _ logPages: UnsafeMutablePointer<CInt>?,
            _ copiedPages: UnsafeMutablePointer<CInt>?
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
    package typealias RowID = @convention(c) @Sendable (Database) -> Int64
    package typealias SetRowID = @convention(c) @Sendable (Database, Int64) -> Void
    package typealias ValueInteger = @convention(c) @Sendable (Value) -> Int64
    package typealias ValueReal = @convention(c) @Sendable (Value) -> Double
    package typealias ValueText = @convention(c) @Sendable (Value) -> UnsafePointer<UInt8>?
    package typealias ValueBlob = @convention(c) @Sendable (Value) -> UnsafeRawPointer?

    /// The name of the library, for messages.
    package let name: String
    package let versionNumber: VersionNumber
    package let open: Open
    package let close: HandleFunction
    package let fileName: FileName
    package let fileControl: FileControl
    private let configure: Configure?
    package let setExtendedResultCodes: HandleIntFunction
    package let setBusyTimeout: HandleIntFunction
    /// Replaces the busy timeout.
    package let setBusyHandler: SetBusyHandler
    package let setProgressHandler: SetProgressHandler
    /// Replaces SQLite's own checkpoints; nil for a library without a write-ahead log.
    package let setCommitHook: SetCommitHook?
    /// Nil for a library without a write-ahead log.
    package let checkpoint: Checkpoint?
    /// The only function that may be called while another thread uses the connection, which must not be closed then.
    package let interrupt: Interrupt
    package let setAuthorizer: SetAuthorizer
    package let errorMessage: Message
    /// Nil for SQLite before 3.38.
    package let errorOffset: HandleFunction?
    package let codeMessage: CodeMessage
    /// The system's error number of the last failed call, if that was about a file.
    package let systemError: HandleFunction
    package let changes: HandleFunction
    package let totalChanges: HandleFunction
    package let lastInsertRowID: RowID
    package let setLastInsertRowID: SetRowID
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
    /// Nil for a library without online backup.
    package let backup: SQLiteBackupFunctions?
    /// Nil for a library without application-defined functions.
    package let callbacks: SQLiteCallbackFunctions?

    /// Looks up all functions.
    /// - Parameters:
    ///   - name: the name of the library, for messages.
    ///   - address: returns the address of a function; throws when the library has none of that name.
    package init(
        of name: String = libraryName,
        _ address: (_ symbol: String) throws(SystemLibraryError) -> UnsafeMutableRawPointer
    ) throws(SystemLibraryError) {
        let version = unsafeBitCast(try address("sqlite3_libversion_number"), to: VersionNumber.self)
        func function<Function>(_ symbol: String) throws(SystemLibraryError) -> Function {
            do throws(SystemLibraryError) {
                return unsafeBitCast(try address(symbol), to: Function.self)
            } catch {
                // An old library lacks functions: its version is the cause.
                throw Self.versionError(version(), of: name) ?? error
            }
        }
        self.name = name
        versionNumber = version
        open = try function("sqlite3_open_v2")
        close = try function("sqlite3_close_v2")
        fileName = try function("sqlite3_db_filename")
        fileControl = try function("sqlite3_file_control")
        configure = try? function("sqlite3_db_config")
        setExtendedResultCodes = try function("sqlite3_extended_result_codes")
        setBusyTimeout = try function("sqlite3_busy_timeout")
        setBusyHandler = try function("sqlite3_busy_handler")
        setProgressHandler = try function("sqlite3_progress_handler")
        setCommitHook = try? function("sqlite3_wal_hook")
        checkpoint = try? function("sqlite3_wal_checkpoint_v2")
        interrupt = try function("sqlite3_interrupt")
        setAuthorizer = try function("sqlite3_set_authorizer")
        errorMessage = try function("sqlite3_errmsg")
        errorOffset = try? function("sqlite3_error_offset")
        codeMessage = try function("sqlite3_errstr")
        systemError = try function("sqlite3_system_errno")
        changes = try function("sqlite3_changes")
        totalChanges = try function("sqlite3_total_changes")
        lastInsertRowID = try function("sqlite3_last_insert_rowid")
        setLastInsertRowID = try function("sqlite3_set_last_insert_rowid")
        isAutocommit = try function("sqlite3_get_autocommit")
        prepare = try function("sqlite3_prepare_v3")
        finalize = try function("sqlite3_finalize")
        step = try function("sqlite3_step")
        reset = try function("sqlite3_reset")
        clearBindings = try function("sqlite3_clear_bindings")
        isReadOnly = try function("sqlite3_stmt_readonly")
        isBusy = try function("sqlite3_stmt_busy")
        status = try function("sqlite3_stmt_status")
        parameterCount = try function("sqlite3_bind_parameter_count")
        bindNull = try function("sqlite3_bind_null")
        bindInteger = try function("sqlite3_bind_int64")
        bindReal = try function("sqlite3_bind_double")
        bindText = try function("sqlite3_bind_text64")
        bindBlob = try function("sqlite3_bind_blob64")
        columnCount = try function("sqlite3_column_count")
        columnName = try function("sqlite3_column_name")
        columnValue = try function("sqlite3_column_value")
        valueType = try function("sqlite3_value_type")
        valueInteger = try function("sqlite3_value_int64")
        valueReal = try function("sqlite3_value_double")
        valueText = try function("sqlite3_value_text")
        valueBlob = try function("sqlite3_value_blob")
        valueBytes = try function("sqlite3_value_bytes")
        backup = try? SQLiteBackupFunctions(address)
        callbacks = try? SQLiteCallbackFunctions(address)
    }

    /// Turns an option of a connection on or off.
    /// - Returns: false if the library does not know the option.
    @discardableResult
    package func setOption(_ option: CInt, _ isOn: Bool, of database: Database) -> Bool {
        guard let configure else { return false }
        #if canImport(Darwin) && arch(arm64)
            return configure(database, option, 0, 0, 0, 0, 0, 0, isOn ? 1 : 0, nil) == 0
        #else
            return configure(database, option, isOn ? 1 : 0, nil) == 0
        #endif
    }

    /// Loads a library at run time, so that the build needs no header or development package.
    /// - Parameter isIsolated: true for a library with the same symbols as one already loaded, such as SQLCipher beside
    ///   SQLite.
    package static func load(
        from name: String = libraryName, isIsolated: Bool = false
    ) throws(SystemLibraryError) -> SQLiteFunctions {
        let library = try DynamicLibrary(name, isIsolated: isIsolated)
        return try SQLiteFunctions(of: name) { symbol throws(SystemLibraryError) in try library.address(of: symbol) }
    }

    /// The error of a library that is older than 3.24, the first version with UPSERT.
    package var versionError: SystemLibraryError? { Self.versionError(versionNumber(), of: name) }

    private static func versionError(_ version: CInt, of name: String) -> SystemLibraryError? {
        guard version < 3_024_000 else { return nil }
        let text = "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
        return SystemLibraryError(
            .missingFunction, library: name,
            "SQLite library \(name) is too old: version \(text); use SQLite 3.24 (SQLCipher 4.0) or later.")
    }

    #if canImport(Darwin)
        /// File name of the system's SQLite.
        package static let libraryName = "/usr/lib/libsqlite3.dylib"
    #else
        /// File name of the system's SQLite.
        package static let libraryName = "libsqlite3.so.0"
    #endif

    /// The system's SQLite, loaded once.
    package static let system = Result { () throws(SystemLibraryError) in try load() }
}
