import StoreCore

extension SQLParser {
    mutating func alter() throws(StoreError) -> SQLStatement.Kind {
        try expect("ALTER")
        try expect("TABLE")
        let table = try tableName()
        if take("RENAME") { return try rename(table) }
        if take("DROP") {
            _ = take("COLUMN")
            return .dropColumn(table: table, try columnName())
        }
        try expect("ADD")
        _ = take("COLUMN")
        let start = offset
        var definition = SQLTableDefinition(name: table)
        try column(of: &definition)
        guard let column = definition.columns.first else { throw unexpected("a column") }
        return .addColumn(table: table, column, text: text(start..<previousEnd))
    }

    private mutating func rename(_ table: String) throws(StoreError) -> SQLStatement.Kind {
        if take("TO") { return .renameTable(table, to: try name("a table")) }
        _ = take("COLUMN")
        let column = try columnName()
        try expect("TO")
        let isQuoted = if case .word(_, .none) = current.kind { false } else { true }
        return .renameColumn(table: table, column, to: try name("a column"), isQuoted: isQuoted)
    }

    mutating func columnName() throws(StoreError) -> SQLName {
        let start = offset
        return SQLName(table: nil, name: try name("a column"), quote: .double, offset: start)
    }
}
