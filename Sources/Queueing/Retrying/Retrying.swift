public import Foundation
public import HTTPMessages
import Synchronization
public import Transport

/// Sends requests again that have failed, as a strategy says.
///
/// ```swift
/// let transport = Retrying(base: URLSessionTransport.shared, strategy: .standard)
/// let response = try await transport.send(request)
/// ```
///
/// A response is returned whatever its status, when it is not repeated or no more attempts may be made. One whose body is
/// larger than `maximumResponseBytes` is repeated like any other; only as the last one it is an error. An error that is
/// thrown is that of the last attempt, and lists all of them (`TransportError.attempts`), those of layers below included.
/// A retry that the server wants later (`Retry-After`) than the strategy allows ends the call with ``RetryError``.
///
/// Each attempt is a request of its own to the base, whose events start over each time; between two of them the observer
/// hears `TransferEvent.retry`. The deadline for the whole request spans all attempts and the waits between them: each
/// attempt gets the time that is left, and a wait that would not end before it ends the call at once, as the last attempt
/// did. The other deadlines hold for each attempt.
///
/// Put this layer inside `Redirecting`: a redirect that was answered is then not asked for again because of what came
/// after it.
public struct Retrying<Base: Transport, Strategy: RetryStrategy>: Transport {
    /// The transport that makes each attempt.
    public let base: Base
    /// When it makes another.
    public let strategy: Strategy
    private let idempotencyKey: (@Sendable () -> String)?
    private let timeline: Timeline
    private let random: @Sendable () -> Double
    private let date: @Sendable () -> Date

    /// A layer over a transport.
    /// - Parameters:
    ///   - idempotencyKey: makes the `Idempotency-Key` of each request that has none and whose method is not idempotent,
    ///     the same for all its attempts: `{ UUID().uuidString }`. Only for servers that know the header. Default none.
    ///   - clock: counts the waits and the deadline for the whole request.
    ///   - random: spreads the waits.
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
        timeline = Timeline(clock)
        let source = RandomSource(random)
        self.random = { source.next() }
        self.date = date
    }

    /// Sends a request until an attempt is good enough or was the last.
    /// - Throws: what the base throws, a `TransportError` with all attempts; `TransportError` (`cancelled`) at once when
    ///   the task is cancelled while it waits; ``RetryError`` when the server asks for a longer wait than the strategy
    ///   allows; `HTTPMessageError` when an idempotency key cannot be sent.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await repeated(request, observer: observer) { try await base.send($0, observer: observer) }.answer
    }

    /// - Returns: the answer that the call ends with, and what went before it.
    func repeated<Answer: HTTPAnswer>(
        _ request: HTTPRequest, observer: (any TransferObserver)?, _ send: (HTTPRequest) async throws -> Answer
    ) async throws -> (answer: Answer, state: RetryState<Strategy>) {
        let request = try identified(request)
        // Nobody asks for the time of a call that has no deadline until it has failed.
        let started = request.options.timeouts.total == nil ? .zero : timeline.now
        var state = RetryState(request, strategy: strategy, started: started)
        var next = state.first
        while true {
            let outcome: Result<Answer, TransportError>
            do {
                let answer = try await send(next)
                if answer.head.status.isSuccessful {
                    strategy.permission.callSucceeded()
                    return (answer, state)
                }
                outcome = .success(answer)
            } catch let error as TransportError {
                outcome = .failure(error)
            } catch let error as QueueError {
                throw state.listing(error)
            }
            let action = state.ended(outcome.ended, now: timeline.now, date: date(), random: random())
            switch action {
            case .finish:
                return (try state.conclusion(outcome), state)
            case .refuse(var error):
                if let response = try? outcome.get() as? HTTPResponse { error.bodyPrefix = response.body.prefix(1024) }
                throw error
            case .wait(let moment, let attempt):
                observer?.transfer(didReach: .retry(after: attempt))
                guard await waited(until: moment, without: try? outcome.get()) else { throw state.cancellation }
                next = try state.next(now: timeline.now)
            }
        }
    }

    /// Waits, and meanwhile goes without the body of an answer. When that is longer than the wait it is cut short.
    /// - Returns: false when the task was cancelled.
    private func waited(until moment: Duration?, without answer: (some HTTPAnswer)?) async -> Bool {
        if let moment { await answer?.discard(until: moment, on: timeline) }
        return await slept(until: moment)
    }

    /// False when the task was cancelled.
    private func slept(until moment: Duration?) async -> Bool {
        guard let moment else { return !Task.isCancelled }
        return (try? await timeline.sleep(until: moment)) != nil
    }

    private func identified(_ request: HTTPRequest) throws -> HTTPRequest {
        guard let idempotencyKey, !request.isIdempotent else { return request }
        var request = request
        try request.fields.set(.idempotencyKey, to: idempotencyKey())
        return request
    }
}

extension Result where Success: HTTPAnswer, Failure == TransportError {
    fileprivate var ended: EndedAttempt.Outcome {
        switch self {
        case .success(let answer): .response(answer.head)
        case .failure(let error): EndedAttempt.Outcome(error)
        }
    }
}

/// A generator behind a lock.
private final class RandomSource<Generator: RandomNumberGenerator & Sendable>: Sendable {
    private let generator: Mutex<Generator>

    init(_ generator: Generator) { self.generator = Mutex(generator) }

    func next() -> Double { generator.withLock { Double.random(in: 0..<1, using: &$0) } }
}
