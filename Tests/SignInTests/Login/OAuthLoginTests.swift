import Authentication
import Foundation
import HTTPMessages
import JSON
import PatchbayTestKit
import RequestModel
import SignIn
import Signing
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct OAuthLoginTests {
    private func error(
        _ body: () async throws -> some Sendable, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> SignInError? {
        await #expect(throws: SignInError.self, sourceLocation: sourceLocation) { try await body() }
    }

    @Test func `a browser signs in through the listener, and the tokens authorize requests`() async throws {
        let server = LoginServer()
        let store = MemoryTokenStore()
        let login = try server.login(store: store)
        let tokens = try await login.tokens(scopes: ["orders"], opening: server.browser())
        let seen = Mutex<String?>(nil)
        let api = FakeTransport { request in
            seen.withLock { $0 = request.fields[.authorization] }
            return request.response()
        }
        let origins = try AllowedOrigins("https://api.example.com")
        _ = try await api.authorizing(with: tokens, at: origins).send(HTTPRequest(.get, "https://api.example.com/"))
        #expect(seen.withLock { $0 } == "Bearer aaaaaaaaaa")
        #expect(store.load()?.refreshToken == "r3fresh")
        #expect(server.authorization["redirect_uri"]?.hasPrefix("http://127.0.0.1:") == true)
        // Another start of the app finds them.
        #expect(try await server.login(store: store).storedTokens(scopes: ["orders"]) != nil)
        #expect(try await server.login().storedTokens(scopes: ["orders"]) == nil)
    }

    @Test func `an ID token is checked at the server's time, also if the local clock is wrong by a day`() async throws {
        for skew in [0, -86400, 86400] as [TimeInterval] {
            let server = LoginServer()
            server.update { $0.skew = skew }
            let result = try await server.login().signIn(scopes: ["openid", "orders"], opening: server.browser())
            #expect(result.idToken?.subject == "ann" && result.scopes == "openid orders")
        }
        // Without the server's `Date`, the error says so.
        let server = LoginServer()
        server.update { $0.skew = nil }
        let clock = ServerClock { Date().addingTimeInterval(86400) }
        let login = try server.login(serverClock: clock)
        let error = await error { try await login.signIn(scopes: ["openid"], opening: server.browser()) }
        #expect(error?.code == .invalidIDToken && error?.message.contains("set the clock") == true)
    }

    @Test func `a wrong ID token stores nothing`() async throws {
        for (claim, value) in [("nonce", "other"), ("aud", "other"), ("iss", "https://b.example")] {
            let server = LoginServer()
            server.update { $0.claims = [claim: .string(value)] }
            let store = MemoryTokenStore()
            let login = try server.login(store: store)
            let error = await error { try await login.signIn(scopes: ["openid"], opening: server.browser()) }
            #expect(error?.code == (claim == "iss" ? .otherIssuer : .invalidIDToken))
            #expect(store.load() == nil)
            // The app never gets these tokens.
            #expect(server.forms("/revoke").map { $0["token"] } == ["r3fresh", "aaaaaaaaaa"])
        }
    }

    @Test func `tokens that cannot be stored are revoked`() async throws {
        let server = LoginServer()
        let store = BrokenStore()
        store.breaks(.saving)
        let login = try server.login(.uri("com.example.shop:/in"), store: store)
        await #expect(throws: BrokenStore.Failure.self) {
            try await login.tokens(scopes: ["orders"], opening: .custom { try server.redirect($0) })
        }
        #expect(server.forms("/revoke").map { $0["token"] } == ["r3fresh", "aaaaaaaaaa"])
    }

    @Test(arguments: [false, true])
    func `tokens in a response that is refused are revoked`(isDevice: Bool) async throws {
        let responses: [(name: String, value: JSONValue, key: SigningKey?)] = [
            ("token_type", "Bearer", try .generate(.ecdsaP256SHA256)),
            ("id_token", .string(String(repeating: "i", count: 65 << 10)), nil),
        ]
        for (name, value, key) in responses {
            let server = LoginServer()
            server.update { $0.members = [name: value] }
            let store = MemoryTokenStore()
            let error = await #expect(throws: AuthenticationError.self) {
                try await signIn(server, isDevice: isDevice, store: store, dpop: key)
            }
            #expect(error?.code == .invalidTokenResponse && store.load() == nil)
            #expect(server.forms("/revoke").map { $0["token"] } == ["r3fresh", "aaaaaaaaaa"], "\(name)")
        }
    }

    /// Signs in on another device, or by a browser that catches the redirect.
    private func signIn(
        _ server: LoginServer, isDevice: Bool, store: MemoryTokenStore, dpop: SigningKey? = nil,
        over network: AnyTransport? = nil
    ) async throws {
        let clock = ManualClock()
        let login = try server.login(
            .uri("com.example.shop:/in"), store: store, clock: clock, dpop: dpop, over: network)
        if isDevice {
            _ = try await clock.autoAdvancing { try await login.tokens(scopes: []) { _ in } }
        } else {
            _ = try await login.tokens(scopes: [], opening: .custom { try server.redirect($0) })
        }
    }

    static var clients: [ClientAuthentication] {
        get throws {
            [
                "shop", try .basic(id: "shop", secret: "s3cret"), .parameters(id: "shop", secret: "s3cret"),
                .assertion(clientID: "shop") { "a.b.c" },
            ]
        }
    }

    @Test(arguments: 0..<4) func `requests are pushed where the server offers it`(client: Int) async throws {
        let server = LoginServer(["pushed_authorization_request_endpoint": .string(LoginServer.issuer + "/par")])
        let opened = Mutex<URL?>(nil)
        let browser = ClosureBrowser { page in
            opened.withLock { $0 = page.url }
            return try await server.browser().open(page)
        }
        _ = try await server.login(client: Self.clients[client]).tokens(scopes: ["orders"], opening: browser)
        let query = Query(parsing: opened.withLock { $0 }?.query(percentEncoded: true) ?? "", as: .form)
        #expect(query == ["client_id": "shop", "request_uri": "urn:example:1"])
        let pushed = try #require(server.forms("/par").first)
        #expect(pushed["code_challenge_method"] == "S256")
        // Also with Basic (RFC 9126, section 2.1), and never twice.
        #expect(pushed.values(of: "client_id") == ["shop"])
        #expect(pushed["client_secret"] == (client == 2 ? "s3cret" : nil))
    }

    @Test func `foreign responses get an error page, and the sign-in completes with the user's own`() async throws {
        let server = LoginServer()
        let statuses = Mutex<[Int]>([])
        let changes: [@Sendable (inout Query) -> Void] = [
            { $0.set("state", to: "other") }, { $0.remove("state") }, { $0.append("state", "other") },
        ]
        let browser = ClosureBrowser { page in
            for change in changes {
                let request = try HTTPRequest(.get, server.redirect(page, change))
                let status = try await URLSessionTransport.shared.send(request).status.code
                statuses.withLock { $0.append(status) }
            }
            return try await server.browser().open(page)
        }
        _ = try await server.login().tokens(scopes: ["orders"], opening: browser)
        #expect(statuses.withLock { $0 } == [400, 400, 400] && server.forms("/token").count == 1)
    }

    @Test func `a window that has caught a foreign response ends the sign-in`() async throws {
        let server = LoginServer()
        let login = try server.login(.uri("com.example.shop:/in"))
        let error = await error {
            try await login.tokens(
                scopes: [], opening: .custom { page in try server.redirect(page) { $0.set("state", to: "other") } })
        }
        #expect(error?.code == .stateMismatch && server.forms("/token").isEmpty)
    }

    @Test func `a refusal and another issuer are one error each`() async throws {
        let table: [(@Sendable (inout Query) -> Void, SignInError.Code)] = [
            ({ $0.remove("iss") }, .otherIssuer),
            ({ $0.set("iss", to: "https://b.example") }, .otherIssuer), ({ $0.remove("code") }, .invalidResponse),
            (
                {
                    $0.remove("code"); $0.set("error", to: "access_denied")
                }, .accessDenied
            ),
        ]
        for (change, code) in table {
            let server = LoginServer()
            let login = try server.login()
            let error = await error { try await login.tokens(scopes: [], opening: server.browser(change)) }
            #expect(error?.code == code && server.forms("/token").isEmpty)
        }
    }

    @Test func `a duplicate response gets an error page, and the sign-in completes with the first`() async throws {
        let server = LoginServer(tokenGate: Gate())
        let statuses = Watched<[Int]>([])
        let login = try server.login()
        let network = URLSessionTransport()
        let browser = ClosureBrowser { page in
            let redirect = try server.redirect(page)
            let origin = page.redirectURI.replacing("/callback", with: "")
            // Not in this task, which is cancelled by the first response.
            Task {
                defer { server.tokenGate.open() }
                for url in [origin + "/favicon.ico", redirect.absoluteString, redirect.absoluteString] {
                    let status = try await network.send(HTTPRequest(.get, url)).status.code
                    statuses.update { $0.append(status) }
                }
                let other = try await network.send(HTTPRequest(.delete, redirect)).status.code
                statuses.update { $0.append(other) }
            }
            return nil
        }
        _ = try await login.tokens(scopes: ["orders"], opening: browser)
        #expect(statuses.value == [404, 200, 400, 405])
        #expect(server.forms("/token").count == 1)
        // Nothing of the sign-in listens any more; another test's server may have the port.
        let uri = try #require(server.authorization["redirect_uri"])
        let late = try? await network.send(HTTPRequest(.get, uri))
        #expect(late.map { String(decoding: $0.body, as: UTF8.self).contains("sign-in") } != true)
    }

    @Test func `an app passes the redirect once; a duplicate, a late and a foreign one are errors`() async throws {
        let server = LoginServer()
        let login = try server.login(.uri("com.example.shop:/in"))
        let redirects = Mutex<[URL]>([])
        _ = try await login.tokens(
            scopes: ["orders"],
            opening: .custom { page in
                let redirect = try server.redirect(page)
                redirects.withLock { $0.append(redirect) }
                try login.receive(redirect)
                return nil
            })
        let first = try #require(redirects.withLock { $0.first })
        #expect(await error { try login.receive(first) }?.code == .duplicateResponse)
        let cancelled = await error {
            try await login.tokens(
                scopes: ["orders"],
                opening: .custom { page in
                    let redirect = try server.redirect(page)
                    redirects.withLock { $0.append(redirect) }
                    throw SignInError(.windowClosed, "closed")
                })
        }
        #expect(cancelled?.code == .windowClosed)
        let late = try #require(redirects.withLock { $0.last })
        #expect(await error { try login.receive(late) }?.code == .lateResponse)
        let foreign = try #require(URL(string: "com.example.shop:/in?code=c0de&state=other"))
        #expect(await error { try login.receive(foreign) }?.code == .stateMismatch)
    }

    @Test func `the browser that catches the redirect returns it`() async throws {
        let server = LoginServer()
        let login = try server.login(.uri("https://shop.example.com/in"))
        _ = try await login.tokens(scopes: ["orders"], opening: .custom { try server.redirect($0) })
        #expect(server.forms("/token").first?["redirect_uri"] == "https://shop.example.com/in")
    }

    @Test func `a timeout and a cancellation are one error each`() async throws {
        let server = LoginServer()
        let clock = ManualClock()
        let login = try server.login(settings: SignInSettings(responseTimeout: .seconds(60)), clock: clock)
        async let timed = error { try await login.tokens(scopes: [], opening: .custom { _ in nil }) }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(60))
        let expired = await timed
        #expect(expired?.code == .timedOut && expired?.message.contains("60 seconds") == true)
        let opened = Gate()
        let task = Task {
            await error {
                try await login.tokens(
                    scopes: [],
                    opening: .custom { _ in
                        opened.open()
                        return nil
                    })
            }
        }
        try await opened.wait()
        task.cancel()
        let cancelled = await task.value
        #expect(cancelled?.code == .cancelled && cancelled?.isCancellation == true)
    }

    @Test func `a cancellation while the code is exchanged stores nothing`() async throws {
        let server = LoginServer(tokenGate: Gate())
        let store = MemoryTokenStore()
        let login = try server.login(store: store)
        let task = Task { await error { try await login.tokens(scopes: [], opening: server.browser()) } }
        try await server.tokenGate.waitForWaiters(1)
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(store.load() == nil)
    }

    @Test(arguments: [false, true])
    func `tokens that arrive in a cancelled task are not stored, and are revoked`(isDevice: Bool) async throws {
        let (server, store) = (LoginServer(), MemoryTokenStore())
        let network = AnyTransport(CancellingTransport(server: server))
        let task = Task {
            await error { try await signIn(server, isDevice: isDevice, store: store, over: network) }
        }
        #expect(await task.value?.code == .cancelled && store.load() == nil)
        #expect(server.forms("/revoke").map { $0["token"] } == ["r3fresh", "aaaaaaaaaa"])
    }

    @Test func `a redirect address in use is an error that names it`() async throws {
        let port = try RefusedPort()
        let login = try LoginServer().login(.loopback(port: UInt16(port.port)))
        let error = await error { try await login.tokens(scopes: [], opening: .custom { _ in nil }) }
        #expect(error?.code == .addressInUse && error?.message.contains("127.0.0.1:\(port.port)") == true)
    }

    @Test func `a browser that fails, and a server without what the flow needs, are errors`() async throws {
        struct NoDisplay: Error {}
        let login = try LoginServer().login()
        let failed = await error { try await login.tokens(scopes: [], opening: .custom { _ in throw NoDisplay() }) }
        #expect(failed?.code == .browser && failed?.underlying is NoDisplay)
        for members in [
            ["code_challenge_methods_supported": ["plain"]], ["response_types_supported": ["token"]],
            ["authorization_endpoint": .null],
        ] as [[String: JSONValue]] {
            let login = try LoginServer(members).login()
            let error = await error { try await login.tokens(scopes: [], opening: .custom { _ in nil }) }
            #expect(error?.code == .unsupported)
        }
    }

    @Test func `a token of 1 MB is an error that says its size`() async throws {
        let server = LoginServer()
        server.update { $0.tokenSize = 1_000_000 }
        let login = try server.login()
        let error = await #expect(throws: AuthenticationError.self) {
            try await login.tokens(scopes: ["orders"], opening: server.browser())
        }
        #expect(error?.code == .invalidTokenResponse && error?.message.contains("1000000 bytes") == true)
    }

    @Test func `redirect URIs and durations that cannot be used are refused`() throws {
        for redirect in [
            OAuthRedirect.uri("http://shop.example.com/in"), .uri("shop"), .uri("com.example:/in?x=1"), .uri(""),
            .loopback(port: 0, path: "in"), .loopback(port: 0, path: "/in?x"),
        ] {
            #expect(throws: SignInError.self, "\(redirect)") { try LoginServer().login(redirect) }
        }
        #expect(throws: SignInError.self) { try LoginServer().login(settings: SignInSettings(responseTimeout: .zero)) }
    }
}

/// Cancels the task of a sign-in when its tokens have arrived, and responds all the same.
private struct CancellingTransport: Transport {
    let server: LoginServer

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await server.response(to: request)
        if request.url.path == "/token" { withUnsafeCurrentTask { $0?.cancel() } }
        return response
    }
}
