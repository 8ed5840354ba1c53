import Coordination
public import HTTPMessages
public import Transport

/// Hedges requests: sends a further attempt when the response is late, and takes the first response.
///
/// ```swift
/// let transport = Hedging(base: URLSessionTransport.shared, after: .milliseconds(300))
/// ```
///
/// Choose a delay a little above the usual response time, so that few requests are sent twice. Only idempotent requests
/// (``HTTPMessages/HTTPRequest/isIdempotent``) with a body that can be sent again are hedged; all others are sent once.
/// Hedging is against latency, not failures: an attempt that fails alone ends the call, and a `Retrying` layer outside
/// may retry it.
///
/// The first response other than a 5xx or 429 wins; the other attempts are cancelled, and the call returns when they
/// have ended. The response lists them (``HTTPMessages/HTTPResponse/attempts``). Without a winner the call ends as its
/// last attempt, and its error lists all of them. Inside `Queued` all
/// attempts of a call share one slot; outside, each has its own.
///
/// The observer gets the events of the first attempt. If another one wins, the last event of each kind of that attempt
/// follows. The total timeout starts with the first attempt.
public struct Hedging<Base: Transport>: Transport {
    /// The transport for each attempt.
    public let base: Base
    /// The wait before each further attempt.
    public let delay: Duration
    /// The most attempts per call, the first included.
    public let maximumAttempts: Int
    private let clock: AnyMonotonicClock

    /// A layer over a transport.
    /// - Parameters:
    ///   - delay: the wait before each further attempt.
    ///   - maximumAttempts: the most attempts per call, the first included; `RequestOptions.maximumAttempts` may lower
    ///     it.
    public init(
        base: Base, after delay: Duration, maximumAttempts: Int = 2, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.base = base
        self.delay = delay
        self.maximumAttempts = maximumAttempts
        self.clock = AnyMonotonicClock(clock)
    }

    /// Sends a request, and hedges it if its response is late.
    /// - Throws: errors of the base.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let request = try request.addingIdempotencyKey()
        guard request.isIdempotent, isHedged(request) else { return try await base.send(request, observer: observer) }
        let events = observer.map(HedgeEvents.init)
        return try await hedge(request, events, isStream: false) { [base] in
            try await base.send($0, observer: $1)
        }.get()
    }

    private func limit(for request: HTTPRequest) -> Int {
        min(maximumAttempts, request.options.maximumAttempts ?? maximumAttempts)
    }

    /// Whether a request may be sent more than once.
    func isHedged(_ request: HTTPRequest) -> Bool {
        limit(for: request) > 1 && request.body.isReplayable && !request.needsOwnResponse
    }

    /// Returns the response that wins, after all other attempts have ended, and the observer has its events.
    func hedge<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ events: HedgeEvents?, isStream: Bool,
        _ send: @escaping @Sendable (HTTPRequest, (any TransferObserver)?) async throws -> Response
    ) async -> Result<Response, any Error> {
        let limit = limit(for: request)
        let deadline = request.options.timeouts.total.map { clock.now + $0 }
        var request = request
        let call = request.options.openCall()
        defer { call.close() }
        request.options.useAttempts()
        // Each attempt has another number than those of a layer outside that hedges too.
        request.options.hedge &*= limit
        let attempt = await race(request, limit: limit) { request, number in
            guard number > 0 else { return try await send(request, events?.observer(ofAttempt: 0)) }
            events?.observer.report(HedgeEvent.started(attempt: number + 1))
            var request = request
            request.options.setFurtherRequest(.hedge)
            request.options.hedge &+= number
            return try await send(request, events?.observer(ofAttempt: number))
        }
        guard let events else { return attempt.outcome }
        events.won(attempt.number)
        if attempt.isOneOfMany, attempt.isAcceptable {
            events.observer.report(HedgeEvent.won(attempt: attempt.number + 1))
        }
        // The events of a first attempt need no wait before its body.
        if !isStream || attempt.number > 0 {
            // A busy observer delays a call until its timeout only.
            let timer = deadline.map { clock.schedule(at: $0) { events.drop() } }
            await events.flush(isLast: !isStream)
            timer?.cancel()
        }
        return attempt.outcome
    }

    private func race<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, limit: Int, _ send: @escaping @Sendable (HTTPRequest, Int) async throws -> Response
    ) async -> HedgeAttempt<Response> {
        let started = clock.now
        return await withTaskGroup(of: HedgeAttempt<Response>?.self) { group in
            var state = HedgeState(limit: limit)
            var attempts: [TransportError.AttemptRecord] = []
            group.addTask { await HedgeAttempt(0) { try await send(request, 0) } }
            group.addTask { await self.waitForDelay(from: started) }
            while let ended = await group.next() {
                if let ended {
                    guard state.attemptEnded(isAcceptable: ended.isAcceptable) else {
                        attempts += ended.records
                        continue
                    }
                    group.cancelAll()
                    attempts += (0..<state.inFlightCount).map { _ in Self.overtaken }
                    return ended.following(attempts)
                }
                let now = clock.now
                guard !group.isCancelled, let request = request.subtractingTimeout(now - started) else { continue }
                let number = state.startedCount
                state.startAttempt()
                group.addTask { await HedgeAttempt(number) { try await send(request, number) } }
                if state.canStartMore { group.addTask { await self.waitForDelay(from: now) } }
            }
            return await HedgeAttempt(0) {
                throw TransportError(.unknown, "Hedging started no attempt.", request: request)
            }
        }
    }

    private static var overtaken: TransportError.AttemptRecord {
        TransportError.AttemptRecord(.failure(.cancelled, "Cancelled: another attempt had the first response."))
    }

    /// Returns after the delay, or early if the task is cancelled.
    private func waitForDelay<Attempt>(from moment: Duration) async -> Attempt? {
        try? await clock.sleep(until: moment + delay.bounded)
        return nil
    }
}

