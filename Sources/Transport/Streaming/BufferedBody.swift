package import Foundation
package import HTTPMessages

/// A body in memory as one that comes piece by piece, for transports that have whole responses only.
package struct BufferedBody: AsyncSequence, Sendable {
    package struct Iterator: AsyncIteratorProtocol {
        private let body: BufferedBody
        private var sent = 0

        fileprivate init(_ body: BufferedBody) { self.body = body }

        /// The next piece.
        /// - Throws: `TransportError` (`cancelled`).
        package mutating func next() async throws -> Data? {
            guard !Task.isCancelled else {
                throw TransportError(.cancelled, "The call was cancelled.", request: body.request)
            }
            let piece = body.bytes.dropFirst(sent).prefix(BufferedBody.pieceSize)
            guard !piece.isEmpty else { return nil }
            sent += piece.count
            body.observer?.transfer(didReach: .received(Int64(sent), of: Int64(body.bytes.count)))
            return piece
        }
    }

    /// About as much as a network gives at a time.
    private static let pieceSize = 16 << 10

    private let bytes: Data
    private let request: HTTPRequest
    private let observer: (any TransferObserver)?

    /// - Parameter observer: hears of each piece as it is read.
    package init(_ bytes: Data, of request: HTTPRequest, observer: (any TransferObserver)?) {
        self.bytes = bytes
        self.request = request
        self.observer = observer
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }
}
