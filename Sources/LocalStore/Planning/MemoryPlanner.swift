import StoreCore

/// Compiles syntax trees into plans for the current schema.
struct MemoryPlanner {
    let database: MemoryDatabase

    static let catalogNames: Set<SQLIdentifier> = ["sqlite_master", "sqlite_schema"]

    func plan(_ statement: SQLStatement) throws(StoreError) -> MemoryPlan {
        let kind: MemoryPlan.Kind
        switch statement.kind {
        case .select(let select): kind = .select(try plan(select))
        case .insert(let insert): kind = .insert(try plan(insert))
        case .update(let update): kind = .update(try plan(update))
        case .delete(let delete): kind = .delete(try plan(delete))
        case .userVersion(let value): kind = .userVersion(value)
        case .createTable, .dropTable, .addColumn, .renameTable, .renameColumn, .dropColumn:
            kind = .definition(statement.kind)
        }
        return MemoryPlan(
            kind, sql: statement.sql, parameterCount: statement.parameterCount, schemaVersion: database.schemaVersion,
            hasLongList: statement.hasLongList)
    }

    /// The expressions and names of result columns, with `*` expanded.
    func outputs(
        of columns: [SQLSelect.Column], _ scope: SQLScope
    ) throws(StoreError) -> ([SQLExpression], [String]) {
        var expressions: [SQLExpression] = []
        var names: [String] = []
        for column in columns {
            switch column {
            case .all(let table, let offset):
                guard let own = scope.table else {
                    throw .syntax("no tables specified", at: offset)
                }
                guard table.map({ SQLIdentifier($0) == own }) ?? true else {
                    throw .noSuchTable(table ?? "", at: offset)
                }
                for column in scope.columns {
                    names.append(column.name.text)
                    expressions.append(
                        .column(SQLName(table: nil, name: column.name.text, quote: .bracket, offset: offset)))
                }
            case .expression(let expression, let name, let alias):
                expressions.append(expression)
                names.append(alias ?? columnName(expression, scope) ?? name)
            }
            try MemoryTableDefinition.checkColumnCount(expressions.count, "columns in result set")
        }
        return (expressions, names)
    }

    /// The result name of a plain column, in its definition's spelling.
    private func columnName(_ expression: SQLExpression, _ scope: SQLScope) -> String? {
        guard case .column(let name) = expression else { return nil }
        switch scope.resolve(name) {
        case .column(let index): return scope.columns[index].name.text
        case .rowid: return scope.rowidColumn.map { scope.columns[$0].name.text } ?? "rowid"
        case .excluded, .unknown: return nil
        }
    }

    func constant(_ expression: SQLExpression?, _ binder: inout SQLBinder) throws(StoreError) -> BoundExpression? {
        guard let expression else { return nil }
        return try binder.bind(expression)
    }
}