/// A finished attempt.
private struct HedgeAttempt<Response: HTTPResponseProtocol>: Sendable {
    let number: Int
    let outcome: Result<Response, any Error>
    /// True if the call had other attempts.
    private(set) var isOneOfMany = false

    /// Makes an attempt and waits for its end.
    init(_ number: Int, _ send: () async throws -> Response) async {
        self.number = number
        do { outcome = .success(try await send()) } catch { outcome = .failure(error) }
    }

    private init(_ number: Int, _ outcome: Result<Response, any Error>) {
        self.number = number
        self.outcome = outcome
        isOneOfMany = true
    }

    /// The records of the attempt for a list of attempts.
    var records: [TransportError.AttemptRecord] {
        switch outcome {
        case .success(let response): AttemptResult.Outcome.response(response.head).records(backoff: nil)
        case .failure(let error as TransportError): AttemptResult.Outcome.failure(error).records(backoff: nil)
        case .failure(let error as AdmissionError): AttemptResult.Outcome.rejection(error).records(backoff: nil)
        case .failure: []
        }
    }

    /// The attempt, with the other attempts in the list of its response or error.
    func following(_ others: [TransportError.AttemptRecord]) -> HedgeAttempt {
        guard !others.isEmpty else { return self }
        switch outcome {
        case .success(var response):
            response.insertAttempts(others)
            return HedgeAttempt(number, .success(response))
        case .failure(let error):
            return HedgeAttempt(number, .failure(error.replacingAttempts(with: others + records)))
        }
    }

    var isAcceptable: Bool {
        guard let status = try? outcome.get().head.status else { return false }
        return status.kind != .serverError && status != .tooManyRequests
    }
}

extension HTTPRequest {
    /// The request with the remaining total timeout, or nil if it has elapsed.
    fileprivate func subtractingTimeout(_ elapsed: Duration) -> HTTPRequest? {
        guard let total = options.timeouts.total else { return self }
        guard total > elapsed else { return nil }
        var request = self
        request.options.timeouts.reduceTotal(to: total - elapsed)
        return request
    }
}
