extension RowBatch {
    /// The row of one record: its keys are the columns.
    /// - Returns: the row, and its columns with decimal numbers that a column of a numeric type may round.
    /// - Throws: ``StoreError`` (`invalidArgument`) for a record that cannot be a row; errors of its `encode(to:)`.
    package static func encoding(
        _ record: some Encodable, coding: StoreCoding
    ) throws -> (row: RowBatch, longDecimals: [SQLIdentifier]) {
        let encoder = RowEncoder(type(of: record), coding)
        _ = try encoder.append(record)
        return (encoder.batch, encoder.longDecimals.map { encoder.batch.columns[$0.column] })
    }
}
