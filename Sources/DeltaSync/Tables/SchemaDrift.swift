import StoreCore

/// Migration that a table needs to store rows of another schema.
enum SchemaDrift: Hashable, Sendable {
    /// None: it has all columns; surplus columns stay null.
    case none
    /// Columns must be added.
    case additions([TableSchema.Column])
    /// A new table is needed: a column type, NOT NULL or the primary key differs.
    case replacement

    /// Compares the actual schema of a table with the wanted one.
    init(from actual: TableSchema, to wanted: TableSchema) {
        var additions: [TableSchema.Column] = []
        var isFit = actual.primaryKey == wanted.primaryKey
        for column in wanted.columns {
            guard let index = actual.index(of: column.name) else {
                // A NOT NULL column cannot be added to existing rows.
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
        // A surplus column stays null, so it must not be NOT NULL.
        let isSuperfluous = { (column: TableSchema.Column) in wanted.index(of: column.name) == nil }
        if actual.columns.contains(where: { $0.isNotNull && isSuperfluous($0) }) { isFit = false }
        self = !isFit ? .replacement : additions.isEmpty ? .none : .additions(additions)
    }
}
