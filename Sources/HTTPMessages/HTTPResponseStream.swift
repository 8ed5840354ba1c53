public import Foundation

/// A response whose body is streamed as it is received, without a size limit.
///
/// ```swift
/// let response = try await transport.stream(request)
/// for try await chunk in response.body { try handle.write(contentsOf: chunk) }
/// ```
///
/// The body can be read once: a second iterator throws `HTTPMessageError` (`bodyAlreadyRead`). Leaving the loop early,
/// or releasing the response unread, cancels the transfer.
public struct HTTPResponseStream: Sendable {
    /// Status, fields and URL.
    public var head: HTTPResponseHead
    /// The body's bytes after content decoding, in non-empty chunks of any size.
    public let body: HTTPBodyChunks

    /// Creates a response.
    /// - Parameter body: iterated at most once. Its error is rethrown unchanged, after the bytes before it.
    public init<Chunks: AsyncSequence & Sendable>(head: HTTPResponseHead, body: Chunks) where Chunks.Element == Data {
        self.head = head
        self.body = HTTPBody.stream(body).chunks()
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

extension HTTPResponseStream: CustomStringConvertible, CustomReflectable {
    /// Status and redacted URL.
    public var description: String { "\(head), streamed" }
    /// The parts, with secrets redacted and without the body.
    public var customMirror: Mirror { Mirror(self, children: ["response": description, "fields": fields]) }
}
