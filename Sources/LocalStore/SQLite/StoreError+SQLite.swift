import Foundation
import SystemLibraries

extension StoreError {
    /// What a failed call of SQLite's means.
    /// - Parameters:
    ///   - isCompiling: true when a statement was being compiled; its messages speak of names then.
    ///   - isReading: true when the statement writes nothing, so that no value can break a rule of a table.
    static func sqlite(
        _ code: CInt, _ database: OpaquePointer?, _ functions: SQLiteFunctions, isCompiling: Bool = false,
        isReading: Bool = false
    ) -> StoreError {
        let message = functions.errorMessage(database).map { String(cString: $0) } ?? ""
        let general = functions.codeMessage(code).map { String(cString: $0) } ?? "unknown error"
        let offset = functions.errorOffset.map { Int($0(database)) }.flatMap { $0 >= 0 ? $0 : nil }
        let isLimit = isReading && code & 0xFF == SQLiteConstant.mismatch
        let meaning = isLimit ? .failed : Self.meaning(of: code, message)
        return StoreError(
            meaning, "SQLite: \(isFree(message, isCompiling) ? message : general).", offset: offset, engineCode: code)
    }

    /// A failure that left no message behind.
    static func sqlite(_ code: CInt, _ text: String) -> StoreError {
        StoreError(meaning(of: code, ""), text, engineCode: code)
    }

    private static func meaning(of code: CInt, _ message: String) -> Code {
        switch code & 0xFF {
        case SQLiteConstant.busy, SQLiteConstant.locked: .busy
        case SQLiteConstant.full, SQLiteConstant.noMemory: .full
        case SQLiteConstant.corrupt, SQLiteConstant.notADatabase: .corrupt
        case SQLiteConstant.inputOutput, SQLiteConstant.cannotOpen: .io
        case SQLiteConstant.readOnly: .readOnly
        case SQLiteConstant.constraint, SQLiteConstant.mismatch: .constraint
        case SQLiteConstant.tooBig: .tooLarge
        case SQLiteConstant.misuse: .misuse
        case SQLiteConstant.notAuthorized: .unsupportedSQL
        case SQLiteConstant.range: .invalidArgument
        case SQLiteConstant.error: meaning(of: message)
        default: .failed
        }
    }

    /// Errors of statements have one code; only the message tells them apart.
    private static func meaning(of message: String) -> Code {
        if message.hasPrefix("no such table") || message.hasPrefix("no such view") { return .noSuchTable }
        if message.hasPrefix("no such column") || message.contains("has no column named") { return .noSuchColumn }
        if message.hasPrefix("table ") && message.hasSuffix(" already exists") { return .tableExists }
        if message.hasPrefix("there is already") { return .tableExists }
        if message.contains("duplicate column name") { return .invalidArgument }
        if message.hasPrefix("Cannot add a NOT NULL column") { return .constraint }
        if miscounts.contains(where: message.contains) { return .syntax }
        if message.hasSuffix("syntax error") || message.hasPrefix("incomplete input")
            || message.hasPrefix("unrecognized token")
        {
            return .syntax
        }
        return .failed
    }

    /// Parts of the messages about statements with one value, column or argument too many or too few.
    private static let miscounts = [
        " values were supplied", " values for ", "must have the same number of terms", "wrong number of arguments",
        " columns assigned ",
    ]

    /// True for a message that cannot hold a value: one that quotes nothing of the statement, or speaks of a
    /// constraint by name.
    private static func isFree(_ message: String, _ isCompiling: Bool) -> Bool {
        if isCompiling { return !message.isEmpty && !message.contains { $0 == "\"" || $0 == "'" } }
        return ["UNIQUE ", "NOT NULL ", "FOREIGN KEY ", "PRIMARY KEY "].contains { message.hasPrefix($0) }
    }
}
