/// ON CONFLICT and RETURNING clauses.
extension SQLGenerator {
    mutating func upserts(_ table: Table) -> String {
        guard isLucky(35) else { return "" }
        var clauses = ""
        for _ in 0..<number(0...2) { clauses += upsert(table, " (\(isLucky(92) ? pick(table.keys) : "c1"))") }
        return clauses.isEmpty || isLucky(30) ? clauses + upsert(table, "") : clauses
    }

    private mutating func upsert(_ table: Table, _ target: String) -> String {
        let head = " ON CONFLICT\(target) DO"
        if isLucky(30) { return "\(head) NOTHING" }
        let assignments = several(1...2) { generator in
            let column = generator.isLucky(4) ? "rowid" : generator.pick(table.columns)
            return "\(column) = \(generator.updated(table))"
        }
        return "\(head) UPDATE SET \(assignments)" + (isLucky(30) ? " WHERE \(updated(table)) > \(updated(table))" : "")
    }

    private mutating func updated(_ table: Table) -> String {
        let column = pick(table.columns)
        return switch number(0...9) {
        case 0...3: "excluded.\(column)"
        // Without `typeof(excluded.c)`: which of SQLite's values are converted by then depends on its bytecode.
        case 4: "coalesce(excluded.\(column), \(table.name).\(column))"
        case 5: "excluded.rowid"
        case 6: "\(column) + excluded.\(pick(table.columns))"
        case 7: literal()
        default: expression(table, 1)
        }
    }

    mutating func returning(_ table: Table) -> String {
        guard isLucky(25) else { return "" }
        let columns = several(1...3) { generator in
            switch generator.number(0...9) {
            case 0...1: "*"
            case 2: generator.pick(["rowid", "last_insert_rowid()", "changes()"])
            case 3...6: generator.column(table)
            // Without comparisons, in which SQLite 3.40 forgets the affinity of the columns here.
            default:
                generator.pick(["ifnull", "coalesce"])
                    + "(\(generator.column(table)), 1)" + generator.pick(["", " AS x0", " x1"])
            }
        }
        return " RETURNING \(columns)"
    }
}
