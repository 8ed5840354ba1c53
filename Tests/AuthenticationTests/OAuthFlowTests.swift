import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

/// An API whose tokens are valid for a number of requests, and its token endpoint.
private final class TokenService: HTTPService {
    private struct State {
        var issued = 0
        var uses = 0
    }

    private let state = Mutex(State())
    private let uses: Int

    init(usesPerToken: Int) { uses = usesPerToken }

    var issued: Int { state.withLock { $0.issued } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        state.withLock { state in
            guard request.url.path != "/token" else {
                guard request.fields[.authorization] == "Basic YXBwOnNlY3JldA==" else {
                    return request.response(.unauthorized, json: ["error": "invalid_client"])
                }
                state.issued += 1
                state.uses = 0
                return request.response(
                    json: ["access_token": .string("t\(state.issued)"), "token_type": "Bearer", "expires_in": 3600])
            }
            state.uses += 1
            guard request.fields[.authorization] == "Bearer t\(state.issued)", state.uses <= uses else {
                var response = request.response(.unauthorized, text: "expired")
                try? response.head.fields.set("WWW-Authenticate", to: "Bearer error=\"invalid_token\"")
                return response
            }
            return request.response(text: "item")
        }
    }
}

@Suite(.needsSlot) struct OAuthFlowTests {
    @Test func `calls over sockets survive tokens that a server revokes`() async throws {
        let service = TokenService(usesPerToken: 5)
        try await LoopbackServer.serving(service) { server in
            let network = URLSessionTransport()
            let tokens = OAuthClient(
                try TokenEndpoint(
                    server.url(of: "/token").absoluteString, client: .basic(id: "app", secret: "secret"), over: network),
                grant: .clientCredentials)
            let transport = network.redirecting().authorizing(with: tokens, at: try AllowedOrigins([server.url]))
            for _ in 0..<12 {
                let response = try await transport.send(
                    HTTPRequest(.post, server.url(of: "/items"), body: .text("[1]")))
                #expect(response.status == .ok && response.body == Data("item".utf8))
            }
            #expect(service.issued == 3 && server.requestCount == 12 + 2 + 3)
            let stream = try await transport.stream(HTTPRequest(.get, server.url(of: "/items")))
            #expect(try await stream.body.collect(upTo: 100) == Data("item".utf8))
        }
    }

    @Test func `a wrong secret is one error that names the reason`() async throws {
        try await LoopbackServer.serving(TokenService(usesPerToken: 5)) { server in
            let network = URLSessionTransport()
            let tokens = OAuthClient(
                try TokenEndpoint(
                    server.url(of: "/token").absoluteString, client: .basic(id: "app", secret: "s3cret"), over: network),
                grant: .clientCredentials)
            // The token endpoint is in the same stack, which exempts its requests.
            let transport = network.authorizing(with: tokens, at: try AllowedOrigins([server.url]))
            let error = await #expect(throws: AuthenticationError.self) {
                try await transport.send(HTTPRequest(.get, server.url(of: "/items")))
            }
            #expect(error?.code == .refused && error?.oauthError == "invalid_client")
            #expect(!"\(String(describing: error))".contains("s3cret") && server.requestCount == 1)
        }
    }
}
