import Coordination
public import Foundation
public import HTTPMessages
import Synchronization
public import Transport

/// Retries failed requests, as a strategy decides.
///
/// ```swift
/// let transport = Retrying(base: URLSessionTransport.shared, strategy: .standard)
/// let response = try await transport.send(request)
/// ```
///
/// A response that is not retried is returned, regardless of its status. One that exceeds `maximumResponseBytes` is
/// retried like any other, and is an error only as the last one. An error is that of the last attempt, with all
/// attempts, those of layers below included (`TransportError.attempts`); a response lists the attempts before it
/// (``HTTPMessages/HTTPResponse/attempts``). A `Retry-After` beyond the strategy's maximum ends the call with
/// ``AdmissionError``.
///
/// Each attempt is a separate request to the base, whose events start over; a ``RetryEvent`` comes before each retry.
/// The total timeout spans all attempts and waits: each attempt gets the remaining time, and a wait that would outlast
/// it ends the call at once, with the outcome of the last attempt. All other timeouts apply per attempt.
///
/// A credential that cannot be obtained for lack of a connection is retried once: by the layers of its own request if
/// they retry, or else by this one.
///
/// Inside `Redirecting`, a failure after a redirect does not repeat the redirect: only the failed request is retried.
public struct Retrying<Base: Transport, Strategy: RetryStrategy>: Transport {
    /// The transport for each attempt.
    public let base: Base
    /// The strategy for retries.
    public let strategy: Strategy
    private let idempotencyKey: (@Sendable () -> String)?
    private let clock: AnyMonotonicClock
    private let random: @Sendable () -> Double
    private let date: @Sendable () -> Date

    /// A layer over a transport.
    /// - Parameters:
    ///   - idempotencyKey: makes an `Idempotency-Key`, such as `{ UUID().uuidString }`, for each non-idempotent request
    ///     without one; all attempts share it. Only for servers that support the header. Default none.
    ///   - clock: measures waits and the total timeout.
    ///   - random: the source of jitter.
    ///   - date: the wall clock, for a `Retry-After` that is a date.
    public init(
        base: Base, strategy: Strategy, idempotencyKey: (@Sendable () -> String)? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        random: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.base = base
        self.strategy = strategy
        self.idempotencyKey = idempotencyKey
        self.clock = AnyMonotonicClock(clock)
        let source = RandomSource(random)
        self.random = { source.next() }
        self.date = date
    }

    /// Sends a request with retries.
    /// - Throws: errors of the base, a `TransportError` or ``AdmissionError`` with all attempts; `TransportError`
    ///   (`cancelled`) at once if the task is cancelled during a wait; ``AdmissionError`` (`retryAfterTooLong`) if
    ///   `Retry-After` exceeds the strategy's maximum; `HTTPMessageError` if an idempotency key is no valid field
    ///   value.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await sendWithRetries(request, observer: observer) { try await base.send($0, observer: observer) }.response
    }

    /// - Returns: the final response, and the state of the retries.
    func sendWithRetries<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, observer: (any TransferObserver)?, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> (response: Response, state: RetryState<Strategy>) {
        var request = try request.addingIdempotencyKey(idempotencyKey)
        let call = request.options.openCall()
        defer { call.close() }
        // Without a total timeout, the start time is not needed.
        let started = request.options.timeouts.total == nil ? .zero : clock.now
        var state = RetryState(request, strategy: strategy, started: started)
        // Almost always the first attempt succeeds, without the cost of the loop.
        var first: Result<Response, any Error>?
        do {
            let response = try await send(state.firstRequest)
            if response.head.status.isSuccessful {
                strategy.limiter.recordSuccess()
                return (response, state)
            }
            first = .success(response)
        } catch {
            first = .failure(error)
        }
        let response = try await RetryLoop.run(on: clock) { () async throws -> RetryStep<Response> in
            let result: Result<Response, any Error>
            if let ended = first.take() {
                result = ended
            } else {
                let next = try state.nextRequest(now: clock.now)
                do { result = .success(try await send(next)) } catch { result = .failure(error) }
            }
            let outcome: AttemptResult.Outcome
            switch result {
            case .success(var response):
                if response.head.status.isSuccessful {
                    strategy.limiter.recordSuccess()
                    response.insertAttempts(state.attemptsBeforeResponse)
                    return .finish(response)
                }
                outcome = .response(response.head)
            case .failure(let error):
                guard let failure = AttemptResult.Outcome(error) else { throw error }
                outcome = failure
            }
            switch state.attemptEnded(outcome, now: clock.now, date: date(), random: random()) {
            case .finish: return .finish(try state.result(result))
            case .refuse(var error):
                if let response = try? result.get() as? HTTPResponse { error.bodyPrefix = response.body.prefix(1024) }
                throw error
            case .wait(let deadline, let attempt):
                if let observer {
                    let relay = ObserverRelay(observer)
                    relay.send(.layer(RetryEvent(after: attempt)))
                    // A busy observer delays a call until its timeout only.
                    let timer = state.totalDeadline.map { clock.schedule(at: $0) { relay.expediteFinish() } }
                    await relay.finish()
                    timer?.cancel()
                }
                // Reads and drops the rest of the body meanwhile. Until then a stream holds its slot of a queue.
                if let deadline {
                    let limit = min(deadline, clock.now + .seconds(1))
                    await (try? result.get())?.discard(until: limit, on: clock)
                }
                return .retry(at: deadline, cancellation: state.cancellation)
            }
        }
        return (response, state)
    }
}

/// A random number generator with a lock.
private final class RandomSource<Generator: RandomNumberGenerator & Sendable>: Sendable {
    private let generator: Mutex<Generator>

    init(_ generator: Generator) { self.generator = Mutex(generator) }

    func next() -> Double { generator.withLock { Double.random(in: 0..<1, using: &$0) } }
}
