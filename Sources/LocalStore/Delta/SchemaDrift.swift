/// What has to be done to a table for it to hold the rows of another schema.
enum SchemaDrift: Hashable, Sendable {
    /// Nothing: it has the columns, and maybe more, which stay null.
    case none
    /// Columns have to be added.
    case additions([TableSchema.Column])
    /// A new table is needed: a column has another type, or the key is another.
    case replacement

    /// Compares a table with what it should be.
    init(from actual: TableSchema, to wanted: TableSchema) {
        var additions: [TableSchema.Column] = []
        var isFit = actual.primaryKey == wanted.primaryKey
        for column in wanted.columns {
            guard let index = actual.index(of: column.name) else {
                // A column that refuses null cannot be added to rows that are there.
                if column.isNotNull { isFit = false }
                additions.append(column)
                continue
            }
            let other = actual.columns[index]
            if other.declaredType.uppercased() != column.declaredType.uppercased()
                || other.isNotNull != column.isNotNull
            {
                isFit = false
            }
        }
        // One that is no longer sent stays null.
        let isSuperfluous = { (column: TableSchema.Column) in wanted.index(of: column.name) == nil }
        if actual.columns.contains(where: { $0.isNotNull && isSuperfluous($0) }) { isFit = false }
        self = !isFit ? .replacement : additions.isEmpty ? .none : .additions(additions)
    }
}
