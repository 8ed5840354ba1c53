import StoreCore

/// Copies the operations of a delta from its source to the store, batch by batch.
struct RowLoader {
    /// Kind of the operations in a batch.
    private struct Operations {
        let table: Int
        let areDeletions: Bool
    }

    /// Operations read so far.
    private(set) var counts = DeltaCounts()
    /// Operations that were read, but not yet written.
    private var ahead: [(Operations, RowBatch)] = []
    private var isAtEnd = false
    private let tables: DeltaTables
    private var store: any LocalStore { tables.versions.store }
    private var buffer: DeltaBuffer

    static var concurrentLoad: DeltaError {
        DeltaError(.busy, "Another full load of the same tables is in progress; retry later.")
    }

    init(_ tables: DeltaTables) throws {
        self.tables = tables
        var rows: [RowBatch] = []
        var keys: [RowBatch] = []
        for table in tables.target.tables {
            rows.append(try RowBatch(columns: table.columns.map(\.name)))
            keys.append(
                try RowBatch(columns: table.primaryKey.isEmpty ? table.columns.map(\.name) : table.primaryKey))
        }
        buffer = DeltaBuffer(rows: rows, keys: keys)
    }

    /// Applies all operations to the target's tables, within the current transaction.
    mutating func run(_ source: inout some DeltaSource, isCancelled: () -> Bool) throws {
        // Adds the columns that the server no longer sends to the batches: they become null.
        for (index, table) in tables.target.tables.enumerated() {
            let removed = try tables.removedColumns(of: table)
            if !removed.isEmpty { buffer.rows[index] = try RowBatch(columns: table.columns.map(\.name) + removed) }
        }
        let names = tables.target.tables.map(\.name)
        try run(&source, into: names, isCancelled: isCancelled) { write in try write() }
    }

    /// Applies all operations to the shadow tables, each batch in its own transaction.
    mutating func run(
        _ source: inout some DeltaSource, loadedBy owner: String, isCancelled: () -> Bool
    ) throws {
        let (tables, store) = (tables, store)
        try run(&source, into: tables.shadows.map(\.name), isCancelled: isCancelled) { write in
            try store.transaction {
                guard try tables.isLoadOwned(by: owner) else { throw Self.concurrentLoad }
                try write()
            }
        }
    }

    private mutating func run(
        _ source: inout some DeltaSource, into names: [SQLIdentifier], isCancelled: () -> Bool,
        _ transaction: (() throws -> Void) throws -> Void
    ) throws {
        for (operations, batch) in ahead { try transaction { try write(operations, batch, into: names) } }
        ahead = []
        while let operations = try next(&source, isCancelled) {
            try transaction { try write(operations, batch(of: operations), into: names) }
        }
    }

    /// Reads operations ahead, up to about one batch. They are written first by the functions above.
    /// - Returns: true when these are all.
    mutating func readAhead(_ source: inout some DeltaSource, isCancelled: () -> Bool) throws -> Bool {
        var (rowCount, byteCount) = (0, 0)
        while rowCount < DeltaBuffer.maximumRowCount, byteCount < DeltaBuffer.maximumByteCount {
            guard let operations = try next(&source, isCancelled) else { return true }
            let batch = batch(of: operations)
            rowCount += batch.rowCount
            byteCount += batch.byteCount
            ahead.append((operations, batch))
        }
        return false
    }

    /// Reads operations into the buffer, and counts them; nil at the end.
    private mutating func next(_ source: inout some DeltaSource, _ isCancelled: () -> Bool) throws -> Operations? {
        guard !isAtEnd else { return nil }
        guard !isCancelled() else { throw DeltaError(.cancelled, "Cancelled; nothing was changed.") }
        for index in buffer.rows.indices {
            buffer.rows[index].removeAll()
            buffer.keys[index].removeAll()
        }
        let names = Set((tables.target.tables + tables.shadows).map(\.name))
        let step = try store.protectedTables.protecting(names) { try source.next(into: &buffer) }
        switch step {
        case .upserts(let table) where buffer.rows.indices.contains(table):
            counts.upserts += buffer.rows[table].rowCount
            return Operations(table: table, areDeletions: false)
        case .deletes(let table) where buffer.keys.indices.contains(table):
            counts.deletes += buffer.keys[table].rowCount
            return Operations(table: table, areDeletions: true)
        case .upserts, .deletes:
            throw DeltaError(
                .unknownTable, "Unknown table: the source used a table index that is not in the target.")
        case .end(let stated):
            guard stated == nil || stated == counts else {
                throw DeltaError(
                    .wrongCount, "Wrong count: the delta's operations differ from the counts in its `end` element.")
            }
            guard !isCancelled() else { throw DeltaError(.cancelled, "Cancelled; nothing was changed.") }
            isAtEnd = true
            return nil
        }
    }

    private func batch(of operations: Operations) -> RowBatch {
        operations.areDeletions ? buffer.keys[operations.table] : buffer.rows[operations.table]
    }

    private func write(_ operations: Operations, _ batch: RowBatch, into names: [SQLIdentifier]) throws {
        let name = names[operations.table]
        if operations.areDeletions {
            try store.delete(batch, from: name)
        } else if tables.target.tables[operations.table].primaryKey.isEmpty {
            // Equal rows are several rows.
            try store.insert(batch, into: name)
        } else {
            try store.upsert(batch, into: name)
        }
    }
}
