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

    fileprivate struct State {
        /// The calls with events, in the order of their first one.
        var ready: [CallRecorder] = []
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

    /// Starts a call.
    ///
    /// If too many calls wait for the sinks, its recorder records nothing.
    /// - Parameter id: nil makes a new one.
    func begin(_ request: HTTPRequest, id: CallID? = nil) -> CallRecorder {
        let call = ObservedCall(id: id ?? .next(), request: request, date: date())
        let recorder = CallRecorder(call, self, start: clock.now, limit: max(2, limits.eventsPerCall))
        let actions = state.withLock { state -> Actions? in
            guard state.callCount < limits.calls else {
                state.droppedCalls += 1
                return nil
            }
            state.callCount += 1
            return state.list(recorder)
        }
        if let actions { perform(actions) } else { recorder.drop() }
        return recorder
    }

    /// Takes a call that has events again.
    func list(_ recorder: CallRecorder) { perform(state.withLock { $0.list(recorder) }) }

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
            let (ready, flushes) = state.withLock { state in
                defer { (state.ready, state.flushes) = ([], []) }
                return (state.ready, state.flushes)
            }
            var (ended, dropped) = (0, 0)
            for recorder in ready {
                let events = recorder.take()
                for sink in sinks { for event in events { sink.receive(event) } }
                guard case .ended(let end) = events.last?.kind else { continue }
                ended += 1
                dropped += end.droppedEvents
            }
            if !ready.isEmpty { for sink in sinks { sink.flush() } }
            for flush in flushes { flush.fulfill(()) }
            pauses = ready.isEmpty ? pauses + 1 : 0
            let isDone = state.withLock { [ended, dropped, pauses] state in
                state.callCount -= ended
                state.droppedEvents += dropped
                return state.stop(after: pauses > Self.pausesBeforeEnd)
            }
            if isDone { return }
            _ = wake.wait(timeout: .now() + Self.pause)
        }
    }
}

extension EventMonitor.State {
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
