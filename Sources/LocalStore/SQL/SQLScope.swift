import StoreCore

/// The names that an expression can refer to.
struct SQLScope: Sendable {
    struct Column: Sendable {
        let name: SQLIdentifier
        let affinity: ColumnAffinity
    }

    /// The table's name or alias; nil if there is no table.
    var table: SQLIdentifier?
    var columns: [Column] = []
    /// The column that aliases the rowid.
    var rowidColumn: Int?
    /// Aliases of the result columns, for expressions that may refer to them.
    var aliases: [SQLIdentifier: SQLExpression] = [:]
    /// True where aggregate functions are allowed.
    var allowsAggregates = false
    /// True in DO UPDATE, where names of `excluded` are known; see ``SQLRowValues``.
    var hasExcluded = false

    /// The result of resolving a column name.
    enum Resolution {
        case column(Int), rowid, unknown
        /// An index in ``SQLRowValues/values``. Such a value has no affinity.
        case excluded(Int)
    }

    func resolve(_ name: SQLName) -> Resolution {
        guard let table else { return .unknown }
        guard name.table.map({ SQLIdentifier($0) == table }) ?? true else {
            return hasExcluded && SQLIdentifier(name.table ?? "") == "excluded" ? excluded(name) : .unknown
        }
        let identifier = SQLIdentifier(name.name)
        if let index = columns.firstIndex(where: { $0.name == identifier }) {
            return index == rowidColumn ? .rowid : .column(index)
        }
        return Self.rowidNames.contains(identifier) ? .rowid : .unknown
    }

    private func excluded(_ name: SQLName) -> Resolution {
        switch resolve(SQLName(table: nil, name: name.name, quote: name.quote, offset: name.offset)) {
        case .column(let index): .excluded(columns.count + index)
        case .rowid: .excluded(columns.count * 2)
        case .excluded, .unknown: .unknown
        }
    }

    static let rowidNames: Set<SQLIdentifier> = ["rowid", "_rowid_", "oid"]
}
