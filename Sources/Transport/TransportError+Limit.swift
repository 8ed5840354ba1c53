package import Foundation
public import HTTPMessages

extension TransportError {
    /// The error for a response whose body is larger than allowed, wherever that is found out.
    package static func responseTooLarge(
        limit: Int, request: HTTPRequest? = nil, head: HTTPResponseHead?, bodyPrefix: Data = Data()
    ) -> TransportError {
        TransportError(
            .responseTooLarge,
            "Response body exceeds the limit of \(limit) bytes; raise `RequestOptions.maximumResponseBytes`, or for "
                + "`collect(upTo:)` its argument.", request: request, head: head, bodyPrefix: bodyPrefix)
    }
}

extension HTTPResponseStream {
    /// The response with its whole body in memory.
    /// - Parameter limit: the most bytes of the body, default 64 MiB.
    /// - Throws: what reading throws, and ``TransportError`` (`responseTooLarge`) past `limit` bytes.
    public func collect(upTo limit: Int = 64 << 20) async throws -> HTTPResponse {
        var collected = Data()
        for try await chunk in body {
            guard chunk.count <= limit - collected.count else {
                throw TransportError.responseTooLarge(limit: limit, head: head, bodyPrefix: collected)
            }
            collected.append(chunk)
        }
        return HTTPResponse(head: head, body: collected)
    }
}
