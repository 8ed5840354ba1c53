import HTTPMessages
public import Transport

/// What a rate limit did to a call, or learned from its response.
@nonexhaustive public enum RateLimitEvent: DetailEvent {
    /// The call waits.
    /// - `key`: such as `https://example.com:443`; `wait`: as far as it is known now.
    case waiting(key: String, wait: Duration)
    /// The wait is over, and the request is sent.
    case started(key: String, wait: Duration)
    /// The wait would be too long, or too many calls wait: the request is not sent.
    case refused(key: String, wait: Duration)
    /// The server throttled the request.
    /// - `wait`: the time until the next request for the key; zero if that is not known.
    case throttled(key: String, wait: Duration)

    /// The key of the limit.
    public var key: String {
        switch self {
        case .waiting(let key, _), .started(let key, _), .refused(let key, _), .throttled(let key, _): key
        }
    }

    /// The step, the key and the time.
    public var description: String {
        switch self {
        case .waiting(let key, let wait): "rate limit: waiting about \(wait.secondsText) for \(key)"
        case .started(let key, let wait): "rate limit: sent after \(wait.secondsText) for \(key)"
        case .refused(let key, let wait): "rate limit: not sent, \(wait.secondsText) of wait for \(key)"
        case .throttled(let key, let wait): "rate limit: throttled by \(key) for \(wait.secondsText)"
        }
    }
}
