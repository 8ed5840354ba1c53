import StoreCore

extension SQLParser {
    mutating func insert() throws(StoreError) -> SQLInsert {
        var conflict = SQLConflict.abort
        if take("REPLACE") {
            conflict = .replace
        } else {
            try expect("INSERT")
            conflict = try conflictClause()
        }
        try expect("INTO")
        let table = try tableName()
        let alias = take("AS") ? try name("a table") : nil
        let columns = isAt(.leftParenthesis) ? try names() : nil
        let source = try insertSource()
        var upserts: [SQLUpsert] = []
        if case .defaults = source {} else { upserts = try self.upserts() }
        let returning = try returningClause()
        try rejectUnsupported("UNION", "INTERSECT", "EXCEPT")
        return SQLInsert(
            table: table, alias: alias, columns: columns, source: source, conflict: conflict, upserts: upserts,
            returning: returning)
    }

    private mutating func insertSource() throws(StoreError) -> SQLInsert.Source {
        if take("DEFAULT") {
            try expect("VALUES")
            return .defaults
        }
        guard take("VALUES") else {
            try rejectUnsupported("WITH")
            guard isAt("SELECT") else { throw unexpected("VALUES or SELECT") }
            return .select(try select())
        }
        var rows: [[SQLExpression]] = []
        repeat {
            try expect(.leftParenthesis)
            let (row, isEmpty) = try expressionList()
            if isEmpty { throw .syntax("near \")\": syntax error; expected a value", at: previousEnd) }
            rows.append(row)
        } while take(.comma)
        return .rows(rows)
    }

    private mutating func conflictClause() throws(StoreError) -> SQLConflict {
        guard take("OR") else { return .abort }
        if take("ABORT") { return .abort }
        if take("REPLACE") { return .replace }
        if take("IGNORE") { return .ignore }
        try rejectUnsupported("FAIL", "ROLLBACK")
        throw unexpected("ABORT, IGNORE or REPLACE")
    }

    mutating func update() throws(StoreError) -> SQLUpdate {
        try expect("UPDATE")
        try rejectUnsupported("OR")
        let table = try tableName()
        try rejectUnsupported("AS", "INDEXED", "NOT")
        try expect("SET")
        let assignments = try assignments()
        try rejectUnsupported("FROM")
        let condition = take("WHERE") ? try expression() : nil
        let returning = try returningClause()
        try rejectUnsupported("ORDER", "LIMIT")
        return SQLUpdate(table: table, assignments: assignments, condition: condition, returning: returning)
    }

    /// Parses the assignments after SET.
    mutating func assignments() throws(StoreError) -> [SQLUpdate.Assignment] {
        var assignments: [SQLUpdate.Assignment] = []
        repeat {
            if isAt(.leftParenthesis) { throw .unsupportedSQL("row value", at: offset) }
            let column = try columnName()
            try expect(.equal)
            assignments.append(SQLUpdate.Assignment(column: column, value: try expression()))
        } while take(.comma)
        return assignments
    }

    mutating func delete() throws(StoreError) -> SQLDelete {
        try expect("DELETE")
        try expect("FROM")
        let table = try tableName()
        try rejectUnsupported("AS", "INDEXED", "NOT")
        let condition = take("WHERE") ? try expression() : nil
        let returning = try returningClause()
        try rejectUnsupported("ORDER", "LIMIT")
        return SQLDelete(table: table, condition: condition, returning: returning)
    }

    /// Parses the columns of a RETURNING clause (sqlite.org/lang_returning.html); none without one.
    private mutating func returningClause() throws(StoreError) -> [SQLSelect.Column] {
        guard take("RETURNING") else { return [] }
        var columns: [SQLSelect.Column] = []
        repeat {
            let column = try resultColumn()
            if case .all(table: _?, let start) = column {
                throw .syntax("RETURNING may not use \"TABLE.*\" wildcards", at: start)
            }
            columns.append(column)
        } while take(.comma)
        return columns
    }
}
