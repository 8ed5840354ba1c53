import Foundation
public import HTTPMessages

/// Answers requests: what a server does, without the server.
///
/// A service is a value. ``LoopbackServer`` serves it over a real socket, and ``ServiceTransport`` is the same service
/// as a transport without one, so that a test can run over both.
///
/// ```swift
/// struct Greeter: HTTPService {
///     func respond(to request: HTTPRequest) async throws -> HTTPResponse {
///         request.url.path() == "/hello" ? request.reply(text: "Hello") : request.reply(.notFound)
///     }
/// }
/// ```
public protocol HTTPService: Sendable {
    /// Answers one request. Called for many requests at once.
    ///
    /// Whoever serves it sees to `Content-Length`, to leaving out the body for `HEAD`, 204 and 304, and puts the
    /// request's URL into the response. With `Transfer-Encoding: chunked` among the response's fields, a server sends
    /// the body chunked.
    /// - Throws: anything; the client then gets an empty response with status 500.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse
}

/// A service that is one closure.
public struct ClosureService: HTTPService {
    private let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// A service that answers with a closure.
    public init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) { self.answer = answer }

    /// Calls the closure.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse { try await answer(request) }
}

extension HTTPService {
    /// The response as it goes out: a failure is a 500, and what the message's framing asks for is in order.
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            return try await respond(to: request).framed(for: request)
        } catch {
            return request.reply(.internalServerError).framed(for: request)
        }
    }
}

extension HTTPStatus {
    /// True when a response of this status never has a body (RFC 9110, sections 15.2, 15.3.5 and 15.4.5).
    var forbidsBody: Bool { kind == .informational || self == .noContent || self == .notModified }
}

extension HTTPResponse {
    /// The response with the length of its body stated, or without a body where there may be none.
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
    /// Sets `Content-Length`; a number can always be sent, so this has nothing to throw.
    mutating func stateLength(_ length: Int) { try? set(.contentLength, to: String(length)) }
}
