import Coordination
import Dispatch
public import Foundation
import HTTPMessages
import Synchronization

/// Observes calls, and passes their events to sinks: logs, metrics, traces, files.
///
/// ```swift
/// let monitor = EventMonitor([.log(.headers), .metrics(recorder)])
/// let stack = Stack.standard.observing(by: monitor)
/// ```
///
/// One monitor observes any number of calls and stacks. Its sinks are called on one thread of its own, a few
/// milliseconds after the events, one event at a time and in the order of each call. A sink that blocks delays the
/// other sinks of its monitor, and no call: the events of a call wait in a buffer, and what it cannot hold is dropped
/// and counted. The start and the end of a call are never dropped alone: beyond the limit a call has no events at all.
public final class EventMonitor: Sendable {
    /// The most events that wait for the sinks.
    public struct Limits: Hashable, Sendable {
        /// The events of one call; default 256.
        public var eventsPerCall: Int
        /// The calls that have not ended, or whose events wait; default 20,000.
        public var calls: Int

        /// Creates limits.
        public init(eventsPerCall: Int = 256, calls: Int = 20_000) {
            self.eventsPerCall = eventsPerCall
            self.calls = calls
        }
    }

    /// A call that has ended, and its last events.
    fileprivate struct DeliveredCall {
        let recorder: CallRecorder
        let events: [CallEvent]
    }

    fileprivate struct State {
        /// The calls with events, in the order of their first one.
        var ready: [CallRecorder] = []
        /// Calls to be released by the threads that start others: those made them, so their allocators are fast, and
        /// the monitor's thread counts no references to what the calls share.
        var delivered: [DeliveredCall] = []
        var isRunning = false
        /// The calls whose end was not delivered.
        var callCount = 0
        var droppedCalls = 0
        var droppedEvents = 0
        var flushes: [Promise<Void>] = []
    }

    /// The wait for further events after a delivery, so that busy calls need not wake the thread.
    private static let pause = DispatchTimeInterval.milliseconds(10)
    /// The calls with events that end the wait: their memory is still in the caches then.
    fileprivate static let urgentCount = 256
    /// The pauses without an event after which the thread ends its work.
    private static let pausesBeforeEnd = 2

    let clock: AnyMonotonicClock
    private let date: @Sendable () -> Date
    private let sinks: [any EventReceiver]
    private let limits: Limits
    /// The most bytes of each body that a sink asks for.
    let bodyLimit: Int
    private let hasAttemptLayer = Atomic(false)
    /// The calls that have events again and are about to be listed: until then `flush` waits.
    private let unlisted = Atomic(0)
    private let state = Mutex(State())
    private let thread = WorkerThreads(count: 1, name: "patchbay.watch")
    private let wake = DispatchSemaphore(value: 0)

    /// Creates a monitor.
    /// - Parameters:
    ///   - sinks: get each event, in this order.
    ///   - clock: measures the times of events.
    ///   - date: the wall clock, for the starts of calls.
    public init(
        _ sinks: [EventSink], limits: Limits = Limits(), clock: some Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.sinks = sinks.map(\.receiver)
        self.limits = limits
        self.clock = AnyMonotonicClock(clock)
        self.date = date
        bodyLimit = self.sinks.map(\.bodyLimit).max() ?? 0
    }

    /// The number of events that were dropped because the buffer of their call was full, of calls that have ended.
    public var droppedEvents: Int { state.withLock(\.droppedEvents) }

    /// The number of calls without events, because too many others waited for the sinks.
    public var droppedCalls: Int { state.withLock(\.droppedCalls) }

    /// Returns when the sinks have got all events so far. Cancelling the task does not end the wait.
    public func flush() async {
        let done = Promise<Void>()
        perform(
            state.withLock { state in
                state.flushes.append(done)
                return Actions(mustStart: state.start(), mustWake: true)
            })
        await done.value
    }

    // MARK: Recording

    /// True if a layer reports attempts to this monitor, perhaps in another stack than that of a call.
    var observesAttempts: Bool { hasAttemptLayer.load(ordering: .relaxed) }

    /// Notes that there is a layer that reports attempts.
    func willObserveAttempts() { hasAttemptLayer.store(true, ordering: .relaxed) }

