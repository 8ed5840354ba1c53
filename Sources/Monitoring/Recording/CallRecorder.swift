import Coordination
import Foundation
import HTTPMessages
import Synchronization
import Transport

/// Records the events of one call, from any thread, until the monitor delivers them.
final class CallRecorder: TransferObserver {
    let call: ObservedCall
    /// The call of the app, which may have several requests, such as the parts of a download.
    private let whole: OpenCall
    let monitor: EventMonitor
    /// The start of the call on the monitor's clock.
    private let start: Duration
    private let pending: Mutex<PendingEvents>

    /// - Parameter limit: the most events that wait.
    init(_ call: ObservedCall, of whole: OpenCall, _ monitor: EventMonitor, start: Duration, limit: Int) {
        self.call = call
        self.whole = whole
        self.monitor = monitor
        self.start = start
        pending = Mutex(
            PendingEvents(
                CallEvent(.created, of: call, time: .zero), limit: limit, attemptsBefore: whole.observedAttempts))
    }

    /// Records nothing, for a call that the monitor has no room for.
    func drop() { pending.withLock { $0.drop() } }

    var isImmediate: Bool { true }

    /// The time since the start of the call.
    var time: Duration { monitor.clock.now - start }

    func transfer(didEmit event: TransferEvent) {
        if case .layer(let event) = event, let search = event as? RecorderSearch { return search.found(self) }
        update { pending, time in pending.record(event, of: call, time: time) }
    }

    /// - Parameters:
    ///   - number: that of an attempt that has its event already; nil for another one.
    ///   - start: nil is now.
    func startAttempt(_ request: HTTPRequest, number: Int? = nil, at start: Duration? = nil) -> ObservedAttempt {
        let time = time
        let (attempt, mustTell) = pending.withLock { pending in
            let started = pending.startAttempt(
                request, number: number, at: start, of: call, time: pending.time(of: time))
            if started.mustTell { monitor.willList() }
            return started
        }
        if mustTell { monitor.list(self) }
        return attempt
    }

    /// Removes the event of an attempt, if the monitor has not taken it.
    /// - Returns: false if it remains.
    @discardableResult func withdrawAttempt(_ number: Int) -> Bool {
        pending.withLock { $0.withdrawAttempt(number) }
    }

    /// Adds an attempt of a call that has ended. It may have started before this call.
    func adopt(_ attempt: ObservedAttempt, of other: CallRecorder) -> ObservedAttempt {
        startAttempt(attempt.request, at: other.start + attempt.start - start)
    }

    func record(_ event: TransferEvent, attempt: Int) {
        update { pending, time in pending.record(event, attempt, of: call, time: time) }
    }

    /// Records the end of an attempt.
    /// - Returns: false if the call has ended.
    func endAttempt(_ end: ObservedEnd) -> Bool {
        var hasEnded = false
        update { pending, time in
            hasEnded = pending.isEnded
            return pending.record(.attemptEnded(end), end.attempts, of: call, time: time)
        }
        return !hasEnded
    }

    /// Records what the engine measured of the connection.
    func record(_ metrics: TransferMetrics, attempt: Int? = nil) {
        guard metrics.resolved != nil || metrics.connected != nil || metrics.secured != nil else { return }
        let engineStart = max(.zero, time - metrics.total)
        let steps: [(Duration?, CallEvent.Kind)] = [
            (metrics.resolved, .resolved), (metrics.connected, .connected), (metrics.secured, .secured),
        ]
        for case (let step?, let kind) in steps {
            update { pending, _ in
                pending.record(kind, attempt ?? pending.attemptCount, of: call, time: engineStart + step)
            }
        }
    }

    /// Records the end of the call; only the first one counts.
    func end(_ outcome: ObservedEnd.Outcome, head: HTTPResponseHead?, received: Int64?, body: Data = Data()) {
        let metrics = TransferMetrics(of: outcome, head)
        if let metrics, !hasAttemptLayer { record(metrics) }
        update { pending, time in
            whole.noteAttempts(pending.attemptCount)
            let hasObservedAttempts =
                pending.hasAttemptLayer || monitor.observesAttempts && pending.hasSentNothing(outcome)
            let end = ObservedEnd(
                outcome, hasObservedAttempts: hasObservedAttempts, head: head ?? outcome.head, metrics: metrics,
                duration: time, sentBytes: pending.sentBytes, receivedBytes: received ?? pending.receivedBytes,
                body: body,
                attempts: pending.attemptCount, droppedEvents: pending.droppedEvents)
            return pending.end(end, of: call, time: time)
        }
    }

    private var hasAttemptLayer: Bool { pending.withLock(\.hasAttemptLayer) }

    /// Removes the events, for delivery.
    func take() -> [CallEvent] { pending.withLock { $0.take() } }

    private func update(_ change: (_ pending: inout PendingEvents, _ time: Duration) -> Bool) {
        // Before the lock: the clock may be the app's.
        let time = time
        let mustTell = pending.withLock { pending in
            let time = pending.time(of: time)
            let mustTell = change(&pending, time)
            if mustTell { monitor.willList() }
            return mustTell
        }
        if mustTell { monitor.list(self) }
    }
}

extension TransferMetrics {
    /// The measurements of a response or an error.
    init?(of outcome: ObservedEnd.Outcome, _ head: HTTPResponseHead?) {
        let error: TransportError? = if case .failed(let error as TransportError) = outcome { error } else { nil }
        guard let metrics = error?.metrics ?? error?.head?.metrics ?? head?.metrics else { return nil }
        self = metrics
    }
}

extension ObservedEnd.Outcome {
    /// The head of a response that failed after it.
    var head: HTTPResponseHead? {
        if case .failed(let error as TransportError) = self { error.head } else { nil }
    }
}
