import Coordination
public import Foundation
public import HTTPMessages
import Synchronization
public import Transport

/// The state of a rate limit, which several transports may share.
///
/// ```swift
/// let limiter = RateLimiter(.requests(10, per: .second), by: .origin)
/// let json = network.limiting(by: limiter)
/// let images = network.redirecting().limiting(by: limiter)
/// ```
///
/// A call without a token waits, by priority (`RequestOptions.priority`) and in order of arrival. Waiting blocks no
/// thread, and ends at once when the task is cancelled. All members may be used on any thread.
public final class RateLimiter: Sendable {
    /// How a wait ended.
    private enum Outcome: Sendable {
        case ended(RateLimitTable<Waiter>.Ending)
        case cancelled
    }
    private typealias Waiter = Promise<Outcome>

    /// The limit of each key.
    public let limit: RateLimit
    /// The longest wait of a call, also without a total timeout; nil for no maximum.
    public let maximumWait: Duration?
    /// The most waiting calls of all keys.
    public let maximumWaiting: Int
    private let key: RateLimitKey
    private let table: Mutex<RateLimitTable<Waiter>>
    private let timers: TimerQueue
    private let timerID: UInt64
    private let date: @Sendable () -> Date

    /// Creates a limiter.
    /// - Parameters:
    ///   - key: which requests share a limit.
    ///   - maximumWait: the longest wait of a call; one that would wait longer fails at once. A server may ask for
    ///     hours, so nil is only for calls that all have a total timeout.
    ///   - maximumWaiting: the most waiting calls; further ones fail at once.
    ///   - maximumKeys: the most keys with a bucket of their own. Beyond it the least recently used keys are dropped
    ///     whose buckets are full; if there are none, new keys share one bucket.
    ///   - clock: measures rates and waits.
    ///   - date: the wall clock, for a `Retry-After` that is a date, and a reset time since 1970.
    public init(
        _ limit: RateLimit, by key: RateLimitKey = .origin, maximumWait: Duration? = .seconds(60),
        maximumWaiting: Int = 500, maximumKeys: Int = 1000, clock: some Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.limit = limit
        self.key = key
        self.maximumWait = maximumWait
        self.maximumWaiting = maximumWaiting
        self.date = date
        table = Mutex(RateLimitTable(limit, maximumKeys: maximumKeys, maximumWaiting: maximumWaiting))
        timers = TimerQueue(AnyMonotonicClock(clock))
        timerID = timers.makeID()
    }

    /// The number of waiting calls.
    public var waitingCount: Int { table.withLock(\.waitingCount) }
    /// The number of keys with a bucket.
    public var keyCount: Int { table.withLock(\.keyCount) }

    // MARK: For the layer

    /// Takes a token for a request that need not wait.
    /// - Returns: false if it must call ``wait(for:_:)``, which also ends a cancelled call.
    @usableFromInline
    func start(_ request: HTTPRequest) -> Bool {
        guard !Task.isCancelled else { return false }
        guard let key = key(request) else { return true }
        let now = timers.clock.now.inSeconds
        return table.withLock { $0.start(key, now: now) }
    }

    /// Waits until a request may be sent.
    /// - Returns: the request with its remaining total timeout.
    /// - Throws: ``AdmissionError`` (`rateLimited`, `tooManyWaiting`), `TransportError` (`cancelled`),
    ///   `HTTPMessageError` (`invalidTimeout`).
    @usableFromInline
    func wait(for request: HTTPRequest, _ observer: (any TransferObserver)?) async throws -> HTTPRequest {
        guard !Task.isCancelled else { throw TransportError.cancelled(request) }
        guard let key = key(request) else { return request }
        let (arrival, total) = (timers.clock.now, request.options.timeouts.total)
        if total != nil { try request.options.timeouts.validate() }
        let left = [total, maximumWait?.bounded].compactMap(\.self).min()
        let waiter = Waiter()
        let (submission, actions) = table.withLock {
            $0.submit(
                key, priority: request.options.priority, deadline: left.map { (arrival + $0).inSeconds } ?? .infinity,
                now: arrival.inSeconds, waiter)
        }
        perform(actions)
        switch submission {
        case .started:
            return request
        case .refused(let wait, let left):
            throw refusal(request, key, wait: wait, left: left, observer)
        case .full:
            observer?.report(RateLimitEvent.refused(key: key.text, wait: .zero))
            throw AdmissionError.tooManyWaiting(request, limit: limit, key: key.text, maximum: maximumWaiting)
        case .waiting(let ticket, let wait):
            // Before the wait: the call belongs to the user of now.
            var request = request
            request.options.beginCall()
            scheduleTimer()
            observer?.report(RateLimitEvent.waiting(key: key.text, wait: .boundedSeconds(wait)))
            switch await waiter.value(onCancel: { cancel(ticket) }) {
            case .cancelled: throw TransportError.cancelled(request)
            case .ended(.refused(let wait, let left)): throw refusal(request, key, wait: wait, left: left, observer)
            case .ended(.started): return try started(request, key, ticket, arrival: arrival, observer)
            }
        }
    }

