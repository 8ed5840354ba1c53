public import StoreCore

/// A local change of one row of a synchronized table, which a request sends to the server.
///
/// ```swift
/// try edits.add(RowEdit(upserting: note, into: "note"), id: ticket)
/// ```
public struct RowEdit: Sendable {
    /// The table.
    public let table: SQLIdentifier
    /// The cells to write, or the key of the row to delete.
    public let cells: ColumnValues
    /// True to delete the row.
    public let isDeletion: Bool
    /// The column with the row's version at the server, such as its `ETag`; nil without one.
    public let versionColumn: SQLIdentifier?
    /// The columns with a `Decimal` of a record, which one of a numeric type may round.
    private(set) var longDecimals: [SQLIdentifier] = []
    /// The type of a record, with its coding; nil for cells.
    private var record: (type: Any.Type, coding: StoreCoding)?

    /// Writes cells into the row with their primary key, or inserts it. Other columns keep their values.
    /// - Parameter versionColumn: the column with the row's version at the server, which the edit does not change; it
    ///   becomes the `If-Match` of the request.
    public init(
        upserting cells: ColumnValues, into table: SQLIdentifier, versionColumn: SQLIdentifier? = nil
    ) {
        (self.table, self.versionColumn, isDeletion) = (table, versionColumn, false)
        // The version is the server's to change.
        self.cells = cells.without(versionColumn.map { [$0] } ?? [])
    }

    /// Writes the columns of a record, as `LocalStore.upsert`. A `Decimal` that its column would round is refused when
    /// the edit is added.
    ///
    /// A `Codable` record changes the columns in which it differs from the record that the row is read as. The others
    /// keep the form in which the server has sent them, such as that of a date.
    /// - Throws: `StoreError` (`invalidArgument`) for a record that cannot be a row; errors of its `encode(to:)`.
    @_disfavoredOverload
    public init(
        upserting record: some Encodable, into table: SQLIdentifier, versionColumn: SQLIdentifier? = nil,
        coding: StoreCoding = StoreCoding()
    ) throws {
        let (row, longDecimals) = try RowBatch.encoding(record, coding: coding)
        self.init(upserting: ColumnValues(row), into: table, versionColumn: versionColumn)
        self.longDecimals = longDecimals
        self.record = (type: type(of: record), coding: coding)
    }

    /// Deletes the row with a primary key.
    /// - Parameter key: the cells of the primary key; others have no effect.
    public init(deleting key: ColumnValues, from table: SQLIdentifier, versionColumn: SQLIdentifier? = nil) {
        (self.table, cells, self.versionColumn, isDeletion) = (table, key, versionColumn, true)
    }

    /// The cells to write into a row, without those that the record has not changed.
    func cells(changing row: ColumnValues?) -> ColumnValues {
        guard let record, let row else { return cells }
        let (names, values) = (row.keys.map(\.text), Array(row.values))
        let stored = StoreRow(columnNames: names, values: values)
        guard let old = RowBatch.reencoding(stored, as: record.type, coding: record.coding) else { return cells }
        let unchanged = ColumnValues(old)
        return cells.filter { unchanged[$0.key] != $0.value }
    }
}

extension ColumnValues {
    /// The cells of the only row of a batch.
    fileprivate init(_ row: RowBatch) {
        self.init()
        for (index, column) in row.columns.enumerated() { self[column] = row.value(row: 0, column: index) }
    }
}

/// A row of a table.
struct RowIdentity: Hashable {
    let table: SQLIdentifier
    let key: ColumnValues
}
