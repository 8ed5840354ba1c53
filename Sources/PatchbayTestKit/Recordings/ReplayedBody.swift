import Foundation
import HTTPMessages
import Transport

/// A recorded body in its pieces, which ends as the recorded one.
struct ReplayedBody: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        private let body: ReplayedBody
        private var position = 0
        private var count: Int64 = 0

        fileprivate init(_ body: ReplayedBody) { self.body = body }

        mutating func next() async throws -> Data? {
            guard !Task.isCancelled else { throw TransportError.cancelled(body.request) }
            guard position < body.chunks.count else {
                if let failure = body.failure { throw failure }
                return nil
            }
            let chunk = body.chunks[position]
            position += 1
            count += Int64(chunk.count)
            body.observer?.transfer(didEmit: .receivedBytes(count, total: body.total))
            return chunk
        }
    }

    private let chunks: [Data]
    private let total: Int64?
    private let failure: TransportError?
    private let request: HTTPRequest
    private let observer: (any TransferObserver)?

    init(chunks: [Data], failure: TransportError?, request: HTTPRequest, observer: (any TransferObserver)?) {
        self.chunks = chunks.filter { !$0.isEmpty }
        // The whole length is known only of a body that arrived.
        total = failure == nil ? chunks.reduce(0) { $0 + Int64($1.count) } : nil
        self.failure = failure
        self.request = request
        self.observer = observer
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
