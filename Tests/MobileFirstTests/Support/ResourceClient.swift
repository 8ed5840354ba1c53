import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Transport
import VendorServices

/// A client whose requests for tokens succeed, and whose requests for adapters get the responses of a closure.
func resourceClient(
    _ resource: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
) -> (client: WLClient, service: MobileFirstService, sent: ScriptedTransport) {
    let service = MobileFirstService()
    let backend = TestTransport.service(service)
    let transport = ScriptedTransport { request in
        request.url.path().contains("/adapters/") ? try await resource(request) : try await backend.send(request)
    }
    return (.scripted(transport), service, transport)
}

/// A response with a challenge.
func challenge(_ request: HTTPRequest, _ status: HTTPStatus, _ value: String) throws -> HTTPResponse {
    request.response(status, fields: try HTTPFields(["WWW-Authenticate": value]))
}
