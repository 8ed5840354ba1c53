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

    /// The row of the record that a row decodes to.
    /// - Parameter type: the record's type.
    /// - Returns: nil if the type is not `Decodable` too, or the row does not decode.
    package static func reencoding(_ row: borrowing StoreRow, as type: Any.Type, coding: StoreCoding) -> RowBatch? {
        guard let type = type as? any Codable.Type else { return nil }
        return try? reencoding(row, as: type, coding)
    }

    private static func reencoding<Record: Codable>(
        _ row: borrowing StoreRow, as type: Record.Type, _ coding: StoreCoding
    ) throws -> RowBatch {
        try encoding(row.decode(type, coding: coding), coding: coding).row
    }
}
