import PatchbayTestKit

/// Generates random statements of `MemoryStore`'s SQL, with values at the edges of SQLite's conversions.
struct SQLGenerator {
    private var random: SeededGenerator
    private(set) var tables: [Table] = []

    struct Table {
        let name: String
        var columns: [String]
        var definition: String
        /// Columns that a conflict target can name.
        var keys: [String]
    }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for index in 0..<2 { tables.append(table("t\(index)")) }
    }

    // MARK: Dice

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    mutating func isLucky(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func several(_ range: ClosedRange<Int>, _ make: (inout SQLGenerator) -> String) -> String {
        var parts: [String] = []
        for _ in 0..<number(range) { parts.append(make(&self)) }
        return parts.joined(separator: ", ")
    }

    // MARK: Tables

    private static let types = [
        "INTEGER", "INT", "TEXT", "REAL", "NUMERIC", "BLOB", "", "VARCHAR(10)", "DOUBLE", "DECIMAL(5,2)", "BOOLEAN",
    ]

    private mutating func table(_ name: String) -> Table {
        let columns = (0..<number(2...6)).map { "c\($0)" }
        let key = pick(["rowid", "text", "any", "unique", "pair", "", ""])
        var parts: [String] = []
        for (index, column) in columns.enumerated() {
            if index == 0, key == "rowid" {
                parts.append("\(column) INTEGER PRIMARY KEY")
                continue
            }
            var part = "\(column) " + (index == 0 && key == "text" ? "TEXT" : pick(Self.types))
            if index == 0, key == "text" || key == "any" { part += " PRIMARY KEY" }
            if index < 2, key == "unique" { part += " UNIQUE" } else if isLucky(12) { part += " NOT NULL" }
            if isLucky(20) {
                part += " DEFAULT " + pick(["1", "'x'", "NULL", "-2.5", "(1+2)", "abc", "TRUE", "x'41'"])
            }
            parts.append(part)
        }
        if key == "pair" { parts.append("PRIMARY KEY(c0, c1)") }
        let definition = "CREATE TABLE \(name)(\(parts.joined(separator: ", ")))"
        let keys =
            switch key {
            case "rowid", "text", "any": ["c0"]
            case "unique": ["c0", "c1"]
            case "pair": ["c0, c1", "c1, c0"]
            default: ["rowid"]
            }
        return Table(name: name, columns: columns, definition: definition, keys: keys)
    }

    // MARK: Values and names

    private static let integers = [
        "0", "1", "2", "3", "-1", "5", "10", "42", "-7", "100", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "9007199254740993", "9007199254740992", "4611686018427387904", "0x10",
        "1000000000000000",
    ]
    private static let reals = [
        "0.0", "1.0", "2.5", "-1.5", "0.1", "1e3", "1e15", "1e16", "123456789012345.6", "1.5e300", "-0.5", "3.14159",
        "9007199254740992.0", "9223372036854775807.0", "1e-5", "0.0001", "1e100", ".5", "5.", "-0.0", "0.05", "2.675",
        "1234567.891", "0.1234567890123456", "-99.99999999995", "1e-300", "123456789.987654321",
    ]
    private static let texts = [
        "''", "'a'", "'A'", "'b'", "'abc'", "'ABC'", "'aBc'", "'abcd'", "'1'", "'2.5'", "' 3 '", "'1e3'", "'1.0'",
        "'-1'", "'0x10'", "'12abc'", "'abc12'", "'%'", "'_'", "'a%b'", "'é'", "'É'", "'日本語'", "'a''b'", "'1e'",
        "'.5'", "'5.'", "'.'", "'-'", "'+7'", "'9223372036854775807'", "'9223372036854775808'", "'  '", "'1 2'",
        "'1e400'", "'1.5e'", "'-0.0'", "'-0'", "'-0e3'", "'0.1e1x'", "'+.5e-2'", "'1e5'", "'00012'",
        "'-9223372036854775808'", "'x y z'", "'1.0e+15'", "'100'", "'3.0'",
    ]
    private static let blobs = [
        "x''", "x'00'", "x'61'", "x'616263'", "x'31'", "x'312e35'", "x'ff00'", "x'2d302e30'", "x'6100'", "x'c3a96162'",
        "x'2061'", "x'80'", "x'4142'",
    ]

    mutating func literal() -> String {
        switch number(0...99) {
        case ..<12: "NULL"
        case ..<40: pick(Self.integers)
        case ..<58: pick(Self.reals)
        case ..<93: pick(Self.texts)
        default: pick(Self.blobs)
        }
    }

    mutating func column(_ table: Table) -> String {
        let column = pick(table.columns)
        switch number(0...99) {
        case ..<6: return pick(["rowid", "_rowid_", "OID"])
        case ..<14: return "\"\(column)\""
        case ..<18: return "[\(column.uppercased())]"
        case ..<21: return "`\(column)`"
        case ..<26: return "\(table.name).\(column)"
        default: return column
        }
    }

    // MARK: Expressions

    mutating func expression(_ table: Table?, _ depth: Int) -> String {
        func inner(_ generator: inout SQLGenerator) -> String { generator.expression(table, depth - 1) }
        guard depth > 0 else { return operand(table) }
        switch number(0...99) {
        case ..<16: return inner(&self) + pick([" + ", " - ", " * ", " / ", " % "]) + inner(&self)
        case ..<20: return inner(&self) + pick([" & ", " | ", " << ", " >> "]) + inner(&self)
        case ..<25: return inner(&self) + " || " + inner(&self)
        case ..<42:
            let signs = [" = ", " == ", " <> ", " != ", " < ", " <= ", " > ", " >= ", " IS ", " IS NOT "]
            return inner(&self) + pick(signs) + inner(&self)
        case ..<48: return "(\(inner(&self)))" + pick([" AND ", " OR "]) + "(\(inner(&self)))"
        case ..<50: return several(2...4, inner).replacing(", ", with: pick([" AND ", " OR "]))
        case ..<53: return pick(["NOT ", "- ", "+ ", "~ "]) + (isLucky(50) ? inner(&self) : "(\(inner(&self)))")
        case ..<56:
            return inner(&self) + pick([" ISNULL", " NOTNULL", " IS NULL", " NOT NULL", " IS TRUE", " IS NOT FALSE"])
        case ..<60: return inner(&self) + pick([" ", " NOT "]) + "BETWEEN \(inner(&self)) AND \(inner(&self))"
        case ..<61: return inner(&self) + pick([" IS ", " IS NOT "]) + "(\(inner(&self))\(pick([" ", " NOT "]))IN ())"
        case ..<65:
            // Sometimes an element fails; in a query of a table, only the plan decides whether it is evaluated, so not
            // there.
            let element = table == nil && isLucky(8) ? ", abs(-9223372036854775808)" : ""
            let elements = isLucky(20) ? list() : several(1...4, inner)
            return inner(&self) + pick([" ", " NOT "]) + "IN (\(elements)\(element))"
        case ..<66:
            return (0..<number(3...90)).map { _ in
                pick(["1", "2", "3.5", "'4'"]) + pick(["+ ", "- ", "* ", "| ", "/ "])
            }
            .joined() + operand(table)
        case ..<72: return like(inner(&self), inner(&self))
        case ..<76:
            let base = isLucky(50) ? " \(inner(&self))" : ""
            let end = isLucky(50) ? " ELSE \(inner(&self))" : ""
            return "CASE\(base) WHEN \(inner(&self)) THEN \(inner(&self))\(end) END"
        case ..<81:
            let type = pick(["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "VARCHAR(3)", "DECIMAL"])
            return "CAST(\(inner(&self)) AS \(type))"
        case ..<85: return "(\(inner(&self)))"
        default: return call(inner)
        }
    }

    /// The literals of a short or long list, of which half have no NULL.
    private mutating func list() -> String {
        let hasNull = isLucky(50)
        return several(isLucky(60) ? 1...5 : 9...200) { generator in
            let element = generator.literal()
            return element == "NULL" && !hasNull ? "1.0" : element
        }
    }

    private mutating func operand(_ table: Table?) -> String {
        if let table, isLucky(50) { return column(table) }
        if table != nil, isLucky(3) { return pick(["\"zz\"", "\"abc\"", "\"12\""]) }
        return isLucky(4) ? pick(["TRUE", "false"]) : literal()
    }

    private mutating func like(_ value: String, _ other: String) -> String {
        if isLucky(20) { return value + " GLOB " + pick(["'a*'", "'[a-c]*'", "'?'", "'*[^a]'", "'[]]'", "'*b*'"]) }
        let pattern = pick([
            "'a%'", "'%b%'", "'A_C'", "'%'", "''", "'_'", "'1%'", "'%.%'", "'abc'", "'a\\%b'", other,
        ])
        let escape = isLucky(15) ? " ESCAPE '\(pick(["\\", "a", "%", "_"]))'" : ""
        return "\(value) \(pick(["", "NOT "]))LIKE \(pattern)\(escape)"
    }

    private mutating func call(_ inner: (inout SQLGenerator) -> String) -> String {
        let simple = [
            "abs", "length", "lower", "upper", "typeof", "trim", "ltrim", "rtrim", "round", "hex", "sign", "unicode",
        ]
        if isLucky(20) { return blobCall(inner) }
        if isLucky(60) { return "\(pick(simple))(\(inner(&self)))" }
        switch number(0...8) {
        case 0:
            return "\(pick(["coalesce", "ifnull", "nullif", "max", "min", "instr"]))(\(inner(&self)), \(inner(&self)))"
        case 1: return "replace(\(inner(&self)), \(inner(&self)), \(inner(&self)))"
        case 2: return "substr(\(inner(&self)), \(pick(["1", "0", "-1", "2", "-2", "100", inner(&self)])))"
        case 3: return "substr(\(inner(&self)), \(number(-3...3)), \(number(-3...5)))"
        case 4: return "\(pick(["trim", "ltrim", "rtrim"]))(\(inner(&self)), \(pick(["'a'", "'ac'", "'é'", "'1'"])))"
        case 5: return "round(\(inner(&self)), \(isLucky(70) ? number(-1...8) : number(9...31)))"
        case 6: return "iif(\(inner(&self)), \(inner(&self)), \(inner(&self)))"
        case 7: return "like(\(inner(&self)), \(inner(&self)))"
        default: return "max(\(inner(&self)), \(inner(&self)), \(inner(&self)))"
        }
    }

    /// A text function with a blob argument.
    private mutating func blobCall(_ inner: (inout SQLGenerator) -> String) -> String {
        let blob = pick(Self.blobs)
        let other = isLucky(50) ? pick(Self.blobs) : inner(&self)
        switch number(0...7) {
        case 0:
            return "replace(\(blob), \(pick(["''", "'a'", "x'61'", "x''", other])), \(pick(["'b'", "''", other])))"
        case 1: return "substr(\(blob), \(number(-3...3))\(pick(["", ", 1", ", -1", ", 2", ", 0"])))"
        case 2: return "\(pick(["trim", "ltrim", "rtrim"]))(\(blob)\(pick(["", ", 'a'", ", x'61'", ", x'c3'"])))"
        case 3: return "instr(\(blob), \(other))"
        case 4: return "typeof(\(pick(["replace", "trim", "upper", "nullif", "coalesce"]))(\(blob), \(other)))"
        case 5: return "\(pick(["upper", "lower", "hex", "length", "unicode", "round", "abs", "sign"]))(\(blob))"
        case 6: return "\(pick(["max", "min", "nullif", "ifnull"]))(\(blob), \(other))"
        default: return "CAST(\(blob) AS \(pick(["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"])))"
        }
    }

    // MARK: Statements

    mutating func condition(_ table: Table) -> String {
        switch number(0...99) {
        case ..<25: return ""
        case ..<40: return " WHERE \(column(table)) \(pick(["=", "<", ">=", "<>", "IS"])) \(literal())"
        case ..<48:
            return " WHERE \(pick(table.columns.prefix(2) + ["rowid"])) = \(pick([literal(), "'5'", "5.0", "2"]))"
        case ..<53: return " WHERE \(column(table)) BETWEEN \(literal()) AND \(literal())"
        case ..<58: return " WHERE \(column(table))\(pick([" ", " NOT "]))IN (\(list()))"
        case ..<62: return " WHERE \(column(table)) LIKE \(pick(["'a%'", "'%b%'", "'_'", "'1%'"]))"
        case ..<70:
            return " WHERE \(table.columns[0]) = \(literal()) AND \(table.columns[1]) = \(literal())"
        case ..<80: return " WHERE \(column(table)) > \(literal()) AND (\(expression(table, 2)))"
        default: return " WHERE " + expression(table, 3)
        }
    }

    mutating func select() -> String {
        let table = pick(tables)
        if isLucky(4) { return sessionSelect() }
        if isLucky(35) { return groupedSelect() }
        if isLucky(15) { return "SELECT " + several(1...3) { $0.expression(nil, $0.number(1...3)) } }
        if isLucky(18) {
            let sums = several(1...4) { generator in
                let argument = generator.expression(table, 1)
                let function = generator.pick(["count", "sum", "total", "avg", "min", "max", "group_concat"])
                return generator.isLucky(20)
                    ? "count(*)" : "\(function)(\(generator.pick(["", "", "ALL "]))\(argument))"
            }
            return "SELECT \(sums) FROM \(table.name)\(condition(table))"
        }
        let columns = several(1...4) { generator in
            switch generator.number(0...9) {
            case 0: "*"
            case 1: "\(table.name).*"
            case 2...5: generator.column(table)
            default: generator.expression(table, 2) + generator.pick(["", " AS x0", " x1", " AS 'q r'"])
            }
        }
        var sql = "SELECT \(pick(["", "", "", "DISTINCT ", "ALL "]))\(columns) FROM \(table.name)\(condition(table))"
        if isLucky(50) {
            sql += " ORDER BY "
            sql += several(1...3) { generator in
                let term = generator.isLucky(50) ? generator.column(table) : generator.expression(table, 1)
                return term + generator.pick(["", " ASC", " DESC", " DESC NULLS LAST", " NULLS FIRST"])
            }
        }
        return sql + limit()
    }

    mutating func limit() -> String {
        guard isLucky(30) else { return "" }
        let limit = " LIMIT " + pick(["0", "1", "2", "5", "-1", "'3'", "2.0", "NULL", "1+1", "'x'", "2.5"])
        return isLucky(40) ? limit + pick([" OFFSET 1", " OFFSET 3", " OFFSET -1", ", 2", ", 10"]) : limit
    }

    mutating func change() -> String {
        let table = pick(tables)
        switch number(0...99) {
        case ..<50:
            let verb = pick(["INSERT", "INSERT", "INSERT OR REPLACE", "REPLACE", "INSERT OR IGNORE"])
            if isLucky(4) { return "\(verb) INTO \(table.name) DEFAULT VALUES\(returning(table))" }
            var columns = table.columns
            if isLucky(40) { columns = Array(columns.shuffled(using: &random).prefix(number(1...columns.count))) }
            let head = "\(verb) INTO \(table.name)(\(columns.joined(separator: ", ")))"
            if isLucky(6) {
                let values = several(columns.count...columns.count) { $0.expression(table, 1) }
                return "\(head) SELECT \(values) FROM \(table.name)\(condition(table)) LIMIT 3\(upserts(table))"
                    + returning(table)
            }
            let rows = several(1...4) { generator in
                "(" + generator.several(columns.count...columns.count) { $0.literal() } + ")"
            }
            return "\(head) VALUES \(rows)\(upserts(table))\(returning(table))"
        case ..<80:
            let column = isLucky(5) ? "rowid" : pick(table.columns)
            return "UPDATE \(table.name) SET \(column) = \(expression(table, number(0...2)))\(condition(table))"
                + returning(table)
        default: return "DELETE FROM \(table.name)\(condition(table))\(returning(table))"
        }
    }
}
