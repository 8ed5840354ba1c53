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
        try rejectUnsupported("AS")
        let columns = isAt(.leftParenthesis) ? try names() : nil
        let source: SQLInsert.Source
        if take("DEFAULT") {
            try expect("VALUES")
            source = .defaults
        } else if take("VALUES") {
            var rows: [[SQLExpression]] = []
            repeat {
                try expect(.leftParenthesis)
                let (row, isEmpty) = try expressionList()
                if isEmpty { throw .syntax("near \")\": syntax error; expected a value", at: previousEnd) }
                rows.append(row)
            } while take(.comma)
            source = .rows(rows)
        } else {
            try rejectUnsupported("WITH")
            guard isAt("SELECT") else { throw unexpected("VALUES or SELECT") }
            source = .select(try select())
        }
        try rejectUnsupported("ON", "RETURNING", "UNION", "INTERSECT", "EXCEPT")
        return SQLInsert(table: table, columns: columns, source: source, conflict: conflict)
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
        var assignments: [SQLUpdate.Assignment] = []
        repeat {
            let start = offset
            if isAt(.leftParenthesis) { throw .unsupportedSQL("row value", at: start) }
            let column = SQLName(table: nil, name: try name("a column"), quote: .double, offset: start)
            try expect(.equal)
            assignments.append(SQLUpdate.Assignment(column: column, value: try expression()))
        } while take(.comma)
        try rejectUnsupported("FROM")
        let condition = take("WHERE") ? try expression() : nil
        try rejectUnsupported("ORDER", "LIMIT", "RETURNING")
        return SQLUpdate(table: table, assignments: assignments, condition: condition)
    }

    mutating func delete() throws(StoreError) -> SQLDelete {
        try expect("DELETE")
        try expect("FROM")
        let table = try tableName()
        try rejectUnsupported("AS", "INDEXED", "NOT")
        let condition = take("WHERE") ? try expression() : nil
        try rejectUnsupported("ORDER", "LIMIT", "RETURNING")
        return SQLDelete(table: table, condition: condition)
    }
}
