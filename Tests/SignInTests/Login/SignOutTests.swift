import Authentication
import Foundation
import HTTPMessages
import RequestModel
import SignIn
import TestSupport
import Testing

@Suite struct SignOutTests {
    private func signedIn(_ server: LoginServer, _ store: MemoryTokenStore) async throws -> (OAuthLogin, OAuthClient) {
        let login = try server.login(.uri("com.example.shop:/in"), store: store)
        return (login, try await login.tokens(scopes: ["orders"], opening: .custom { try server.redirect($0) }))
    }

    @Test func `a sign-out removes the tokens, and revokes both at the server`() async throws {
        let (server, store) = (LoginServer(), MemoryTokenStore())
        let (login, tokens) = try await signedIn(server, store)
        try await login.signOut(tokens)
        #expect(store.load()?.isEmpty == true)
        let forms = server.forms("/revoke")
        #expect(forms.map { $0["token_type_hint"] } == ["refresh_token", "access_token"])
        #expect(forms.map { $0["token"] } == ["r3fresh", "aaaaaaaaaa"] && forms[0]["client_id"] == "shop")
        try await login.signOut(tokens)
        #expect(server.forms("/revoke").count == 2)
    }

    @Test func `tokens that the server does not revoke are removed here all the same`() async throws {
        let (server, store) = (LoginServer(), MemoryTokenStore())
        let (login, tokens) = try await signedIn(server, store)
        let url = try #require(URL(string: LoginServer.issuer + "/revoke"))
        server.update {
            $0.overrides["/revoke"] = HTTPResponse(
                status: .serviceUnavailable, body: Data(#"{"error_description": "r3fresh"}"#.utf8), url: url)
        }
        let error = await #expect(throws: SignInError.self) { try await login.signOut(tokens) }
        #expect(error?.code == .revocationFailed && error?.underlying is AuthenticationError)
        #expect(store.load()?.isEmpty == true)
        let shown = "\(String(describing: error)) \(String(describing: error?.underlying))"
        #expect(!shown.contains("r3fresh"))
    }

    @Test func `a server without revocation is no error`() async throws {
        let (server, store) = (LoginServer(["revocation_endpoint": .null]), MemoryTokenStore())
        let (login, tokens) = try await signedIn(server, store)
        try await login.signOut(tokens)
        #expect(server.forms("/revoke").isEmpty && store.load()?.isEmpty == true)
    }
}
