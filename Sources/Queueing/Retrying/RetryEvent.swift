public import HTTPMessages
public import Transport

/// An attempt failed; the next one starts after its backoff. One observer receives the events of all attempts.
public struct RetryEvent: LayerEvent {
    /// The failed attempt.
    public let attempt: TransportError.AttemptRecord

    /// A retry after an attempt.
    public init(after attempt: TransportError.AttemptRecord) { self.attempt = attempt }

    /// The cause of the retry and the backoff.
    public var description: String { "\(attempt)" }
}

extension AttemptReason {
    /// The attempt before failed.
    public static let retry = AttemptReason("retry")
}

extension TransferEvent {
    /// The failed attempt if the event is a retry, else nil.
    ///
    /// ```swift
    /// func transfer(didEmit event: TransferEvent) {
    ///     if let attempt = event.retriedAttempt { print("Retry: \(attempt)") }
    /// }
    /// ```
    public var retriedAttempt: TransportError.AttemptRecord? {
        if case .layer(let event as RetryEvent) = self { event.attempt } else { nil }
    }
}
