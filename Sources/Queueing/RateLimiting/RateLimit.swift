import HTTPMessages

/// How often requests may be sent for one key, such as an origin.
///
/// A token bucket: it holds up to ``burst`` tokens, gains ``requests`` tokens per period at an even rate, and each
/// request takes one. So `.requests(10, per: .second)` sends ten requests at once and then one every 100 ms; with
/// `burst: 1` they are evenly spaced from the start.
///
/// In addition the layer keeps to what the server says; see ``learnsFromServer``.
public struct RateLimit: Hashable, Sendable {
    /// A period of a rate.
    public struct Period: Hashable, Sendable {
        /// The length; at least one nanosecond, at most 100 years.
        public let duration: Duration

        /// A period of any length.
        public static func duration(_ duration: Duration) -> Period {
            Period(duration: max(duration.bounded, .nanoseconds(1)))
        }
        /// A number of seconds.
        public static func seconds(_ seconds: Double) -> Period { .duration(.boundedSeconds(seconds)) }
        /// One second.
        public static let second = Period.seconds(1)
        /// One minute.
        public static let minute = Period.seconds(60)
        /// One hour.
        public static let hour = Period.seconds(3600)
    }

    /// The requests per ``period``, at least 1; nil without a limit of one's own.
    public let requests: Int?
    /// The period of ``requests``.
    public let period: Period
    /// The most tokens that are saved up while fewer requests are sent; at least 1.
    public let burst: Int
    /// True to find the rate by the server's responses: see ``adaptive``.
    public var isAdaptive = false
    /// True to keep to what responses say about limits; default true.
    ///
    /// A 429, and a 503 with `Retry-After`, stop the key for that time. `RateLimit` and `RateLimit-Policy`
    /// (draft-ietf-httpapi-ratelimit-headers) and the older `RateLimit-Remaining`, `X-RateLimit-Remaining` and
    /// `X-Rate-Limit-Remaining`, each with its `-Reset`, stop it when the quota is used up, until it is renewed.
    public var learnsFromServer = true
    /// The longest time that a response stops a key; default one hour.
    ///
    /// Longer ones are shortened to it, so one wrong field does not stop an origin for good: the response of the next
    /// request tells again.
    public var longestStop = Duration.seconds(3600)

    private init(requests: Int?, period: Period, burst: Int) {
        (self.requests, self.period, self.burst) = (requests, period, burst)
    }

    /// A number of requests per period; a number below 1 counts as 1.
    /// - Parameter burst: the most tokens that are saved up; default the number of requests.
    public static func requests(_ count: Int, per period: Period, burst: Int? = nil) -> RateLimit {
        RateLimit(requests: max(1, count), period: period, burst: max(1, burst ?? count))
    }

    /// No limit of one's own: only what the server says counts.
    public static let byServer = RateLimit(requests: nil, period: .second, burst: 1)

    /// The rate that the server tolerates: without a limit until the first throttled response, which lowers the rate
    /// to 70 percent of the measured one; successes then raise it along a cubic curve.
    ///
    /// The algorithm of the adaptive retry mode of the Smithy and AWS SDKs. A throttled response is a 429, or a 503
    /// with `Retry-After`.
    public static let adaptive: RateLimit = {
        var limit = byServer
        limit.isAdaptive = true
        return limit
    }()
}

extension RateLimit: CustomStringConvertible {
    /// The rate, such as `10 requests per 1.0 s`.
    public var description: String {
        let rate = requests.map { "\($0) requests per \(period.duration.secondsText)" }
        return [rate, isAdaptive ? "adaptive" : nil].compactMap(\.self).joined(separator: ", ").nonEmpty
            ?? "as the server says"
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
