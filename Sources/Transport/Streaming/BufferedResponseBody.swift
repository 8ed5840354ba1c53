package import Foundation
package import HTTPMessages

/// A body in memory as a sequence of chunks, for transports that return whole responses.
package struct BufferedResponseBody: AsyncSequence, Sendable {
    package struct Iterator: AsyncIteratorProtocol {
        private let body: BufferedResponseBody
        private var sent = 0

        fileprivate init(_ body: BufferedResponseBody) { self.body = body }

        /// The next chunk.
        /// - Throws: `TransportError` (`cancelled`).
        package mutating func next() async throws -> Data? {
            guard !Task.isCancelled else { throw TransportError.cancelled(body.request) }
            let chunk = body.bytes.dropFirst(sent).prefix(BufferedResponseBody.chunkSize)
            guard !chunk.isEmpty else { return nil }
            sent += chunk.count
            body.observer?.transfer(didEmit: .receivedBytes(Int64(sent), total: Int64(body.bytes.count)))
            return chunk
        }
    }

    /// The typical chunk size of a network read.
    private static let chunkSize = 16 << 10

    private let bytes: Data
    private let request: HTTPRequest
    private let observer: (any TransferObserver)?

    /// - Parameter observer: receives an event for each chunk read.
    package init(_ bytes: Data, of request: HTTPRequest, observer: (any TransferObserver)?) {
        self.bytes = bytes
        self.request = request
        self.observer = observer
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }
}
