package import Coordination
public import Foundation
@_exported public import StoreCore

/// Applies deltas (change sets) from a server to tables of a store, each atomically.
///
/// ```swift
/// let applier = DeltaApplier(store)
/// let outcome = try applier.update(target) { request in    // fetches the next delta
///     JSONDeltaSource(try download(request))
/// }
/// ```
///
/// Guarantees:
///
/// - Rows and their version change in one transaction; the version is stored only in the store itself.
/// - A delta applies only to its base version. A delta whose target version is the stored one is a duplicate and
///   changes nothing. Any other is a gap.
/// - Nothing of a truncated stream is applied.
/// - A full load fills shadow tables in batches, which then replace the tables in one transaction. Readers see the old
///   rows until then. Columns that the app has added are kept, with the values of rows with the same key, and with
///   their `DEFAULT` and `NOT NULL`, in a `MemoryStore` without. Other constraints and the collation of such a column
///   are lost, and a generated column is dropped; put it into a view. Indexes and triggers are recreated where they
///   still fit.
///   Foreign keys of other tables stay: they are checked before the commit, and their actions (`ON DELETE`) do not run.
///   A full load without a row that one of them refers to throws `store`.
/// - The first load, of up to about one batch, fills the empty tables themselves, in one transaction.
/// - Shadow tables that a crash has left are dropped by the next delta of the target.
/// - The version is valid only for the same ``DeltaBinding``, schema and generation of the store; otherwise the next
///   request is a full load.
/// - A new column is added and causes a full load, unless the server resends the affected rows
///   (``DeltaTarget/backfillsAddedColumns``). A removed column stays and is null in new rows. A changed type, key or
///   order of the columns causes a full load into a new table.
/// - An applied page is not requested again, even after a crash.
/// - At most one batch (``DeltaBuffer``) is in memory at a time.
/// - Rows with local edits (``PendingEdits``) keep them until the server has them, through deltas and full loads.
/// - Versions are opaque; no clock is read.
///
/// Calls are synchronous, from any thread. Use one applier for a store. Of two concurrent calls for the same tables one
/// fails with `busy`, also across processes; the rows of two loads never mix.
public final class DeltaApplier: Sendable {
    let store: any LocalStore
    let makeID: @Sendable () -> String
    /// Exclusive use of tables by calls of this applier. A caller of this package can hold it for longer than a call,
    /// such as from its request to the server on.
    package let locks = ExclusiveLocks<SQLIdentifier>()

    /// Creates an applier.
    /// - Parameters:
    ///   - store: the store with the tables.
    ///   - makeID: returns a unique text at each call; default a UUID.
    public init(_ store: any LocalStore, makeID: @escaping @Sendable () -> String = { UUID().uuidString }) {
        self.store = store
        self.makeID = makeID
    }

    /// Returns the next request to send to the server. Read-only; may be called while a delta is being applied.
    /// - Throws: ``DeltaError``: `store`; `busy` when a read times out waiting for the store's writer.
    public func nextRequest(for target: DeltaTarget) throws(DeltaError) -> DeltaRequest {
        DeltaDisposition.request(try storedState(target))
    }

    /// Returns the stored version of a target; nil when a full load is needed.
    ///
    /// Read-only; may be called while a delta is being applied.
    /// - Throws: what ``nextRequest(for:)`` throws.
    public func version(of target: DeltaTarget) throws(DeltaError) -> String? { try storedState(target).version }