    /// The request of a call whose wait is over, unless it was cancelled meanwhile or is late.
    private func started(
        _ request: HTTPRequest, _ key: RateLimitKey.Value, _ ticket: RateLimitTable<Waiter>.Ticket, arrival: Duration,
        _ observer: (any TransferObserver)?
    ) throws -> HTTPRequest {
        guard !Task.isCancelled else {
            giveBack(ticket)
            throw TransportError.cancelled(request)
        }
        let waited = timers.clock.now - arrival
        guard let total = request.options.timeouts.total else {
            observer?.report(RateLimitEvent.started(key: key.text, wait: waited))
            return request
        }
        // A timer may be late.
        guard waited < total else {
            giveBack(ticket)
            throw refusal(request, key, wait: 0, left: 0, observer)
        }
        observer?.report(RateLimitEvent.started(key: key.text, wait: waited))
        var request = request
        request.options.timeouts.reduceTotal(to: total - waited)
        return request
    }

    /// Learns from a response, unless it came from another origin, to which a layer below was redirected.
    @usableFromInline
    func received(_ head: HTTPResponseHead, for request: HTTPRequest, _ observer: (any TransferObserver)?) {
        let lesson = limit.learnsFromServer || limit.isAdaptive ? RateLimitLesson(head, date: date) : nil
        guard lesson != nil || limit.isAdaptive, !head.isLocal, head.stayed(at: request.origin),
            let key = key(request)
        else { return }
        let now = timers.clock.now.inSeconds
        let learned = limit.learnsFromServer ? lesson : lesson.map { RateLimitLesson(isThrottled: $0.isThrottled) }
        let (actions, wait) = table.withLock { table in
            let actions = table.responseReceived(key, learned, now: now)
            return (actions, lesson?.isThrottled == true ? table.wait(key, now: now) : 0)
        }
        perform(actions)
        if lesson?.isThrottled == true {
            observer?.report(RateLimitEvent.throttled(key: key.text, wait: .boundedSeconds(wait)))
        }
        scheduleTimer()
    }

    /// Learns from the response of a call that failed.
    @usableFromInline
    func failed(_ error: any Error, for request: HTTPRequest, _ observer: (any TransferObserver)?) {
        if let head = (error as? TransportError)?.head { received(head, for: request, observer) }
    }

    // MARK: Performing actions

    private func cancel(_ ticket: RateLimitTable<Waiter>.Ticket) {
        let now = timers.clock.now.inSeconds
        let (waiter, actions) = table.withLock { $0.cancel(ticket, now: now) }
        waiter?.fulfill(.cancelled)
        perform(actions)
    }

    /// Gives back the token of a call that is not sent.
    private func giveBack(_ ticket: RateLimitTable<Waiter>.Ticket) {
        let now = timers.clock.now.inSeconds
        perform(table.withLock { $0.giveBack(ticket, now: now) })
        scheduleTimer()
    }

    private func perform(_ actions: [RateLimitTable<Waiter>.Action]) {
        for (waiter, ending) in actions { waiter.fulfill(.ended(ending)) }
    }

    /// Sets the timer for the next waiting call. A timer that fires early only sets the next one.
    private func scheduleTimer() {
        let now = timers.clock.now.inSeconds
        guard let next = table.withLock({ $0.nextAdvance(now: now) }), next < .century else { return }
        // Rounded up, or the timer would find no token.
        let deadline = Duration.seconds(next) + .microseconds(1)
        timers.schedule(timerID, at: deadline, { [weak self] in self?.timerFired() })
    }

    private func timerFired() {
        let now = timers.clock.now.inSeconds
        perform(table.withLock { $0.advance(now: now) })
        scheduleTimer()
    }

    private func refusal(
        _ request: HTTPRequest, _ key: RateLimitKey.Value, wait: Double, left: Double,
        _ observer: (any TransferObserver)?
    ) -> AdmissionError {
        let wait = RateLimitWait(
            limit: limit, key: key.text, wait: .boundedSeconds(wait), timeLeft: .boundedSeconds(left))
        observer?.report(RateLimitEvent.refused(key: wait.key, wait: wait.wait))
        return .rateLimited(request, wait)
    }
}
