public import Transport

/// A circuit changed, or refused a request.
@nonexhaustive public enum CircuitEvent: DetailEvent {
    /// Too many calls failed: requests are refused.
    /// - `origin`: such as `https://example.com:443`.
    case opened(origin: String)
    /// The open duration has passed: a few calls are permitted.
    case halfOpened(origin: String)
    /// Enough calls succeeded: all calls are permitted.
    case closed(origin: String)
    /// The request was not sent.
    case rejected(origin: String)

    /// The origin of the circuit.
    public var origin: String {
        switch self {
        case .opened(let origin), .halfOpened(let origin), .closed(let origin), .rejected(let origin): origin
        }
    }

    /// The change and the origin.
    public var description: String {
        switch self {
        case .opened: "circuit opened: \(origin)"
        case .halfOpened: "circuit half-open: \(origin)"
        case .closed: "circuit closed: \(origin)"
        case .rejected: "circuit open, request not sent: \(origin)"
        }
    }
}
