extension SQLParser {
    mutating func select() throws(StoreError) -> SQLSelect {
        try expect("SELECT")
        try refuse("DISTINCT")
        _ = take("ALL")
        var columns: [SQLSelect.Column] = []
        repeat { columns.append(try resultColumn()) } while take(.comma)
        var table: String?
        var alias: String?
        if take("FROM") { (table, alias) = try tableSource() }
        let condition = take("WHERE") ? try expression() : nil
        try refuse("GROUP", "HAVING", "WINDOW", "UNION", "INTERSECT", "EXCEPT")
        let order = try orderTerms()
        var limit: SQLExpression?
        var offset: SQLExpression?
        if take("LIMIT") {
            limit = try expression()
            if take("OFFSET") {
                offset = try expression()
            } else if take(.comma) {
                (offset, limit) = (limit, try expression())
            }
        }
        try refuse("UNION", "INTERSECT", "EXCEPT", "GROUP", "HAVING", "WINDOW")
        return SQLSelect(
            columns: columns, table: table, tableAlias: alias, condition: condition, order: order, limit: limit,
            offset: offset)
    }

    private mutating func resultColumn() throws(StoreError) -> SQLSelect.Column {
        let start = offset
        if take(.star) { return .all(table: nil, offset: start) }
        if let table = nameIfAny(), following.kind == .sign(.dot) {
            var ahead = self
            ahead.advance()
            ahead.advance()
            if ahead.take(.star) {
                self = ahead
                return .all(table: table, offset: start)
            }
        }
        let expression = try expression()
        let name = text(start..<endOfLast)
        if take("AS") {
            let alias = try self.name("a column")
            return .expression(expression, name: alias, alias: alias)
        }
        // Without AS, only what cannot be the next clause or an operator is an alias.
        if let alias = nameIfAny(), !isJoinWord {
            advance()
            return .expression(expression, name: alias, alias: alias)
        }
        return .expression(expression, name: name, alias: nil)
    }

    private var isJoinWord: Bool {
        guard let keyword = current.keyword else { return false }
        return SQLKeywords.joins.contains(keyword) || keyword == "WINDOW" || keyword == "GLOB" || keyword == "LIKE"
            || keyword == "REGEXP" || keyword == "MATCH"
    }

    private mutating func tableSource() throws(StoreError) -> (String, String?) {
        if sees(.leftParenthesis) { throw .unsupportedSQL("a SELECT in FROM", at: offset) }
        let table = try tableName()
        if sees(.leftParenthesis) { throw .unsupportedSQL("a function in FROM", at: offset) }
        var alias: String?
        if take("AS") {
            alias = try name("a table")
        } else if let name = nameIfAny(), !isJoinWord, !sees("INDEXED") {
            alias = name
            advance()
        }
        if sees(.comma) || current.keyword.map(SQLKeywords.joins.contains) ?? false || sees("JOIN") {
            throw .unsupportedSQL("JOIN", at: offset)
        }
        try refuse("INDEXED", "NOT")
        return (table, alias)
    }

    private mutating func orderTerms() throws(StoreError) -> [SQLSelect.Order] {
        guard take("ORDER") else { return [] }
        try expect("BY")
        var terms: [SQLSelect.Order] = []
        repeat {
            let start = offset
            let expression = try expression()
            let isDescending = take("DESC")
            if !isDescending { _ = take("ASC") }
            var isNullsFirst = !isDescending
            if take("NULLS") {
                isNullsFirst = take("FIRST")
                if !isNullsFirst { try expect("LAST") }
            }
            terms.append(
                SQLSelect.Order(
                    expression: expression, isDescending: isDescending, isNullsFirst: isNullsFirst, offset: start))
        } while take(.comma)
        return terms
    }
}
