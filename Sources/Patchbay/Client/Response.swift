public import Foundation
public import HTTPMessages
import Queueing
public import Transport

/// A decoded response: the value, and the head that came with it.
public struct Response<Value> {
    /// The decoded body.
    public let value: Value
    /// Status, fields, URL and redirects.
    public let head: HTTPResponseHead

    /// Creates a response.
    public init(_ value: Value, head: HTTPResponseHead) {
        self.value = value
        self.head = head
    }

    /// The status.
    public var status: HTTPStatus { head.status }
    /// The header fields.
    public var fields: HTTPFields { head.fields }
    /// The URL of the response; after redirects, the final one.
    public var url: URL { head.url }
    /// The other attempts that the call took, oldest first; empty if one was enough.
    public var attempts: [TransportError.AttemptRecord] { head.attempts }
}

extension Response: Sendable where Value: Sendable {}

extension Response: CustomStringConvertible, CustomReflectable {
    /// Status and redacted URL; not the value, which may be secret.
    public var description: String { head.description }
    /// The head, with secrets redacted.
    public var customMirror: Mirror { Mirror(self, children: ["head": head]) }
}
