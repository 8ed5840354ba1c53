/// SELECT with GROUP BY, HAVING, DISTINCT and aggregates of every kind.
extension SQLGenerator {
    mutating func groupedSelect() -> String {
        let table = pick(tables)
        let keys = (0..<number(0...3)).map { _ in groupingTerm(table) }
        let columns = several(1...4) { generator in
            switch generator.number(0...9) {
            case 0...1: generator.column(table)
            case 2...3 where !keys.isEmpty: generator.pick(keys)
            case 4: generator.aggregate(table) + generator.pick([" + 1", " || 'x'", " IS NULL", " AS x0"])
            case 5: generator.isLucky(30) ? "*" : generator.aggregate(table) + " AS x1"
            default: generator.aggregate(table)
            }
        }
        var sql = "SELECT \(pick(["", "", "", "DISTINCT "]))\(columns) FROM \(table.name)\(condition(table))"
        if !keys.isEmpty { sql += " GROUP BY " + keys.joined(separator: ", ") }
        if isLucky(30) { sql += " HAVING " + havingTerm(table, keys) }
        if isLucky(60) {
            sql += " ORDER BY "
            sql += several(1...3) { generator in
                let term =
                    switch generator.number(0...9) {
                    // Without GROUP BY, SQLite's plan decides whether it refuses this.
                    case 0...2 where !keys.isEmpty: generator.aggregate(table)
                    case 3...5 where !keys.isEmpty: generator.pick(keys)
                    case 6: generator.pick(["1", "x0", "x1", "rowid"])
                    default: generator.column(table)
                    }
                return term + generator.pick(["", " ASC", " DESC", " DESC NULLS LAST", " NULLS FIRST", " NULLS LAST"])
            }
        }
        return sql + limit()
    }

    private mutating func groupingTerm(_ table: Table) -> String {
        switch number(0...19) {
        case 0: pick(["1", "2", "3", "'a'", "NULL", "1.5", "x0"])
        case 1...4: expression(table, 1)
        case 5...6: pick(["typeof", "length", "abs", "upper"]) + "(\(pick(table.columns)))"
        default: column(table)
        }
    }

    private mutating func havingTerm(_ table: Table, _ keys: [String]) -> String {
        let term =
            switch number(0...5) {
            case 0 where !keys.isEmpty: "typeof(\(pick(keys))) = \(pick(["'integer'", "'real'", "'text'"]))"
            case 1 where !keys.isEmpty: "\(pick(keys)) > \(literal())"
            case 2: "\(column(table)) < \(literal())"
            case 3: "\(aggregate(table)) \(pick([">", "<=", "IS NOT"])) \(literal())"
            default: "count(*) > \(number(0...2))"
            }
        guard isLucky(30) else { return term }
        return term + pick([" AND ", " OR "]) + havingTerm(table, keys)
    }

    private mutating func aggregate(_ table: Table) -> String {
        let filter = isLucky(12) ? " FILTER (WHERE \(expression(table, 1)))" : ""
        if isLucky(15) { return pick(["count(*)", "count()"]) + filter }
        let argument = isLucky(70) ? column(table) : expression(table, 1)
        if isLucky(6) { return "group_concat(\(argument), \(pick(["'-'", "''", "NULL", "c0"])))\(filter)" }
        let function = pick(["count", "sum", "total", "avg", "min", "min", "max", "max", "group_concat"])
        return "\(function)(\(pick(["", "", "", "ALL ", "DISTINCT "]))\(argument))\(filter)"
    }

    /// Reads what the last changes left.
    mutating func sessionSelect() -> String {
        let table = pick(tables)
        return pick([
            "SELECT last_insert_rowid(), changes()",
            "SELECT count(*) FROM \(table.name) WHERE rowid = last_insert_rowid()",
            "SELECT DISTINCT changes() FROM \(table.name)",
            "SELECT count(*) FROM \(table.name) GROUP BY rowid > last_insert_rowid()",
        ])
    }
}
