import Foundation
import HTTPMessages
import Transport

/// A stored body that is read from a file as it is used.
struct StoredFileBody: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyChunks.Iterator
        private let body: StoredFileBody
        private var count: Int64 = 0

        fileprivate init(_ body: StoredFileBody) {
            self.body = body
            chunks = body.body.chunks().makeAsyncIterator()
        }

        /// The next chunk.
        /// - Throws: `TransportError` (`cancelled`; `truncated` if the file cannot be read).
        mutating func next() async throws -> Data? {
            guard !Task.isCancelled else { throw TransportError.cancelled(body.request) }
            let chunk: Data?
            do { chunk = try await chunks.next() } catch {
                throw TransportError(
                    .truncated, "The stored body cannot be read; send the request with `CachePolicy.reload`.",
                    request: body.request, underlying: error)
            }
            guard let chunk else { return nil }
            count += Int64(chunk.count)
            body.observer?.transfer(didEmit: .receivedBytes(count, total: body.body.length))
            return chunk
        }
    }

    fileprivate let body: HTTPBody
    fileprivate let request: HTTPRequest
    fileprivate let observer: (any TransferObserver)?

    init(_ body: HTTPBody, request: HTTPRequest, observer: (any TransferObserver)?) {
        self.body = body
        self.request = request
        self.observer = observer
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
