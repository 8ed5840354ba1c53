/// What a table of a ``MemoryStore`` is made of, worked out once.
final class MemoryTableDefinition: Sendable {
    let schema: TableSchema
    /// The statement that makes the table, as `sqlite_master` shows it.
    let text: String
    /// Where in `text`, in bytes, another column would be added.
    let columnsEnd: Int
    let affinities: [ColumnAffinity]
    /// The column that is the rowid by another name, if there is one.
    let rowidColumn: Int?
    /// The columns of each unique constraint but that of the rowid.
    let uniqueKeys: [[Int]]
    /// The columns of the primary key, in the key's order.
    let primaryKey: [Int]
    /// What a row has where nothing is said.
    let defaults: [BoundExpression]
    let scope: SQLScope

    var name: SQLIdentifier { schema.name }

    /// As many as SQLite allows. A row's values are counted in 16 bits in the journal.
    private static let maximumColumnCount = 2000

    /// - Throws: `StoreError`, when a default is no value or the definition makes no sense.
    init(_ table: SQLTableDefinition) throws(StoreError) {
        guard table.columns.count <= Self.maximumColumnCount else {
            throw StoreError(
                .tooLarge, "too many columns on \(table.name): the maximum is \(Self.maximumColumnCount)")
        }
        var columns: [TableSchema.Column] = []
        for column in table.columns {
            columns.append(
                TableSchema.Column(
                    SQLIdentifier(column.name), column.declaredType, isNotNull: column.isNotNull))
        }
        let schema = try TableSchema(
            SQLIdentifier(table.name), columns: columns, primaryKey: table.primaryKey.map { SQLIdentifier($0) })
        self.schema = schema
        text = table.text
        columnsEnd = table.columnsEnd
        affinities = columns.map(\.affinity)
        let primaryKey = schema.primaryKey.compactMap { schema.index(of: $0) }
        self.primaryKey = primaryKey
        let isRowid = primaryKey.count == 1 && SQLIdentifier(columns[primaryKey[0]].declaredType) == "INTEGER"
        rowidColumn = isRowid ? primaryKey[0] : nil
        var keys: [[Int]] = []
        var isFirst = true
        for key in table.uniqueKeys {
            let places = key.compactMap { schema.index(of: SQLIdentifier($0)) }
            // The rowid needs no index, and the same one is not made twice.
            if isRowid, isFirst, places == primaryKey {
                isFirst = false
            } else if !keys.contains(places) {
                keys.append(places)
            }
        }
        uniqueKeys = keys
        var defaults: [BoundExpression] = []
        var binder = SQLBinder(SQLScope())
        for column in table.columns {
            do throws(StoreError) {
                defaults.append(try binder.bind(column.defaultValue ?? .value(.null)))
            } catch  where error.code == .noSuchColumn {
                throw .syntax("default value of column \(column.name) is not constant", at: column.offset)
            }
        }
        self.defaults = defaults
        scope = SQLScope(
            table: schema.name,
            columns: columns.map { SQLScope.Column(name: $0.name, affinity: $0.affinity) }, rowidColumn: rowidColumn)
    }

    func index(of column: SQLIdentifier) throws(StoreError) -> Int {
        guard let index = schema.index(of: column) else {
            throw .noSuchColumn(column.text, in: name.text)
        }
        return index
    }

    /// The value that a column has where a row says nothing, as the column keeps it.
    func defaultValue(_ column: Int) throws(StoreError) -> SQLValue {
        if case .value(.null) = defaults[column] { return .null }
        let value = try SQLEvaluator(parameters: []).value(defaults[column], in: NoRows(), at: 0)
        return affinities[column].stored(value)
    }

    func brokenRule(_ rule: String, _ columns: [Int]) -> StoreError {
        let names = columns.map { "\(name.text).\(schema.columns[$0].name.text)" }.joined(separator: ", ")
        return StoreError(.constraint, "\(rule): \(names)")
    }
}
