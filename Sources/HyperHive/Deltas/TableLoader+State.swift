import DeltaSync
import StoreCore

/// Stored state of targets.
extension TableLoader {
    /// Returns the stored version of a target; nil when a full load is needed. Blocks while it reads.
    /// - Throws: `DeltaError`: `store`, `busy`.
    func storedVersion(of target: ResourceTarget) throws(DeltaError) -> StoredVersion? {
        guard let text = try applier.version(of: target.delta) else { return nil }
        if let version = StoredVersion(text) { return version }
        // Another release of this module wrote the version in another form.
        try applier.invalidate(target.delta)
        return nil
    }

    /// Drops a resource's tables for some parameters, with their versions. Blocks while it writes.
    /// - Returns: the names of the dropped tables.
    /// - Throws: `DeltaError`: `store`; `busy`, without a wait, when another call uses one of them.
    @discardableResult
    func drop(_ names: TableNames) throws(DeltaError) -> [String] {
        do {
            let tables = Set(try register.entries(of: names).map(\.name))
            return try locks.withLockIfFree(tables) { try register.drop(names, among: tables) }
        } catch {
            throw Self.deltaError(error)
        }
    }
}
