public import HTTPMessages
import Synchronization

extension HyperHiveService {
    /// Performs a resource that changes another one.
    /// - Returns: the response's tables.
    func change(_ effect: Resource.Effect, _ inputs: Inputs, _ state: inout State) throws(Failure) -> JSONValue {
        var upserted = 0, deleted = 0
        do throws(HyperHiveContentError) {
            try state.change(effect.resource, effect.table) { columns, rows, revision throws(HyperHiveContentError) in
                guard let key = columns.firstIndex(where: { $0.name == effect.key }) else {
                    throw HyperHiveContentError(
                        .invalidChange, "The table \(effect.table) has no column \(effect.key).")
                }
                for row in inputs.rows["upsert_rows"] ?? [] {
                    rows.delete(at: revision) { $0.cells[key] == row[key] }
                    rows.insert(row, at: revision)
                    upserted += 1
                }
                for row in inputs.rows["delete_ids"] ?? [] {
                    deleted += rows.delete(at: revision) { $0.cells[key] == row[0] }
                }
            }
        } catch {
            throw .badRequest(error.message)
        }
        state.counts.changes += 1
        return [["name": "result", "data": [[.integer(Int64(upserted)), .integer(Int64(deleted))]]]]
    }

    /// Changes rows of a resource on the server, as one change of its content.
    ///
    /// The next load makes a version of it. An update gives the row a new `hhive_id`.
    /// - Parameters:
    ///   - table: name of the table; nil for the first one.
    ///   - inserted: rows with a cell for each column, without `hhive_id`.
    ///   - updated: new cells by `hhive_id`.
    ///   - deleted: ids of rows.
    /// - Returns: the ids of the new rows: first those of the updates, in the order of the old ids.
    /// - Throws: ``HyperHiveContentError`` for unknown names and ids, wrong numbers of cells, and generated tables.
    @discardableResult
    public func change(
        _ resource: String, table: String? = nil, insert inserted: [[JSONValue]] = [],
        update updated: [Int64: [JSONValue]] = [:], delete deleted: [Int64] = []
    ) throws(HyperHiveContentError) -> [Int64] {
        var ids: [Int64] = []
        try state.withLock { state throws(HyperHiveContentError) in
            try state.change(resource, table) { columns, rows, revision throws(HyperHiveContentError) in
                for id in updated.keys.sorted() + deleted where !rows.current.contains(where: { $0.id == id }) {
                    throw HyperHiveContentError(.invalidChange, "No row with the id \(id) in the resource \(resource).")
                }
                let new = updated.sorted { $0.key < $1.key }.map(\.value) + inserted
                guard new.allSatisfy({ $0.count == columns.count }) else {
                    throw HyperHiveContentError(.invalidChange, "A row of \(resource) needs \(columns.count) cells.")
                }
                rows.delete(at: revision) { updated[$0.id] != nil || deleted.contains($0.id) }
                ids = new.map { rows.insert($0, at: revision) }
            }
        }
        return ids
    }

    /// Changes a share of the rows of a generated table, as one change of the resource's content.
    ///
    /// Which rows change depends only on the table's seed and the number of earlier changes.
    /// - Parameters:
    ///   - table: name of the table; nil for the first one.
    ///   - updated: share of the rows that change, 0 to 1.
    ///   - deleted: share of the rows that are deleted, 0 to 1; first these are chosen.
    ///   - inserted: number of new rows.
    /// - Throws: ``HyperHiveContentError`` for unknown names, and tables whose rows are not generated.
    public func changeGenerated(
        _ resource: String, table: String? = nil, updated: Double = 0, deleted: Double = 0, inserted: Int = 0
    ) throws(HyperHiveContentError) {
        try state.withLock { state throws(HyperHiveContentError) in
            try state.changeTable(resource, table) { table, revision throws(HyperHiveContentError) in
                guard case .generated(var rows) = table.rows else {
                    throw HyperHiveContentError(
                        .invalidChange, "The rows of \(resource) are not generated; use change.")
                }
                rows.change(at: revision, updated: updated, deleted: deleted, inserted: inserted)
                table.rows = .generated(rows)
            }
        }
    }
}

extension HyperHiveService.State {
    /// Changes a table with rows in memory; nothing changes if `body` throws.
    fileprivate mutating func change(
        _ resource: String, _ table: String?,
        _ body: (_ columns: [HyperHiveService.Column], _ rows: inout StoredRows, _ revision: Int)
            throws(HyperHiveContentError) -> Void
    ) throws(HyperHiveContentError) {
        try changeTable(resource, table) { table, revision throws(HyperHiveContentError) in
            guard case .stored(var rows) = table.rows else {
                throw HyperHiveContentError(
                    .invalidChange, "The rows of \(resource) are generated; use changeGenerated.")
            }
            try body(table.columns, &rows, revision)
            table.rows = .stored(rows)
        }
    }

    fileprivate mutating func changeTable(
        _ resource: String, _ table: String?,
        _ body: (inout HyperHiveService.TableState, _ revision: Int) throws(HyperHiveContentError) -> Void
    ) throws(HyperHiveContentError) {
        guard var changed = resources[resource],
            let index = changed.tables.firstIndex(where: { table == nil || $0.name == table })
        else {
            throw HyperHiveContentError(.invalidChange, "No resource \(resource) with the table \(table ?? "").")
        }
        try body(&changed.tables[index], changed.revision + 1)
        changed.revision += 1
        resources[resource] = changed
    }
}