    /// Applies one delta, or one page of a delta.
    ///
    /// A full load counts as one that was requested since the stored version was stored.
    /// - Parameter isCancelled: called before each batch; default `Task.isCancelled`.
    /// - Returns: the outcome. For a duplicate the rest of the source is not read.
    /// - Throws: ``DeltaError``, with any code. Nothing was changed then; pages loaded earlier stay.
    @discardableResult
    public func apply<Source: DeltaSource>(
        _ source: inout Source, to target: DeltaTarget, isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(DeltaError) -> DeltaOutcome {
        try withExclusiveTables(target) { tables throws(DeltaError) in
            try apply(&source, tables, nil, isCancelled)
        }
    }

    /// Applies one delta, whose request was made when the target had this version. The caller holds the target's
    /// tables: see ``locks``.
    ///
    /// A full load then fails with `busy` when the target has another version by now, whose rows may be newer.
    /// - Parameter version: what ``version(of:)`` returned before the request.
    /// - Throws: what ``apply(_:to:isCancelled:)`` throws.
    @discardableResult
    package func apply<Source: DeltaSource>(
        _ source: inout Source, to target: DeltaTarget, requestedAt version: String?,
        isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(DeltaError) -> DeltaOutcome {
        try apply(&source, tables(target), StoredState(version: version), isCancelled)
    }

    /// Invalidates the stored version of a target, so that the next request is a full load. Rows stay readable.
    /// - Throws: ``DeltaError`` (`store`, `busy`).
    public func invalidate(_ target: DeltaTarget) throws(DeltaError) {
        try withExclusiveTables(target) { tables throws(DeltaError) in try invalidate(tables) }
    }

    /// Invalidates the stored version of a target whose tables the caller holds: see ``locks``.
    /// - Throws: ``DeltaError`` (`store`).
    package func invalidateLocked(_ target: DeltaTarget) throws(DeltaError) { try invalidate(tables(target)) }

    /// Invalidates the stored versions of all targets by starting a new generation of the store. Rows stay readable.
    ///
    /// A delta or full load that is being applied meanwhile fails with `busy`.
    /// - Throws: ``DeltaError`` (`store`).
    public func invalidateAll() throws(DeltaError) {
        let versions = VersionTable(store: store)
        try transaction {
            _ = try versions.open(newGeneration: makeID)
            try versions.beginGeneration(makeID())
        }
    }

    // MARK: One delta

    /// - Parameter requestState: the stored state that the delta's request was made from; nil when it is unknown.
    func apply<Source: DeltaSource>(
        _ source: inout Source, _ tables: DeltaTables, _ requestState: StoredState?, _ isCancelled: () -> Bool
    ) throws(DeltaError) -> DeltaOutcome {
        let storedState = try prepare(tables)
        let header = try source.begin(tables.target)
        try requireResource(of: header, tables)
        let counts: DeltaCounts
        // Until the last page of a full load, the old rows and their version stay.
        var version = header.hasMore ? storedState.version : header.targetVersion
        switch DeltaDisposition(header, storedState) {
        case .skip:
            // Without a count, one that names its base was requested at that.
            let isRequestKnown = tables.sentCount != nil || header.baseVersion != nil
            if !header.hasMore, isRequestKnown, header.baseVersion ?? header.targetVersion == storedState.version {
                try removeSentEdits(tables, storedState)
            }
            return DeltaOutcome(
                version: storedState.version, counts: DeltaCounts(), isDuplicate: true, hasMore: header.hasMore)
        case .gap:
            throw DeltaError(
                .gap, "Delta gap: its base version is not the stored version; send what nextRequest(for:) returns.")
        case .change:
            var tables = tables
            // What was sent may be on the next page.
            if header.hasMore { tables.sentCount = 0 }
            counts = try applyChanges(&source, tables, header, storedState, isCancelled)
            version = header.targetVersion
        case .load:
            // No base version ties the rows of a full load to the stored ones, so its request must.
            if let requestState, storedState.version != nil, storedState.version != requestState.version {
                throw Self.changedMeanwhile
            }
            counts = try loadAll(&source, tables, header, storedState, isCancelled)
        case .continueLoad:
            // The first page was requested earlier.
            var tables = tables
            tables.sentCount = nil
            counts = try loadPage(&source, tables, header, storedState, isCancelled)
        }
        return DeltaOutcome(version: version, counts: counts, isDuplicate: false, hasMore: header.hasMore)
    }

    func requireResource(of header: DeltaHeader, _ tables: DeltaTables) throws(DeltaError) {
        guard let resource = header.resource, resource != tables.target.binding.resource else { return }
        throw DeltaError(
            .mismatch, "Delta mismatch: its resource is not the requested one; check the server's `resource` member.")
    }

    /// Applies the changes since the stored version, in one transaction with the new version.
    private func applyChanges<Source: DeltaSource>(
        _ source: inout Source, _ tables: DeltaTables, _ header: DeltaHeader, _ storedState: StoredState,
        _ isCancelled: () -> Bool
    ) throws(DeltaError) -> DeltaCounts {
        try transaction {
            try requireUnchanged(tables, storedState)
            var loader = try RowLoader(tables)
            try loader.run(&source, requestedAt: header.baseVersion, isCancelled: isCancelled)
            try tables.discardLoad()
            try tables.record(header.targetVersion)
            return loader.counts
        }
    }

    /// The rows that the server has are those that were sent, without any further change.
    private func removeSentEdits(_ tables: DeltaTables, _ storedState: StoredState) throws(DeltaError) {
        try transaction {
            try requireUnchanged(tables, storedState)
            try EditOverlay(tables, requestedAt: storedState.version)?.finish()
        }
    }

    /// The tables for a delta that is requested now.
    func requesting(_ tables: DeltaTables) throws(DeltaError) -> DeltaTables {
        var tables = tables
        do { tables.sentCount = try EditTables(store: store).sentCount } catch { throw DeltaError(wrapping: error) }
        return tables
    }

    /// Another process may have changed the tables between `prepare` and this transaction.
    func requireUnchanged(_ tables: DeltaTables, _ storedState: StoredState) throws {
        guard try tables.storedState() == storedState else { throw Self.changedMeanwhile }
    }

    static var changedMeanwhile: DeltaError {
        DeltaError(.busy, "Tables were changed or invalidated by another call or process; request the delta again.")
    }

    // MARK: Helpers

    private func storedState(_ target: DeltaTarget) throws(DeltaError) -> StoredState {
        do {
            return try tables(target).expectedState()
        } catch {
            throw DeltaError(wrapping: error)
        }
    }

    private func tables(_ target: DeltaTarget) throws(DeltaError) -> DeltaTables {
        do throws(StoreError) {
            return try DeltaTables(target, in: store, newGeneration: makeID)
        } catch {
            throw DeltaError(wrapping: error)
        }
    }

    func prepare(_ tables: DeltaTables) throws(DeltaError) -> StoredState {
        try transaction { try tables.prepare() }
    }

    func invalidate(_ tables: DeltaTables) throws(DeltaError) {
        try transaction {
            _ = try tables.prepare()
            try tables.discardLoad()
            try tables.invalidate()
        }
    }

    func transaction<Result>(_ body: () throws -> Result) throws(DeltaError) -> Result {
        do {
            return try store.transaction(body)
        } catch {
            throw DeltaError(wrapping: error)
        }
    }

    /// Runs `body` with exclusive use of the target's tables within this applier.
    func withExclusiveTables<Result>(
        _ target: DeltaTarget, _ body: (DeltaTables) throws(DeltaError) -> Result
    ) throws(DeltaError) -> Result {
        let (tables, hold) = try lockTables(target)
        defer { hold.release() }
        return try body(tables)
    }

    /// Takes exclusive use of the target's tables, until the hold is released.
    func lockTables(_ target: DeltaTarget) throws(DeltaError) -> (DeltaTables, ExclusiveLocks<SQLIdentifier>.Hold) {
        let tables = try tables(target)
        guard let hold = locks.lockIfFree(Set(target.tables.map(\.name))) else {
            throw DeltaError(.busy, "Another delta is being applied to the same tables; retry after it.")
        }
        return (tables, hold)
    }
}
