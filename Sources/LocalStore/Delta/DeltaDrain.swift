/// Takes the operations of a delta from its source to the store, batch by batch.
struct DeltaDrain {
    /// What has been taken.
    private(set) var counts = DeltaCounts()
    private let tables: DeltaTables
    private var store: any LocalStore { tables.ledger.store }
    private var buffer: DeltaBuffer

    static var otherLoad: DeltaError {
        DeltaError(.busy, "Another call is loading the same tables; retry after it.")
    }

    init(_ tables: DeltaTables) throws {
        self.tables = tables
        var rows: [RowBatch] = []
        var keys: [RowBatch] = []
        for table in tables.target.tables {
            rows.append(try RowBatch(columns: table.columns.map(\.name)))
            keys.append(try RowBatch(columns: table.primaryKey))
        }
        buffer = DeltaBuffer(rows: rows, keys: keys)
    }

    /// Takes all operations, in the transaction that is under way.
    mutating func run(_ source: inout some DeltaSource, isCancelled: () -> Bool) throws {
        // Columns that are no longer sent are null in the rows that come.
        for (index, table) in tables.target.tables.enumerated() {
            let stored = try store.schema(of: table.name)?.columns.map(\.name) ?? []
            let known = table.columns.map(\.name)
            let others = stored.filter { !known.contains($0) }
            if !others.isEmpty { buffer.rows[index] = try RowBatch(columns: known + others) }
        }
        let names = tables.target.tables.map(\.name)
        try run(&source, into: names, isCancelled: isCancelled) { write in try write() }
    }

    /// Takes all operations to the tables that are being loaded, each batch in a transaction of its own.
    mutating func run(
        _ source: inout some DeltaSource, loadedBy owner: String, isCancelled: () -> Bool
    ) throws {
        let (tables, store) = (tables, store)
        try run(&source, into: tables.shadows.map(\.name), isCancelled: isCancelled) { write in
            try store.transaction {
                guard try tables.isLoaded(by: owner) else { throw Self.otherLoad }
                try write()
            }
        }
    }

    private mutating func run(
        _ source: inout some DeltaSource, into names: [SQLIdentifier], isCancelled: () -> Bool,
        _ transaction: (() throws -> Void) throws -> Void
    ) throws {
        let protected = ProtectedTables(names + tables.target.tables.map(\.name), of: store)
        while true {
            guard !isCancelled() else { throw DeltaError(.cancelled, "Cancelled; nothing was changed.") }
            for index in names.indices {
                buffer.rows[index].removeAll()
                buffer.keys[index].removeAll()
            }
            let step = try protected.during { try source.next(into: &buffer) }
            switch step {
            case .upserts(let table) where buffer.rows.indices.contains(table):
                try transaction { _ = try store.upsert(buffer.rows[table], into: names[table]) }
                counts.upserts += buffer.rows[table].rowCount
            case .deletes(let table) where buffer.keys.indices.contains(table):
                try transaction { _ = try store.delete(buffer.keys[table], from: names[table]) }
                counts.deletes += buffer.keys[table].rowCount
            case .upserts, .deletes:
                throw DeltaError(.unknownTable, "Unknown table: the source names a table that is not in the target.")
            case .end(let stated):
                guard stated == nil || stated == counts else {
                    throw DeltaError(
                        .wrongCount, "Wrong count: the delta's operations do not add up to the counts at its end.")
                }
                guard !isCancelled() else { throw DeltaError(.cancelled, "Cancelled; nothing was changed.") }
                return
            }
        }
    }
}
