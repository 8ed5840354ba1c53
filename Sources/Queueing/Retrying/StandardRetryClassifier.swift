public import HTTPMessages
import Transport

/// Retries transient failures of requests that are safe to send twice.
///
/// Transient are errors with ``Transport/TransportError/isTransient``, and some statuses. A retry is safe if the
/// request is idempotent (``HTTPMessages/HTTPRequest/isIdempotent``) or the attempt is known to be unprocessed
/// (``AttemptResult/isKnownUnprocessed``).
///
/// An open circuit ends the call at once, unless ``waitsForOpenCircuits`` is set.
public struct StandardRetryClassifier: RetryClassifier {
    /// The default retryable statuses: 408, 429, 502, 503 and 504.
    public static let statuses: Set<HTTPStatus> = [
        .requestTimeout, .tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout,
    ]

    /// The retryable statuses.
    public var statuses: Set<HTTPStatus>
    /// True to retry when an open circuit (`circuitOpen`) closes; default false, which fails fast.
    public var waitsForOpenCircuits: Bool

    /// A classifier for these statuses.
    public init(statuses: Set<HTTPStatus> = StandardRetryClassifier.statuses, waitsForOpenCircuits: Bool = false) {
        self.statuses = statuses
        self.waitsForOpenCircuits = waitsForOpenCircuits
    }

    /// True if the failure is transient and a retry is safe.
    public func isRetryable(_ attempt: AttemptResult) -> Bool {
        let isTransient =
            switch attempt.outcome {
            case .response(let head): statuses.contains(head.status) && !head.isLocal
            case .failure(let error): error.isTransient
            case .rejection(let error): waitsForOpenCircuits && error.code == .circuitOpen
            }
        return isTransient && (attempt.request.isIdempotent || attempt.isKnownUnprocessed)
    }
}

extension RetryClassifier where Self == StandardRetryClassifier {
    /// Retries transient failures of requests that are safe to send twice.
    public static var standard: StandardRetryClassifier { StandardRetryClassifier() }

    /// As ``standard``, with other statuses or also after an open circuit.
    public static func standard(
        statuses: Set<HTTPStatus> = StandardRetryClassifier.statuses, waitsForOpenCircuits: Bool = false
    ) -> StandardRetryClassifier {
        StandardRetryClassifier(statuses: statuses, waitsForOpenCircuits: waitsForOpenCircuits)
    }
}
