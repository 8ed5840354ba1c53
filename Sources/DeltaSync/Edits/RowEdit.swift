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
    /// - Throws: `StoreError` (`invalidArgument`) for a record that cannot be a row; errors of its `encode(to:)`.
    @_disfavoredOverload
    public init(
        upserting record: some Encodable, into table: SQLIdentifier, versionColumn: SQLIdentifier? = nil,
        coding: StoreCoding = StoreCoding()
    ) throws {
        let (row, longDecimals) = try RowBatch.encoding(record, coding: coding)
        var cells = ColumnValues()
        for (index, column) in row.columns.enumerated() { cells[column] = row.value(row: 0, column: index) }
        self.init(upserting: cells, into: table, versionColumn: versionColumn)
        self.longDecimals = longDecimals
    }

    /// Deletes the row with a primary key.
    /// - Parameter key: the cells of the primary key; others have no effect.
    public init(deleting key: ColumnValues, from table: SQLIdentifier, versionColumn: SQLIdentifier? = nil) {
        (self.table, cells, self.versionColumn, isDeletion) = (table, key, versionColumn, true)
    }
}
