import Coordination
import DeltaSync
import StoreCore

/// Exclusive use of tables, and their stored state.
extension TableWriter {
    /// What all calls of ``withTables(_:_:)`` run for, in all databases: see ``RunningWork``.
    private final class Holders: Sendable {
        static let all = Holders()
    }

    /// The number of calls that wait for their tables.
    var waiterCount: Int { applier.locks.waiterCount }

    /// Runs `body` with exclusive use of tables, after the earlier calls that use one of them.
    /// - Throws: `CancellationError` when the task is cancelled while it waits; `DeltaError` (`busy`) instead of a wait
    ///   within the `body` of another call, of any database, such as in a handler of the store's changes: both might
    ///   wait forever; what `body` throws.
    func withTables<Result: Sendable>(
        _ tables: Set<SQLIdentifier>, _ body: () async throws -> Result
    ) async throws -> Result {
        let hold = try await RunningWork.isCurrent(of: Holders.all) ? holdIfFree(tables) : applier.locks.lock(tables)
        defer { hold.release() }
        return try await RunningWork.run(for: Holders.all, body)
    }

    private func holdIfFree(_ tables: Set<SQLIdentifier>) throws(DeltaError) -> ExclusiveLocks<SQLIdentifier>.Hold {
        guard let hold = applier.locks.lockIfFree(tables) else {
            throw DeltaError(.busy, "Another call uses the same tables; call again after it.")
        }
        return hold
    }

    /// Drops a resource's tables for some parameters, with their versions. Blocks while it writes.
    /// - Returns: the names of the dropped tables.
    /// - Throws: `DeltaError`: `store`; `busy`, without a wait, when another call uses one of them.
    @discardableResult
    func drop(_ names: TableNames) throws(DeltaError) -> [String] {
        do {
            let tables = Set(try register.entries(of: names).map(\.name))
            let hold = try holdIfFree(tables)
            defer { hold.release() }
            return try register.drop(names, among: tables)
        } catch {
            throw Self.deltaError(error)
        }
    }

    /// Returns the stored version of a target; nil when all rows are needed. Blocks while it reads.
    ///
    /// Call it within ``withTables(_:_:)``.
    /// - Throws: `DeltaError`: `store`, `busy`.
    func storedVersion(of target: ResourceTarget) throws(DeltaError) -> StoredVersion? {
        guard let text = try applier.version(of: target.delta) else { return nil }
        if let version = StoredVersion(text) { return version }
        // Another release of this module wrote the version in another form.
        try applier.invalidateLocked(target.delta)
        return nil
    }
}
