import Foundation

/// A script of sqllogictest: statements, and queries with the results that SQLite gave.
struct SQLLogicScript {
    enum Sorting: String { case none = "nosort", rows = "rowsort", values = "valuesort" }

    enum Record {
        case statement(String, fails: Bool)
        /// `types` has a letter for each column: integer, real or text.
        case query(String, types: [Character], Sorting, expected: [String])
    }

    /// The records with their line numbers, from 1.
    private(set) var records: [(line: Int, record: Record)] = []

    init(_ data: Data) {
        // Some scripts have CR LF, which is one Character.
        let lines = String(decoding: data, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        var index = 0
        while index < lines.count {
            let start = index
            while index < lines.count, !lines[index].isEmpty { index += 1 }
            guard add(lines[start..<index].map(String.init), line: start + 1) else { return }
            index += 1
        }
    }

    /// - Returns: false at the end of the script.
    private mutating func add(_ lines: [String], line: Int) -> Bool {
        var lines = lines[...]
        var line = line
        while let first = lines.first {
            let words = first.split(separator: " ").map(String.init)
            switch words.first {
            case "skipif" where words.dropFirst().first == "sqlite": return true
            case "onlyif" where words.dropFirst().first != "sqlite": return true
            case "halt": return false
            case "statement":
                let sql = lines.dropFirst().joined(separator: "\n")
                records.append((line, .statement(sql, fails: words.dropFirst().first == "error")))
                return true
            case "query":
                addQuery(words, lines.dropFirst(), line: line)
                return true
            default: break
            }
            lines = lines.dropFirst()
            line += 1
        }
        return true
    }

    private mutating func addQuery(_ words: [String], _ lines: ArraySlice<String>, line: Int) {
        let sql = lines.prefix { $0 != "----" }
        let sorting = words.dropFirst(2).first.flatMap(Sorting.init) ?? .none
        let record = Record.query(
            sql.joined(separator: "\n"), types: Array(words.dropFirst().first ?? ""), sorting,
            expected: Array(lines.dropFirst(sql.count + 1)))
        records.append((line, record))
    }
}
