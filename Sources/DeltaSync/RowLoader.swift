import Foundation
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
    /// The rows with local edits, of a delta that is applied to the tables themselves.
    private var edits: EditOverlay?

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
    /// - Parameter version: the version that the delta was requested from.
    mutating func run(
        _ source: inout some DeltaSource, requestedAt version: String?, isCancelled: () -> Bool
    ) throws {
        edits = try EditOverlay(tables, requestedAt: version)
        // Adds the columns that the server no longer sends to the batches: they become null.
        for (index, table) in tables.target.tables.enumerated() {
            let removed = try tables.removedColumns(of: table)
            if !removed.isEmpty { buffer.rows[index] = try RowBatch(columns: table.columns.map(\.name) + removed) }
        }
        let names = tables.target.tables.map(\.name)
        try run(&source, into: names, isCancelled: isCancelled) { write in try write() }
        try edits?.finish()
    }

    /// Applies all operations to the shadow tables, each batch in its own transaction.
    mutating func run(
        _ source: inout some DeltaSource, loadedBy owner: String, isCancelled: () -> Bool
    ) throws {
        let tables = tables
        try run(&source, into: tables.shadows.map(\.name), isCancelled: isCancelled) { write in
            try Self.transaction(tables, owner, write)
        }
    }

    /// Applies all operations to the shadow tables as their bytes arrive, each batch in its own transaction.
    /// - Parameter nextChunk: returns the next bytes; nil at the end.
    mutating func run(
        _ reader: inout JSONDeltaReader, loadedBy owner: String, nextChunk: () async throws -> Data?
    ) async throws {
        let (tables, names) = (tables, tables.shadows.map(\.name))
        beginBatch()
        while true {
            guard let step = try reader.next(into: &buffer) else {
                if let chunk = try await nextChunk() { reader.push(chunk) } else { reader.finish() }
                continue
            }
            guard let operations = try accept(step, { Task.isCancelled }) else { return }
            let batch = batch(of: operations)
            try Self.transaction(tables, owner) { try write(operations, batch, into: names) }
            beginBatch()
        }
    }

    private static func transaction(_ tables: DeltaTables, _ owner: String, _ write: () throws -> Void) throws {
        try tables.store.transaction {
            try tables.requireLoad(ownedBy: owner)
            try write()
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
        guard !isCancelled() else { throw DeltaError.cancelled }
        beginBatch()
        let names = Set((tables.target.tables + tables.shadows).map(\.name))
        let step = try store.protectedTables.protecting(names) { try source.next(into: &buffer) }
        return try accept(step, isCancelled)
    }

    private mutating func beginBatch() {
        for index in buffer.rows.indices {
            buffer.rows[index].removeAll()
            buffer.keys[index].removeAll()
        }
    }

    /// Counts the operations that the buffer has now; nil at the end.
    private mutating func accept(_ step: DeltaStep, _ isCancelled: () -> Bool) throws -> Operations? {
        guard !isCancelled() else { throw DeltaError.cancelled }
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
            isAtEnd = true
            return nil
        }
    }

    private func batch(of operations: Operations) -> RowBatch {
        operations.areDeletions ? buffer.keys[operations.table] : buffer.rows[operations.table]
    }

    private mutating func write(_ operations: Operations, _ batch: RowBatch, into names: [SQLIdentifier]) throws {
        let name = names[operations.table]
        let batch =
            try edits?.take(batch, areDeletions: operations.areDeletions, table: operations.table) ?? batch
        guard !batch.isEmpty else { return }
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
