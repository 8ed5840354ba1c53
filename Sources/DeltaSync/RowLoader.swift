import LocalStore

/// Copies the operations of a delta from its source to the store, batch by batch.
struct RowLoader {
    /// Operations written so far.
    private(set) var counts = DeltaCounts()
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
        let protectedNames = Set(names + tables.target.tables.map(\.name))
        while true {
            guard !isCancelled() else { throw DeltaError(.cancelled, "Cancelled; nothing was changed.") }
            for index in names.indices {
                buffer.rows[index].removeAll()
                buffer.keys[index].removeAll()
            }
            let step = try store.protectedTables.protecting(protectedNames) { try source.next(into: &buffer) }
            switch step {
            case .upserts(let table) where buffer.rows.indices.contains(table):
                // Without a primary key, equal rows are several rows.
                let hasKey = !tables.target.tables[table].primaryKey.isEmpty
                try transaction {
                    _ =
                        try hasKey
                        ? store.upsert(buffer.rows[table], into: names[table])
                        : store.insert(buffer.rows[table], into: names[table])
                }
                counts.upserts += buffer.rows[table].rowCount
            case .deletes(let table) where buffer.keys.indices.contains(table):
                try transaction { _ = try store.delete(buffer.keys[table], from: names[table]) }
                counts.deletes += buffer.keys[table].rowCount
            case .upserts, .deletes:
                throw DeltaError(
                    .unknownTable, "Unknown table: the source used a table index that is not in the target.")
            case .end(let stated):
                guard stated == nil || stated == counts else {
                    throw DeltaError(
                        .wrongCount, "Wrong count: the delta's operations differ from the counts in its `end` element.")
                }
                guard !isCancelled() else { throw DeltaError(.cancelled, "Cancelled; nothing was changed.") }
                return
            }
        }
    }
}
