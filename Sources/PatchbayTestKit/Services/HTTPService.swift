import Foundation
public import HTTPMessages

/// A function from requests to responses, independent of a server.
///
/// ``LoopbackServer`` serves it over a socket, and ``ServiceTransport`` calls it as a transport without one, so a test
/// can use both.
///
/// ```swift
/// struct Greeter: HTTPService {
///     func respond(to request: HTTPRequest) async throws -> HTTPResponse {
///         request.url.path() == "/hello" ? request.response(text: "Hello") : request.response(.notFound)
///     }
/// }
/// ```
public protocol HTTPService: Sendable {
    /// Returns the response to a request. Called concurrently.
    ///
    /// The server or transport adds `Content-Length`, drops the body for `HEAD`, 204 and 304, and sets the response's
    /// URL to the request's. With the field `Transfer-Encoding: chunked` a server sends the body chunked.
    /// - Throws: any error; the client then gets an empty response with status 500.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse
}

/// A service made of a closure.
public struct ClosureService: HTTPService {
    private let handler: @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// Creates a service from a closure.
    public init(_ handler: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) { self.handler = handler }

    /// Calls the closure.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse { try await handler(request) }
}

extension HTTPService {
    /// The response as it is sent: with correct framing, and a 500 for a thrown error.
    func framedResponse(to request: HTTPRequest) async -> HTTPResponse {
        do {
            let response = try await respond(to: request)
            try response.fields.validate()
            return response.framed(for: request)
        } catch {
            return request.response(.internalServerError).framed(for: request)
        }
    }
}

extension HTTPStatus {
    /// True when a response of this status never has a body (RFC 9110, sections 15.2, 15.3.5 and 15.4.5).
    var forbidsBody: Bool { kind == .informational || self == .noContent || self == .notModified }
}

extension HTTPResponse {
    /// This response with `Content-Length`, and without a body where HTTP forbids one.
    fileprivate func framed(for request: HTTPRequest) -> HTTPResponse {
        var framed = self
        framed.head.url = request.url
        let hidesBody = request.method == .head || status.forbidsBody
        if hidesBody { framed.body = Data() }
        if status.kind == .informational || status == .noContent {
            framed.head.fields.remove(.contentLength)
            framed.head.fields.remove(.transferEncoding)
        } else if fields.contains(.transferEncoding) {
            framed.head.fields.remove(.contentLength)
        } else if !hidesBody || (request.method == .head && !fields.contains(.contentLength)) {
            framed.head.fields.stateLength(body.count)
        }
        return framed
    }
}

extension HTTPFields {
    /// Sets `Content-Length`. A number is always a valid field value, so this does not throw.
    mutating func stateLength(_ length: Int) { try? set(.contentLength, to: String(length)) }
}
