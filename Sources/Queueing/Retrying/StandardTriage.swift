public import HTTPMessages
import Transport

/// Repeats what may go better next time, when that does no harm.
///
/// Worth repeating are failures that pass (``Transport/TransportError/isTransient``), and some statuses. It does no harm
/// when the request is idempotent (``HTTPMessages/HTTPRequest/isIdempotent``), or when the attempt shows that no server
/// has begun to act on it (``EndedAttempt/showsNothingWasDone``).
///
/// An open circuit ends the call at once, unless ``waitsForOpenCircuits`` is set.
public struct StandardTriage: RetryTriage {
    /// The statuses worth repeating: 408, 429, 502, 503 and 504.
    public static let statuses: Set<HTTPStatus> = [
        .requestTimeout, .tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout,
    ]

    /// The statuses worth repeating.
    public var statuses: Set<HTTPStatus>
    /// True to wait for an open circuit (`circuitOpen`) and try again; default false, which fails fast.
    public var waitsForOpenCircuits: Bool

    /// A triage that repeats these statuses.
    public init(statuses: Set<HTTPStatus> = StandardTriage.statuses, waitsForOpenCircuits: Bool = false) {
        self.statuses = statuses
        self.waitsForOpenCircuits = waitsForOpenCircuits
    }

    /// True when another attempt may end better and does no harm.
    public func isWorthRepeating(_ attempt: EndedAttempt) -> Bool {
        let mayPass =
            switch attempt.outcome {
            case .response(let head): statuses.contains(head.status)
            case .failure(let error): error.isTransient || waitsForOpenCircuits && error.code == .circuitOpen
            }
        return mayPass && (attempt.request.isIdempotent || attempt.showsNothingWasDone)
    }
}

extension RetryTriage where Self == StandardTriage {
    /// Repeats what may go better next time, when that does no harm.
    public static var standard: StandardTriage { StandardTriage() }

    /// Repeats as ``standard`` does, for other statuses or also after an open circuit.
    public static func standard(
        statuses: Set<HTTPStatus> = StandardTriage.statuses, waitsForOpenCircuits: Bool = false
    ) -> StandardTriage {
        StandardTriage(statuses: statuses, waitsForOpenCircuits: waitsForOpenCircuits)
    }
}
