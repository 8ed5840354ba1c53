public import Foundation
public import HTTPMessages

/// Why the last attempt of an entry failed.
public struct OutboxFailure: Hashable, Sendable {
    /// The kind of failure.
    @nonexhaustive public enum Reason: String, Hashable, Sendable {
        /// The server refused the request; ``OutboxFailure/status`` is its status.
        case response
        /// There was no response: no network, no credential, or a request that cannot be sent.
        case noResponse
        /// The entry expired before it was sent.
        case expired
        /// The stored request is damaged; it can only be discarded.
        case damaged
        /// The file of the body is missing, or too short.
        case unreadableBody
    }

    /// The kind of failure.
    public let reason: Reason
    /// What happened, without secrets.
    public let message: String
    /// The status of the response, if there was one.
    public let status: HTTPStatus?
    /// The first 16 KiB of the response's body; empty without one.
    public let body: Data

    init(_ reason: Reason, _ message: String, status: HTTPStatus? = nil, body: Data = Data()) {
        self.reason = reason
        self.message = message
        self.status = status
        self.body = Data(body.prefix(16_384))
    }

    init(_ response: HTTPResponse, _ redaction: Redaction) {
        self.init(
            .response,
            response.head.addingNotes(to: "\(response.status) from \(redaction.redacted(response.url))"),
            status: response.status, body: response.body)
    }
}

extension OutboxFailure: CustomStringConvertible, CustomReflectable {
    /// The message.
    public var description: String { message }
    /// The message and the reason; not the body.
    public var customMirror: Mirror { Mirror(self, children: ["message": message, "reason": reason]) }
}
