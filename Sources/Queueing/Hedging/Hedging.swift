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
/// they have ended. When none wins, the call ends as the last of them did.
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
        let limit = min(attempts, request.options.maximumAttempts ?? attempts)
        guard limit > 1, request.isIdempotent, request.body.isReplayable else {
            return try await base.send(request, observer: observer)
        }
        let attempt = await fastest(request, limit: limit, observer: observer)
        if let observer, let events = attempt.events?.events {
            for event in events { observer.transfer(didReach: event) }
        }
        return try attempt.outcome.get()
    }

    /// The attempt that the call ends with; all others have ended when this returns.
    private func fastest(
        _ request: HTTPRequest, limit: Int, observer: (any TransferObserver)?
    ) async -> HedgeAttempt {
        let started = timeline.now
        return await withTaskGroup(of: HedgeAttempt?.self) { group in
            var state = HedgeState(limit: limit)
            group.addTask { await HedgeAttempt(request, over: base, observer: observer) }
            group.addTask { await self.delayed(from: started) }
            while let ended = await group.next() {
                if let ended {
                    guard state.ended(isGood: ended.isGood) else { continue }
                    group.cancelAll()
                    return ended
                }
                let now = timeline.now
                guard !group.isCancelled, let request = request.after(now - started) else { continue }
                state.delayPassed()
                let events = observer.map { _ in HedgeEvents() }
                group.addTask { await HedgeAttempt(request, over: base, observer: events, events: events) }
                if state.mayBeginMore { group.addTask { await self.delayed(from: now) } }
            }
            return HedgeAttempt(.failure(TransportError(.unknown, "No attempt was made.", request: request)))
        }
    }

    /// Returns after the delay, or sooner when the task is cancelled.
    private func delayed(from moment: Duration) async -> HedgeAttempt? {
        try? await timeline.sleep(until: moment + delay.bounded)
        return nil
    }
}

/// One attempt that has ended.
private struct HedgeAttempt: Sendable {
    let outcome: Result<HTTPResponse, any Error>
    var events: HedgeEvents?

    init(_ outcome: Result<HTTPResponse, any Error>) { self.outcome = outcome }

    /// Makes the attempt.
    init(
        _ request: HTTPRequest, over base: some Transport, observer: (any TransferObserver)?,
        events: HedgeEvents? = nil
    ) async {
        do {
            outcome = .success(try await base.send(request, observer: observer))
        } catch {
            outcome = .failure(error)
        }
        self.events = events
    }

    var isGood: Bool {
        guard let status = try? outcome.get().status else { return false }
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
