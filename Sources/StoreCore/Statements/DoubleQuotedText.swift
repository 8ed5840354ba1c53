/// Names in double quotes that may be meant as text: SQL has text in single quotes.
package enum DoubleQuotedText {
    /// What to do about such a name that names no column.
    static let advice = "; if it is text, write it in single quotes"

    /// The error of a definition with a name in double quotes after DEFAULT; nil if there is none.
    ///
    /// SQLite takes any name there as text, also where it does not do so elsewhere.
    package static func errorInDefault(of sql: String) -> StoreError? {
        var scanner = SQLScanner(sql)
        var isAfterDefault = false
        while let token = scanner.next() {
            if isAfterDefault, token == .quoted, scanner.bytes[scanner.start] == UInt8(ascii: "\"") {
                let name = scanner.text(scanner.start + 1..<scanner.position - 1)
                return .noSuchColumn(name, in: nil, at: scanner.start, isDoubleQuoted: true)
            }
            if case .word(let range) = token {
                isAfterDefault = scanner.text(range).asciiUppercased == "DEFAULT"
            } else {
                isAfterDefault = false
            }
        }
        return nil
    }

    /// Redacts the name in SQLite's error about an unknown column, if it is in double quotes, and adds the advice.
    ///
    /// Newer versions of SQLite say themselves that the name may be meant as text.
    package static func advising(_ error: StoreError, in sql: String) -> StoreError {
        guard error.message.hasPrefix("no such column: "), !error.message.contains("single-quotes"),
            let offset = error.offset, sql.utf8.dropFirst(offset).first == UInt8(ascii: "\"")
        else { return error }
        return StoreError(error.code, "no such column: …\(advice)", offset: offset, engineCode: error.engineCode)
    }
}
