import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import SignIn
import TestSupport
import Testing
import Transport

@Suite struct SignOutTests {
    private func signedIn(_ server: LoginServer, _ store: some TokenStore) async throws -> (OAuthLogin, OAuthClient) {
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

    @Test func `a redirect of the revocation endpoint does not count as a revocation`() async throws {
        let (server, store) = (LoginServer(), MemoryTokenStore())
        let login = try server.login(
            .uri("com.example.shop:/in"), store: store, over: AnyTransport(server.transport.redirecting()))
        let tokens = try await login.tokens(scopes: ["orders"], opening: .custom { try server.redirect($0) })
        let url = try #require(URL(string: LoginServer.issuer + "/revoke"))
        let redirect = HTTPResponse(status: .found, fields: try HTTPFields(["Location": "/page"]), url: url)
        let page = HTTPResponse(status: .ok, body: Data("<html>".utf8), url: url)
        server.update { $0.overrides = ["/revoke": redirect, "/page": page] }
        let error = await #expect(throws: SignInError.self) { try await login.signOut(tokens) }
        #expect(error?.code == .revocationFailed && (error?.underlying as? AuthenticationError)?.code == .refused)
        #expect(store.load()?.isEmpty == true && server.forms("/revoke").count == 1)
    }

    @Test func `tokens of another login are refused, and sent nowhere`() async throws {
        let (server, store) = (LoginServer(), MemoryTokenStore())
        let tokens = try await signedIn(server, store).1
        let others = try [("other", LoginServer.issuer + "/token"), ("shop", "https://b.example/token")].map {
            id, url in
            try OAuthLogin(
                .metadata(OAuthServerMetadata(issuer: LoginServer.issuer, token: url, revocation: url)),
                client: .publicClient(id: id), redirect: .loopback, over: server.transport)
        }
        for other in others {
            let error = await #expect(throws: SignInError.self) { try await other.signOut(tokens) }
            #expect(error?.code == .invalidConfiguration && error?.message.contains("another login") == true)
        }
        #expect(server.forms("/revoke").isEmpty && server.forms("/token").count == 1)
        #expect(store.load()?.refreshToken == "r3fresh")
    }

    @Test func `a sign-in or a sign-out by one client of a login is that of all`() async throws {
        let server = LoginServer()
        let (login, tokens) = try await signedIn(server, MemoryTokenStore())
        let seen = Watched<[String?]>([])
        let api = FakeTransport { request in
            seen.update { $0.append(request.fields[.authorization]) }
            return request.response()
        }
        let stack = api.authorizing(with: tokens, at: try AllowedOrigins("https://api.example.com"))
        let request = try HTTPRequest(.get, "https://api.example.com/")
        _ = try await stack.send(request)
        let stored = try #require(await login.storedTokens(scopes: ["orders"]))
        try await login.signOut(stored)
        #expect(try await !tokens.isSignedIn())
        let error = await #expect(throws: AuthenticationError.self) { try await stack.send(request) }
        #expect(error?.code == .signInRequired)
        server.update { $0.tokenSize = 12 }
        _ = try await login.tokens(scopes: ["orders"], opening: .custom { try server.redirect($0) })
        _ = try await stack.send(request)
        #expect(seen.value == ["Bearer aaaaaaaaaa", "Bearer aaaaaaaaaaaa"])
    }

    @Test func `a sign-in that cannot be saved leaves the user before signed in`() async throws {
        let (server, store) = (LoginServer(), BrokenStore())
        let (login, tokens) = try await signedIn(server, store)
        server.update { $0.tokenSize = 12 }
        store.breaks(.saving)
        await #expect(throws: BrokenStore.Failure.self) {
            try await login.tokens(scopes: ["orders"], opening: .custom { try server.redirect($0) })
        }
        #expect(server.forms("/revoke").map { $0["token"] } == ["r3fresh", "aaaaaaaaaaaa"])
        #expect(try await tokens.obtain(CredentialNeed(scope: "orders")).credential.value == "aaaaaaaaaa")
        #expect(store.base.load()?.tokens["orders"]?.value == "aaaaaaaaaa")
    }

    /// A store whose next save waits.
    private struct SlowStore: TokenStore {
        let base = MemoryTokenStore()
        let isSlow = Watched(false)
        let gate = Gate()
        func load() -> TokenSet? { base.load() }
        func save(_ tokens: TokenSet?) async throws {
            if isSlow.value { try await gate.wait() }
            base.save(tokens)
        }
    }

    @Test(arguments: [true, false])
    func `a sign-out or a sign-in while the tokens of another sign-in are saved counts`(signsOut: Bool) async throws {
        let (server, store) = (LoginServer(), SlowStore())
        let (login, tokens) = try await signedIn(server, store)
        let before = try await tokens.obtain(CredentialNeed(scope: "orders")).credential
        server.update { $0.tokenSize = 12 }
        store.isSlow.update { $0 = true }
        let signIn = Task {
            try await login.tokens(scopes: ["orders"], opening: .custom { try server.redirect($0) })
        }
        try await store.gate.waitForWaiters(1)
        let change = Task {
            if signsOut { try await tokens.signOut() } else { try await tokens.signIn(with: OAuthToken("of-carol")) }
        }
        try await eventually("the change is made") { !tokens.isCurrent(before, for: "orders") }
        store.isSlow.update { $0 = false }
        store.gate.open()
        let error = await #expect(throws: AuthenticationError.self) { try await signIn.value }
        #expect(error?.code == .signedOut && server.forms("/revoke").map { $0["token"] }.contains("aaaaaaaaaaaa"))
        try await change.value
        #expect(store.load()?.tokens["orders"]?.value == (signsOut ? nil : "of-carol"))
        #expect(await tokens.lastCredential(for: "orders")?.value == (signsOut ? nil : "of-carol"))
    }

