import DeltaSync
import LocalStore

/// What the database has, for the next request.
extension TableLoader {
    /// Returns what the database has of a target. Blocks while it reads.
    /// - Throws: `DeltaError`: `store`, `busy`.
    func state(of target: ResourceTarget) throws(DeltaError) -> LoadedState {
        if target.delta != nil {
            let version = try storedVersion(of: target)
            return LoadedState(version: version?.number ?? 0, etag: version?.etag)
        }
        do {
            let entries = try register.entries(of: target.names).filter { target.tableNames.contains($0.name) }
            for table in target.tables {
                guard try store.schema(of: table.schema.name) != nil else { return LoadedState(version: 0, etag: nil) }
            }
            let etags = Set(entries.map(\.etag))
            guard entries.count == target.tables.count, etags.count == 1 else {
                return LoadedState(version: 0, etag: nil)
            }
            return LoadedState(version: 0, etag: etags.first ?? nil)
        } catch {
            throw Self.deltaError(error)
        }
    }

    /// Makes the next load a full one. Rows stay readable. Blocks while it writes.
    /// - Throws: `DeltaError`: `store`, `busy`.
    func invalidate(_ target: ResourceTarget) throws(DeltaError) {
        if let delta = target.delta { return try applier.invalidate(delta) }
        do {
            try store.transaction {
                for entry in try register.entries(of: target.names) where target.tableNames.contains(entry.name) {
                    var entry = entry
                    entry.etag = nil
                    try register.put(entry)
                }
            }
        } catch {
            throw Self.deltaError(error)
        }
    }

    /// Drops a resource's tables for some parameters, with their versions. Blocks while it writes.
    /// - Returns: the names of the dropped tables.
    /// - Throws: `DeltaError`: `store`; `busy` while one of them is being loaded.
    @discardableResult
    func drop(_ names: TableNames) throws(DeltaError) -> [String] {
        do {
            let tables = Set(try register.entries(of: names).map(\.name))
            return try withExclusiveTables(tables) { try register.drop(names) }
        } catch {
            throw Self.deltaError(error)
        }
    }
}
