import HTTPMessages
import Transport

/// The observer that the app passes to a call, behind a monitor: it may be slow, and then gets its events by a relay.
struct AppObserver: Sendable {
    private let observer: (any TransferObserver)?
    private let relay: ObserverRelay?

    init(_ observer: (any TransferObserver)?) {
        guard let observer, !observer.isImmediate else {
            self.observer = observer
            relay = nil
            return
        }
        self.observer = nil
        relay = ObserverRelay(observer)
    }

    func receive(_ event: TransferEvent) {
        if let observer { return observer.transfer(didEmit: event) }
        guard let relay else { return }
        if case .layer(let event) = event, event is any DetailEvent { return }
        relay.send(event)
    }

    /// Returns when the observer has got all events, or when the task is cancelled.
    func finish() async { await relay?.finish() }

    /// Drops the events that the observer has not got.
    func abandon() { relay?.abandon {} }
}
