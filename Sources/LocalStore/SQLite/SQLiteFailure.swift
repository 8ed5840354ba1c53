import Foundation
import SystemLibraries

/// A failed call of SQLite's, with what the connection says of it until its next call.
struct SQLiteFailure: Error {
    /// Why a text could not be compiled.
    enum Compiling: Error {
        case sqlite(SQLiteFailure)
        /// A second statement begins at this byte.
        case several(at: Int)
    }

    private let code: CInt
    private let text: String
    private let general: String
    private let offset: Int?
    private let isCompiling: Bool
    private let file: String?
    private let names: SchemaNames
    /// True when the statement writes nothing, so that no value can break a rule of a table.
    var isReading = false

    /// - Parameter start: where the compiled text starts in the caller's; nil when nothing was being compiled.
    init(_ code: CInt, _ database: OpaquePointer?, _ functions: SQLiteFunctions, compiledFrom start: Int? = nil) {
        self.code = code
        text = functions.errorMessage(database).map { String(cString: $0) } ?? ""
        general = Self.general(code, functions)
        let offset = functions.errorOffset.map { Int($0(database)) }
        self.offset = start.flatMap { start in offset.flatMap { $0 >= 0 ? start + $0 : nil } }
        isCompiling = start != nil
        file = SQLiteConnection.fileName(of: database, functions)
        names = SchemaNames(database, functions)
    }

    private static func general(_ code: CInt, _ functions: SQLiteFunctions) -> String {
        functions.codeMessage(code).map { String(cString: $0) } ?? "unknown error"
    }

    private var primaryCode: CInt { code & 0xFF }

    /// True when it is a fault of the statement, of which there are many kinds.
    var isOfStatement: Bool { primaryCode == SQLiteConstant.error }

    /// True when the connection's authorizer refused it.
    var isDenied: Bool { primaryCode == SQLiteConstant.notAuthorized || text == "not authorized" }

    /// What a store throws.
    var error: StoreError {
        switch primaryCode {
        case SQLiteConstant.error: return errorOfStatement
        case SQLiteConstant.constraint: return constraint
        case SQLiteConstant.mismatch where isReading:
            return storeError(.failed, "datatype mismatch: LIMIT and OFFSET take integers")
        case SQLiteConstant.notAuthorized where isCompiling:
            // The authorizer's. Its text says which column or function, in a way of its own.
            return StoreError(.unsupportedSQL, general, feature: general, offset: offset, engineCode: code)
        default:
            let (meaning, words) = Self.failure(code, general, file)
            return storeError(meaning, words)
        }
    }

    /// The error of a database that could not be opened.
    static func opening(_ path: String, _ code: CInt, _ functions: SQLiteFunctions) -> StoreError {
        let (meaning, words) = failure(code, general(code, functions), path)
        return StoreError(meaning, words, engineCode: code)
    }

    private func storeError(_ meaning: StoreError.Code, _ words: String) -> StoreError {
        StoreError(meaning, words, offset: offset, engineCode: code)
    }

    private var constraint: StoreError {
        let isTriggers = code == SQLiteConstant.constraintTrigger
        let words = isTriggers ? "a trigger refused the change with RAISE" : nil
        return storeError(.constraint, words ?? SQLiteMessage.running(text, isName: names.contains) ?? general)
    }

    private var errorOfStatement: StoreError {
        if isCompiling {
            let shown = SQLiteMessage.compiling(text, isName: names.contains)
            let meaning = SQLiteMeaning.compiling(text)
            let feature = meaning == .unsupportedSQL ? shown : nil
            return StoreError(meaning, shown, feature: feature, offset: offset, engineCode: code)
        }
        let words = SQLiteMessage.running(text, isName: names.contains)
        let hidden = "\(general); SQLite's text is left out, since it may quote a value"
        return storeError(SQLiteMeaning.running(text), words ?? hidden)
    }

    // MARK: Failures that are not the statement's

    private static func failure(
        _ code: CInt, _ general: String, _ file: String?
    ) -> (StoreError.Code, String) {
        func words(_ text: String, _ advice: String) -> String { "\(text)\(file.map { ": \($0)" } ?? ""); \(advice)" }
        switch code & 0xFF {
        case SQLiteConstant.busy, SQLiteConstant.lockProtocol:
            return (.busy, words("database is locked", "retry later, or raise `busyTimeout`"))
        case SQLiteConstant.locked: return (.busy, "database table is locked; finish the query that reads it first")
        case SQLiteConstant.full: return (.full, words("disk full", "free space, then retry"))
        case SQLiteConstant.noMemory: return (.full, "out of memory")
        case SQLiteConstant.corrupt:
            return (
                .corrupt, words("database disk image is malformed", "restore a copy, or see `Configuration.damage`")
            )
        case SQLiteConstant.notADatabase:
            return (.corrupt, words("file is not a database", "check its path, or restore a copy"))
        case SQLiteConstant.cannotOpen:
            return (
                .io, words("unable to open database file", "check that its folder exists and that both may be written")
            )
        case SQLiteConstant.notAuthorized:
            // Not the authorizer's, which refuses while a statement is compiled: the system does not let SQLite at the
            // file, as with one that is protected while the device is locked.
            return (
                .io,
                words("access to the database file denied", "retry when the device is unlocked, or check its folder")
            )
        case SQLiteConstant.inputOutput:
            return (.io, words("disk I/O error", "check the disk and whether the file is still there"))
        case SQLiteConstant.readOnly where code == SQLiteConstant.readOnlyMoved:
            return (.readOnly, words("database file was moved or removed while it was open", "open a new store"))
        case SQLiteConstant.readOnly:
            return (
                .readOnly,
                words("attempt to write a readonly database", "check the permissions of the file and its folder")
            )
        case SQLiteConstant.mismatch: return (.constraint, general)
        case SQLiteConstant.tooBig: return (.tooLarge, general)
        case SQLiteConstant.misuse: return (.misuse, general)
        case SQLiteConstant.range: return (.invalidArgument, general)
        default: return (.failed, general)
        }
    }
}
