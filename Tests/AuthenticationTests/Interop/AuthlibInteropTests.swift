import Authentication
import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

/// The OAuth server of `.ci/authlib-server.py`. `.ci/interop` starts it and sets its address; without it the tests are
/// skipped.
@Suite(
    .needsSlot, .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["PATCHBAY_AUTHLIB"] != nil, "PATCHBAY_AUTHLIB is not set."))
struct AuthlibInteropTests {
    private let origin: String
    private let network = URLSessionTransport()

    init() throws { origin = try #require(ProcessInfo.processInfo.environment["PATCHBAY_AUTHLIB"]) }

    private func send(_ method: HTTPMethod, _ path: String, body: HTTPBody = .empty) async throws -> HTTPResponse {
        let fields = body.isEmpty ? HTTPFields() : try HTTPFields(["Content-Type": "application/json"])
        return try await network.send(HTTPRequest(method, origin + path, fields: fields, body: body))
    }

    /// The number of token requests of `app` so far. Other suites use the server at the same time.
    private func tokenRequests() async throws -> Int64 {
        try #require(JSONValue(parsing: try await send(.get, "/counts/app").body)["requests"]?.integer)
    }

    private func endpoint(_ client: ClientAuthentication) throws -> TokenEndpoint {
        try TokenEndpoint(origin + "/token", client: client, over: network)
    }

    private func items(_ client: OAuthClient) async throws -> HTTPResponse {
        let transport = network.authorizing(with: client, at: try AllowedOrigins(origin))
        return try await transport.send(HTTPRequest(.get, origin + "/items"))
    }

    private func expectItems(_ client: OAuthClient, of name: String) async throws {
        let response = try await items(client)
        #expect(response.status == .ok)
        #expect(try JSONValue(parsing: response.body)["client"] == .string(name))
    }

    @Test func `client credentials with a secret, in Basic and in the body`() async throws {
        for client in [
            try ClientAuthentication.basic(id: "app", secret: "s3cret"), .parameters(id: "app", secret: "s3cret"),
        ] {
            try await expectItems(
                OAuthClient(endpoint(client), grant: .clientCredentials, scope: "items.read"), of: "app")
        }
    }

    @Test func `client credentials with a signed assertion`() async throws {
        let key = try RSAPrivateKey.generate()
        let registered = try await send(.post, "/keys/signed", body: .bytes(key.publicKey.jwk.data()))
        #expect(registered.status == .noContent)
        let assertion = ClientAssertion(clientID: "signed", audience: origin + "/token", signer: key)
        let client = OAuthClient(
            try endpoint(.assertion(assertion)), grant: .clientCredentials, scope: "items.read")
        try await expectItems(client, of: "signed")
        // A signature by another key.
        let forged = ClientAssertion(
            clientID: "signed", audience: origin + "/token", signer: try RSAPrivateKey.generate())
        let error = await #expect(throws: AuthenticationError.self) {
            try await items(OAuthClient(endpoint(.assertion(forged)), grant: .clientCredentials, scope: "items.read"))
        }
        #expect(error?.code == .refused && error?.oauthError == "invalid_client")
    }

    @Test func `a wrong secret is refused by name`() async throws {
        let client = OAuthClient(
            try endpoint(.basic(id: "app", secret: "wrong")), grant: .clientCredentials, scope: "items.read")
        let error = await #expect(throws: AuthenticationError.self) { try await items(client) }
        #expect(error?.code == .refused && error?.oauthError == "invalid_client")
        #expect(error.map { "\($0)".contains("wrong") } == false)
    }

    @Test func `a revoked token is refreshed once, and refresh tokens rotate`() async throws {
        let signedIn = try JSONValue(parsing: try await send(.post, "/sign-in").body)
        let refreshToken = try #require(signedIn["refresh_token"]?.string)
        let client = OAuthClient(
            try endpoint(.basic(id: "app", secret: "s3cret")), grant: .refreshToken(refreshToken), scope: "items.read")
        let transport = network.authorizing(with: client, at: try AllowedOrigins(origin))
        let request = try HTTPRequest(.get, origin + "/items")
        for _ in 0..<3 {
            let before = try await tokenRequests()
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await transport.send(request).status } }
                for try await status in group { #expect(status == .ok) }
            }
            #expect(try await tokenRequests() == before + 1)
            #expect(try await send(.post, "/revoke/app").status == .noContent)
        }
        // The first refresh token was replaced, and is refused now.
        let late = OAuthClient(
            try endpoint(.basic(id: "app", secret: "s3cret")), grant: .refreshToken(refreshToken), scope: "items.read")
        let error = await #expect(throws: AuthenticationError.self) { try await items(late) }
        #expect(error?.oauthError == "invalid_grant")
    }

    @Test func `the server's own challenge is read`() async throws {
        let response = try await send(.get, "/items")
        #expect(response.status == .unauthorized && response.head.challenges.map(\.scheme) == ["bearer"])
        #expect(BearerChallenge(response.head) == .newToken)
        let bad = try await network.authorizing(with: .bearer("none"), at: AllowedOrigins(origin))
            .send(HTTPRequest(.get, origin + "/items"))
        #expect(bad.head.challenges.first?["error"] == "invalid_token")
    }

    @Test func `a token of another scope does not suffice`() async throws {
        let client = OAuthClient(
            try endpoint(.basic(id: "app", secret: "s3cret")), grant: .clientCredentials, scope: "items.write")
        let response = try await items(client)
        #expect(response.status == .forbidden)
        // Authlib names it in the body, without a challenge, so there is no scope to ask for.
        #expect(try JSONValue(parsing: response.body)["error"] == "insufficient_scope")
    }
}
