/// Texts that SQL takes as the name of a table, since parentheses are missing: `email IN 'ann@example.com'`.
package enum TableText {
    /// True if a statement names a table, and has no IN without a parenthesis after it: then the name is no text.
    ///
    /// The name may also be one in a view or a trigger, whose texts are not known here: false.
    /// - Parameter name: as SQLite's message has it, such as `main.item`.
    package static func isExcluded(by sql: String, of name: some StringProtocol) -> Bool {
        let name = name.utf8.split(separator: UInt8(ascii: ".")).last ?? name.utf8[...]
        var scanner = SQLScanner(sql)
        var (isNamed, isAfterIn) = (false, false)
        while let token = scanner.next() {
            var bytes = scanner.bytes[scanner.start..<scanner.position]
            if isAfterIn, bytes.first != UInt8(ascii: "(") { return false }
            isAfterIn = false
            switch token {
            case .word(let range): isAfterIn = scanner.text(range).asciiUppercased == "IN"
            case .quoted: bytes = bytes.dropFirst().dropLast()
            default: continue
            }
            isNamed = isNamed || bytes.elementsEqual(name)
        }
        return isNamed
    }
}
