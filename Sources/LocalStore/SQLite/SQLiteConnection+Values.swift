import SystemLibraries

extension SQLiteConnection {
    /// Runs a statement once for each row of a batch, with the row's cells as its parameters.
    /// - Parameter required: the columns of the batch that may not be null.
    /// - Returns: how many rows were changed by the statement itself, in all runs.
    mutating func run(
        _ statement: SQLiteStatement, for batch: RowBatch, required: [Int] = []
    ) throws(StoreError) -> Int {
        try checkTransaction()
        defer { statement.release() }
        let before = functions.totalChanges(database)
        // Foundation's closures lose the type of the error, hence the results.
        let changed = batch.cells.withUnsafeBufferPointer { cells in
            batch.arena.withUnsafeBytes { arena in
                Result { () throws(StoreError) in
                    for column in required where batch.holdsNull(in: column) {
                        throw StoreError(
                            .constraint, "The key column \(batch.columns[column]) is null in a row of the batch.")
                    }
                    return try run(statement, cells, arena, width: batch.columns.count)
                }
            }
        }
        // A trigger may have come since the statement was compiled.
        var effects = statement.effects
        if statement.isOutdated {
            let current = statement.renewed()
            replace(statement, with: current)
            effects = current.effects
        }
        if functions.totalChanges(database) != before { touch(effects.tables) }
        return try changed.get()
    }

    private func run(
        _ statement: SQLiteStatement, _ cells: UnsafeBufferPointer<RowBatch.Cell>, _ arena: UnsafeRawBufferPointer,
        width: Int
    ) throws(StoreError) -> Int {
        let (pointer, database) = (statement.pointer, database)
        let (step, reset, changes) = (functions.step, functions.reset, functions.changes)
        let parameters = SQLiteParameters(pointer, functions)
        var changed = 0
        var index = 0
        while index < cells.count {
            for column in 0..<width {
                // The bytes outlive the run, so that SQLite need not copy them.
                let code = parameters.set(cells[index + column], in: arena, at: CInt(truncatingIfNeeded: column + 1))
                guard code == SQLiteConstant.ok else { throw statement.failure(code) }
            }
            index += width
            let code = step(pointer)
            guard code == SQLiteConstant.done || code == SQLiteConstant.row else { throw statement.failure(code) }
            let end = reset(pointer)
            guard end == SQLiteConstant.ok else { throw statement.failure(end) }
            changed += Int(changes(database))
        }
        return changed
    }
}
