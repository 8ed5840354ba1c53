import Foundation
import HTTPMessages
import Transport

/// A response, or the error of one whose body is too large: a challenge may have any body.
struct ChallengeResult<Response: VerifiableResponse>: Sendable {
    let response: Result<Response, any Error>
    let head: HTTPResponseHead

    init(_ response: Response) { (self.response, head) = (.success(response), response.head) }

    /// - Parameters:
    ///   - request: the request before a credential was added.
    ///   - attempt: the request as it was sent, which a credential may have given another URL.
    /// - Throws: the error as one of the request, unless it has the head of a response whose body is too large.
    init(_ error: any Error, of request: HTTPRequest, sentAs attempt: HTTPRequest) throws {
        let error = attempt.url == request.url ? error : error.ofRequest(request, sentAs: attempt)
        guard let transportError = error as? TransportError, transportError.code == .responseTooLarge,
            let head = transportError.head
        else { throw error }
        (response, self.head) = (.failure(error), head)
    }

    init(
        of request: HTTPRequest, sentAs attempt: HTTPRequest, by send: (HTTPRequest) async throws -> Response
    ) async throws {
        do { self.init(try await send(attempt)) } catch { try self.init(error, of: request, sentAs: attempt) }
    }
}
