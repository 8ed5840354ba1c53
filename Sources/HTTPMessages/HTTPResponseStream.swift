public import Foundation

/// A response whose body comes while it is read, however long it is.
///
/// ```swift
/// let response = try await transport.stream(request)
/// for try await chunk in response.body { try handle.write(contentsOf: chunk) }
/// ```
///
/// The body can be read once: a second iterator throws `HTTPMessageError` (`bodyAlreadyRead`). Whoever leaves the loop
/// early, or drops the response unread, ends the transfer with that.
public struct HTTPResponseStream: Sendable {
    /// Everything but the body.
    public var head: HTTPResponseHead
    /// The body's bytes, decoded from their content coding, in chunks of any size but never empty.
    public let body: HTTPBodyChunks

    /// A response of these parts.
    /// - Parameter body: is iterated once at most. What it throws reaches the reader as it is, after the bytes before it.
    public init<Chunks: AsyncSequence & Sendable>(head: HTTPResponseHead, body: Chunks) where Chunks.Element == Data {
        self.head = head
        self.body = HTTPBody.stream(body).chunks()
    }

    /// The status.
    public var status: HTTPStatus { head.status }
    /// The header fields.
    public var fields: HTTPFields { head.fields }
    /// The URL that answered.
    public var url: URL { head.url }
    /// The media type of the body, or nil when there is none or it cannot be read.
    public var mediaType: MediaType? { head.mediaType }
}

extension HTTPResponseStream: CustomStringConvertible, CustomReflectable {
    /// Status and URL, without secrets.
    public var description: String { "\(head), streamed" }
    /// Shows the parts, without secrets and without the body.
    public var customMirror: Mirror { Mirror(self, children: ["response": description, "fields": fields]) }
}
