import Synchronization

/// Takes events to an observer on a thread for observers, so that a slow one holds up no transfer.
///
/// Of several counts that wait, only the last is kept: what waits is at most one event of each kind. The end waits for the
/// events before it, but not for the observers of other transfers, and a cancelled one not even for its own.
///
/// ```
/// idle -send-> waiting -a thread is free-> delivering -more events-> waiting, -no more events-> idle
/// idle, waiting (after `patience`), delivering (at its end) -finish-> over
/// idle, waiting, delivering (at its end, or after `courtesy`) -abandon-> over
/// ```
package final class ObserverRelay: Sendable {
    private enum Phase {
        case idle
        /// There are events, and no thread has taken them up yet.
        case waiting
        case delivering
        case over
    }
    private struct State {
        var phase = Phase.idle
        var pending: [TransferEvent] = []
        var completion: (@Sendable () -> Void)?

        /// - Returns: what is to be called now.
        mutating func end() -> (@Sendable () -> Void)? {
            guard let completion = completion.take() else { return nil }
            phase = .over
            pending = []
            return completion
        }
    }

    /// How long an end waits until a thread takes up its events: all threads may be blocked by other observers.
    private static let patience = Duration.seconds(10)
    /// How long a cancelled end waits for an observer that is in the middle of an event.
    private static let courtesy = Duration.milliseconds(20)

    private let observer: any TransferObserver
    private let threads: WorkerThreads
    private let timeline: Timeline
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: where the observer is called.
    ///   - timeline: counts how long an end waits.
    package init(
        _ observer: any TransferObserver, on threads: WorkerThreads = .observers,
        timeline: Timeline = .continuous
    ) {
        self.observer = observer
        self.threads = threads
        self.timeline = timeline
    }

    /// Passes an event on, after those before it.
    package func send(_ event: TransferEvent) {
        let mustStart = state.withLock { state in
            guard state.phase != .over else { return false }
            state.pending.supersede(with: event)
            guard state.phase == .idle else { return false }
            state.phase = .waiting
            return true
        }
        if mustStart { threads.run { self.deliver() } }
    }

    /// Calls `completion` once every event has been delivered, or dropped because no thread was free for them in time.
    /// Nothing may be sent after this.
    package func finish(_ completion: @escaping @Sendable () -> Void) {
        let (now, isWaiting) = state.withLock { state in
            state.completion = completion
            return (state.phase == .idle ? state.end() : nil, state.phase == .waiting)
        }
        now?()
        guard isWaiting else { return }
        after(Self.patience) { self.end(if: .waiting) }
    }

    /// Calls `completion` once the event that is being delivered, if any, has been, or takes too long. Those behind it are
    /// dropped, and nothing may be sent after this.
    package func abandon(_ completion: @escaping @Sendable () -> Void) {
        state.withLock { $0.completion = completion }
        hurry()
    }

    /// Has an end that waits for its observer wait no longer than a cancelled one.
    package func hurry() {
        let (now, isDelivering) = state.withLock { state in
            guard state.completion != nil else { return (nil as (@Sendable () -> Void)?, false) }
            state.pending = []
            return state.phase == .delivering ? (nil, true) : (state.end(), false)
        }
        now?()
        if isDelivering { after(Self.courtesy) { self.end(if: .delivering) } }
    }

    private func after(_ duration: Duration, _ action: @escaping @Sendable () -> Void) {
        _ = timeline.schedule(at: timeline.now + duration, action)
    }

    private func end(if phase: Phase) {
        let completion = state.withLock { $0.phase == phase ? $0.end() : nil }
        completion?()
    }

    private func deliver() {
        while let event = nextEvent() {
            observer.transfer(didReach: event)
            let mustWait = state.withLock { state in
                guard state.phase == .delivering, state.completion == nil, !state.pending.isEmpty else { return false }
                state.phase = .waiting
                return true
            }
            // A transfer that has events all the time leaves room for others.
            if mustWait { return threads.run { self.deliver() } }
        }
    }

    private func nextEvent() -> TransferEvent? {
        let (event, completion) = state.withLock { state -> (TransferEvent?, (@Sendable () -> Void)?) in
            guard state.phase != .over else { return (nil, nil) }
            guard state.pending.isEmpty else {
                state.phase = .delivering
                return (state.pending.removeFirst(), nil)
            }
            state.phase = .idle
            return (nil, state.end())
        }
        completion?()
        return event
    }
}
