public import Foundation

/// One exchange of an HTTP archive (HAR 1.2, `log.entries`).
///
/// It is the archive's JSON as a value, coded by any JSON coder. It can be created of a request and its outcome;
/// ``exchange()`` leads back.
public struct HAREntry: Codable, Hashable, Sendable {
    /// The id of the page that caused the request; nil outside browsers.
    public var pageref: String?
    /// The start of the request.
    public var startedDateTime: Date
    /// The duration of the exchange; by the standard, the sum of the ``timings``.
    public var time: Duration
    /// The request.
    public var request: HARRequest
    /// The response; its status is 0 if there was none.
    public var response: HARResponse
    /// The phases of the exchange.
    public var timings: HARTimings
    /// The IP address of the server.
    public var serverIPAddress: String?
    /// A name of the connection; in browsers its port or number.
    public var connection: String?
    /// A comment.
    public var comment: String?
    /// The attempts before this one, in the custom field `_attempts`.
    public var attempts: [HARAttempt]

    /// Creates an entry.
    public init(
        startedDateTime: Date, request: HARRequest, response: HARResponse, timings: HARTimings = HARTimings(),
        attempts: [HARAttempt] = []
    ) {
        self.startedDateTime = startedDateTime
        time = timings.sum
        self.request = request
        self.response = response
        self.timings = timings
        self.attempts = attempts
    }

    private enum CodingKeys: String, CodingKey {
        case pageref, startedDateTime, time, request, response, cache, timings, serverIPAddress, connection, comment
        case attempts = "_attempts"
    }

    /// Decodes an entry; what the standard demands and tools leave out may be missing, but for request, response and
    /// start.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        pageref = try container.decodeIfPresent(String.self, forKey: .pageref)
        let start = try container.decode(String.self, forKey: .startedDateTime)
        guard let date = HARDate.date(start) else {
            throw DecodingError.dataCorruptedError(
                forKey: .startedDateTime, in: container, debugDescription: "Not a date of ISO 8601.")
        }
        startedDateTime = date
        request = try container.decode(HARRequest.self, forKey: .request)
        response = try container.decode(HARResponse.self, forKey: .response)
        timings = try container.decodeIfPresent(HARTimings.self, forKey: .timings) ?? HARTimings()
        let milliseconds = try container.decodeIfPresent(Double.self, forKey: .time)
        time = milliseconds.flatMap { Duration(milliseconds: $0) } ?? timings.sum
        serverIPAddress = try container.decodeIfPresent(String.self, forKey: .serverIPAddress)
        connection = try container.decodeIfPresent(String.self, forKey: .connection)
        comment = try container.decodeIfPresent(String.self, forKey: .comment)
        attempts = try container.decodeIfPresent([HARAttempt].self, forKey: .attempts) ?? []
    }

    /// Encodes the entry as HAR 1.2.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(pageref, forKey: .pageref)
        try container.encode(HARDate.text(startedDateTime), forKey: .startedDateTime)
        try container.encode(time.milliseconds, forKey: .time)
        try container.encode(request, forKey: .request)
        try container.encode(response, forKey: .response)
        try container.encode([String: String](), forKey: .cache)
        try container.encode(timings, forKey: .timings)
        try container.encodeIfPresent(serverIPAddress, forKey: .serverIPAddress)
        try container.encodeIfPresent(connection, forKey: .connection)
        try container.encodeIfPresent(comment, forKey: .comment)
        if !attempts.isEmpty { try container.encode(attempts, forKey: .attempts) }
    }
}

/// An attempt that was retried, in the custom field `_attempts` of an entry.
public struct HARAttempt: Codable, Hashable, Sendable {
    /// The status of its response; nil if there was none.
    public var status: Int?
    /// Its error; nil if it had a response.
    public var error: String?
    /// The wait before the next attempt, in milliseconds.
    public var backoff: Double?

    /// Creates an attempt.
    public init(status: Int? = nil, error: String? = nil, backoff: Double? = nil) {
        self.status = status
        self.error = error
        self.backoff = backoff
    }
}
