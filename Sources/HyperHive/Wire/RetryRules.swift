/// Retry rules of one call, as a state machine without I/O.
///
/// ```
/// failure without a response -> retry after the interval, up to `count` times
/// failure after the response has begun, or status 502, 503, 504 -> likewise, unless the server may run a request twice
/// any other status, other error, or cancellation -> finish
/// ```
struct RetryRules: Hashable, Sendable {
    /// How an attempt ended.
    enum Outcome: Hashable, Sendable {
        /// A complete response.
        /// - `isRepeatable`: as of a failure; also a load or a sign-in, which may run twice.
        case status(Int, isRepeatable: Bool)
        /// A network failure.
        /// - `hasResponse`: a part of the response was received.
        /// - `isRepeatable`: the server does not run the request twice: not a POST, or one with a transaction ID.
        case failure(hasResponse: Bool, isRepeatable: Bool)
        /// Cancellation, or an error that another attempt would not change.
        case other
    }

    enum Action: Hashable, Sendable {
        case finish
        case retry(after: Duration)
    }

    /// Maximum number of retries; zero or less for none.
    let count: Int
    /// Fixed time before each retry.
    let interval: Duration
    /// Retries so far.
    private(set) var retries = 0

    init(count: Int, interval: Duration) {
        self.count = count
        self.interval = max(interval, .zero)
    }

    /// Decides what follows an attempt.
    mutating func attemptEnded(_ outcome: Outcome) -> Action {
        let isTransient =
            switch outcome {
            case .status(let status, let isRepeatable): [502, 503, 504].contains(status) && isRepeatable
            case .failure(let hasResponse, let isRepeatable): !hasResponse || isRepeatable
            case .other: false
            }
        guard isTransient, retries < count else { return .finish }
        retries += 1
        return .retry(after: interval)
    }
}
