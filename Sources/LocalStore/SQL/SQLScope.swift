/// What names in an expression can mean.
struct SQLScope: Sendable {
    struct Column: Sendable {
        let name: SQLIdentifier
        let affinity: ColumnAffinity
    }

    /// The name by which the table is known; nil when there is none.
    var table: SQLIdentifier?
    var columns: [Column] = []
    /// The column that is the rowid by another name.
    var rowidColumn: Int?
    /// What the columns of the result are called, for expressions that may use these names too.
    var aliases: [SQLIdentifier: SQLExpression] = [:]
    /// True where aggregate functions may stand.
    var allowsAggregates = false

    /// What a name means among the columns.
    enum Meaning { case column(Int), rowid, nothing }

    func meaning(of name: SQLName) -> Meaning {
        guard let table, name.table.map({ SQLIdentifier($0) == table }) ?? true else { return .nothing }
        let identifier = SQLIdentifier(name.name)
        if let index = columns.firstIndex(where: { $0.name == identifier }) {
            return index == rowidColumn ? .rowid : .column(index)
        }
        return Self.rowidNames.contains(identifier) ? .rowid : .nothing
    }

    static let rowidNames: Set<SQLIdentifier> = ["rowid", "_rowid_", "oid"]
}
