import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

/// The user that requests with a credential have for a cache below.
@Suite struct CacheUserTests {
    private let recorder = ScriptedTransport([], then: .status(.ok))
    private let origins: AllowedOrigins
    private let request: HTTPRequest

    init() throws {
        origins = try AllowedOrigins("https://api.test")
        request = try HTTPRequest(.get, "https://api.test/a")
    }

    /// The partitions of two requests, one by each authorizer.
    private func partitions<First: Authorizer, Second: Authorizer>(
        _ first: First, _ second: Second
    ) async throws -> [CachePartition?] {
        _ = try await recorder.authorizing(with: first, at: origins).send(request)
        _ = try await recorder.authorizing(with: second, at: origins).send(request)
        return recorder.requests.map(\.options.cachePartition)
    }

    @Test func `a bearer token is read from its field`() async throws {
        let partitions = try await partitions(BearerAuthorizer(token: "a"), BearerAuthorizer(token: "b"))
        #expect(partitions == [nil, nil])
        let cache = CredentialCache(try BearerAuthorizer(token: "a"))
        _ = try await cache.credential(for: #require(cache.authorizer.scope(of: request)))
        #expect(cache.cachePartition(of: request) == .credential("Bearer a"))
    }

    private struct SessionKeys: Authorizer {
        let key: String

        func scope(of request: HTTPRequest) -> String? { "session" }

        func authorize(_ request: inout HTTPRequest, with key: String) throws {
            request.fields[.authorization] = "App 1"
            request.fields["X-Session"] = key
        }

        func obtain(_ need: CredentialNeed<String, String>) -> IssuedCredential<String> { IssuedCredential(key) }
    }

    @Test func `other fields of a credential tell its users apart`() async throws {
        let partitions = try await partitions(SessionKeys(key: "a"), SessionKeys(key: "b"))
        #expect(partitions[0] != nil && partitions[1] != nil && partitions[0] != partitions[1])
        #expect(
            try await self.partitions(SessionKeys(key: "a"), SessionKeys(key: "a")).suffix(2).allSatisfy {
                $0 == partitions[0]
            })
    }

    private struct AppKey: Authorizer {
        func scope(of request: HTTPRequest) -> String? { "app" }
        func authorize(_ request: inout HTTPRequest, with key: String) throws { request.fields["X-Api-Key"] = key }
        func obtain(_ need: CredentialNeed<String, String>) -> IssuedCredential<String> { IssuedCredential("k") }
    }

    @Test func `the key of an app, which all users have, does not hide the user's own field`() async throws {
        let transport = recorder.authorizing(with: AppKey(), at: origins)
        for user in ["ann", "bob", "ann"] {
            var request = request
            request.fields[.authorization] = "Bearer \(user)"
            _ = try await transport.send(request)
        }
        let partitions = recorder.requests.map(\.options.cachePartition)
        #expect(partitions[0] != partitions[1] && partitions[0] == partitions[2] && partitions[0] != nil)
    }

    @Test func `the partition of a password holds for this process, that of a token for all`() {
        #expect(CachePartition.credential("Bearer a").text == "Authorization: Bearer a")
        let basic = CachePartition.credential("Basic YTpi")
        #expect(basic == .credential("Basic YTpi") && basic != .credential("Basic YTpj"))
        // A number of the process precedes it.
        #expect(basic.text != "Basic YTpi" && !basic.text.hasPrefix("Authorization"))
    }

    private struct ShortLived: Authorizer {
        func scope(of request: HTTPRequest) -> String? { "short" }
        func authorize(_ request: inout HTTPRequest, with token: String) throws {
            request.fields[.authorization] = "Bearer \(token)"
        }
        func obtain(_ need: CredentialNeed<String, String>) -> IssuedCredential<String> {
            IssuedCredential("a", lifetime: .seconds(60))
        }
    }

    @Test func `a credential that has expired still names its user at a sign-out`() async throws {
        let clock = ManualClock()
        let cache = CredentialCache(ShortLived(), clock: clock)
        #expect(cache.cachePartition(of: request) == nil)
        _ = try await cache.credential(for: "short")
        await clock.advance(by: .seconds(3600))
        #expect(cache.cachePartition(of: request) == .credential("Bearer a"))
    }

    @Test func `the last token of an OAuth client names its user until the cache is emptied`() async throws {
        let endpoint = try TokenEndpoint(
            "https://login.test/token", client: .publicClient(id: "app"), over: FakeTransport { $0.response() })
        let client = OAuthClient(endpoint, grant: .refreshToken())
        let cache = CredentialCache(client)
        try await client.signIn(with: OAuthToken("ann", refreshToken: "r0"))
        _ = try await recorder.authorizing(with: cache, at: origins).send(request)
        let sent = try #require(recorder.requests.last?.options.cachePartition)
        #expect(cache.cachePartition(of: request) == sent)
        try await client.signOut()
        #expect(cache.cachePartition(of: request) == sent)
        try await client.signIn(with: OAuthToken("bob", refreshToken: "r1"))
        _ = try await recorder.authorizing(with: cache, at: origins).send(request)
        let next = try #require(recorder.requests.last?.options.cachePartition)
        #expect(next != sent && cache.cachePartition(of: request) == next)
        cache.removeAll()
        #expect(cache.cachePartition(of: request) == nil)
    }

    @Test func `the partition of the app stays`() async throws {
        var request = request
        request.options.cachePartition = "ann"
        _ = try await recorder.authorizing(with: SessionKeys(key: "a"), at: origins).send(request)
        #expect(recorder.requests.last?.options.cachePartition == "ann")
    }

    @Test func `a user with a refresh token is the same after a refresh and a restart, and another after a sign-in`()
        async throws
    {
        let numbers = Watched(0)
        let network = FakeTransport { request in
            let number = numbers.update {
                $0 += 1; return $0
            }
            let body = #"{"access_token": "t\#(number)", "token_type": "Bearer", "refresh_token": "r\#(number)"}"#
            return HTTPResponse(
                status: .ok, fields: try HTTPFields(["Content-Type": "application/json"]), body: Data(body.utf8),
                url: request.url)
        }
        let store = MemoryTokenStore()
        func client() throws -> OAuthClient {
            OAuthClient(
                try TokenEndpoint("https://login.test/token", client: .publicClient(id: "app"), over: network),
                grant: .refreshToken("initial"), store: store)
        }
        func user(_ client: OAuthClient, previous: OAuthToken? = nil) async throws -> (OAuthToken, String?) {
            let token = try await client.obtain(CredentialNeed(scope: .empty, previous: previous)).credential
            return (token, client.cacheUser(of: token, for: .empty))
        }
        let first = try client()
        let (token, name) = try await user(first)
        let (refreshed, same) = try await user(first, previous: token)
        #expect(name != nil && name == same && token.value != refreshed.value)
        #expect(first.cacheUser(of: token, for: .empty) == nil)
        let restarted = try client()
        #expect(try await user(restarted).1 == name)
        try await restarted.signIn(with: OAuthToken("other", refreshToken: "r"))
        let other = try await user(restarted).1
        #expect(other != nil && other != name)
    }
}
