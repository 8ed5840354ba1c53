public import Foundation
public import HTTPMessages

extension TransportError {
    /// The `responseTooLarge` error, with one text for all transports and layers.
    /// - Parameters:
    ///   - limit: the maximum size of the body in bytes.
    ///   - bodyPrefix: the bytes received so far, of which the error keeps the first 1 KiB.
    public static func responseTooLarge(
        limit: Int, request: HTTPRequest? = nil, head: HTTPResponseHead?, bodyPrefix: Data = Data()
    ) -> TransportError {
        TransportError(
            .responseTooLarge,
            "Response body exceeds the limit of \(limit) bytes; raise `RequestOptions.maximumResponseBytes`, or for "
                + "`collect(upTo:)` its argument.", request: request, head: head, bodyPrefix: bodyPrefix)
    }
}

extension HTTPResponseStream {
    /// Reads the whole body into memory.
    /// - Parameter limit: the maximum size of the body in bytes, default 64 MiB.
    /// - Throws: the body's errors; ``TransportError`` (`responseTooLarge`) beyond `limit` bytes.
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
