import Delegation
import Foundation
import Synchronization

/// The callbacks of one request, called one at a time and in order.
///
/// A FIFO queue that one thread drains into the delivery. During a blocking call on the main thread, callbacks for the
/// main queue run in place: the main queue runs nothing until the call returns. Those of other threads then wait for
/// the next one of the main thread.
final class Callbacks: Sendable {
    private struct State {
        var pending: [@Sendable () -> Void] = []
        var isDraining = false
    }

    private let delivery: Delivery
    private let isOnMainThread: Bool
    private let state = Mutex(State())

    /// - Parameter isOnMainThread: true for a blocking call on the main thread.
    init(_ delivery: Delivery, isOnMainThread: Bool = false) {
        if isOnMainThread, case .main = delivery {
            self.delivery = .inline
            self.isOnMainThread = true
        } else {
            self.delivery = delivery
            self.isOnMainThread = false
        }
    }

    /// Adds a callback.
    func post(_ body: @escaping @Sendable () -> Void) {
        let canDrain = !isOnMainThread || MainQueue.isCurrent
        let drains = state.withLock { state in
            state.pending.append(body)
            guard canDrain, !state.isDraining else { return false }
            state.isDraining = true
            return true
        }
        guard drains else { return }
        while let body = next() { delivery.deliver(body) }
    }

    /// Waits until all callbacks so far have been called.
    /// - Throws: `CancellationError`.
    func wait() async throws {
        let marker = Decision<Void>()
        post { marker.resolve(()) }
        try await marker.value()
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.pending.isEmpty else {
                state.isDraining = false
                return nil
            }
            return state.pending.removeFirst()
        }
    }
}
