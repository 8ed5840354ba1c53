import Synchronization
import Transport

/// The events of a shared request: each relay gets all, a late one first the last missed event of each kind. Those of
/// queues and circuits are for the first immediate relay, so that monitors count them once.
final class SharedEvents: TransferObserver {
    private struct State {
        var relays: [ObserverRelay] = []
        /// The last event of each kind.
        var last: [TransferEvent] = []
    }

    /// True if the observer of the first call is.
    let isImmediate: Bool
    private let state = Mutex(State())

    init(isImmediate: Bool = false) { self.isImmediate = isImmediate }

    // Relays only queue events, so they are called under the lock, which orders events.

    func add(_ relay: ObserverRelay) {
        state.withLock { state in
            for event in state.last { relay.send(event) }
            state.relays.append(relay)
        }
    }

    /// Sends a relay no further events.
    func remove(_ relay: ObserverRelay) { state.withLock { $0.relays.removeAll { $0 === relay } } }

    func transfer(didEmit event: TransferEvent) {
        state.withLock { state in
            guard case .layer(let detail) = event, detail is any DetailEvent else {
                state.last.supersede(with: event)
                for relay in state.relays { relay.send(event) }
                return
            }
            // What layers did before a late observer came is no event of its call.
            let relays = state.relays.lazy.filter(\.isImmediate)
            let isForOne = detail is QueueEvent || detail is CircuitEvent
            for relay in relays.prefix(isForOne ? 1 : .max) { relay.send(event) }
        }
    }
}
