import Coordination
import DeltaSync
import Foundation
import StoreCore

/// Writes responses with tables into one database. Thread-safe.
///
/// Each response has a thread to itself, since it blocks while it waits for the network and for the store.
final class TableWriter: Sendable {
    let store: any LocalStore
    let register: TableRegister
    let applier: DeltaApplier
    private let folder: URL
    // Of this database, so that a handler of its changes that blocks stops no other database.
    private let threads = WorkerThreads(count: 64, name: "patchbay.load")
    private let makeID: @Sendable () -> String

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

    /// Writes a response: applies a delta, or replaces the rows.
    ///
    /// A response is written only if the stored version is still the one that it was requested with: another process
    /// may have changed the rows meanwhile. Call it within ``withTables(_:_:)``.
    /// - Parameters:
    ///   - body: the response's chunks. It is released before its end when the call fails.
    ///   - content: the field `Content-Version`; nil without one. It is ignored for a resource without deltas.
    ///   - etag: the field `ETag`.
    ///   - requested: what ``storedVersion(of:)`` returned before the request.
    ///   - maximumRowLength: maximum bytes of a row; default 16 MiB.
    ///   - isObsolete: asked on the writing thread before each batch and before the end; true cancels it.
    ///   - onProgress: called on the writing thread, after each chunk and each batch.
    /// - Returns: the changes, none when the delta has nothing newer than the stored rows.
    /// - Throws: `DeltaError`. Nothing was changed then. `gap` when the delta's base version is not the stored one:
    ///   request all rows. `source` with the error of `body`; `cancelled`; `busy` when another process loads the
    ///   tables, and for a full response when it has changed them since the request.
    func write<Body: AsyncSequence & Sendable>(
        _ body: Body, content: ContentVersion?, etag: String?, into target: ResourceTarget,
        requestedAt requested: StoredVersion?, maximumRowLength: Int = RowStreamParser.defaultMaximumRowLength,
        isObsolete: @escaping @Sendable () -> Bool = { false },
        onProgress: @escaping @Sendable (HyperHiveProgress) -> Void = { _ in }
    ) async throws(DeltaError) -> TableChanges where Body.Element == Data {
        // An empty chunk counts too, since many of them need memory.
        let chunks = Channel<Data>(capacity: 256 << 10) { max($0.count, 1) }
        do {
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await chunks.send(contentsOf: body) }
                // The body may wait for the network: its task must end with this call.
                defer { group.cancelAll() }
                return try await withTaskExecutorPreference(threads) {
                    try await self.write(
                        chunks, content, etag, target, requested, maximumRowLength, isObsolete, onProgress)
                }
            }
        } catch {
            // A cancelled transfer may fail in its own way.
            throw Self.deltaError(Task.isCancelled ? CancellationError() : error)
        }
    }

    /// Writes a response on the calling thread, which blocks.
    ///
    /// `@concurrent`, so that it runs on the task's preferred executor, from any actor.
    @concurrent private func write(
        _ chunks: Channel<Data>, _ content: ContentVersion?, _ etag: String?, _ target: ResourceTarget,
        _ requested: StoredVersion?, _ maximumRowLength: Int, _ isObsolete: @Sendable () -> Bool,
        _ onProgress: @escaping @Sendable (HyperHiveProgress) -> Void
    ) async throws -> TableChanges {
        defer { chunks.close() }
        try register.createTables(of: target)
        let content = target.hasVersions ? content : nil
        let stored = try storedVersion(of: target)
        let header: DeltaHeader
        switch ResponseDisposition(content, requested: requested, stored: stored) {
        case .load(let number):
            let version = StoredVersion(number: number, load: makeID(), etag: etag)
            header = DeltaHeader(baseVersion: nil, targetVersion: version.text)
        case .change(let base, let number):
            var version = base
            version.number = number
            version.etag = etag ?? (number == base.number ? base.etag : nil)
            header = DeltaHeader(baseVersion: base.text, targetVersion: version.text)
        case .skip(let current): return TableChanges(version: current.number)
        case .gap:
            throw DeltaError(
                .gap,
                "Delta gap: the response has no changes since the stored version \(stored?.number ?? 0); request all rows, "
                    + "or check the server if they were requested.")
        }
        let counter = ProgressCounter(onProgress)
        let format = TableResponseParser.Format(content, hasVersions: target.hasVersions)
        let reader = TableResponseReader(target.tables, format, folder: folder, maximumRowLength: maximumRowLength) {
            try chunks.blockingNext().map { counter.received($0) }
        }
        var source = TableResponseSource(header, reader, onBatch: counter.read)
        let outcome = try applier.apply(&source, to: target.delta, requestedAt: requested?.text) {
            Task.isCancelled || isObsolete()
        }
        return TableChanges(
            version: outcome.version.flatMap { StoredVersion($0)?.number } ?? 0, upserts: outcome.counts.upserts,
            deletes: outcome.counts.deletes)
    }

    // MARK: Helpers

    static func deltaError(_ error: any Error) -> DeltaError {
        switch error {
        case let error as DeltaError: error
        case is CancellationError: DeltaError(.cancelled, "Cancelled; nothing was changed.", underlying: error)
        case let error as StoreError where error.code == .busy:
            DeltaError(.busy, "Store is busy: timed out waiting for another writer; retry later.", underlying: error)
        case let error as StoreError: DeltaError(.store, "Store error: \(error.message)", underlying: error)
        default: .source("Reading the response failed", error)
        }
    }
}

extension TableResponseParser.Format {
    fileprivate init(_ content: ContentVersion?, hasVersions: Bool) {
        self =
            switch content {
            case nil: hasVersions ? .full : .any
            case .full: .full
            case .delta(let base, _): base == 0 ? .any : .delta
            }
    }
}
