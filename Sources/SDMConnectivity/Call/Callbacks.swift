import Coordination
import Delegation
import Foundation
import Synchronization

/// The callbacks of one request, called one at a time and in order.
///
/// A FIFO queue that the delivery empties, or a thread that waits in its place, see ``BlockedDelivery``. During a
/// blocking request on the delivery's own queue, callbacks run in place, since that queue runs nothing until the call
/// returns. Those of other threads then wait for the next one of the blocked thread.
final class Callbacks: Sendable {
    private struct State {
        var pending: [@Sendable () -> Void] = []
        /// True while a thread calls them inline.
        var isDraining = false

        mutating func next() -> (@Sendable () -> Void)? { pending.isEmpty ? nil : pending.removeFirst() }
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
        guard areInline else {
            state.withLock { $0.pending.append(body) }
            BlockedDelivery.shared.post(on: delivery) { [self] in callPending() }
            return delivery.deliver { [self] in state.withLock { $0.next() }?() }
        }
        let canDrain = thread == nil || thread == ObjectIdentifier(Thread.current)
        let drains = state.withLock { state in
            state.pending.append(body)
            guard canDrain, !state.isDraining else { return false }
            state.isDraining = true
            return true
        }
        guard drains else { return }
        while let body = nextOrEnd() { body() }
    }

    /// Calls those that the delivery has not called yet; for the thread that waits in its place.
    func callPending() {
        guard !areInline else { return }
        while let body = state.withLock({ $0.next() }) { body() }
    }

    /// Waits until all callbacks so far have been called.
    /// - Throws: `CancellationError`.
    func wait() async throws {
        let marker = Promise<Void>()
        post { marker.fulfill(()) }
        try await marker.cancellableValue()
    }

    private func nextOrEnd() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let body = state.next()
            if body == nil { state.isDraining = false }
            return body
        }
    }
}
