import Foundation
import StoreCore
import SystemLibraries

/// Failed SQLite call, with the error state of its connection; create it before the connection's next call.
struct SQLiteFailure: Error {
    /// Error while preparing a statement.
    enum CompileError: Error {
        case sqlite(SQLiteFailure)
        /// A second statement begins at this byte.
        case multipleStatements(at: Int)
    }

    private let code: CInt
    private let text: String
    private let codeText: String
    private let offset: Int?
    private let isCompiling: Bool
    private let file: String?
    private let isDiskFull: Bool
    private let names: SchemaNames
    /// True for a read-only statement, which cannot violate a constraint.
    var isReadOnly = false
    /// The tables that the statement writes, named when a foreign key is violated.
    var tables: Set<SQLIdentifier> = []
    /// The text of the statement that was prepared.
    var statement: String?

    /// - Parameter start: offset of the compiled text in the caller's text; nil when not preparing a statement.
    init(_ code: CInt, _ database: OpaquePointer?, _ functions: SQLiteFunctions, compiledFrom start: Int? = nil) {
        self.code = code
        text = functions.errorMessage(database).map { String(cString: $0) } ?? ""
        codeText = Self.codeText(code, functions)
        let offset = functions.errorOffset.map { Int($0(database)) }
        self.offset = start.flatMap { start in offset.flatMap { $0 >= 0 ? start + $0 : nil } }
        isCompiling = start != nil
        file = SQLiteConnection.fileName(of: database, functions)
        isDiskFull = Self.isDiskFull(code, database, functions)
        names = SchemaNames(database, functions)
    }

    private static func codeText(_ code: CInt, _ functions: SQLiteFunctions) -> String {
        functions.codeMessage(code).map { String(cString: $0) } ?? "unknown error"
    }

    /// True if the system refused to write or create a file, such as the log's index, for lack of space.
    private static func isDiskFull(_ code: CInt, _ database: OpaquePointer?, _ functions: SQLiteFunctions) -> Bool {
        switch code & 0xFF {
        case SQLiteConstant.full: true
        case SQLiteConstant.inputOutput, SQLiteConstant.cannotOpen:
            [ENOSPC, EDQUOT].contains(functions.systemError(database))
        default: false
        }
    }

    private var primaryCode: CInt { code & 0xFF }

    /// True for the generic code SQLITE_ERROR, which many kinds of statement errors share.
    var isStatementError: Bool { primaryCode == SQLiteConstant.error && code != SQLiteConstant.functionFailed }

    /// True when the connection's authorizer denied it.
    var isDenied: Bool { primaryCode == SQLiteConstant.notAuthorized || text == "not authorized" }

    /// The error that a store throws.
    var error: StoreError {
        // Written by `FunctionRegistration`, so the message contains no value.
        if code == SQLiteConstant.functionFailed { return StoreError(.failed, text) }
        switch primaryCode {
        case SQLiteConstant.error: return statementError
        case SQLiteConstant.constraint: return constraint
        case SQLiteConstant.mismatch where isReadOnly:
            return storeError(.failed, "datatype mismatch: LIMIT and OFFSET take integers")
        case SQLiteConstant.notAuthorized where isCompiling:
            // Denied by the authorizer. SQLite's own text names a column or function in varying formats.
            return StoreError(.unsupportedSQL, codeText, feature: codeText, offset: offset, engineCode: code)
        default:
            let (storeCode, message) = Self.failure(code, codeText, file, isDiskFull: isDiskFull)
            return storeError(storeCode, message)
        }
    }

    /// The error of a database that could not be opened.
    /// - Parameter database: what `sqlite3_open_v2` returned.
    static func opening(
        _ path: String, _ code: CInt, _ database: OpaquePointer?, _ functions: SQLiteFunctions
    ) -> StoreError {
        let isDiskFull = isDiskFull(code, database, functions)
        let (storeCode, message) = failure(code, codeText(code, functions), path, isDiskFull: isDiskFull)
        return StoreError(storeCode, message, engineCode: code)
    }

    private func storeError(_ storeCode: StoreError.Code, _ message: String) -> StoreError {
        StoreError(storeCode, message, offset: offset, engineCode: code)
    }

