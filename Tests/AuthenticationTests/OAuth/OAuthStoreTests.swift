import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// Clients that come one after the other, or share a store.
@Suite(.needsSlot) struct OAuthStoreTests {
    private let folder: TemporaryFolder
    private let file: FileTokenStore

    init() throws {
        folder = try TemporaryFolder()
        file = FileTokenStore(at: folder.url.appending(path: "tokens"))
    }

    /// A store of an app, which knows nothing of other clients.
    private struct PlainStore: TokenStore {
        let base = MemoryTokenStore()
        func load() -> TokenSet? { base.load() }
        func save(_ tokens: TokenSet?) { base.save(tokens) }
    }

    private func client(
        _ issuer: Issuer, _ store: some TokenStore, grant: OAuthGrant = .refreshToken("r0")
    ) throws -> OAuthClient {
        OAuthClient(
            try TokenEndpoint(
                "https://login.example.com/token", client: .publicClient(id: "app"), over: issuer.transport),
            grant: grant, scope: "read", store: store)
    }

    private func token(_ client: OAuthClient, replacing previous: String? = nil) async throws -> String {
        let previous = try previous.map { try OAuthToken($0) }
        return try await client.obtain(CredentialNeed(scope: "read", previous: previous)).credential.value
    }

    private func error(_ client: OAuthClient) async -> AuthenticationError? {
        await #expect(throws: AuthenticationError.self) { try await token(client) }
    }

    /// A store that is slow to save, and tells what it has got.
    private struct GatedStore: TokenStore {
        let gate = Gate()
        let saved = Watched<[String]>([])
        func load() -> TokenSet? { nil }
        func save(_ tokens: TokenSet?) async throws {
            saved.update { $0.append(tokens?.tokens.values.map(\.value).joined() ?? "") }
            try await gate.wait()
        }
    }

    // MARK: One after the other

    @Test func `a sign-in that a sign-out has overtaken does not reach the store`() async throws {
        let (store, executor) = (GatedStore(), ObservedExecutor())
        let client = try client(Issuer(refreshToken: "r0"), store)
        let first = Task(executorPreference: executor) { try await client.signIn(with: try OAuthToken("first")) }
        try await store.saved.wait { !$0.isEmpty }
        let second = Task(executorPreference: executor) {
            try await client.signInOnceSaved(with: try OAuthToken("second"))
        }
        try await executor.waitUntilIdle()
        let signOut = Task(executorPreference: executor) { try await client.signOut() }
        try await executor.waitUntilIdle()
        store.gate.open()
        try await first.value
        #expect(await #expect(throws: AuthenticationError.self) { try await second.value }?.code == .signedOut)
        try await signOut.value
        #expect(store.saved.value.first == "first" && !store.saved.value.contains("second"))
        #expect(store.saved.value.last == "")
    }

    @Test(arguments: [false, true])
    func `an initial refresh token is not used again after a sign-out and a restart`(wasUsed: Bool) async throws {
        for store in [file, PlainStore()] as [any TokenStore] {
            let issuer = Issuer(refreshToken: "r0")
            let first = try client(issuer, store)
            if wasUsed { #expect(try await token(first) == "t1") }
            try await first.signOut()
            // The server would take it for stolen, and revoke all tokens of the user.
            let restarted = try client(issuer, store)
            #expect(await error(restarted)?.code == .signInRequired && issuer.forms.count == (wasUsed ? 1 : 0))
            try await restarted.signIn(with: try OAuthToken("fresh", refreshToken: "r9"))
            #expect(try await token(client(issuer, store)) == "fresh")
        }
        let text = try String(contentsOf: file.url, encoding: .utf8)
        #expect(text.contains("fresh") && !text.contains("r0") && !text.contains("t1"))
    }

    @Test func `a refused refresh token is removed from the store`() async throws {
        for store in [file, PlainStore()] as [any TokenStore] {
            let kept = try OAuthToken("kept", scope: "other")
            try await store.save(TokenSet(tokens: ["other": kept], refreshToken: "revoked"))
            let issuer = Issuer(refreshToken: "another")
            #expect(try await error(client(issuer, store))?.oauthError == "invalid_grant")
            let stored = try await store.load()
            #expect(stored?.refreshToken == nil && stored?.tokens.keys.map(\.text) == ["other"])
            #expect(try await error(client(issuer, store))?.code == .signInRequired && issuer.forms.count == 1)
        }
    }

    @Test func `a refused initial refresh token is not used again after a restart`() async throws {
        let issuer = Issuer(refreshToken: "another")
        #expect(try await error(client(issuer, file))?.oauthError == "invalid_grant")
        #expect(try await error(client(issuer, file))?.code == .signInRequired && issuer.forms.count == 1)
    }

    @Test(arguments: [false, true])
    func `with a refused refresh token the rejected token is no sign-in, here and after a restart`(
        hasOther: Bool
    ) async throws {
        var tokens: [OAuthScope: OAuthToken] = ["read": try OAuthToken("rejected", scope: "read")]
        if hasOther { tokens["other"] = try OAuthToken("other", scope: "other") }
        try file.save(TokenSet(tokens: tokens, refreshToken: "revoked"))
        let client = try client(Issuer(refreshToken: "another"), file)
        let transport = FakeTransport { $0.response(.unauthorized) }
            .authorizing(with: client, at: try AllowedOrigins("https://api.example.com"))
        let error = await #expect(throws: AuthenticationError.self) {
            try await transport.send(HTTPRequest(.get, "https://api.example.com/"))
        }
        #expect(error?.code == .signInRequired && error?.message.contains("`OAuthLogin`") == true)
        #expect(try await client.isSignedIn() == hasOther)
        #expect(try await self.client(Issuer(), file).isSignedIn() == hasOther)
        #expect(try file.load()?.tokens.keys.map(\.text) == (hasOther ? ["other"] : []))
    }

