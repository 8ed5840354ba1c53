public import Foundation

/// A call of a ``LogStore``, without secrets.
public struct LoggedCall: Codable, Hashable, Sendable {
    /// The position among the calls of the store, in the order of their ends.
    public internal(set) var sequence: Int64
    /// The text of the call's ID.
    public let id: String
    /// The start, in seconds since 1970.
    public let date: Double
    /// The method.
    public let method: String
    /// The redacted URL.
    public let url: String
    /// The status; nil without a response.
    public let status: Int64?
    /// The error; nil without one.
    public let error: String?
    /// The length in seconds.
    public let duration: Double
    /// The number of attempts.
    public let attempts: Int64
    /// The bytes of the request body that were sent.
    public let sentBytes: Int64
    /// The bytes of the response body.
    public let receivedBytes: Int64
    /// The fields of the request that was sent last, one on each line.
    public let requestFields: String
    /// The fields of the response.
    public let responseFields: String?
    /// The start of the request body, on one line, if it is text in memory.
    public let requestBody: String?
    /// The start of the response body, on one line, if it is text.
    public let responseBody: String?

    /// The start.
    public var start: Date { Date(timeIntervalSince1970: date) }
}

/// An event of a ``LoggedCall``.
public struct LoggedEvent: Codable, Hashable, Sendable {
    /// The position among the events of the call, from 0.
    public let number: Int64
    /// The time since the start of the call, in seconds.
    public let time: Double
    /// The number of the attempt; 0 for an event of the call.
    public let attempt: Int64
    /// What happened.
    public let text: String
}
