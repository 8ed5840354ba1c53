public import Foundation

/// A response with its body in memory.
public struct HTTPResponse: Hashable, Sendable {
    /// Status, fields and URL.
    public var head: HTTPResponseHead
    /// The body, decoded from its content coding.
    public var body: Data

    /// Creates a response.
    public init(head: HTTPResponseHead, body: Data = Data()) {
        self.head = head
        self.body = body
    }

    /// Creates a response.
    public init(status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: Data = Data(), url: URL) {
        self.init(head: HTTPResponseHead(status: status, fields: fields, url: url), body: body)
    }

    /// The status.
    public var status: HTTPStatus { head.status }
    /// The header fields.
    public var fields: HTTPFields { head.fields }
    /// The URL of the response; after redirects, the final one.
    public var url: URL { head.url }
    /// Media type from `Content-Type`; nil if missing or malformed.
    public var mediaType: MediaType? { head.mediaType }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// Status, redacted URL and body length.
    public var description: String { "\(head), \(body.count) bytes" }
    /// The parts, with secrets redacted and without the body.
    public var customMirror: Mirror { Mirror(self, children: ["response": description, "fields": fields]) }
}
