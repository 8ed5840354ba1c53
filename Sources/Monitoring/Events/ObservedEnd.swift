public import Foundation
public import HTTPMessages
import PatchbayErrors
public import Transport

/// The end of a call, or of one of its attempts.
public final class ObservedEnd: Sendable {
    /// How it ended.
    @nonexhaustive public enum Outcome: Sendable {
        /// The caller got the whole response.
        case completed
        /// The caller got an error, perhaps after a part of the body. It may contain secrets.
        case failed(any Error)
        /// The reader released a streamed body before its end.
        case abandoned
    }

    /// How it ended.
    public let outcome: Outcome
    /// The attempt that ended; nil for the end of a call.
    public let attempt: ObservedAttempt?
    /// True for a call whose attempts have ends of their own; it may have none, as one that a cache answers.
    public let hasObservedAttempts: Bool
    /// The response head; nil if none arrived.
    public let head: HTTPResponseHead?
    /// The measurements of the transfer; those of a call are of its last attempt.
    public var metrics: TransferMetrics? { boxedMetrics?.value }
    private let boxedMetrics: Box<TransferMetrics>?
    /// The time from the start of the call, or of the attempt.
    public let duration: Duration
    /// The bytes of the request body that were sent.
    public let sentBytes: Int64
    /// The bytes of the response body that were received, after decoding.
    public let receivedBytes: Int64
    /// The start of the response body, as long as a sink asks for (``EventReceiver/bodyLimit``).
    public let body: Data
    /// The number of attempts, those of earlier parts of the call included; of an attempt its own number.
    public let attempts: Int
    /// The number of events of the call that were dropped, because its buffer was full.
    public let droppedEvents: Int

    /// Creates an end, such as for the test of a sink.
    public init(
        _ outcome: Outcome, of attempt: ObservedAttempt? = nil, hasObservedAttempts: Bool = false,
        head: HTTPResponseHead? = nil, metrics: TransferMetrics? = nil, duration: Duration,
        sentBytes: Int64 = 0, receivedBytes: Int64 = 0, body: Data = Data(), attempts: Int = 1, droppedEvents: Int = 0
    ) {
        self.outcome = outcome
        self.attempt = attempt
        self.hasObservedAttempts = hasObservedAttempts
        self.head = head
        boxedMetrics = metrics.map(Box.init)
        self.duration = duration
        self.sentBytes = sentBytes
        self.receivedBytes = receivedBytes
        self.body = body
        self.attempts = attempts
        self.droppedEvents = droppedEvents
    }

    /// The error; nil without one.
    public var error: (any Error)? {
        if case .failed(let error) = outcome { error } else { nil }
    }
}

extension ObservedEnd: RedactedStringConvertible {
    /// The status or the error, the duration and the number of bytes.
    public var description: String {
        let result =
            switch outcome {
            case .completed: head.map { "\($0.status)" } ?? "completed"
            case .failed(let error): "failed: \(error.logDescription)"
            case .abandoned: (head.map { "\($0.status), " } ?? "") + "released by the reader"
            }
        return "\(result), \(receivedBytes) bytes in \(duration.logText)"
    }
}

extension Error {
    /// The error without secrets: the description of this package's errors, else type, domain and code.
    package var logDescription: String {
        switch self {
        case let error as any PatchbayError: return "\(error)"
        case is CancellationError: return "CancellationError"
        default:
            let bridged = self as NSError
            return "\(type(of: self)) (\(bridged.domain) \(bridged.code))"
        }
    }
}

extension Duration {
    /// Milliseconds with one digit, such as `12.3 ms`.
    package var logText: String {
        let tenths = (self / .microseconds(100)).rounded()
        guard tenths.isFinite, abs(tenths) < 1e15 else { return "\(self)" }
        let count = Int(tenths)
        return "\(count / 10).\(abs(count % 10)) ms"
    }
}
