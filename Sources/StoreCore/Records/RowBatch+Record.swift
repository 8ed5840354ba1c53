extension RowBatch {
    /// The row of one record: its keys are the columns.
    /// - Throws: ``StoreError`` (`invalidArgument`) for a record that cannot be a row; errors of its `encode(to:)`.
    package init(record: some Encodable, coding: StoreCoding) throws {
        let encoder = RowEncoder(type(of: record), coding)
        _ = try encoder.append(record)
        self = encoder.batch
    }
}