    // MARK: At the same time

    @Test func `two clients of a file use the refresh token one at a time, and each the latest`() async throws {
        let gate = Gate()
        let issuer = Issuer(refreshToken: "r0", gate: gate)
        let clients = try (0..<3).map { _ in try client(issuer, FileTokenStore(at: file.url)) }
        let calls = clients.map { client in Task { try await token(client) } }
        try await gate.waitForWaiters(1)
        gate.open()
        // The others take the token that the first one has stored.
        for call in calls { #expect(try await call.value == "t1") }
        #expect(issuer.forms.count == 1)
        for client in clients { #expect(try await token(client, replacing: "t1") == "t2") }
        #expect(issuer.forms.count == 2 && issuer.maximumInFlight == 1)
        #expect(try file.load()?.refreshToken == "r2")
        #expect(try folder.names == [".tokens.lock", "tokens"])
    }

    @Test func `tokens are not stored after the sign-out of another client`() async throws {
        for store in [file, MemoryTokenStore(), PlainStore()] as [any TokenStore] {
            let gate = Gate()
            let issuer = Issuer(refreshToken: "r0", gate: gate)
            let refreshing = try client(issuer, store)
            let call = Task { try await refreshing.obtain(CredentialNeed(scope: "read")) }
            try await gate.waitForWaiters(1)
            // It does not wait for the refresh.
            try await client(issuer, store).signOut()
            gate.open()
            // For the requests that wait only.
            let issued = try await call.value
            #expect(issued.credential.value == "t1" && issued.lifetime == .zero)
            #expect(try await store.load()?.isEmpty == true)
            #expect(await error(refreshing)?.code == .signInRequired && issuer.forms.count == 1)
            #expect(try await store.load()?.isEmpty == true)
        }
    }

    @Test func `the tokens of another client's sign-in are used`() async throws {
        let issuer = Issuer(refreshToken: "r0")
        let first = try client(issuer, file)
        #expect(try await token(first) == "t1")
        try await client(issuer, FileTokenStore(at: file.url)).signIn(
            with: try OAuthToken("theirs", refreshToken: "r9"))
        #expect(try await token(first, replacing: "t1") == "theirs")
        issuer.accept("r9")
        #expect(try await token(first, replacing: "theirs") == "t2")
        #expect(issuer.forms.last?.contains("refresh_token=r9&") == true && issuer.forms.count == 2)
    }

    @Test func `a token that another client has stored is used without a request`() async throws {
        let issuer = Issuer()
        let clients = try (0..<2).map { _ in try client(issuer, FileTokenStore(at: file.url), grant: .clientCredentials)
        }
        // Both have read the store when it was empty.
        #expect(try await clients[0].obtain(CredentialNeed(scope: "a")).credential.value == "t1")
        #expect(try await clients[1].obtain(CredentialNeed(scope: "b")).credential.value == "t2")
        #expect(try await clients[0].obtain(CredentialNeed(scope: "b")).credential.value == "t2")
        #expect(try await clients[1].obtain(CredentialNeed(scope: "a")).credential.value == "t1")
        #expect(try issuer.forms.count == 2 && file.load()?.tokens.count == 2)
    }

    @Test func `a store that cannot be read again fails no call`() async throws {
        let issuer = Issuer(refreshToken: "r0")
        let failures = Watched(0)
        let client = OAuthClient(
            try TokenEndpoint(
                "https://login.example.com/token", client: .publicClient(id: "app"), over: issuer.transport),
            grant: .refreshToken("r0"), scope: "read", store: file,
            storeFailed: { _ in failures.update { $0 += 1 } })
        #expect(try await token(client) == "t1" && failures.value == 0)
        try Data("damaged".utf8).write(to: file.url)
        // The latest refresh token is in memory.
        #expect(try await token(client, replacing: "t1") == "t2" && failures.value > 0)
        #expect(try Data(contentsOf: file.url) == Data("damaged".utf8))
    }
}
