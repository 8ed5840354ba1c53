import Coordination
import Delegation
import Foundation
import Synchronization

/// The callbacks of one request, called one at a time and in order.
///
/// The delivery makes them, or a thread that waits in its place, see ``DeliveredCalls``. During a blocking request on
/// the delivery's own queue, callbacks run in place, since that queue runs nothing until the call returns. Those of
/// other threads then wait for the next one of the blocked thread.
final class Callbacks: Sendable {
    /// Those that are called inline.
    private struct State {
        var pending: [@Sendable () -> Void] = []
        /// True while a thread calls them.
        var isDraining = false
    }

    let delivery: Delivery
    /// The thread that calls them in place; nil for those that are delivered.
    private let thread: ObjectIdentifier?
    private let state = Mutex(State())

    /// - Parameter isInPlace: true to call them on the current thread only, which a blocking call occupies.
    init(_ delivery: Delivery, isInPlace: Bool = false) {
        self.delivery = isInPlace ? .inline : delivery
        thread = isInPlace ? ObjectIdentifier(Thread.current) : nil
    }

    /// True if they are called by the thread that adds them, which a timer's thread must not do.
    var areInline: Bool { if case .inline = delivery { true } else { false } }

    /// Adds a callback.
    func post(_ body: @escaping @Sendable () -> Void) {
        guard areInline else { return DeliveredCalls.shared.post(on: delivery, body) }
        let canDrain = thread == nil || thread == ObjectIdentifier(Thread.current)
        let drains = state.withLock { state in
            state.pending.append(body)
            guard canDrain, !state.isDraining else { return false }
            state.isDraining = true
            return true
        }
        guard drains else { return }
        while let body = next() { body() }
    }

    /// Waits until all callbacks so far have been called.
    /// - Throws: `CancellationError`.
    func wait() async throws {
        let marker = Promise<Void>()
        post { marker.fulfill(()) }
        try await marker.cancellableValue()
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
