import Authentication
import Foundation
import HTTPMessages
import RequestModel
import SignIn
import TestSupport
import Testing
import Transport

/// Against an OAuth 2.0 server of Authlib's: `.ci/interop` starts it. The browser is an HTTP client that follows one
/// redirect.
@Suite(
    .needsSlot,
    .enabled(if: ProcessInfo.processInfo.environment["PATCHBAY_AUTHLIB"] != nil, "PATCHBAY_AUTHLIB is not set."))
struct AuthlibLoginInteropTests {
    private let origin: String
    private let network = URLSessionTransport()

    init() throws { origin = try #require(ProcessInfo.processInfo.environment["PATCHBAY_AUTHLIB"]) }

    private func login(_ client: String = "native") throws -> OAuthLogin {
        try OAuthLogin(
            .discover(origin), client: .publicClient(id: client), redirect: .loopback, over: network)
    }

    /// - Parameter visits: the URLs to open instead of the one that the server redirects to.
    private func browser(_ visits: @escaping @Sendable (String) -> [String] = { [$0] }) -> ClosureBrowser {
        ClosureBrowser { [network] page in
            let response = try await network.send(HTTPRequest(.get, page.url))
            let location = try #require(response.fields[.location])
            for url in visits(location) { _ = try await network.send(HTTPRequest(.get, url)) }
            return nil
        }
    }

    private func items(_ tokens: OAuthClient) async throws -> HTTPStatus {
        try await network.authorizing(with: tokens, at: AllowedOrigins(origin))
            .send(HTTPRequest(.get, origin + "/items")).status
    }

    @Test func `a sign-in with PKCE and OpenID Connect, a refresh, and a sign-out`() async throws {
        let login = try login()
        let result = try await login.signIn(scopes: ["items.read", "openid"], opening: browser())
        #expect(result.idToken?.subject == "ann" && result.idToken?.issuer == origin)
        #expect(try await items(result.tokens) == .ok)
        // All access tokens of the client are revoked, so another one is obtained with the refresh token.
        _ = try await network.send(HTTPRequest(.post, origin + "/revoke/native"))
        #expect(try await items(result.tokens) == .ok)
        try await login.signOut(result.tokens)
        let error = await #expect(throws: AuthenticationError.self) { try await items(result.tokens) }
        #expect(error?.code == .signInRequired)
    }

    @Test func `the tokens are invalid at the server after a sign-out`() async throws {
        let (login, store) = (try login(), MemoryTokenStore())
        let stored = try OAuthLogin(
            .discover(origin), client: "native", redirect: .loopback, store: store, over: network)
        let tokens = try await stored.tokens(scopes: ["items.read"], opening: browser())
        let kept = try #require(store.load())
        try await login.signOut(tokens)
        let late = OAuthClient(
            try TokenEndpoint(origin + "/token", client: "native", over: network), grant: .refreshToken(),
            scope: "items.read", store: MemoryTokenStore(kept))
        await #expect(throws: AuthenticationError.self) { try await items(late) }
    }

    @Test func `a code of another issuer is never sent to the token endpoint`() async throws {
        let error = await #expect(throws: SignInError.self) {
            try await login().tokens(
                scopes: ["items.read"], opening: browser { [$0.replacing("iss=http", with: "iss=https")] })
        }
        #expect(error?.code == .otherIssuer)
    }

    @Test func `a response of another state is refused, and the user's own completes the sign-in`() async throws {
        let tokens = try await login().tokens(
            scopes: ["items.read"], opening: browser { [$0.replacing("state=", with: "state=x"), $0] })
        #expect(try await items(tokens) == .ok)
    }

    @Test func `a code that was damaged on its way is refused by the server`() async throws {
        let error = await #expect(throws: AuthenticationError.self) {
            try await login().tokens(
                scopes: ["items.read"], opening: browser { [$0.replacing("code=", with: "code=x")] })
        }
        #expect(error?.code == .refused && error?.oauthError == "invalid_grant")
    }
}