    private var constraint: StoreError {
        if code == SQLiteConstant.constraintForeignKey { return foreignKeyError }
        let isTriggers = code == SQLiteConstant.constraintTrigger
        let message = isTriggers ? "constraint failed: a trigger rejected the change with RAISE" : nil
        return storeError(.constraint, message ?? SQLiteMessage.runtimeError(text, isName: names.contains) ?? codeText)
    }

    private var foreignKeyError: StoreError {
        let names = tables.map(\.text).sorted().joined(separator: ", ")
        return storeError(.constraint, SQLiteMessage.foreignKeyError + (names.isEmpty ? "" : ": \(names)"))
    }

    private var statementError: StoreError {
        let storeCode =
            isCompiling ? SQLiteErrorClassifier.compileError(text) : SQLiteErrorClassifier.runtimeError(text)
        let message =
            isCompiling
            ? SQLiteMessage.compileError(text, of: statement, isName: names.contains)
            : SQLiteMessage.runtimeError(text, isName: names.contains)
        guard let message else {
            return storeError(storeCode, "\(codeText); SQLite's message is omitted, since it may contain a value")
        }
        let feature = storeCode == .unsupportedSQL ? message : nil
        let advice = SQLiteErrorClassifier.advice(text).map { "; \($0)" } ?? ""
        return StoreError(storeCode, message + advice, feature: feature, offset: offset, engineCode: code)
    }

    // MARK: Failures not caused by the statement

    private static func failure(
        _ code: CInt, _ codeText: String, _ file: String?, isDiskFull: Bool
    ) -> (StoreError.Code, String) {
        func message(_ text: String, _ advice: String) -> String { "\(text)\(file.map { ": \($0)" } ?? ""); \(advice)" }
        if isDiskFull { return (.full, message("disk full", "free space, then retry")) }
        switch code & 0xFF {
        case SQLiteConstant.busy, SQLiteConstant.lockProtocol:
            return (.busy, message("database is locked", "retry later, or raise `busyTimeout`"))
        case SQLiteConstant.interrupt: return (.interrupted, StoreError.interrupted.message)
        case SQLiteConstant.locked: return (.busy, "database table is locked; finish the query that reads it first")
        case SQLiteConstant.noMemory: return (.full, "out of memory; retry with less data")
        case SQLiteConstant.corrupt:
            return (
                .corrupt,
                message("database disk image is malformed", "restore a backup, or set `Configuration.corruptionPolicy`")
            )
        case SQLiteConstant.notADatabase:
            return (.corrupt, message("file is not a database", "check its path, or restore a backup"))
        case SQLiteConstant.cannotOpen:
            return (
                .io, message("unable to open database file", "check that its folder exists and that both are writable")
            )
        case SQLiteConstant.notAuthorized:
            // Not from the authorizer, which denies only while preparing: the system blocks access to the file, for
            // example by data protection while the device is locked.
            return (
                .io,
                message("access to the database file denied", "unlock the device and retry, or check its folder")
            )
        case SQLiteConstant.inputOutput:
            return (.io, message("disk I/O error", "check the disk and that the file still exists"))
        case SQLiteConstant.readOnly where code == SQLiteConstant.readOnlyMoved:
            return (.readOnly, message("database file was moved or removed while it was open", "open a new store"))
        case SQLiteConstant.readOnly where code == SQLiteConstant.readOnlyDirectory:
            return (
                .readOnly,
                message(
                    "attempt to write a readonly database",
                    "make its folder writable: SQLite keeps the log of the database there")
            )
        case SQLiteConstant.readOnly:
            return (
                .readOnly,
                message(
                    "attempt to write a readonly database",
                    "check `Configuration.access`, and the permissions of the file and its folder")
            )
        case SQLiteConstant.mismatch: return (.constraint, codeText)
        case SQLiteConstant.tooBig: return (.tooLarge, codeText)
        case SQLiteConstant.misuse: return (.misuse, codeText)
        case SQLiteConstant.range: return (.invalidArgument, codeText)
        default: return (.failed, codeText)
        }
    }
}
