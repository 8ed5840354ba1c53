import Foundation
import LocalStore
import PatchbayTestKit
import StoreTestSupport

/// Generates random operations on a few tables, with quoted names, parameters of every storage class, batches and
/// nested transactions.
struct StoreOperationGenerator {
    private var random: SeededGenerator

    static let tables = ["a", "B", "c c"]
    private static let columns = ["id", "k", "v", "w x", "z"]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    // MARK: Dice

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func isLucky(_ percent: Int) -> Bool { number(0...99) < percent }

    private mutating func table() -> String { pick(Self.tables) }
    private mutating func columns(_ range: ClosedRange<Int>) -> [String] {
        Array(Self.columns.shuffled(using: &random).prefix(number(range)))
    }
    private func quoted(_ name: String) -> String { SQLIdentifier(name).quoted }

    private mutating func value() -> StoreValue {
        switch number(0...9) {
        case 0: .null
        case 1...4: .integer(Int64(number(-3...12)))
        case 5: .real(Double(number(-4...12)) / 2)
        case 6...7: .text(pick(["", "a", "b", "A", "1", "2.0", "03", "x y", "\u{E9}", "e\u{301}", "longer than most"]))
        case 8: .blob(Data(pick([[], [0], [0x61], [1, 2, 3]])))
        default: pick([.integer(.max - 9), .integer(.min), .real(1e300), .integer(9_007_199_254_740_993)])
        }
    }

    // MARK: Operations

    /// - Parameter depth: maximum nesting of transactions.
    mutating func operation(depth: Int = 2) throws -> StoreOperation {
        switch number(0...99) {
        case ..<8: return .statement(definition(table()), [])
        case ..<11: return .statement("DROP TABLE \(quoted(table()))", [])
        case ..<15: return .statement("ALTER TABLE \(quoted(table())) ADD COLUMN \(addedColumn())", [])
        case ..<16: return .statement("ALTER TABLE \(quoted(table())) RENAME TO \(quoted(table()))", [])
        case ..<19: return .statement("ALTER TABLE \(quoted(table())) \(columnChange())", [])
        case ..<20 where isLucky(50): return .statement("PRAGMA user_version = \(number(-2...9))", [])
        case ..<20: return .replace(SQLIdentifier(table()), with: SQLIdentifier(table()))
        case ..<46: return insert()
        case ..<58: return update()
        case ..<66:
            let (condition, parameters) = condition()
            return .statement("DELETE FROM \(quoted(table()))\(condition)", parameters)
        case ..<78: return .upsert(try batch(columns: 1...5, rows: 0...5), SQLIdentifier(table()))
        case ..<84: return .delete(try batch(columns: 1...2, rows: 0...4), SQLIdentifier(table()))
        default:
            guard depth > 0 else { return insert() }
            let operations = try (0..<number(1...8)).map { _ in try operation(depth: depth - 1) }
            return .transaction(operations, isKept: isLucky(60))
        }
    }

    /// A SELECT with parameters.
    mutating func select() -> StoreOperation {
        let (condition, parameters) = condition()
        let columns = isLucky(40) ? "*" : columns(1...3).map(quoted).joined(separator: ", ")
        let order = isLucky(40) ? " ORDER BY \(quoted(pick(Self.columns))) DESC, rowid" : " ORDER BY rowid"
        return .statement(
            "SELECT \(columns), rowid AS \"the row\" FROM \(quoted(table()))\(condition)\(order)",
            parameters)
    }

    private mutating func definition(_ name: String) -> String {
        var columns = Array(Self.columns.prefix(number(2...5)))
        if isLucky(20) { columns.shuffle(using: &random) }
        let key = pick(["rowid", "rowid", "first", "pair", "unique", ""])
        var parts: [String] = []
        for (place, column) in columns.enumerated() {
            var part = quoted(column)
            if place == 0, key == "rowid" {
                part += " INTEGER PRIMARY KEY"
            } else if place == 0, key == "first" {
                part += pick([" TEXT", "", " INT", " NUMERIC"]) + " PRIMARY KEY"
            } else {
                part += pick([" INTEGER", " TEXT", " REAL", " NUMERIC", " BLOB", "", " VARCHAR(9)"])
                if isLucky(12) { part += " UNIQUE" }
                if isLucky(12) { part += " NOT NULL" }
                if isLucky(25) { part += " DEFAULT " + pick(["1", "'x'", "NULL", "-2.5", "(1+2)", "TRUE", "x'41'"]) }
            }
            parts.append(part)
        }
        if key == "pair" { parts.append("PRIMARY KEY (\(quoted(columns[1])), \(quoted(columns[0])))") }
        if key == "unique" { parts.append("CONSTRAINT u UNIQUE (\(quoted(columns[0])), \(quoted(columns[1])))") }
        let space = pick(["", " ", "\n", " /* note */ "])
        return "CREATE TABLE \(quoted(name))\(space)(\(parts.joined(separator: ",\(space)"))\(space))"
    }

