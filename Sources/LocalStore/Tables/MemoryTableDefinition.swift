import StoreCore

/// The compiled definition of a table of a ``MemoryStore``.
final class MemoryTableDefinition: Sendable {
    let schema: TableSchema
    /// The CREATE TABLE statement, as `sqlite_master` shows it.
    let text: String
    /// Byte offset in `text` at which ALTER TABLE inserts a column.
    let columnsEnd: Int
    let affinities: [ColumnAffinity]
    /// The INTEGER PRIMARY KEY column, which aliases the rowid; nil if there is none.
    let rowidColumn: Int?
    /// Columns of each unique constraint, without that of the rowid.
    let uniqueKeys: [[Int]]
    /// The columns of the primary key, in the key's order.
    let primaryKey: [Int]
    /// Default values of the columns.
    let defaults: [BoundExpression]
    let scope: SQLScope

    var name: SQLIdentifier { schema.name }

    /// SQLite's limit. The journal counts a row's values in 16 bits.
    private static let maximumColumnCount = 2000

    /// Refuses a list of columns or terms that is longer than in SQLite.
    /// - Parameter list: the list in an error message, such as `columns in result set`.
    static func checkColumnCount(_ count: Int, _ list: String) throws(StoreError) {
        guard count <= maximumColumnCount else {
            throw StoreError(.tooLarge, "too many \(list): the maximum is \(maximumColumnCount)")
        }
    }

    /// - Parameter isStored: true for the definition of an existing table, which an earlier version may have accepted:
    ///   it may have more columns, and a default that is not constant is NULL; default false.
    /// - Throws: `StoreError`, if a default is not constant or the definition is contradictory.
    init(_ table: SQLTableDefinition, isStored: Bool = false) throws(StoreError) {
        if !isStored { try Self.checkColumnCount(table.columns.count, "columns on \(table.name)") }
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
            let indexes = key.compactMap { schema.index(of: SQLIdentifier($0)) }
            // The rowid needs no index; duplicate keys share one.
            if isRowid, isFirst, indexes == primaryKey {
                isFirst = false
            } else if !keys.contains(indexes) {
                keys.append(indexes)
            }
        }
        uniqueKeys = keys
        var defaults: [BoundExpression] = []
        var binder = SQLBinder(SQLScope())
        for column in table.columns {
            do throws(StoreError) {
                defaults.append(try Self.constant(column, &binder))
            } catch {
                guard isStored else { throw error }
                defaults.append(.value(.null))
            }
        }
        if binder.usesSession, !isStored { throw .unsupportedSQL("last_insert_rowid() or changes() in DEFAULT", at: 0) }
        self.defaults = defaults
        scope = SQLScope(
            table: schema.name,
            columns: columns.map { SQLScope.Column(name: $0.name, affinity: $0.affinity) }, rowidColumn: rowidColumn)
    }

    /// The default value of a column.
    private static func constant(
        _ column: SQLColumnDefinition, _ binder: inout SQLBinder
    ) throws(StoreError) -> BoundExpression {
        let bound: BoundExpression
        do throws(StoreError) {
            bound = try binder.bind(column.defaultValue ?? .value(.null))
        } catch  where error.code == .noSuchColumn {
            throw notConstant(column)
        }
        // The parameters of the CREATE TABLE have no values in a later INSERT.
        guard !bound.hasParameter else { throw notConstant(column) }
        return bound
    }

    private static func notConstant(_ column: SQLColumnDefinition) -> StoreError {
        .syntax("default value of column \(column.name) is not constant", at: column.offset)
    }

    func index(of column: SQLIdentifier) throws(StoreError) -> Int {
        guard let index = schema.index(of: column) else {
            throw .noSuchColumn(column.text, in: name.text)
        }
        return index
    }

    /// A column's default value, converted to its affinity.
    func defaultValue(_ column: Int) throws(StoreError) -> SQLValue {
        affinities[column].stored(try computedDefault(column))
    }

    /// A column's default value, before its conversion.
    func computedDefault(_ column: Int) throws(StoreError) -> SQLValue {
        if case .value(let value) = defaults[column] { return value }
        return try SQLEvaluator(parameters: []).value(defaults[column], in: NoRows(), at: 0)
    }

    func constraintError(_ rule: String, _ columns: [Int]) -> StoreError {
        let names = columns.map { "\(name.text).\(schema.columns[$0].name.text)" }.joined(separator: ", ")
        return StoreError(.constraint, "\(rule): \(names)")
    }
}
