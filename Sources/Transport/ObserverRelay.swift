import Dispatch
import Synchronization

/// Takes events to an observer on a queue of its own, so that a slow observer holds up nobody else.
///
/// Of several counts that wait, only the last is kept: what waits is at most one event of each kind.
package final class ObserverRelay: Sendable {
    private struct State {
        var pending: [TransferEvent] = []
        var isRunning = false
        var completion: (@Sendable () -> Void)?
    }

    private let observer: any TransferObserver
    private let queue = DispatchQueue(label: "patchbay.observer")
    private let state = Mutex(State())

    package init(_ observer: any TransferObserver) { self.observer = observer }

    /// Passes an event on, after those before it.
    package func send(_ event: TransferEvent) { update { $0.pending.supersede(with: event) } }

    /// Calls `completion` once every event has been delivered. Nothing may be sent after this.
    package func finish(_ completion: @escaping @Sendable () -> Void) { update { $0.completion = completion } }

    /// Calls `completion` once the event that is being delivered, if any, has been. Those behind it are dropped, and
    /// nothing may be sent after this.
    package func abandon(_ completion: @escaping @Sendable () -> Void) {
        update { state in
            state.pending = []
            state.completion = completion
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let mustStart = state.withLock { state in
            change(&state)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { queue.async { self.run() } }
    }

    private func run() {
        while true {
            let (events, completion) = state.withLock { state in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isRunning = false }
                return (state.pending, state.pending.isEmpty ? state.completion.take() : nil)
            }
            for event in events { observer.transfer(didReach: event) }
            guard events.isEmpty else { continue }
            completion?()
            return
        }
    }
}
