public import Foundation
import Synchronization

/// Brings tables of a store up to date with deltas from a server, whole or not at all.
///
/// ```swift
/// let applier = DeltaApplier(store)
/// let outcome = try applier.update(target) { request in
///     JSONDeltaSource(try download(request))
/// }
/// ```
///
/// What it keeps to:
///
/// - The rows and the version that they have change in one transaction, and the version is kept nowhere else.
/// - A delta is applied only to the version that it starts from. One that leads to the stored version was applied
///   before and changes nothing. Any other is a gap.
/// - Nothing is applied of a stream that does not end as it should.
/// - All rows are loaded beside the tables, in batches; the new tables take the old ones' place in one transaction.
///   Readers see the old rows until then. Indexes and triggers are made anew where they still fit.
/// - The version counts only for the same ``DeltaBinding``, schema and generation of the store; else all rows are
///   loaded.
/// - A column that is new is added, and the rows are loaded anew unless the server sends them again
///   (``DeltaTarget/backfillsAddedColumns``). One that is gone stays and is null in every row that comes. When a type
///   or the key has changed, the rows are loaded into a new table.
/// - After a page is applied it is not asked for again, also when the program ends meanwhile.
/// - At any time at most one batch (``DeltaBuffer``) is held.
/// - The clock is of no concern.
///
/// Calls are synchronous, from any thread. Make one applier for a store: two calls for the same tables at once make the
/// second one fail with `busy`, also when it comes from another process.
public final class DeltaApplier: Sendable {
    private let store: any LocalStore
    private let makeID: @Sendable () -> String
    /// The tables that are being written.
    private let claims = Mutex<Set<SQLIdentifier>>([])

    /// An applier.
    /// - Parameters:
    ///   - store: where the tables are.
    ///   - makeID: gives a text that was never given before; default a UUID.
    public init(_ store: any LocalStore, makeID: @escaping @Sendable () -> String = { UUID().uuidString }) {
        self.store = store
        self.makeID = makeID
    }

    /// What to ask the server for next. Changes nothing, and may be asked while a delta is being applied.
    /// - Throws: ``DeltaError``: `store`; `busy` when the store's readers wait for its writer, for too long.
    public func request(for target: DeltaTarget) throws(DeltaError) -> DeltaRequest {
        DeltaPlan.request(try standing(target))
    }

    /// The version that the rows of a target have; nil when they are to be loaded. Changes nothing, and may be asked
    /// while a delta is being applied.
    /// - Throws: what ``request(for:)`` throws.
    public func version(of target: DeltaTarget) throws(DeltaError) -> String? { try standing(target).version }

