import Foundation
import HTTPMessages
import Synchronization

/// A streamed body that is collected while it is read, and stored at its end.
///
/// A body that fails, that its reader leaves, or that is too large is not stored; nor is one whose file cannot be
/// written. The reader gets each chunk as it comes in any case.
struct StoringBody: AsyncSequence, Sendable {
    final class Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyChunks.Iterator
        private let storing: ResponseStoring
        private let finished: @Sendable (Bool) -> Void
        private var collected: BodyCollector?

        fileprivate init(_ body: StoringBody) {
            chunks = body.chunks.makeAsyncIterator()
            (storing, finished) = (body.storing, body.finished)
            collected = BodyCollector(storing)
        }

        deinit {
            let isLeft = collected != nil
            leave()
            guard isLeft, let outdated = storing.outdated else { return }
            Task { [cache = storing.cache] in await cache.removeOutdated(outdated) }
        }

        /// The next chunk; nil at the end, when the body is stored.
        /// - Throws: the error of the body.
        func next() async throws -> Data? {
            do {
                if let chunk = try await chunks.next() {
                    if !collect(chunk) { await storing.cache.removeOutdated(storing.outdated) }
                    return chunk
                }
            } catch {
                leave()
                await storing.cache.removeOutdated(storing.outdated)
                throw error
            }
            // The body may have ended because of that, without an error.
            guard !Task.isCancelled else {
                leave()
                await storing.cache.removeOutdated(storing.outdated)
                return nil
            }
            guard let body = collected.take()?.body else { return nil }
            let stored = await storing.store(body) { _ in }
            finished(stored != nil)
            return nil
        }

        /// - Returns: false if the body cannot be stored, as this chunk shows.
        private func collect(_ chunk: Data) -> Bool {
            guard collected != nil else { return true }
            do {
                try collected?.append(chunk)
                return true
            } catch {
                _ = storing.cache.failed(error)
                leave()
                return false
            }
        }

        private func leave() {
            guard let collected = collected.take() else { return }
            collected.discard()
            finished(false)
        }
    }

    private let chunks: HTTPBodyChunks
    private let storing: ResponseStoring
    private let finished: @Sendable (Bool) -> Void

    /// - Parameter finished: called once the body is stored, or not.
    init(_ chunks: HTTPBodyChunks, _ storing: ResponseStoring, finished: @escaping @Sendable (Bool) -> Void) {
        self.chunks = chunks
        self.storing = storing
        self.finished = finished
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// Bytes of a body so far: in memory, and beyond the limit of a row in a file, where the storage has files.
private struct BodyCollector {
    private let storing: ResponseStoring
    private var data = Data()
    private var file: BodyFile?
    private var hasFiles = true

    init(_ storing: ResponseStoring) { self.storing = storing }

    /// - Throws: the error of the file; ``CacheStorageError`` (`tooLarge`) beyond the limit.
    mutating func append(_ chunk: Data) throws {
        if let file {
            guard file.count + Int64(chunk.count) <= Int64(storing.limit) else { throw CacheStorageError.tooLarge }
            return try file.append(chunk)
        }
        guard data.count + chunk.count <= storing.limit else { throw CacheStorageError.tooLarge }
        data.append(chunk)
        // A part is joined to others in memory.
        guard hasFiles, data.count > storing.cache.limits.rowBytes, storing.head.status != .partialContent else {
            return
        }
        guard let file = try storing.cache.storage.makeBodyFile() else {
            hasFiles = false
            return
        }
        self.file = file
        try file.append(data)
        data = Data()
    }

    /// The collected body.
    var body: StoredBody { file.map { StoredBody(file: $0.url, count: $0.count) } ?? StoredBody(data) }

    func discard() { file?.delete() }
}
