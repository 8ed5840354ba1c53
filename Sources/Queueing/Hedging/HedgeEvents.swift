import Coordination
import Synchronization
import Transport

/// Merges the events of several attempts for one observer: those of the first attempt, until another one wins.
///
/// For every other attempt, the last event of each kind is buffered. The observer gets events one at a time and in
/// order, on any thread.
final class HedgeEvents: Sendable {
    private struct State {
        var currentAttempt = 0
        var isDecided = false
        var buffered: [Int: [TransferEvent]] = [:]
        /// Events for the thread that is delivering.
        var pending: [TransferEvent] = []
        var isDelivering = false
        /// True once the call takes no further events.
        var isClosed = false
        /// True once the call does not wait for pending events either.
        var isDropped = false
        /// The call that waits for the last event.
        var waiter: Promise<Void>?

        /// - Returns: true if the caller has to deliver the pending events.
        mutating func startDelivering() -> Bool {
            guard !isDelivering, !pending.isEmpty else { return false }
            isDelivering = true
            return true
        }
    }
    private struct Attempt: TransferObserver {
        let number: Int
        let events: HedgeEvents
        var isImmediate: Bool { events.observer.isImmediate }

        func transfer(didEmit event: TransferEvent) {
            // What layers do in each attempt is told at once to an observer that asks for it.
            if isImmediate, case .layer = event { return events.observer.transfer(didEmit: event) }
            events.receive(event, from: number)
        }
    }

    let observer: any TransferObserver
    private let state = Mutex(State())

    init(_ observer: any TransferObserver) { self.observer = observer }

    /// Makes the observer of one attempt.
    /// - Parameter number: the number of the attempt, from 0.
    func observer(ofAttempt number: Int) -> any TransferObserver { Attempt(number: number, events: self) }

    /// Switches the observer to the attempt that won: its buffered events first, then its further ones.
    ///
    /// An observer thread delivers those that were buffered: the observer may block, and the thread be the main one.
    func won(_ number: Int) {
        update(on: observer.isImmediate ? nil : .observers) { state in
            let buffered = state.buffered[number] ?? []
            state.currentAttempt = number
            state.isDecided = true
            state.buffered = [:]
            for event in buffered { state.pending.supersede(with: event) }
        }
    }

    /// Returns when the observer has got all events so far, or the task is cancelled, which drops all others.
    /// - Parameter isLast: true to take no further events.
    func flush(isLast: Bool) async {
        let end = Promise<Void>()
        let isDone = state.withLock { state in
            if isLast { state.isClosed = true }
            guard state.isDelivering, !state.isDropped else { return true }
            state.waiter = end
            return false
        }
        if !isDone { await end.value { drop() } }
    }

    /// Drops all further events; ``flush(isLast:)`` returns.
    func drop() {
        let waiter = state.withLock { state in
            state.isClosed = true
            state.isDropped = true
            state.pending = []
            return state.waiter.take()
        }
        waiter?.fulfill(())
    }

    private func receive(_ event: TransferEvent, from number: Int) {
        update { state in
            if state.isClosed { return }
            if number == state.currentAttempt {
                state.pending.supersede(with: event)
            } else if !state.isDecided {
                state.buffered[number, default: []].supersede(with: event)
            }
        }
    }

    /// - Parameter threads: deliver the events; nil for the current thread.
    private func update(on threads: WorkerThreads? = nil, _ change: (inout State) -> Void) {
        let mustDeliver = state.withLock { state in
            change(&state)
            return state.startDelivering()
        }
        guard mustDeliver else { return }
        if let threads { threads.run { self.deliver() } } else { deliver() }
    }

    private func deliver() { while let event = nextEvent() { observer.transfer(didEmit: event) } }

    private func nextEvent() -> TransferEvent? {
        let (event, waiter) = state.withLock { state -> (TransferEvent?, Promise<Void>?) in
            guard state.pending.isEmpty else { return (state.pending.removeFirst(), nil) }
            state.isDelivering = false
            return (nil, state.waiter.take())
        }
        waiter?.fulfill(())
        return event
    }
}
