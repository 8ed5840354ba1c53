import StoreCore
import SystemLibraries

extension SQLiteConnection {
    /// Runs a statement once for each row of a batch, with the row's cells as parameters.
    /// - Parameter required: indexes of the columns that must not be null.
    /// - Returns: the number of rows that the statement itself changed, over all runs.
    mutating func run(
        _ statement: SQLiteStatement, for batch: RowBatch, required: [Int] = []
    ) throws(StoreError) -> Int {
        try checkTransaction()
        defer { statement.release() }
        let before = functions.totalChanges(database)
        // `Result` carries the typed error through closures that only rethrow untyped errors.
        let changed = statement.traced { rowCount in
            rowCount = batch.rowCount
            return batch.cells.withUnsafeBufferPointer { cells in
                batch.arena.withUnsafeBytes { arena in
                    Result { () throws(StoreError) in
                        for column in required where batch.containsNull(in: column) {
                            throw StoreError(
                                .constraint,
                                "NOT NULL constraint failed: key column \(batch.columns[column]) of the batch."
                            )
                        }
                        return try run(statement, cells, arena, width: batch.columns.count)
                    }
                }
            }
        }
        // A trigger may have been created since the statement was prepared.
        var effects = statement.effects
        if statement.wasRecompiled {
            let current = statement.recompiled()
            replace(statement, with: current)
            effects = current.effects
        }
        if functions.totalChanges(database) != before { recordChange(of: effects.tables) }
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
        var untilCheck = Self.rowsPerCheck
        let isOutermost = interrupter.begin(isReadOnly: false)
        defer { if isOutermost { interrupter.end() } }
        while index < cells.count {
            for column in 0..<width {
                // The bytes outlive the run, so SQLite does not need to copy them.
                let code = parameters.bind(cells[index + column], in: arena, at: CInt(truncatingIfNeeded: column + 1))
                guard code == SQLiteConstant.ok else { throw statement.failure(code) }
            }
            index += width
            let code = step(pointer)
            guard code == SQLiteConstant.done || code == SQLiteConstant.row else { throw statement.failure(code) }
            let end = reset(pointer)
            guard end == SQLiteConstant.ok else { throw statement.failure(end) }
            changed += Int(changes(database))
            // The last row may be committed already.
            guard index < cells.count else { break }
            // SQLite forgets an interrupt between two rows, since no statement is running then.
            if interrupter.isInterrupted { throw .interrupted }
            untilCheck -= 1
            if untilCheck == 0 {
                untilCheck = Self.rowsPerCheck
                if interrupter.mustEnd() { throw .interrupted }
            }
        }
        return changed
    }

    /// Rows of a batch between two checks for cancellation.
    private static var rowsPerCheck: Int { 512 }
}
