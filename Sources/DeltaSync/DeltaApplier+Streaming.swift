import Coordination
public import Foundation
import StoreCore

extension DeltaApplier {
    /// For calls to the store, which block; a task that waits for bytes has no thread.
    private static let threads = WorkerThreads(count: 16, name: "patchbay.delta")

    /// Fetches and applies deltas until the target is up to date, while their bytes arrive.
    ///
    /// ```swift
    /// try await applier.update(target) { request in
    ///     try await api.stream(endpoint(for: request)).body  // an `APIClient` throws for a status such as 401
    /// }
    /// ```
    ///
    /// The format is that of ``JSONDeltaSource``. The rows of a full load go to the shadow tables as they come. The
    /// changes of a delta are applied in one transaction, so they first go to a temporary file if there are more than
    /// 1 MiB. It has no name and only the user can read it, but it is not encrypted, also for a store with a key. The
    /// next bytes are taken when those before are written, and no thread waits for them.
    ///
    /// After a gap it retries once from the stored version, then requests a full load, once; then it throws `gap`.
    /// Cancelling the task ends it.
    /// - Parameters:
    ///   - maximumRowLength: maximum bytes of a row, and of the header; default 16 MiB.
    ///   - fetch: sends the request to the server, and returns the body of its response. It checks the status: an error
    ///     page is else `malformed`. Its error becomes the error's `underlying`.
    /// - Returns: the outcome of the last delta, with the total counts.
    /// - Throws: what ``apply(_:to:isCancelled:)`` throws. Deltas applied before the error stay.
    @discardableResult
    public func update<Body: AsyncSequence & Sendable>(
        _ target: DeltaTarget, maximumRowLength: Int = RowStreamParser.defaultMaximumRowLength,
        fetch: @escaping @Sendable (DeltaRequest) async throws -> Body
    ) async throws(DeltaError) -> DeltaOutcome where Body.Element == Data {
        do {
            return try await Self.threads.runChildTask { [self] in
                try await withExclusiveTables(target) { tables in
                    var progress = UpdateProgress(try prepare(tables))
                    while true {
                        let attempt = try await receive(progress, tables, maximumRowLength, fetch)
                        if let outcome = try advance(&progress, attempt, tables) { return outcome }
                    }
                }
            }
        } catch let error as DeltaError where error.code != .cancelled && !Task.isCancelled {
            throw error
        } catch {
            // A cancelled transfer, or statement, may fail in its own way.
            throw Task.isCancelled ? .cancelled : DeltaError(wrapping: error)
        }
    }

    private func withExclusiveTables<Result>(
        _ target: DeltaTarget, _ body: (DeltaTables) async throws -> Result
    ) async throws -> Result {
        let (tables, hold) = try lockTables(target)
        defer { hold.release() }
        return try await body(tables)
    }

    private func receive<Body: AsyncSequence & Sendable>(
        _ progress: UpdateProgress, _ tables: DeltaTables, _ maximumRowLength: Int,
        _ fetch: @Sendable (DeltaRequest) async throws -> Body
    ) async throws -> UpdateProgress.Attempt where Body.Element == Data {
        let tables = try requesting(tables)
        let body: Body
        do {
            body = try await fetch(progress.request)
        } catch {
            throw Self.requestFailed(error)
        }
        do {
            return .applied(try await apply(body, tables, progress.storedState, maximumRowLength))
        } catch let error as DeltaError where error.code == .gap {
            return .gap(error)
        }
    }

    /// Applies a delta whose bytes arrive.
    private func apply<Body: AsyncSequence & Sendable>(
        _ body: Body, _ tables: DeltaTables, _ storedState: StoredState, _ maximumRowLength: Int
    ) async throws -> DeltaOutcome where Body.Element == Data {
        var iterator = body.makeAsyncIterator()
        func nextChunk() async throws -> Data? {
            do {
                let chunk = try await iterator.next(isolation: #isolation)
                // A body may end in a cancelled task, as if it were complete.
                guard !Task.isCancelled else { throw CancellationError() }
                return chunk
            } catch {
                if error is CancellationError { throw error }
                throw DeltaError.source("Reading the delta failed", error)
            }
        }
        var spool = DeltaSpool(
            memoryLimit: DeltaBuffer.maximumByteCount, in: FileManager.default.temporaryDirectory)
        func keep(_ chunk: Data) throws(DeltaError) {
            do {
                try spool.append(chunk)
            } catch {
                throw DeltaError(
                    .source, "Delta cannot be written to a temporary file; free space there.", underlying: error)
            }
        }
        var reader = JSONDeltaReader(maximumRowLength: maximumRowLength)
        reader.begin(tables.target)
        var header: DeltaHeader?
        // One that has ended by then needs no shadow tables, and no file.
        while header == nil || spool.byteCount < DeltaBuffer.maximumByteCount {
            guard let chunk = try await nextChunk() else {
                return try apply(spool, tables, storedState, maximumRowLength)
            }
            try keep(chunk)
            reader.push(chunk)
            if header == nil { header = try reader.header() }
            // What is not applied need not be received.
            if let header, [.skip, .gap].contains(DeltaDisposition(header, storedState)) {
                return try apply(spool, tables, storedState, maximumRowLength)
            }
        }
        guard let header, DeltaDisposition(header, storedState) == .load else {
            while let chunk = try await nextChunk() { try keep(chunk) }
            return try apply(spool, tables, storedState, maximumRowLength)
        }
        try requireResource(of: header, tables)
        let counts = try await loadAll(&reader, tables, header, storedState, nextChunk: nextChunk)
        return DeltaOutcome(
            version: header.hasMore ? storedState.version : header.targetVersion, counts: counts, isDuplicate: false,
            hasMore: header.hasMore)
    }

    /// Applies what was received.
    private func apply(
        _ spool: DeltaSpool, _ tables: DeltaTables, _ storedState: StoredState, _ maximumRowLength: Int
    ) throws(DeltaError) -> DeltaOutcome {
        var source = JSONDeltaSource(maximumRowLength: maximumRowLength, nextChunk: spool.reader())
        return try apply(&source, tables, storedState) { Task.isCancelled }
    }
}