    /// Applies one delta, or one page of it.
    /// - Parameter isCancelled: asked before each batch; default whether the current task is cancelled.
    /// - Returns: what became of it. After a duplicate the rest of the source is not read.
    /// - Throws: ``DeltaError``, with any code; nothing was changed then, but for pages of a load that had been loaded
    ///   before.
    @discardableResult
    public func apply<Source: DeltaSource>(
        _ source: inout Source, to target: DeltaTarget, isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(DeltaError) -> DeltaOutcome {
        try claiming(target) { tables throws(DeltaError) in
            try apply(&source, tables, isCancelled)
        }
    }

    /// Brings a target up to date: asks until there is no more. On a gap it asks once more from what is stored, and then
    /// for everything.
    /// - Parameters:
    ///   - isCancelled: asked before each batch; default whether the current task is cancelled.
    ///   - ask: asks the server, on the calling thread. What it throws is in the error's `underlying`.
    /// - Returns: the last delta's outcome, with the counts of all.
    /// - Throws: what ``apply(_:to:isCancelled:)`` throws. What was applied before the error stays.
    @discardableResult
    public func update<Source: DeltaSource>(
        _ target: DeltaTarget, isCancelled: () -> Bool = { Task.isCancelled },
        ask: (DeltaRequest) throws -> Source
    ) throws(DeltaError) -> DeltaOutcome {
        try claiming(target) { tables throws(DeltaError) in
            var exchange = DeltaExchange()
            var counts = DeltaCounts()
            var request = DeltaPlan.request(try prepare(tables))
            while true {
                var source: Source
                do {
                    source = try ask(request)
                } catch {
                    throw DeltaError(.source, "The request to the server failed; see `underlying`.", underlying: error)
                }
                let step: DeltaExchange.Step
                do throws(DeltaError) {
                    let outcome = try apply(&source, tables, isCancelled)
                    counts.upserts += outcome.counts.upserts
                    counts.deletes += outcome.counts.deletes
                    guard outcome.hasMore else {
                        return DeltaOutcome(
                            version: outcome.version, counts: counts, isDuplicate: outcome.isDuplicate, hasMore: false)
                    }
                    step = exchange.next(outcome, try prepare(tables))
                } catch {
                    guard error.code == .gap else { throw error }
                    step = exchange.gap(try prepare(tables))
                    if step == .fail { throw error }
                }
                switch step {
                case .ask(let next): request = next
                case .startOver:
                    try forget(tables)
                    request = .everything
                case .fail:
                    throw DeltaError(.gap, "The server repeats the same page; check its `to` and `more` members.")
                }
            }
        }
    }

    /// Makes the rows of a target count for nothing, so that they are loaded next time. They stay readable.
    /// - Throws: ``DeltaError`` (`store`, `busy`).
    public func forget(_ target: DeltaTarget) throws(DeltaError) {
        try claiming(target) { tables throws(DeltaError) in try forget(tables) }
    }

    /// Makes the rows of all targets count for nothing, by a new generation of the store.
    /// - Throws: ``DeltaError`` (`store`).
    public func forgetAll() throws(DeltaError) {
        let ledger = DeltaLedger(store: store)
        try transaction {
            _ = try ledger.open(newGeneration: makeID)
            try ledger.beginGeneration(makeID())
        }
    }

    // MARK: One delta

    private func apply<Source: DeltaSource>(
        _ source: inout Source, _ tables: DeltaTables, _ isCancelled: () -> Bool
    ) throws(DeltaError) -> DeltaOutcome {
        let standing = try prepare(tables)
        let header = try source.begin(tables.target)
        if let resource = header.resource, resource != tables.target.binding.resource {
            throw DeltaError(.mismatch, "Delta mismatch: it is for another resource than the one requested.")
        }
        var counts = DeltaCounts()
        // While pages are being loaded the old rows are there.
        var version = header.hasMore ? standing.version : header.to
        switch DeltaPlan(header, standing) {
        case .skip:
            return DeltaOutcome(
                version: standing.version, counts: DeltaCounts(), isDuplicate: true, hasMore: header.hasMore)
        case .gap:
            throw DeltaError(
                .gap, "Delta gap: `from` is not the stored version; send what request(for:) returns.")
        case .change:
            try transaction {
                try requireUnchanged(tables, standing)
                var drain = try DeltaDrain(tables)
                try drain.run(&source, isCancelled: isCancelled)
                counts = drain.counts
                try tables.dropLoad()
                try tables.record(header.to)
            }
            version = header.to
        case .load:
            let owner = makeID()
            do throws(DeltaError) {
                try transaction { try tables.beginLoad(owner: owner) }
                counts = try load(&source, tables, owner, isCancelled)
                try transaction {
                    guard try tables.isLoaded(by: owner) else { throw DeltaDrain.otherLoad }
                    try finish(tables, header, owner)
                }
            } catch {
                // What was loaded in vain takes room, which may be what is lacking.
                try? transaction { if try tables.isLoaded(by: owner) { try tables.dropLoad() } }
                throw error
            }
        case .continueLoad:
            try transaction {
                try requireUnchanged(tables, standing)
                let owner = makeID()
                try tables.record(page: standing.page, owner: owner)
                counts = try load(&source, tables, owner, isCancelled)
                try finish(tables, header, owner)
            }
        }
        return DeltaOutcome(version: version, counts: counts, isDuplicate: false, hasMore: header.hasMore)
    }

    private func load<Source: DeltaSource>(
        _ source: inout Source, _ tables: DeltaTables, _ owner: String, _ isCancelled: () -> Bool
    ) throws(DeltaError) -> DeltaCounts {
        do {
            var drain = try DeltaDrain(tables)
            try drain.run(&source, loadedBy: owner, isCancelled: isCancelled)
            return drain.counts
        } catch {
            throw DeltaError(wrapping: error)
        }
    }

    private func finish(_ tables: DeltaTables, _ header: DeltaHeader, _ owner: String) throws {
        if header.hasMore {
            try tables.record(page: header.to, owner: owner)
        } else {
            try tables.finishLoad(header.to)
        }
    }

    /// Another process may have been here between the first look and the transaction.
    private func requireUnchanged(_ tables: DeltaTables, _ standing: DeltaStanding) throws {
        guard try tables.standing() == standing else {
            throw DeltaError(.busy, "Tables were changed by another call; request the delta again.")
        }
    }

    // MARK: Around it

    private func standing(_ target: DeltaTarget) throws(DeltaError) -> DeltaStanding {
        do {
            return try tables(target).expectedStanding()
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

    private func prepare(_ tables: DeltaTables) throws(DeltaError) -> DeltaStanding {
        try transaction { try tables.prepare() }
    }

    private func forget(_ tables: DeltaTables) throws(DeltaError) {
        try transaction {
            _ = try tables.prepare()
            try tables.dropLoad()
            for table in tables.target.tables { try tables.ledger.remove(table.name) }
        }
    }

    private func transaction<Result>(_ body: () throws -> Result) throws(DeltaError) -> Result {
        do {
            return try store.transaction(body)
        } catch {
            throw DeltaError(wrapping: error)
        }
    }

    /// Does something while no other call has the same tables.
    private func claiming<Result>(
        _ target: DeltaTarget, _ body: (DeltaTables) throws(DeltaError) -> Result
    ) throws(DeltaError) -> Result {
        let tables = try tables(target)
        let names = Set(target.tables.map(\.name))
        let isFree = claims.withLock { claims in
            guard claims.isDisjoint(with: names) else { return false }
            claims.formUnion(names)
            return true
        }
        guard isFree else {
            throw DeltaError(.busy, "Another delta is being applied to the same tables; retry after it.")
        }
        defer { claims.withLock { $0.subtract(names) } }
        return try body(tables)
    }
}
