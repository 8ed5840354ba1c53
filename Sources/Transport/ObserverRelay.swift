package import Coordination
import Synchronization

/// Delivers events to an observer on an observer thread, so a slow observer does not delay a transfer.
///
/// For engines: one relay per request keeps the promises of ``TransferObserver``. Call ``send(_:)`` for each event, and
/// exactly one of ``finish(_:)`` and ``abandon(_:)`` at the end, whose completion resumes the caller. No method blocks.
///
/// Pending events are coalesced to the latest of each kind. The completion of a transfer waits for its pending events,
/// at most `startTimeout` for a free thread. A cancelled transfer drops them and waits at most `gracePeriod` for the
/// observer to return. An observer that is immediate (``TransferObserver/isImmediate``) is called in place instead.
///
/// ```
/// idle       -send->                               scheduled
/// scheduled  -thread free->                        delivering
/// delivering -more events->                        scheduled
/// delivering -no more events->                     idle
/// idle       -finish, abandon->                    finished
/// scheduled  -abandon, finish and startTimeout->   finished
/// delivering -all delivered, or abandon and gracePeriod-> finished
/// ```
public final class ObserverRelay: Sendable {
    private enum Phase {
        case idle
        /// Events are pending, and no thread has started to deliver them.
        case scheduled
        case delivering
        case finished
    }
    private struct State {
        var phase = Phase.idle
        var pending: [TransferEvent] = []
        /// True after ``expediteFinish()``: nothing waits for pending events.
        var isExpedited = false
        var completion: (@Sendable () -> Void)?

        /// Moves to `finished` if ``finish(_:)`` or ``abandon(_:)`` was called.
        /// - Returns: the completion, to be called after unlocking.
        mutating func end() -> (@Sendable () -> Void)? {
            guard let completion = completion.take() else { return nil }
            phase = .finished
            pending = []
            return completion
        }
    }

    /// The maximum wait for a free thread after `finish`: other observers may block all of them.
    private static let startTimeout = Duration.seconds(10)
    /// The maximum wait for a running observer after `abandon`.
    private static let gracePeriod = Duration.milliseconds(20)

    private let observer: any TransferObserver
    package let isImmediate: Bool
    private let threads: WorkerThreads
    private let clock: AnyMonotonicClock
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: the threads that call the observer.
    ///   - clock: measures `startTimeout` and `gracePeriod`.
    package init(
        _ observer: any TransferObserver, on threads: WorkerThreads,
        clock: AnyMonotonicClock = .continuous
    ) {
        self.observer = observer
        isImmediate = observer.isImmediate
        self.threads = threads
        self.clock = clock
    }

    /// Creates a relay to an observer.
    public convenience init(_ observer: any TransferObserver) { self.init(observer, on: .observers) }

    /// Enqueues an event.
    public func send(_ event: TransferEvent) {
        if isImmediate { return observer.transfer(didEmit: event) }
        let mustStart = state.withLock { state in
            guard state.phase != .finished else { return false }
            state.pending.supersede(with: event)
            guard state.phase == .idle else { return false }
            state.phase = .scheduled
            return true
        }
        if mustStart { threads.run { self.deliver() } }
    }

    /// Calls `completion` after all pending events are delivered, or dropped after `startTimeout`.
    ///
    /// No event may be sent afterwards.
    public func finish(_ completion: @escaping @Sendable () -> Void) {
        let (now, isScheduled, isExpedited) = state.withLock { state in
            state.completion = completion
            return (state.phase == .idle ? state.end() : nil, state.phase == .scheduled, state.isExpedited)
        }
        now?()
        if isExpedited { return expediteFinish() }
        guard isScheduled else { return }
        after(Self.startTimeout) { self.end(if: .scheduled) }
    }

    /// Drops pending events, and calls `completion` when a running observer returns or `gracePeriod` has passed.
    ///
    /// No event may be sent afterwards.
    public func abandon(_ completion: @escaping @Sendable () -> Void) {
        state.withLock { $0.completion = completion }
        expediteFinish()
    }

    /// Turns a pending or later ``finish(_:)`` into an ``abandon(_:)``, for a caller that is cancelled meanwhile.
    public func expediteFinish() {
        let (now, isDelivering) = state.withLock { state in
            state.isExpedited = true
            guard state.completion != nil else { return (nil as (@Sendable () -> Void)?, false) }
            state.pending = []
            return state.phase == .delivering ? (nil, true) : (state.end(), false)
        }
        now?()
        if isDelivering { after(Self.gracePeriod) { self.end(if: .delivering) } }
    }

    /// Waits until all pending events are delivered; drops them if the task is cancelled.
    package func finish() async {
        let delivered = Promise<Void>()
        if Task.isCancelled {
            // Pending events are dropped; an event that is being delivered completes.
            abandon { delivered.fulfill(()) }
            await delivered.value
        } else {
            finish { delivered.fulfill(()) }
            await delivered.value { expediteFinish() }
        }
    }

    private func after(_ duration: Duration, _ action: @escaping @Sendable () -> Void) {
        _ = clock.schedule(at: clock.now + duration, action)
    }

    private func end(if phase: Phase) {
        let completion = state.withLock { $0.phase == phase ? $0.end() : nil }
        completion?()
    }

    private func deliver() {
        while let event = nextEvent() {
            observer.transfer(didEmit: event)
            let mustYield = state.withLock { state in
                guard state.phase == .delivering, state.completion == nil, !state.pending.isEmpty else { return false }
                state.phase = .scheduled
                return true
            }
            // Requeue after each event, so a busy transfer does not starve the observers of others.
            if mustYield { return threads.run { self.deliver() } }
        }
    }

    private func nextEvent() -> TransferEvent? {
        let (event, completion) = state.withLock { state -> (TransferEvent?, (@Sendable () -> Void)?) in
            guard state.phase != .finished else { return (nil, nil) }
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
