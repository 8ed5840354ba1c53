import Authentication
import HTTPCaching
import HTTPMessages
import Queueing
import Transport

/// The events of one call that wait for delivery, as a state machine: a bounded FIFO. It has no lock and no clock.
///
/// ```
/// running -event->  running     buffered, joined with the event before, or dropped and counted
/// running -end->    ended       always buffered
/// running -drop->   ended       without an event
/// ended   -event->  ended       ignored
/// ```
struct PendingEvents {
    private let limit: Int
    private(set) var events: [CallEvent]
    private(set) var isEnded = false
    /// True while the monitor knows that there are events.
    private(set) var isListed = true
    private(set) var droppedEvents = 0
    /// The direction and the attempt of the last event, if it is progress.
    private var lastProgress: Progress?
    private(set) var attemptCount: Int
    private let attemptsBefore: Int
    private var latestTime = Duration.zero
    /// True if a layer next to the network reports the attempts; else they follow from the other events.
    private(set) var hasAttemptLayer = false
    /// True for a call that shares the request of another one.
    private var isShared = false
    /// The reason of the attempt that has no event yet.
    private var nextReason: AttemptReason? = .initial
    private var nextRequest: Box<HTTPRequest>?
    /// What the call received last, without a layer for attempts.
    private(set) var (sentBytes, receivedBytes): (Int64, Int64) = (0, 0)

    /// - Parameters:
    ///   - first: `created`.
    ///   - attemptsBefore: of earlier parts of the call.
    init(_ first: CallEvent, limit: Int, attemptsBefore: Int = 0) {
        self.limit = limit
        attemptCount = attemptsBefore
        self.attemptsBefore = attemptsBefore
        events = [first]
        events.reserveCapacity(6)
    }

    /// The time of an event that is recorded now: threads measure it before they record, so one may overtake another.
    mutating func time(of measured: Duration) -> Duration {
        latestTime = max(latestTime, measured)
        return latestTime
    }

    /// Removes the events, which the monitor delivers.
    mutating func take() -> [CallEvent] {
        isListed = false
        defer { events = [] }
        return events
    }

    /// Ends the call without an event.
    mutating func drop() {
        events = []
        isEnded = true
    }

    /// - Returns: true if the monitor has to be told.
    private mutating func append(_ event: consuming CallEvent, force: Bool = false) -> Bool {
        let progress = event.progress
        if progress != nil, progress == lastProgress, !events.isEmpty {
            events[events.count - 1] = event
        } else if events.count < limit || force {
            events.append(event)
            lastProgress = progress
        } else {
            droppedEvents += 1
        }
        defer { isListed = true }
        return !isListed
    }

    /// Starts an attempt that a layer next to the network reports.
    /// - Parameters:
    ///   - number: that of an attempt that has its event already; nil for another one.
    ///   - begin: the time of its start; nil for `time`.
    mutating func startAttempt(
        _ request: HTTPRequest, number: Int? = nil, at begin: Duration? = nil, of call: ObservedCall, time: Duration
    ) -> (ObservedAttempt, mustTell: Bool) {
        hasAttemptLayer = true
        let reason = request.options.attemptReason
        if let number {
            return (ObservedAttempt(number, of: call, reason: reason, request: request, start: time), false)
        }
        return start(reason, request, at: begin, call, time)
    }

    private mutating func start(
        _ reason: AttemptReason, _ request: HTTPRequest?, at begin: Duration? = nil, _ call: ObservedCall,
        _ time: Duration
    ) -> (ObservedAttempt, mustTell: Bool) {
        attemptCount += 1
        let attempt = ObservedAttempt(attemptCount, of: call, reason: reason, request: request, start: begin ?? time)
        guard !isEnded else { return (attempt, false) }
        return (attempt, append(CallEvent(.attempt(attempt), of: call, attempt: attemptCount, time: time)))
    }

    /// Removes the event of the last attempt, if it is here and the attempt has no other one.
    /// - Returns: false if it remains.
    mutating func withdrawAttempt(_ number: Int) -> Bool {
        guard !isEnded, number == attemptCount, let index = events.lastIndex(where: { $0.attempt == number }),
            case .attempt = events[index].kind
        else { return false }
        events.remove(at: index)
        attemptCount -= 1
        return true
    }

    /// Records another event of an attempt.
    mutating func record(
        _ kind: __owned CallEvent.Kind, _ attempt: Int, of call: ObservedCall, time: Duration
    ) -> Bool {
        guard !isEnded else { return false }
        return append(CallEvent(kind, of: call, attempt: attempt, time: time))
    }

