import LocalStore

/// An operation that a differential test runs on two stores.
indirect enum StoreOperation: CustomStringConvertible {
    case statement(String, [StoreValue])
    case upsert(RowBatch, SQLIdentifier)
    case delete(RowBatch, SQLIdentifier)
    case replace(SQLIdentifier, with: SQLIdentifier)
    /// A transaction that commits, or throws at its end.
    case transaction([StoreOperation], isKept: Bool)

    var description: String {
        switch self {
        case .statement(let sql, let parameters): "\(sql) \(parameters)"
        case .upsert(let batch, let table): "upsert into \(table): \(Self.text(batch))"
        case .delete(let batch, let table): "delete from \(table): \(Self.text(batch))"
        case .replace(let table, let replacement): "replace \(table) with \(replacement)"
        case .transaction(let operations, let isKept):
            "transaction \(operations), \(isKept ? "kept" : "interrupted")"
        }
    }

    private static func text(_ batch: RowBatch) -> String {
        "\(batch.columns) "
            + (0..<batch.rowCount)
            .map { row in "\(batch.columns.indices.map { batch.value(row: row, column: $0) })" }.joined(separator: ", ")
    }
}
