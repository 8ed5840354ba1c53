import Foundation
import HTTPMessages

/// The consumer's side of a ``Rendezvous`` as an asynchronous sequence, which stops the producer when it is released.
struct RendezvousBody: AsyncSequence, Sendable {
    /// Stops the producer when the last copy of the body and its iterators is released.
    fileprivate final class Lifetime: Sendable {
        let channel: Rendezvous
        let stop: Promise<Bool>

        init(_ channel: Rendezvous, stop: Promise<Bool>) {
            self.channel = channel
            self.stop = stop
        }

        deinit { stop.fulfill(true) }
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let lifetime: Lifetime

        func next() async throws -> Data? {
            try await withTaskCancellationHandler {
                try await lifetime.channel.next()
            } onCancel: {
                lifetime.stop.fulfill(true)
            }
        }
    }

    private let lifetime: Lifetime

    /// - Parameter stop: fulfilled with true when the body is released or its reader's task is cancelled.
    init(_ channel: Rendezvous, stop: Promise<Bool>) { lifetime = Lifetime(channel, stop: stop) }

    func makeAsyncIterator() -> Iterator { Iterator(lifetime: lifetime) }
}
