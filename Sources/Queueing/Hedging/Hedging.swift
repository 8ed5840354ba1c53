public import HTTPMessages
public import Transport

/// Sends a request a second time when its answer is late, and takes the answer that comes first.
///
/// ```swift
/// let transport = Hedging(base: URLSessionTransport.shared, after: .milliseconds(300))
/// ```
///
/// The delay is best a little more than what nearly all answers take, so that few requests are sent twice. Only requests
/// that are idempotent (``HTTPMessages/HTTPRequest/isIdempotent``) and whose body can be sent again are; the others go
/// through as they are. This is against slowness, not against failure: an attempt that fails alone ends the call, and
/// `Retrying` outside of this layer may repeat it.
///
/// The first answer wins that is neither a 5xx nor a 429; the other attempts are cancelled, and the call returns when
/// they have ended. When none wins, the call ends as the last of them did, and its error lists all of them. Under
/// `Queued` all attempts of a call have one place; over it each has its own.
///
/// The observer hears the first attempt. When another one wins, its events follow in the end, the last of each kind.
/// The deadline for the whole request counts from the start of the first attempt.
public struct Hedging<Base: Transport>: Transport {
    /// The transport that makes each attempt.
    public let base: Base
    /// How long the answer may take before another attempt begins, and again before each further one.
    public let delay: Duration
    /// The most attempts for one call.
    public let attempts: Int
    private let timeline: Timeline

    /// A layer over a transport.
    /// - Parameters:
    ///   - delay: how long the answer may take before another attempt begins.
    ///   - attempts: the most attempts for one call, the first included; a request may have a lower limit
    ///     (`RequestOptions.maximumAttempts`).
    public init(
        base: Base, after delay: Duration, attempts: Int = 2, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.base = base
        self.delay = delay
        self.attempts = attempts
        timeline = Timeline(clock)
    }

    /// Sends a request, again if its answer is late.
    /// - Throws: what the base throws.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        guard request.isIdempotent else { return try await base.send(request, observer: observer) }
        return try await fastest(request, observer: observer) { [base] in try await base.send($0, observer: $1) }
    }

    /// The answer that the call ends with; all other attempts have ended when this returns.
    func fastest<Answer: HTTPAnswer>(
        _ request: HTTPRequest, observer: (any TransferObserver)?,
        _ send: @escaping @Sendable (HTTPRequest, (any TransferObserver)?) async throws -> Answer
    ) async throws -> Answer {
        let limit = min(attempts, request.options.maximumAttempts ?? attempts)
        guard limit > 1, request.body.isReplayable else { return try await send(request, observer) }
        var request = request
        if request.options.maximumAttempts != nil { request.options.maximumAttempts = 1 }
        let events = observer.map(HedgeEvents.init)
        let attempt = await race(request, limit: limit) { request, number in
            try await send(request, events?.observer(ofAttempt: number))
        }
        events?.won(attempt.number)
        return try attempt.outcome.get()
    }

    private func race<Answer: HTTPAnswer>(
        _ request: HTTPRequest, limit: Int, _ send: @escaping @Sendable (HTTPRequest, Int) async throws -> Answer
    ) async -> HedgeAttempt<Answer> {
        let started = timeline.now
        return await withTaskGroup(of: HedgeAttempt<Answer>?.self) { group in
            var state = HedgeState(limit: limit)
            var attempts: [TransportError.Attempt] = []
            group.addTask { await HedgeAttempt(0) { try await send(request, 0) } }
            group.addTask { await self.delayed(from: started) }
            while let ended = await group.next() {
                if let ended {
                    attempts += ended.attempts
                    guard state.ended(isGood: ended.isGood) else { continue }
                    group.cancelAll()
                    return ended.listing(attempts)
                }
                let now = timeline.now
                guard !group.isCancelled, let request = request.after(now - started) else { continue }
                let number = state.begun
                state.delayPassed()
                group.addTask { await HedgeAttempt(number) { try await send(request, number) } }
                if state.mayBeginMore { group.addTask { await self.delayed(from: now) } }
            }
            return await HedgeAttempt(0) {
                throw TransportError(.unknown, "No attempt was made.", request: request)
            }
        }
    }

    /// Returns after the delay, or sooner when the task is cancelled.
    private func delayed<Attempt>(from moment: Duration) async -> Attempt? {
        try? await timeline.sleep(until: moment + delay.bounded)
        return nil
    }
}

/// One attempt that has ended.
private struct HedgeAttempt<Answer: HTTPAnswer>: Sendable {
    let number: Int
    let outcome: Result<Answer, any Error>

    /// Makes the attempt.
    init(_ number: Int, _ send: () async throws -> Answer) async {
        self.number = number
        do { outcome = .success(try await send()) } catch { outcome = .failure(error) }
    }

    private init(_ number: Int, _ outcome: Result<Answer, any Error>) {
        self.number = number
        self.outcome = outcome
    }

    /// The attempt as an error lists it.
    var attempts: [TransportError.Attempt] {
        switch outcome {
        case .success(let answer): EndedAttempt.Outcome.response(answer.head).attempts(delay: nil)
        case .failure(let error as TransportError): EndedAttempt.Outcome.failure(error).attempts(delay: nil)
        case .failure: []
        }
    }

    /// The attempt whose error, if it failed, tells of all attempts.
    func listing(_ attempts: [TransportError.Attempt]) -> HedgeAttempt {
        guard attempts.count > 1, case .failure(var error as TransportError) = outcome else { return self }
        error.attempts = attempts
        return HedgeAttempt(number, .failure(error))
    }

    var isGood: Bool {
        guard let status = try? outcome.get().head.status else { return false }
        return status.kind != .serverError && status != .tooManyRequests
    }
}

extension HTTPRequest {
    /// The request with what is left of its time, or nil when nothing is left.
    fileprivate func after(_ elapsed: Duration) -> HTTPRequest? {
        guard let total = options.timeouts.total else { return self }
        guard total > elapsed else { return nil }
        var request = self
        request.options.timeouts.total = total - elapsed
        return request
    }
}
