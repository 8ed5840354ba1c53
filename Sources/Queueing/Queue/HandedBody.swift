import Foundation
import HTTPMessages

/// The reader's side of a ``Handover``, and the right to end it.
struct HandedBody: AsyncSequence, Sendable {
    /// Says that nobody reads any more, with its last owner.
    fileprivate final class Lease: Sendable {
        let handover: Handover
        let stop: Signal<Bool>

        init(_ handover: Handover, stop: Signal<Bool>) {
            self.handover = handover
            self.stop = stop
        }

        deinit { stop.send(true) }
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let lease: Lease

        func next() async throws -> Data? {
            try await withTaskCancellationHandler {
                try await lease.handover.next()
            } onCancel: {
                lease.stop.send(true)
            }
        }
    }

    private let lease: Lease

    /// - Parameter stop: is told true when nobody reads any more, or the reader's task is cancelled.
    init(_ handover: Handover, stop: Signal<Bool>) { lease = Lease(handover, stop: stop) }

    func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }
}
