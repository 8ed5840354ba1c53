public import Foundation
public import HTTPMessages
public import PatchbayErrors
import Queueing
public import Transport

/// A response whose status the client does not accept, with the decoded error body.
///
/// ```swift
/// do {
///     try await client.delete("items/\(id)")
/// } catch let error as ServerError<APIFault> where error.status == .conflict {
///     print(error.body?.reason ?? error.message)
/// }
/// ```
///
/// `catch let error as any HTTPStatusError` has the head and the bytes without the type of the body, and
/// `error.httpStatus` the status of any error. The description has the request, the status, what the server says
/// in up to 200 characters, with secrets redacted, and the number of attempts.
public struct ServerError<Body: Sendable>: HTTPStatusError {
    /// The decoded body; nil if it is empty or does not fit the type. The bytes are in ``bytes``.
    public let body: Body?
    /// Status, fields and URL of the response.
    public let head: HTTPResponseHead
    /// The start of the body, up to ``APIClient/maximumErrorBytes``.
    public let bytes: Data
    /// The status, and what the server says.
    public let message: String
    /// Why the body was not decoded; nil if it was, and for an empty one.
    public let underlying: (any Error)?

    /// Creates an error.
    /// - Parameters:
    ///   - summary: what the server says, in place of the start of the body; without secrets.
    ///   - underlying: why there is no `body`.
    public init(
        _ body: Body?, of response: HTTPResponse, summary: String? = nil, underlying: (any Error)? = nil
    ) {
        self.body = body
        head = response.head
        bytes = response.body
        let text = summary ?? response.excerpt
        message = response.head.addingNotes(to: text.map { "\(response.status): \($0)" } ?? "\(response.status)")
        self.underlying = underlying
    }

    /// The status.
    public var status: HTTPStatus { head.status }
    /// The attempts before this response, oldest first; empty if it was the first.
    public var attempts: [TransportError.AttemptRecord] { head.attempts }
    /// The kind of error: the status.
    public var code: Code { Code(status.code, name: "status\(status.code)") }
    /// The redacted URL of the response.
    public var failingURL: String? { Redaction.standard.redacted(head.url) }
    /// The request and the message.
    public var description: String { "\(head.requestDescription): \(message)" }
    /// `Patchbay.ServerError`, for every type of body; the number of the code is the status.
    public static var errorDomain: String { "Patchbay.ServerError" }
}
