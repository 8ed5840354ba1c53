import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct OAuthClientTests {
    private func client(
        _ issuer: Issuer, _ grant: OAuthGrant, store: some TokenStore = MemoryTokenStore(),
        clock: ServerClock = ServerClock(),
        storeFailed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) throws -> OAuthClient {
        OAuthClient(
            try TokenEndpoint(
                "https://login.example.com/token", client: .publicClient(id: "app"), over: issuer.transport,
                clock: clock),
            grant: grant, scope: "read", store: store, storeFailed: storeFailed)
    }

    @Test func `client credentials request each scope once`() async throws {
        let issuer = Issuer()
        let credentials = CredentialCache(try client(issuer, .clientCredentials))
        for _ in 0..<2 {
            #expect(try await credentials.credential(for: "b a").value == "t1")
            #expect(try await credentials.credential(for: "read").value == "t2")
            #expect(try await credentials.credential(for: "a b").value == "t1")
        }
        #expect(
            issuer.forms == [
                "grant_type=client_credentials&scope=a+b&client_id=app",
                "grant_type=client_credentials&scope=read&client_id=app",
            ])
    }

    @Test func `a replaced refresh token is used next`() async throws {
        let issuer = Issuer(refreshToken: "r0")
        let store = MemoryTokenStore()
        let client = try client(issuer, .refreshToken("r0"), store: store)
        let first = try await client.obtain(CredentialNeed(scope: "read")).credential
        #expect(first.value == "t1")
        let second = try await client.obtain(CredentialNeed(scope: "read", previous: first)).credential
        #expect(second.value == "t2" && store.load()?.refreshToken == "r2")
        #expect(issuer.forms.map { $0.contains("refresh_token=r0&") } == [true, false])
    }

    @Test func `refresh tokens are used one at a time by different scopes`() async throws {
        let gate = Gate()
        let issuer = Issuer(refreshToken: "r0", gate: gate)
        let client = try client(issuer, .refreshToken("r0"))
        let calls = (0..<5).map { number in
            Task { try await client.obtain(CredentialNeed(scope: OAuthScope("scope\(number)"))).credential.value }
        }
        try await gate.waitForWaiters(1)
        gate.open()
        var values: Set<String> = []
        for call in calls { values.insert(try await call.value) }
        #expect(values == ["t1", "t2", "t3", "t4", "t5"] && issuer.maximumInFlight == 1)
    }

    @Test func `a revoked refresh token asks for a sign-in, and a sign-in helps`() async throws {
        let issuer = Issuer(refreshToken: "new")
        let store = MemoryTokenStore(TokenSet(refreshToken: "stored"))
        let client = try client(issuer, .refreshToken("old"), store: store)
        let error = await #expect(throws: AuthenticationError.self) {
            try await client.obtain(CredentialNeed(scope: "read"))
        }
        #expect(error?.code == .signInRequired && error?.oauthError == "invalid_grant")
        // The stored one only: the initial one is older.
        #expect(issuer.forms.map { $0.contains("refresh_token=stored&") } == [true])
        let again = await #expect(throws: AuthenticationError.self) {
            try await client.obtain(CredentialNeed(scope: "other"))
        }
        #expect(again?.code == .signInRequired && again?.oauthError == "invalid_grant" && issuer.forms.count == 1)
        try await client.signIn(with: try OAuthToken("fresh", refreshToken: "new"))
        #expect(try await client.obtain(CredentialNeed(scope: "read")).credential.value == "fresh")
        let previous = try OAuthToken("fresh")
        #expect(
            try await client.obtain(CredentialNeed(scope: "read", previous: previous)).credential.value == "t2")
    }

    @Test func `an initial refresh token that the server has replaced is not used again`() async throws {
        let issuer = Issuer(refreshToken: "r0")
        let client = try client(issuer, .refreshToken("r0"))
        let first = try await client.obtain(CredentialNeed(scope: "read")).credential
        // The server revokes r1, and would take r0: a client must have discarded that (RFC 6749, section 6).
        issuer.accept("r0")
        let error = await #expect(throws: AuthenticationError.self) {
            try await client.obtain(CredentialNeed(scope: "read", previous: first))
        }
        #expect(error?.code == .signInRequired)
        #expect(issuer.forms.map { $0.contains("refresh_token=r0&") } == [true, false])
    }

    @Test func `after a sign-out the initial refresh token is not used`() async throws {
        let issuer = Issuer(refreshToken: "r0")
        let client = try client(issuer, .refreshToken("r0"))
        try await client.signOut()
        let error = await #expect(throws: AuthenticationError.self) {
            try await client.obtain(CredentialNeed(scope: "read"))
        }
        #expect(error?.code == .signInRequired && error?.oauthError == nil && issuer.forms.isEmpty)
    }

    @Test func `a call whose scope another call has learned meanwhile is sent again with it`() async throws {
        let gates = [Gate(), Gate()]
        let arrived = Watched(0), finished = Watched(0)
        let base = ScriptedTransport { request in
            if request.fields[.authorization] == "Bearer t2" { return request.response(text: "ok") }
            let number = arrived.update { count in
                defer { count += 1 }
                return count
            }
            if number < gates.count { try await gates[number].wait() }
            return request.response(
                .forbidden,
                fields: try HTTPFields(["WWW-Authenticate": "Bearer error=\"insufficient_scope\", scope=\"write read\""]
                ))
        }
        let credentials = CredentialCache(try client(Issuer(), .clientCredentials))
        _ = try await credentials.credential(for: "read")
        let transport = base.authorizing(with: credentials, at: try AllowedOrigins(api))
        let calls = (0..<2).map { _ in
            Task {
                defer { finished.update { $0 += 1 } }
                return try await transport.send(request(.post)).status
            }
        }
        try await arrived.wait { $0 == 2 }
        gates[0].open()
        try await finished.wait { $0 == 1 }
        gates[1].open()
        for call in calls { #expect(try await call.value == .ok) }
        #expect(base.requests.count == 4)
    }

    @Test func `without a refresh token the error says to sign in`() async throws {
        let client = try client(Issuer(), .refreshToken())
        let error = await #expect(throws: AuthenticationError.self) {
            try await client.obtain(CredentialNeed(scope: "read"))
        }
        #expect(error?.code == .signInRequired && error?.message.contains("sign in") == true)
    }

    @Test func `a stored token is used until it is replaced`() async throws {
        let issuer = Issuer()
        let now = Date()
        let stored = try OAuthToken("stored", scope: "read", expiry: now + 3600)
        let store = MemoryTokenStore(TokenSet(tokens: ["read": stored]))
        let client = try client(issuer, .clientCredentials, store: store, clock: ServerClock { now })
        let issued = try await client.obtain(CredentialNeed(scope: "read"))
        #expect(issued.credential == stored && issued.lifetime.map { $0 > .seconds(3500) } == true)
        #expect(try await client.obtain(CredentialNeed(scope: "read", previous: stored)).credential.value == "t1")
        #expect(store.load()?.tokens["read"]?.value == "t1")
    }

    @Test func `an expired stored token is not used, and says whose responses a cache may give`() async throws {
        let store = MemoryTokenStore(
            TokenSet(tokens: ["read": try OAuthToken("a", expiry: Date()), "b": try OAuthToken("b", expiry: Date())]))
        let client = try client(Issuer(), .clientCredentials, store: store)
        #expect(try await client.obtain(CredentialNeed(scope: "read")).credential.value == "t1")
        #expect(store.load()?.tokens.mapValues(\.value) == ["read": "t1", "b": "b"])
        #expect(await client.lastCredential(for: "b")?.value == "b")
    }

    @Test func `a refused refresh token ends the sign-in, also with an expired token in the store`() async throws {
        let expired = try OAuthToken("a", expiry: Date())
        let store = MemoryTokenStore(TokenSet(tokens: ["read": expired], refreshToken: "unknown"))
        let client = try client(Issuer(refreshToken: "r0"), .refreshToken(nil), store: store)
        let error = await #expect(throws: AuthenticationError.self) {
            try await client.obtain(CredentialNeed(scope: "read"))
        }
        #expect(error?.code == .signInRequired && store.load()?.isEmpty == true)
        #expect(try await !client.isSignedIn())
    }

    @Test func `only a few expired tokens are kept`() async throws {
        let store = MemoryTokenStore()
        let client = OAuthClient(
            try TokenEndpoint(
                "https://login.example.com/token", client: .publicClient(id: "app"),
                over: FakeTransport { $0.response(json: ["access_token": "t", "expires_in": 0]) }),
            grant: .clientCredentials, store: store)
        for number in 0..<50 { _ = try await client.obtain(CredentialNeed(scope: OAuthScope("s\(number)"))) }
        let kept = try #require(store.load()).tokens
        #expect((16...17).contains(kept.count) && kept["s49"] != nil && kept["s10"] == nil)
    }

    @Test(arguments: [true, false])
    func `after a sign-out a layer with the client's tokens does not send them`(signsIn: Bool) async throws {
        let issuer = Issuer()
        let client = try client(issuer, .refreshToken("r0"))
        let seen = Watched<[String?]>([])
        let api = FakeTransport { request in
            seen.update { $0.append(request.fields[.authorization]) }
            return request.response()
        }
        let transport = api.authorizing(with: client, at: try AllowedOrigins("https://api.example.com"))
        let request = try HTTPRequest(.get, "https://api.example.com/")
        try await client.signIn(with: OAuthToken("ann"))
        _ = try await transport.send(request)
        try await client.signOut()
        await #expect(throws: AuthenticationError.self) { try await transport.send(request) }
        #expect(seen.value == ["Bearer ann"])
        guard signsIn else { return }
        try await client.signIn(with: OAuthToken("bob"))
        _ = try await transport.send(request)
        #expect(seen.value == ["Bearer ann", "Bearer bob"])
    }

    @Test func `calls without a sign-in do not hold back those after it`() async throws {
        let client = try client(Issuer(), .refreshToken(nil))
        let credentials = CredentialCache(client)
        for _ in 0..<10 {
            let error = await #expect(throws: AuthenticationError.self) {
                try await credentials.credential(for: "read")
            }
            #expect(error?.code == .signInRequired)
        }
        try await client.signIn(with: OAuthToken("ann"))
        #expect(try await credentials.credential(for: "read").value == "ann")
    }

    private struct BrokenStore: TokenStore {
        var loads = true
        func load() throws -> TokenSet? { if loads { nil } else { throw RefreshFailed() } }
        func save(_ tokens: TokenSet?) throws { throw RefreshFailed() }
    }

    @Test func `a store that cannot save fails no call, and is reported`() async throws {
        let failures = Mutex(0)
        let client = try client(Issuer(), .clientCredentials, store: BrokenStore()) { _ in
            failures.withLock { $0 += 1 }
        }
        #expect(try await client.obtain(CredentialNeed(scope: "read")).credential.value == "t1")
        #expect(failures.withLock { $0 } == 1)
    }

    @Test func `a store that cannot be read fails the call, and is read again`() async throws {
        let issuer = Issuer()
        let client = try client(issuer, .clientCredentials, store: BrokenStore(loads: false))
        for _ in 0..<2 {
            await #expect(throws: RefreshFailed.self) { try await client.obtain(CredentialNeed(scope: "read")) }
        }
        #expect(issuer.forms.isEmpty)
    }

    @Test func `a sign-in replaces the tokens of a store that cannot be read`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tokens-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("damaged".utf8).write(to: file)
        let client = try client(Issuer(), .refreshToken(), store: FileTokenStore(at: file))
        try await client.signIn(with: try OAuthToken("fresh"))
        #expect(try await client.obtain(CredentialNeed(scope: "read")).credential.value == "fresh")
        #expect(try FileTokenStore(at: file).load()?.tokens["read"]?.value == "fresh")
    }

    @Test func `a response that arrives after a sign-out is not stored`() async throws {
        let gate = Gate()
        let store = MemoryTokenStore()
        let client = try client(Issuer(gate: gate), .clientCredentials, store: store)
        let call = Task { try await client.obtain(CredentialNeed(scope: "read")).credential.value }
        try await gate.waitForWaiters(1)
        try await client.signOut()
        gate.open()
        #expect(try await call.value == "t1" && store.load()?.isEmpty == true)
    }

    @Test func `a token for an assertion from before a sign-out is not stored`() async throws {
        let store = MemoryTokenStore()
        let signOut = Watched<(@Sendable () async throws -> Void)?>(nil)
        let client = try client(
            Issuer(),
            .jwtBearer {
                try await signOut.value?()
                return "a.b.c"
            }, store: store)
        signOut.update { $0 = { try await client.signOut() } }
        _ = try await client.obtain(CredentialNeed(scope: "read"))
        #expect(store.load()?.isEmpty == true)
        signOut.update { $0 = nil }
        _ = try await client.obtain(CredentialNeed(scope: "read"))
        #expect(store.load()?.tokens.count == 1)
    }

    @Test(arguments: [(5.0, true), (0, false)])
    func `without a network a stored token is used until it expires`(seconds: Double, isUsed: Bool) async throws {
        let now = Date(timeIntervalSince1970: 1_000_000_000)
        let stored = try OAuthToken("stored", expiry: now + seconds)
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(id: "app"),
            over: FakeTransport { _ in throw TransportError(.unreachable, "No network.") },
            clock: ServerClock { now })
        let client = OAuthClient(
            endpoint, grant: .clientCredentials, store: MemoryTokenStore(TokenSet(tokens: [.empty: stored])))
        let token = try? await client.obtain(CredentialNeed(scope: .empty)).credential.value
        #expect(token == (isUsed ? "stored" : nil))
    }

    @Test func `tokens that never expire are kept for the last 1,000 scopes only`() async throws {
        let store = MemoryTokenStore()
        let client = OAuthClient(
            try TokenEndpoint(
                "https://login.example.com/token", client: .publicClient(id: "app"),
                over: FakeTransport { $0.response(json: ["access_token": "t"]) }),
            grant: .clientCredentials, store: store)
        for number in 0...1001 { _ = try await client.obtain(CredentialNeed(scope: OAuthScope("s\(number)"))) }
        let kept = try #require(store.load()).tokens
        #expect(kept.count == 1000 && kept["s0"] == nil && kept["s1"] == nil && kept["s2"] != nil)
    }

    @Test func `an assertion is made for each JWT bearer grant`() async throws {
        let issuer = Issuer()
        let client = try client(issuer, .jwtBearer { "a.b.c" })
        _ = try await client.obtain(CredentialNeed(scope: "read"))
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        #expect(issuer.forms == ["grant_type=\(type)&assertion=a.b.c&scope=read&client_id=app"])
    }

    @Test func `a resource's scope is learned by URL and method`() async throws {
        let issuer = Issuer()
        let base = ScriptedTransport { request in
            if request.fields[.authorization] == "Bearer t2" { return request.response(text: "ok") }
            return request.response(
                .forbidden,
                fields: try HTTPFields(["WWW-Authenticate": "Bearer error=\"insufficient_scope\", scope=\"write read\""]
                ))
        }
        let client = try client(issuer, .clientCredentials)
        let transport = base.authorizing(with: client, at: try AllowedOrigins(api))
        #expect(try await transport.send(request(.post)).status == .ok)
        #expect(try await transport.send(request(.post)).status == .ok)
        #expect(base.requests.map { $0.fields[.authorization] } == ["Bearer t1", "Bearer t2", "Bearer t2"])
        #expect(try client.scope(of: request(.post)) == "read write" && client.scope(of: request()) == "read")
        // An explicit scope is the caller's decision.
        #expect(try await transport.send(request(.post, scope: "read")).status == .forbidden)
    }

    @Test func `a token that was requested before a sign-out is not cached`() async throws {
        let gate = Gate()
        let client = try client(Issuer(gate: gate), .clientCredentials)
        let credentials = CredentialCache(client)
        let call = Task { try await credentials.credential(for: "read").value }
        try await gate.waitForWaiters(1)
        try await client.signOut()
        gate.open()
        #expect(try await call.value == "t1" && credentials.cachedCredential(for: "read") == nil)
    }

    @Test func `a learned scope that the token server refuses is forgotten`() async throws {
        let server = FakeTransport { request in
            let form = String(decoding: try await request.body.collect(), as: UTF8.self)
            guard form.contains("write") else {
                return request.response(json: ["access_token": "t", "token_type": "Bearer"])
            }
            return request.response(.badRequest, json: ["error": "invalid_scope"])
        }
        let client = OAuthClient(
            try TokenEndpoint("https://login.example.com/token", client: .publicClient(id: "app"), over: server),
            grant: .clientCredentials, scope: "read")
        let base = FakeTransport { request in
            request.response(
                .forbidden,
                fields: try HTTPFields(["WWW-Authenticate": "Bearer error=\"insufficient_scope\", scope=\"write\""]))
        }
        let transport = base.authorizing(with: client, at: try AllowedOrigins(api))
        let error = await #expect(throws: AuthenticationError.self) { try await transport.send(request(.post)) }
        #expect(error?.code == .refused)
        #expect(try client.scope(of: request(.post)) == "read")
    }
}