    /// Records an event that came through the layers.
    mutating func record(_ event: TransferEvent, of call: ObservedCall, time: Duration) -> Bool {
        guard !isEnded else { return false }
        if case .layer(let event) = event { return record(event, call, time) }
        // The layer next to the network has recorded it.
        guard !hasAttemptLayer else { return false }
        let mustTell = startUnreportedAttempt(call, time)
        return record(event, attemptCount, of: call, time: time) || mustTell
    }

    /// Records what the network has sent or received in an attempt.
    mutating func record(_ event: TransferEvent, _ attempt: Int, of call: ObservedCall, time: Duration) -> Bool {
        guard !isEnded else { return false }
        let kind: CallEvent.Kind
        switch event {
        case .layer: return false
        case .sentBytes(let count, let total):
            sentBytes = count
            kind = .sent(count, total: total)
        case .head(let head):
            receivedBytes = 0
            kind = .head(head)
        case .receivedBytes(let count, let total):
            receivedBytes = count
            kind = .body(count, total: total)
        }
        return append(CallEvent(kind, of: call, attempt: attempt, time: time))
    }

    private mutating func startUnreportedAttempt(_ call: ObservedCall, _ time: Duration) -> Bool {
        guard !hasAttemptLayer, !isShared, let reason = nextReason.take() else { return false }
        return start(reason, nextRequest?.value, call, time).mustTell
    }

    private mutating func record(_ event: any LayerEvent, _ call: ObservedCall, _ time: Duration) -> Bool {
        var mustTell = false
        let kind: CallEvent.Kind
        switch event {
        case let event as QueueEvent:
            switch event {
            case .queued(let length): kind = .queued(length: length)
            case .started(let wait): kind = .started(wait: wait)
            }
        case let event as RedirectEvent:
            mustTell = startUnreportedAttempt(call, time)
            nextReason = .redirect
            var request = nextRequest?.value ?? call.request
            try? request.setURL(event.target)
            nextRequest = Box(request)
            kind = .redirect(event)
        case let event as RetryEvent:
            if !event.attempt.isNotSent { mustTell = startUnreportedAttempt(call, time) }
            (nextReason, nextRequest) = (.retry, nil)
            kind = .retry(event.attempt)
        case let event as ChallengeEvent:
            mustTell = startUnreportedAttempt(call, time)
            nextReason = .challenge
            kind = .challenge(event.status)
        case let event as CredentialEvent: kind = .credential(event)
        case let event as CircuitEvent: kind = .circuit(event)
        case let event as HedgeEvent:
            if case .started = event {
                mustTell = startUnreportedAttempt(call, time)
                nextReason = .hedge
            }
            kind = .hedge(event)
        case is CoalescingEvent:
            isShared = true
            kind = .coalesced
        case let event as CacheEvent:
            if event.needsNoRequest { nextReason = nil }
            kind = .cache(event)
        default: kind = .layer(event)
        }
        return append(CallEvent(kind, of: call, time: time)) || mustTell
    }

    /// True if a call that ends so has sent nothing, as far as its events tell: it shares the request of another one,
    /// is answered by a cache, or fails by a layer.
    func hasSentNothing(_ outcome: ObservedEnd.Outcome) -> Bool {
        guard attemptCount == attemptsBefore else { return false }
        if isShared || nextReason == nil { return true }
        guard case .failed(let error) = outcome else { return false }
        // Of a network whose attempts are not observed.
        guard let error = error as? TransportError else { return true }
        return error.isCancellation || error.phase == .queue
    }

    /// Records the end, unless there is one.
    mutating func end(_ end: ObservedEnd, of call: ObservedCall, time: Duration) -> Bool {
        guard !isEnded else { return false }
        isEnded = true
        return append(CallEvent(.ended(end), of: call, time: time), force: true)
    }
}

/// A direction of one attempt: of several progress events in a row only the last one is kept.
private struct Progress: Equatable {
    let isResponse: Bool
    let attempt: Int
}

extension CallEvent {
    fileprivate var progress: Progress? {
        switch kind {
        case .sent: Progress(isResponse: false, attempt: attempt)
        case .body: Progress(isResponse: true, attempt: attempt)
        default: nil
        }
    }
}

extension LayerEvent {
    /// True if the response that follows is that to the request of another call.
    var sharesRequest: Bool {
        if let event = self as? CacheEvent, case .status(let status) = event { return status.isCollapsed }
        return self is CoalescingEvent
    }

    /// True if nothing is sent for the response that follows.
    var needsNoRequest: Bool {
        switch self {
        case is CoalescingEvent: true
        case let event as CacheEvent:
            if case .status(let status) = event { status.forward == nil || status.isCollapsed } else { false }
        default: false
        }
    }
}

extension TransportError.AttemptRecord {
    fileprivate var isNotSent: Bool {
        if case .notSent = cause { true } else { false }
    }
}