    @Test func `stored tokens are those that another process has stored meanwhile`() async throws {
        let store = MemoryTokenStore()
        let login = try LoginServer().login(store: store)
        #expect(try await login.storedTokens(scopes: ["orders"]) == nil)
        store.save(TokenSet(refreshToken: "of-another"))
        #expect(try await login.storedTokens(scopes: ["orders"]) != nil)
        store.save(TokenSet())
        #expect(try await login.storedTokens(scopes: ["orders"]) == nil)
    }

    @Test func `what another client of the store has obtained is revoked`() async throws {
        let (server, store) = (LoginServer(), MemoryTokenStore())
        let (login, tokens) = try await signedIn(server, store)
        store.save(TokenSet(refreshToken: "r0tated"))
        try await login.signOut(tokens)
        #expect(server.forms("/revoke").map { $0["token"] } == ["r0tated"] && store.load()?.isEmpty == true)
    }

    @Test func `what a refresh in flight obtains is revoked`() async throws {
        let (server, store) = (LoginServer(tokenGate: Gate()), MemoryTokenStore())
        store.save(TokenSet(refreshToken: "r0"))
        let login = try server.login(store: store)
        let tokens = try #require(await login.storedTokens(scopes: ["orders"]))
        let refresh = Task { try await tokens.obtain(CredentialNeed(scope: "orders")) }
        try await server.tokenGate.waitForWaiters(1)
        let started = Gate()
        let signOut = Task {
            started.open()
            try await login.signOut(tokens)
        }
        try await started.wait()
        server.tokenGate.open()
        try await signOut.value
        _ = try await refresh.value
        #expect(server.forms("/revoke").map { $0["token"] } == ["r3fresh", "aaaaaaaaaa"])
        #expect(store.load()?.isEmpty == true)
    }

    /// A store whose lock another process holds.
    private struct HeldStore: TokenStore {
        let base = MemoryTokenStore()
        let lock = Gate()
        func load() -> TokenSet? { base.load() }
        func save(_ tokens: TokenSet?) { base.save(tokens) }
        func withRefreshLock<Result: Sendable>(
            _ request: @escaping @Sendable () async throws -> Result
        ) async throws -> Result {
            try await lock.wait()
            return try await request()
        }
    }

    @Test func `a sign-out that is cancelled removes the tokens, also while another process holds the lock`()
        async throws
    {
        let (server, store) = (LoginServer(), HeldStore())
        let (login, tokens) = try await signedIn(server, store)
        let signOut = Task { try? await login.signOut(tokens) }
        try await store.lock.waitForWaiters(1)
        #expect(store.load()?.refreshToken == "r3fresh")
        signOut.cancel()
        await signOut.value
        #expect(store.load()?.isEmpty == true)
        #expect(try await !tokens.isSignedIn())
        // The lock comes late: the next user stays signed in.
        let ofBob = try OAuthToken("of-bob", refreshToken: "r-of-bob")
        try await tokens.signIn(with: ofBob)
        store.lock.open()
        _ = try await tokens.obtain(CredentialNeed(scope: "orders", previous: ofBob))
        #expect(server.forms("/token").last?["refresh_token"] == "r-of-bob")
    }

    @Test func `a store that cannot be read is an error that says that tokens may be valid`() async throws {
        let (server, store) = (LoginServer(), BrokenStore())
        let (login, tokens) = try await signedIn(server, store)
        store.breaks(.loading)
        let error = await #expect(throws: SignInError.self) { try await login.signOut(tokens) }
        #expect(error?.code == .revocationFailed && error?.underlying is BrokenStore.Failure)
        #expect(error?.message.contains("the store could not be read") == true)
        #expect(server.forms("/revoke").map { $0["token"] } == ["r3fresh", "aaaaaaaaaa"])
        #expect(store.base.load()?.isEmpty == true)
    }

    @Test func `without the server's metadata the tokens are removed here, and sent nowhere`() async throws {
        let (server, store) = (LoginServer(), MemoryTokenStore())
        let tokens = try await signedIn(server, store).1
        server.update { $0.metadata = .null }
        let error = await #expect(throws: SignInError.self) { try await server.login().signOut(tokens) }
        #expect(error?.code == .revocationFailed && (error?.underlying as? SignInError)?.code == .invalidMetadata)
        #expect(store.load()?.isEmpty == true && server.forms("/revoke").isEmpty)
    }

    @Test func `tokens that cannot be removed from the store are revoked all the same`() async throws {
        let (server, store) = (LoginServer(), BrokenStore())
        let (login, tokens) = try await signedIn(server, store)
        store.breaks(.saving)
        await #expect(throws: BrokenStore.Failure.self) { try await login.signOut(tokens) }
        #expect(server.forms("/revoke").map { $0["token"] } == ["r3fresh", "aaaaaaaaaa"])
    }

    @Test func `a server without revocation is no error`() async throws {
        let (server, store) = (LoginServer(["revocation_endpoint": .null]), MemoryTokenStore())
        let (login, tokens) = try await signedIn(server, store)
        try await login.signOut(tokens)
        #expect(server.forms("/revoke").isEmpty && store.load()?.isEmpty == true)
    }
}
