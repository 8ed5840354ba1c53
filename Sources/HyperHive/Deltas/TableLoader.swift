import DeltaSync
import Foundation
import LocalStore
import Synchronization
import SystemLibraries

/// Loads responses with tables into one database. Thread-safe.
///
/// Each load has a thread of its own, since it blocks while it waits for the network and for the store.
final class TableLoader: Sendable {
    let store: any LocalStore
    let register: TableRegister
    let applier: DeltaApplier
    private let folder: URL
    private let makeID: @Sendable () -> String
    /// The tables of the calls in progress.
    private let lockedTables = Mutex<Set<SQLIdentifier>>([])

    /// - Parameters:
    ///   - folder: the folder for temporary files; default the system's.
    ///   - makeID: returns a unique text without spaces at each call; default a UUID.
    init(
        _ store: any LocalStore, _ register: TableRegister, folder: URL = FileManager.default.temporaryDirectory,
        makeID: @escaping @Sendable () -> String = { UUID().uuidString }
    ) {
        self.store = store
        self.register = register
        self.folder = folder
        self.makeID = makeID
        applier = DeltaApplier(store, makeID: makeID)
    }

    func storedVersion(of target: ResourceTarget) throws(DeltaError) -> StoredVersion? {
        guard let delta = target.delta else { return nil }
        return try applier.version(of: delta).flatMap { StoredVersion($0) }
    }

    // MARK: Load

    /// Loads a response: applies a delta, or replaces the rows.
    ///
    /// - Parameters:
    ///   - body: the response's chunks. It is released before its end when the load fails.
    ///   - content: the field `Content-Version`; nil without one. It is ignored for a resource without deltas.
    ///   - etag: the field `ETag`.
    ///   - onProgress: called on the thread of the load, after each chunk and each batch.
    /// - Throws: `DeltaError`. Nothing was changed then. `gap` when the delta's base version is not the stored one:
    ///   request a full load. `source` with the error of `body`; `cancelled`; `busy` during another load of the tables.
    func load<Body: AsyncSequence & Sendable>(
        _ body: Body, content: ContentVersion?, etag: String?, into target: ResourceTarget,
        onProgress: @escaping @Sendable (LoadProgress) -> Void = { _ in }
    ) async throws(DeltaError) -> LoadOutcome where Body.Element == Data {
        let chunks = ChunkQueue()
        do {
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await chunks.send(contentsOf: body) }
                // The body may wait for the network: its task must end with the load.
                defer { group.cancelAll() }
                return try await withTaskExecutorPreference(WorkerThreads(count: 1, name: "patchbay.hyperhive.load")) {
                    try await self.run(chunks, content, etag, target, onProgress)
                }
            }
        } catch {
            // A cancelled transfer may fail in its own way.
            throw Self.deltaError(Task.isCancelled ? CancellationError() : error)
        }
    }

    /// Loads a response on the calling thread, which blocks.
    ///
    /// `@concurrent`, so that it runs on the task's preferred executor, from any actor.
    @concurrent private func run(
        _ chunks: ChunkQueue, _ content: ContentVersion?, _ etag: String?, _ target: ResourceTarget,
        _ onProgress: @escaping @Sendable (LoadProgress) -> Void
    ) async throws -> LoadOutcome {
        defer { chunks.close() }
        return try withExclusiveTables(target.tableNames) {
            try register.createTables(of: target)
            let meter = LoadMeter(onProgress)
            let next = chunks.reader()
            func reader(_ format: TableResponseParser.Format) -> TableResponseReader {
                TableResponseReader(target.tables, format, folder: folder) { try next().map { meter.received($0) } }
            }
            guard let delta = target.delta else {
                var reader = reader(.any)
                let rows = try TableReplacement(target, register, etag: etag).run(&reader, onBatch: meter.loaded)
                return LoadOutcome(version: 0, upserts: rows, deletes: 0)
            }
            let (header, format) = try header(content, etag, try storedVersion(of: target))
            var source = TableResponseSource(header, reader(format), onBatch: meter.loaded)
            let outcome = try applier.apply(&source, to: delta)
            return LoadOutcome(
                version: outcome.version.flatMap { StoredVersion($0)?.number } ?? 0, upserts: outcome.counts.upserts,
                deletes: outcome.counts.deletes)
        }
    }

    /// The versions of a response for `DeltaApplier`.
    /// - Throws: `DeltaError` (`gap`).
    private func header(
        _ content: ContentVersion?, _ etag: String?, _ stored: StoredVersion?
    ) throws(DeltaError) -> (DeltaHeader, TableResponseParser.Format) {
        func full(_ number: Int) -> DeltaHeader {
            DeltaHeader(baseVersion: nil, targetVersion: StoredVersion(number: number, load: makeID(), etag: etag).text)
        }
        switch content {
        case nil: return (full(0), .full)
        case .full(let number): return (full(number), .full)
        case .delta(base: 0, let target): return (full(target), .any)
        case .delta(let base, let target):
            guard let stored, stored.number == base else {
                throw DeltaError(
                    .gap,
                    "Delta gap: its base version \(base) is not the stored version \(stored?.number ?? 0); load fully.")
            }
            var version = stored
            version.number = target
            version.etag = etag ?? (target == base ? stored.etag : nil)
            return (DeltaHeader(baseVersion: stored.text, targetVersion: version.text), .delta)
        }
    }

    // MARK: Helpers

    /// Runs `body` with exclusive use of tables within this loader.
    func withExclusiveTables<Result>(_ names: Set<SQLIdentifier>, _ body: () throws -> Result) throws -> Result {
        let isFree = lockedTables.withLock { lockedTables in
            guard lockedTables.isDisjoint(with: names) else { return false }
            lockedTables.formUnion(names)
            return true
        }
        guard isFree else {
            throw DeltaError(.busy, "Another call uses the same tables; retry after it.")
        }
        defer { lockedTables.withLock { $0.subtract(names) } }
        return try body()
    }

    static func deltaError(_ error: any Error) -> DeltaError {
        switch error {
        case let error as DeltaError: error
        case is CancellationError: DeltaError(.cancelled, "Cancelled; nothing was changed.", underlying: error)
        case let error as StoreError where error.code == .busy:
            DeltaError(.busy, "Store is busy: timed out waiting for another writer; retry later.", underlying: error)
        case let error as StoreError: DeltaError(.store, "Store error: \(error.message)", underlying: error)
        default: DeltaError(.source, "Reading the response failed; see `underlying`.", underlying: error)
        }
    }
}
