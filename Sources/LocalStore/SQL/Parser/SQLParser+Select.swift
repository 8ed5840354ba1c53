import StoreCore

extension SQLParser {
    mutating func select() throws(StoreError) -> SQLSelect {
        try expect("SELECT")
        let isDistinct = take("DISTINCT")
        if !isDistinct { _ = take("ALL") }
        var columns: [SQLSelect.Column] = []
        repeat { columns.append(try resultColumn()) } while take(.comma)
        var table: String?
        var alias: String?
        if take("FROM") { (table, alias) = try tableSource() }
        let condition = take("WHERE") ? try expression() : nil
        let grouping = try groupingTerms()
        var having: SQLSelect.GroupingTerm?
        if isAt("HAVING") {
            advance()
            having = try groupingTerm()
        }
        try rejectUnsupported("WINDOW", "UNION", "INTERSECT", "EXCEPT")
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
        try rejectUnsupported("UNION", "INTERSECT", "EXCEPT", "WINDOW")
        return SQLSelect(
            isDistinct: isDistinct, columns: columns, table: table, tableAlias: alias, condition: condition,
            grouping: grouping, having: having, order: order, limit: limit, offset: offset)
    }

    private mutating func groupingTerms() throws(StoreError) -> [SQLSelect.GroupingTerm] {
        guard take("GROUP") else { return [] }
        try expect("BY")
        var terms: [SQLSelect.GroupingTerm] = []
        repeat { terms.append(try groupingTerm()) } while take(.comma)
        return terms
    }

    private mutating func groupingTerm() throws(StoreError) -> SQLSelect.GroupingTerm {
        let start = offset
        return SQLSelect.GroupingTerm(expression: try expression(), offset: start)
    }

    mutating func resultColumn() throws(StoreError) -> SQLSelect.Column {
        let start = offset
        if take(.star) { return .all(table: nil, offset: start) }
        if let table = currentName(), following.kind == .symbol(.dot) {
            var ahead = self
            ahead.advance()
            ahead.advance()
            if ahead.take(.star) {
                self = ahead
                return .all(table: table, offset: start)
            }
        }
        let expression = try expression()
        let name = text(start..<previousEnd)
        if take("AS") {
            let alias = try self.name("a column")
            return .expression(expression, name: alias, alias: alias)
        }
        // Without AS, an alias must not be a keyword that could start the next clause or an operator.
        if let alias = currentName(), !isJoinWord {
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
        if isAt(.leftParenthesis) { throw .unsupportedSQL("subquery in FROM", at: offset) }
        let table = try tableName()
        if isAt(.leftParenthesis) { throw .unsupportedSQL("table-valued function", at: offset) }
        var alias: String?
        if take("AS") {
            alias = try name("a table")
        } else if let name = currentName(), !isJoinWord, !isAt("INDEXED") {
            alias = name
            advance()
        }
        if isAt(.comma) || current.keyword.map(SQLKeywords.joins.contains) ?? false || isAt("JOIN") {
            throw .unsupportedSQL("JOIN", at: offset)
        }
        try rejectUnsupported("INDEXED", "NOT")
        // Of a join, also before the ON CONFLICT of an INSERT ... SELECT: as in SQLite, that needs a WHERE.
        if isAt("ON") || isAt("USING") { throw unexpected("the next clause of the SELECT") }
        return (table, alias)
    }

    private mutating func orderTerms() throws(StoreError) -> [SQLSelect.OrderingTerm] {
        guard take("ORDER") else { return [] }
        try expect("BY")
        var terms: [SQLSelect.OrderingTerm] = []
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
                SQLSelect.OrderingTerm(
                    expression: expression, isDescending: isDescending, isNullsFirst: isNullsFirst, offset: start))
        } while take(.comma)
        return terms
    }
}
