import DeltaSync
import LocalStore

/// What the database has, and exclusive use of it.
extension TableLoader {
    /// Returns what the database has of a target, for the next request; nil when a full load is needed. Blocks while it
    /// reads.
    /// - Throws: `DeltaError`: `store`, `busy`.
    func storedVersion(of target: ResourceTarget) throws(DeltaError) -> StoredVersion? {
        guard let text = try applier.version(of: target.delta) else { return nil }
        if let version = StoredVersion(text) { return version }
        // Another release of this module wrote it.
        try applier.invalidate(target.delta)
        return nil
    }

    /// Drops a resource's tables for some parameters, with their versions. Blocks while it writes.
    /// - Returns: the names of the dropped tables.
    /// - Throws: `DeltaError`: `store`; `busy` while one of them is being loaded.
    @discardableResult
    func drop(_ names: TableNames) throws(DeltaError) -> [String] {
        do {
            let tables = Set(try register.entries(of: names).map(\.name))
            try lock(tables)
            defer { unlock(tables) }
            return try register.drop(names)
        } catch {
            throw Self.deltaError(error)
        }
    }

    /// Runs `body` with exclusive use of tables within this loader.
    ///
    /// A load needs it from reading the stored version, for its request, until its response is loaded.
    /// - Throws: `DeltaError` (`busy`); what `body` throws.
    func withExclusiveTables<Result>(_ names: Set<SQLIdentifier>, _ body: () async throws -> Result) async throws
        -> Result
    {
        try lock(names)
        defer { unlock(names) }
        return try await body()
    }
}
