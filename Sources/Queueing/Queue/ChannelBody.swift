import Coordination
import Foundation

/// A body that another task reads on demand: it can be ended without its reader's help.
///
/// The other task is told to stop when the body is released.
struct ChannelBody: AsyncSequence, Sendable {
    /// Stops the producer when the last copy of the body and its iterators is released.
    fileprivate final class Lifetime: Sendable {
        let channel: Channel<Data>
        let stop: Promise<Bool>

        init(_ channel: Channel<Data>, stop: Promise<Bool>) {
            self.channel = channel
            self.stop = stop
        }

        deinit { stop.fulfill(true) }
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let lifetime: Lifetime

        /// After cancellation the producer ends the wait, with its error.
        func next() async throws -> Data? {
            try await lifetime.channel.next { lifetime.stop.fulfill(true) }
        }
    }

    private let lifetime: Lifetime

    /// - Parameters:
    ///   - channel: has a capacity of 0.
    ///   - stop: fulfilled with true when the body is released or its reader's task is cancelled.
    init(_ channel: Channel<Data>, stop: Promise<Bool>) { lifetime = Lifetime(channel, stop: stop) }

    func makeAsyncIterator() -> Iterator { Iterator(lifetime: lifetime) }
}
