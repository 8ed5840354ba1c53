import Authentication
import Foundation
import HTTPMessages
import ResponseDecoding
import Transport

/// A layer for requests to the authorization server: adds the client's header fields, and throws `INVALID_CLIENT_ID`.
///
/// It never follows redirects.
struct SignInTransport<Base: Transport>: Transport {
    let base: Base
    let state: ClientState

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        var request = request
        let isAuthenticated = request.fields.contains(.authorization)
        request.fields = try state.fields(overriddenBy: request.fields)
        // A global header is for resources; here it would be taken for the client's authentication.
        if !isAuthenticated { request.fields.remove(.authorization) }
        let response: HTTPResponse
        do {
            response = try await base.send(request, observer: observer)
        } catch let error as TransportError where error.code == .responseTooLarge {
            // The call that waits for the token must not take the head for that of its own response.
            throw WLError(error)
        }
        if response.status == .badRequest,
            (try? JSONValue(parsing: response.jsonBody))?["errorCode"]?.string == "INVALID_CLIENT_ID"
        {
            throw WLError(
                .invalidClientID, "\(request): INVALID_CLIENT_ID: the server does not know the client ID.",
                response: WLResponse(response))
        }
        return response
    }
}
