/// Statements that change rows, by their text.
package enum ChangeText {
    private static let verbs: Set<String> = ["DELETE", "INSERT", "REPLACE", "UPDATE"]

    /// True for INSERT, REPLACE, UPDATE and DELETE, also after WITH, without RETURNING: they give no rows.
    package static func givesNoRows(_ sql: String) -> Bool {
        var scanner = SQLScanner(sql)
        var (isWith, isChange, isAfterTable, depth) = (false, false, false, 0)
        while let token = scanner.next() {
            guard case .word(let range) = token else {
                let byte = scanner.bytes[scanner.start]
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") { depth -= 1 }
                isAfterTable = byte == UInt8(ascii: ")")
                continue
            }
            let word = scanner.text(range).asciiUppercased ?? ""
            if isChange {
                // A reserved word, so no name.
                if word == "RETURNING" { return false }
            } else if !isWith, word == "WITH" {
                isWith = true
            } else if !isWith || depth == 0 && isAfterTable && word != "AS" {
                // The first word; after WITH, the one that follows the last table in parentheses.
                guard verbs.contains(word) else { return false }
                isChange = true
            }
            isAfterTable = false
        }
        return isChange
    }
}
