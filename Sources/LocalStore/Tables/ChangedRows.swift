import StoreCore

/// The rows that a statement has changed so far: their number, and the results of a RETURNING clause.
struct ChangedRows {
    private let outputs: [BoundExpression]
    private(set) var outcome = MemoryDatabase.Outcome()

    init(_ returning: MemoryReturning?) {
        outputs = returning?.outputs ?? []
        if let returning { outcome.resultSet = ResultSet(names: returning.names) }
    }

    /// Adds a row: after an INSERT or UPDATE, or before a DELETE of it.
    mutating func add(
        _ table: borrowing MemoryTable, _ row: Int, _ evaluator: SQLEvaluator, _ undo: borrowing UndoLog
    ) throws(StoreError) {
        outcome.count += 1
        guard !outputs.isEmpty else { return }
        var evaluator = evaluator
        evaluator.session.lastInsertRowid = undo.lastInsertedRowid
        for output in outputs { try outcome.resultSet?.append(try evaluator.value(output, in: table, at: row)) }
        outcome.resultSet?.endRow()
    }
}