    /// Starts a call, or a part of it: one of several requests that the app's call makes.
    ///
    /// If too many calls wait for the sinks, its recorder records nothing.
    /// - Parameter whole: the call of the app, if `call` is only one of its attempts.
    func begin(_ request: HTTPRequest, of call: OpenCall, in whole: OpenCall? = nil) -> CallRecorder {
        let lastSignOut = (whole ?? call).noteObserved()
        let observed = ObservedCall(id: call.id, request: request, date: date(), lastSignOut: lastSignOut)
        let recorder = CallRecorder(observed, of: call, self, start: clock.now, limit: max(2, limits.eventsPerCall))
        // Two for each that starts, so that none are left. They are released after unlocking.
        let (actions, first, second) = state.withLock { state in
            (state.start(recorder, limit: limits.calls), state.delivered.popLast(), state.delivered.popLast())
        }
        if let actions { perform(actions) } else { recorder.drop() }
        _ = (consume first, consume second)
        return recorder
    }

    /// Announces that a call has events again, before another thread can add more to them.
    func willList() { unlisted.add(1, ordering: .relaxed) }

    /// Takes a call that was announced.
    func list(_ recorder: CallRecorder) {
        let actions = state.withLock { $0.list(recorder) }
        unlisted.subtract(1, ordering: .releasing)
        perform(actions)
    }

    fileprivate struct Actions {
        /// The thread has to be started.
        let mustStart: Bool
        /// The thread has to end its pause.
        let mustWake: Bool
    }

    private func perform(_ actions: Actions) {
        if actions.mustStart { thread.run { self.deliver() } }
        if actions.mustWake { wake.signal() }
    }

    // MARK: Delivery

    private func deliver() {
        var pauses = 0
        while true {
            let (ready, flushes, released) = state.withLock { state in
                state.take(isComplete: unlisted.load(ordering: .acquiring) == 0)
            }
            _ = consume released
            var (ended, dropped): ([DeliveredCall], Int) = ([], 0)
            for recorder in ready {
                let events = recorder.take()
                deliver(events)
                guard case .ended(let end) = events.last?.kind else { continue }
                ended.append(DeliveredCall(recorder: recorder, events: events))
                dropped += end.droppedEvents
            }
            if !ready.isEmpty { for sink in sinks { sink.flush() } }
            pauses = ready.isEmpty ? pauses + 1 : 0
            let isDone = state.withLock { [dropped, pauses] state in
                state.callCount -= ended.count
                state.delivered = ended
                state.droppedEvents += dropped
                return state.stop(after: pauses > Self.pausesBeforeEnd)
            }
            // The counters include what was delivered.
            for flush in flushes { flush.fulfill(()) }
            if isDone { return }
            _ = wake.wait(timeout: .now() + Self.pause)
        }
    }

    private func deliver(_ events: [CallEvent]) {
        // No iterator, which copies each event.
        for sink in sinks { for index in events.indices { sink.receive(events[index]) } }
    }
}

extension EventMonitor.State {
    /// Starts a call.
    /// - Returns: nil if there are too many.
    fileprivate mutating func start(_ recorder: CallRecorder, limit: Int) -> EventMonitor.Actions? {
        guard callCount < limit else {
            droppedCalls += 1
            return nil
        }
        callCount += 1
        return list(recorder)
    }

    /// Takes what the thread handles, and what no call has released.
    /// - Parameter isComplete: false if calls with events are not listed yet; flushes wait for them.
    fileprivate mutating func take(isComplete: Bool) -> (
        ready: [CallRecorder], flushes: [Promise<Void>], delivered: [EventMonitor.DeliveredCall]
    ) {
        defer {
            (ready, delivered) = ([], [])
            if isComplete { flushes = [] }
        }
        return (ready, isComplete ? flushes : [], delivered)
    }

    fileprivate mutating func list(_ recorder: CallRecorder) -> EventMonitor.Actions {
        ready.append(recorder)
        return EventMonitor.Actions(mustStart: start(), mustWake: ready.count == EventMonitor.urgentCount)
    }

    /// - Returns: true if the thread has to be started.
    fileprivate mutating func start() -> Bool {
        defer { isRunning = true }
        return !isRunning
    }

    /// - Returns: true if the thread may end its work.
    fileprivate mutating func stop(after isIdle: Bool) -> Bool {
        guard isIdle, ready.isEmpty, flushes.isEmpty else { return false }
        isRunning = false
        return true
    }
}