    private mutating func addedColumn() -> String {
        quoted(pick(["z", "y", "n w", "k"]))
            + pick(["", " TEXT", " INT DEFAULT 5", " TEXT NOT NULL", " REAL NOT NULL DEFAULT '2'", " DEFAULT NULL"])
    }

    private mutating func columnChange() -> String {
        let column = pick(Self.columns + ["y", "n w", "rowid"])
        let name = isLucky(50) || column.contains(" ") ? quoted(column) : column
        let keyword = pick(["", "COLUMN "])
        if isLucky(50) { return "DROP \(keyword)\(name)" }
        return "RENAME \(keyword)\(name) TO \(pick(["k", "\"k\"", "v", "[w x]", "z", "Z", "`n w`", "y", "'id'"]))"
    }

    private mutating func returning() -> String {
        guard isLucky(25) else { return "" }
        return " RETURNING " + pick(["*", "rowid", "\(quoted(pick(Self.columns))) AS r, rowid"])
    }

    private mutating func upsert() -> String {
        guard isLucky(40) else { return "" }
        let target = pick(["", " (\(quoted(pick(Self.columns))))", " (id)", " (rowid)", " (id, k)"])
        // Where no rowid can conflict, SQLite does not look at the columns and expressions of DO UPDATE.
        if target == " (rowid)" || isLucky(25) { return " ON CONFLICT\(target) DO NOTHING" }
        let column = quoted(pick(Self.columns))
        let value = pick(["excluded.\(column)", "excluded.rowid", "coalesce(\(column), 0) + 1", "excluded.id || 'u'"])
        return " ON CONFLICT\(target) DO UPDATE SET \(column) = \(value)" + pick(["", " WHERE \(column) IS NOT 2"])
    }

    private mutating func insert() -> StoreOperation {
        let verb = pick(["INSERT", "INSERT", "INSERT OR REPLACE", "REPLACE", "INSERT OR IGNORE"])
        let columns = columns(1...4)
        var values: [StoreValue] = []
        // SQLite resolves conflicts of several rows in an order of its own.
        let rows = (0..<(verb == "INSERT" ? number(1...4) : 1)).map { _ in
            for _ in columns { values.append(value()) }
            return "(" + repeatElement("?", count: columns.count).joined(separator: ", ") + ")"
        }
        let names = columns.map(quoted).joined(separator: ", ")
        // Sometimes one value too few.
        if isLucky(3) { values.removeLast() }
        return .statement(
            "\(verb) INTO \(quoted(table())) (\(names)) VALUES \(rows.joined(separator: ", "))"
                + upsert() + returning(),
            values)
    }

    private mutating func update() -> StoreOperation {
        let (condition, parameters) = condition()
        if isLucky(25) {
            let names = (0..<4).map { _ in quoted(pick(Self.columns)) }
            return .statement(
                "UPDATE \(quoted(table())) SET \(names[0]) = \(names[1]) + 1, \(names[2]) = \(names[3])\(condition)",
                parameters)
        }
        let value = pick(["?", "? + 1", "coalesce(?, 1)", "? || 'x'"])
        return .statement(
            "UPDATE \(quoted(table())) SET \(quoted(pick(Self.columns + ["rowid"]))) = \(value)\(condition)",
            [self.value()] + parameters)
    }

    private mutating func condition() -> (String, [StoreValue]) {
        let column = quoted(pick(Self.columns + ["rowid"]))
        switch number(0...8) {
        case 0: return ("", [])
        case 1...2: return (" WHERE \(column) = ?", [value()])
        case 3: return (" WHERE \(column) \(pick(["<", ">", "<=", ">=", "<>", "IS", "IS NOT"])) ?", [value()])
        case 4: return (" WHERE \(column) IN (?, ?)", [value(), value()])
        case 5: return (" WHERE \(column) BETWEEN ? AND ?", [value(), value()])
        case 6: return (" WHERE \(column) LIKE ?", [pick(["%", "a%", "_", "%1%"])])
        case 7: return (" WHERE \(column) = ? AND \(quoted(pick(Self.columns))) = ?", [value(), value()])
        default:
            return (" WHERE \(column) IS NULL OR typeof(\(column)) = ?", [pick(["text", "integer", "real", "blob"])])
        }
    }

    private mutating func batch(columns: ClosedRange<Int>, rows: ClosedRange<Int>) throws -> RowBatch {
        let columns = self.columns(columns).map { SQLIdentifier($0) }
        let rows = (0..<number(rows)).map { _ in columns.map { _ in value() } }
        return try RowBatch(columns, rows)
    }
}
