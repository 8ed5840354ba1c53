import Foundation
import LocalStore
import PatchbayTestKit
import SQLiteStore
import Testing

/// Functions and patterns of texts that are not valid UTF-8, with the results of SQLite 3.40.
@Suite struct InvalidUTF8Tests {
    private static let values: [(String, StoreValue)] = [
        ("length(CAST(x'4180' AS TEXT))", 2), ("length(CAST(x'80' AS TEXT))", 1), ("length(CAST(x'c3' AS TEXT))", 1),
        ("length(CAST(x'c3a980' AS TEXT))", 1), ("length(CAST(x'ff8080' AS TEXT))", 1),
        ("length(CAST(x'808080' AS TEXT))", 3), ("length(CAST(x'410080' AS TEXT))", 1),
        ("hex(substr(CAST(x'418042' AS TEXT), 2, 1))", "80"), ("instr(CAST(x'418042' AS TEXT), 'B')", 2),
        ("hex(trim(CAST(x'804180' AS TEXT), CAST(x'80' AS TEXT)))", "41"),
        ("CAST(x'4180' AS TEXT) LIKE 'A_'", 1), ("CAST(x'41c38042' AS TEXT) LIKE 'A_B'", 1),
        ("CAST(x'4180' AS TEXT) GLOB 'A?'", 1), ("CAST(x'8080' AS TEXT) GLOB '?'", 0),
        ("CAST(x'8080' AS TEXT) GLOB '??'", 1), ("unicode(CAST(x'80' AS TEXT))", 128),
        ("unicode(CAST(x'c0' AS TEXT))", 65533),
    ]

    @Test func `characters are counted as in SQLite`() throws {
        let store = MemoryStore()
        for (expression, value) in Self.values {
            #expect(try store.rows(SQL(verbatim: "SELECT \(expression)")) == [[value]], "\(expression)")
        }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable)) func `any bytes give the results of SQLite`() throws {
        let memory = MemoryStore()
        let sqlite = try SQLiteStore(.memory)
        var generator = SeededGenerator(seed: 7)
        let bytes: [UInt8] = [0x41, 0x62, 0x80, 0xBF, 0xC0, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0xF8, 0xFE, 0xFF]
        func text() -> String {
            let text = (0..<Int.random(in: 0...5, using: &generator)).map { _ in bytes.randomElement(using: &generator)!
            }
            return "CAST(x'" + text.map { String(format: "%02x", $0) }.joined() + "' AS TEXT)"
        }
        for _ in 0..<2000 {
            let (one, other) = (text(), text())
            let number = Int.random(in: -4...4, using: &generator)
            let count = Int.random(in: -4...4, using: &generator)
            let expressions = [
                "length(\(one))", "hex(substr(\(one), \(number)))", "hex(substr(\(one), \(number), \(count)))",
                "instr(\(one), \(other))", "hex(trim(\(one), \(other)))", "hex(ltrim(\(one), \(other)))",
                "hex(replace(\(one), \(other), 'x'))", "unicode(\(one))", "hex(upper(\(one)))", "hex(lower(\(one)))",
                "\(one) GLOB \(other)", "\(one) GLOB '*' || \(other)", "\(one) GLOB '[' || \(other) || ']'",
                "\(one) LIKE '_'", "\(one) LIKE '__'", "\(one) LIKE '%_'", "\(one) < \(other)", "\(one) = \(other)",
            ]
            let sql = SQL(verbatim: "SELECT " + expressions.joined(separator: ", "))
            let (mine, theirs) = (try memory.rows(sql)[0], try sqlite.rows(sql)[0])
            for (index, expression) in expressions.enumerated() {
                #expect(mine[index] == theirs[index], "\(expression)")
            }
        }
    }
}
