import Synchronization
import Transport

/// Lets one observer hear one attempt of several: the first, until another one has won.
///
/// Of those that nobody hears the last event of each kind is kept. Events come to the observer one at a time and in
/// order, whichever threads they come on.
final class HedgeEvents: Sendable {
    private struct State {
        var speaker = 0
        var isDecided = false
        var kept: [Int: [TransferEvent]] = [:]
        /// What the observer is to hear, while somebody sees to it that it does.
        var pending: [TransferEvent] = []
        var isDelivering = false

        /// True when there is something to deliver and nobody is at it.
        mutating func beginsDelivering() -> Bool {
            guard !isDelivering, !pending.isEmpty else { return false }
            isDelivering = true
            return true
        }
    }
    private struct Attempt: TransferObserver {
        let number: Int
        let events: HedgeEvents
        func transfer(didReach event: TransferEvent) { events.hear(event, from: number) }
    }

    private let observer: any TransferObserver
    private let state = Mutex(State())

    init(_ observer: any TransferObserver) { self.observer = observer }

    /// Hears an attempt.
    /// - Parameter number: counted from 0.
    func observer(ofAttempt number: Int) -> any TransferObserver { Attempt(number: number, events: self) }

    /// An attempt has won: the observer hears it from now on, first of all what was kept, and no other one.
    func won(_ number: Int) {
        update { state in
            let kept = state.kept[number] ?? []
            state.speaker = number
            state.isDecided = true
            state.kept = [:]
            for event in kept { state.pending.supersede(with: event) }
        }
    }

    private func hear(_ event: TransferEvent, from number: Int) {
        update { state in
            if number == state.speaker {
                state.pending.supersede(with: event)
            } else if !state.isDecided {
                state.kept[number, default: []].supersede(with: event)
            }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let mustDeliver = state.withLock { state in
            change(&state)
            return state.beginsDelivering()
        }
        guard mustDeliver else { return }
        while true {
            let events = state.withLock { state in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isDelivering = false }
                return state.pending
            }
            if events.isEmpty { return }
            for event in events { observer.transfer(didReach: event) }
        }
    }
}
