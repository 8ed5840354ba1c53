import Coordination
import HTTPMessages
import Transport

/// The observer that the app passes to a call, behind a monitor: it may be slow, and then gets its events by a relay.
struct AppObserver: Sendable {
    /// The observer, if it is immediate.
    let immediate: (any TransferObserver)?
    private let relay: ObserverRelay?
    /// The end of the total timeout of a call whose observer may be slow.
    private let deadline: (time: Duration, clock: AnyMonotonicClock)?

    /// - Parameter monitor: its clock measures the total timeout, from now.
    init(_ observer: (any TransferObserver)?, of request: HTTPRequest, _ monitor: EventMonitor) {
        guard let observer, !observer.isImmediate else {
            immediate = observer
            relay = nil
            deadline = nil
            return
        }
        immediate = nil
        relay = ObserverRelay(observer)
        deadline = request.options.timeouts.total.map { (monitor.clock.now + $0, monitor.clock) }
    }

    func receive(_ event: TransferEvent) {
        if let immediate { return immediate.transfer(didEmit: event) }
        guard let relay else { return }
        if case .layer(let event) = event, event is any DetailEvent { return }
        relay.send(event)
    }

    /// Returns when the observer has got all events, the task is cancelled, or the total timeout ends.
    func finish() async {
        guard let relay else { return }
        let timer = deadline.map { $0.clock.schedule(at: $0.time) { relay.expediteFinish() } }
        await relay.finish()
        timer?.cancel()
    }

    /// Drops the events that the observer has not got.
    func abandon() { relay?.abandon {} }
}
