public import Foundation
public import JSON

/// Result of a call, in the vendor's structure: the envelope.
///
/// The call's passwords, keys and tokens are never in it; ``/HTTPMessages/Redaction/placeholder`` stands for them.
public struct HyperHiveResult: Hashable, Sendable {
    /// Overall outcome.
    public enum Status: String, Hashable, Sendable {
        /// The call succeeded.
        case ok
        /// The call was cancelled.
        case cancel
        /// The call failed, or the server has no newer rows (``HyperHiveResult/isNotModified``).
        case error
    }

    /// Where an error comes from.
    public enum Source: String, Hashable, Sendable {
        /// The network, or a request that could not be sent; the code is libcurl's.
        case curl = "cURL"
        /// The server; the code is the HTTP status.
        case server = "Server"
        /// The local database; the code is SQLite's.
        case sqlite = "SQLite"
    }

    /// One error.
    public struct Failure: Hashable, Sendable {
        /// The number, by ``source``.
        public var code: Int
        /// Where the error comes from.
        public var source: Source
        /// What is wrong: the text of the server, without the secrets of the call.
        public var description: String

        /// Creates an error.
        public init(_ source: Source, _ code: Int, _ description: String) {
            self.source = source
            self.code = code
            self.description = description
        }
    }

    /// The server's response to the last attempt.
    public struct Response: Hashable, Sendable {
        /// The HTTP status.
        public var status: Int
        /// Bytes of the body received, after content decoding.
        public var bytesDownloaded: Int64
        /// Bytes of the request's body sent.
        public var bytesUploaded: Int64
        /// The header fields; secret values are redacted.
        public var headers: [String: String]
    }

    /// Part of the result that is about a local database.
    public struct Database: Hashable, Sendable {
        /// Its absolute path, or `:memory:`.
        public var name: String
        /// The rows of a query: a JSON list of objects; nil for other calls.
        public var records: Data?
        /// The number of changed rows; nil for a call that changes none.
        public var updated: Int?
    }

    /// The outcome.
    public var status: Status
    /// The errors; empty for `ok` and `cancel`.
    public var errors: [Failure] = []
    /// The server's response; nil without one.
    public var response: Response?
    /// The call.
    public var request: RequestEcho
    /// Retries made.
    public var retryCount = 0
    /// The local database; nil when the call uses none.
    public var database: Database?
    /// The server's body as JSON, or as text when it is not JSON; nil for other calls.
    public var raw: JSONValue?
    /// True for a 304 to a request with a validator.
    ///
    /// The local rows are current, and the status is `error`.
    public internal(set) var isNotModified = false

    init(_ status: Status, _ request: RequestEcho) {
        self.status = status
        self.request = request
    }
}
