public import Foundation
public import PatchbayErrors

/// An error that a response caused, of any type: a status that was not accepted, or a body that does not fit.
///
/// ```swift
/// do {
///     try await client.delete("items/7")
/// } catch let error as any HTTPStatusError {
///     log(error.status, error.head.fields["X-Request-Id"] ?? "", error.bytes)
/// }
/// ```
///
/// *Implement* it for an error of your own that is made of a response.
public protocol HTTPStatusError: PatchbayError {
    /// Status, fields and URL of the response.
    var head: HTTPResponseHead { get }
    /// The start of the body. It may contain secrets.
    var bytes: Data { get }
}

extension HTTPStatusError {
    /// The status.
    public var status: HTTPStatus { head.status }
}

/// An error that has the status of a response, if one arrived.
package protocol StatusCarrying: Error {
    /// The status of the response, or nil.
    var responseStatus: HTTPStatus? { get }
}
