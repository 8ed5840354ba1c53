import Foundation
import Patchbay
import PatchbayTestKit
import Testing

/// A cache below `authorizing`, whose token has expired, with and without a network.
@Suite struct ExpiredTokenTests {
    private let clock = ManualClock()
    private let store = MemoryTokenStore()
    /// The token that the login server issues and the API accepts; nil while the login server is not reached.
    private let login = Watched<String?>("1")
    private let isOnline = Watched(true)
    private let logins = Watched(0)

    /// An API that accepts the last token, and the stack of a new process of the app.
    private func app(_ cache: HTTPCache) throws -> (stack: some Transport, api: ScriptedTransport) {
        let tokens = ScriptedTransport(
            [],
            then: .init { [login, logins] request in
                logins.update { $0 += 1 }
                guard let token = login.value else {
                    throw TransportError(.unreachable, "offline", request: request)
                }
                return request.response(
                    json: ["access_token": .string(token), "token_type": "bearer", "expires_in": 100])
            })
        let api = ScriptedTransport(
            [],
            then: .init { [login, isOnline] request in
                guard isOnline.value else { throw TransportError(.unreachable, "offline", request: request) }
                guard request.fields[.authorization] == "Bearer \(login.value ?? "2")" else {
                    return try request.response(.unauthorized, fields: HTTPFields(["WWW-Authenticate": "Bearer"]))
                }
                return try request.response(
                    .ok, fields: HTTPFields(["Cache-Control": "max-age=1000"]), body: Data("for ann".utf8))
            })
        let wallClock = ServerClock { [clock] in
            Date(timeIntervalSince1970: 1_800_000_000 + Double(clock.now.offset.components.seconds))
        }
        let client = OAuthClient(
            try TokenEndpoint(
                "https://login.example/token", client: .publicClient(id: "app"), over: tokens, clock: wallClock),
            grant: .refreshToken("first"), store: store)
        let stack = Stack(over: api, clock: clock).caching(in: cache)
            .authorizing(with: client, at: try AllowedOrigins("https://example.com"))
        return (stack, api)
    }

    private func request(_ policy: CachePolicy = .standard, _ path: String = "a") throws -> HTTPRequest {
        var request = try HTTPRequest(.get, "https://example.com/\(path)")
        request.options.cachePolicy = policy
        return request
    }

    private func text(_ stack: some Transport, _ request: HTTPRequest) async throws -> String {
        String(decoding: try await stack.send(request, observer: nil).body, as: UTF8.self)
    }

    @Test(arguments: [CachePolicy.standard, .preferCached, .onlyIfCached], [false, true])
    func `5: offline, a stored response comes with an expired token, also after a restart`(
        policy: CachePolicy, restarts: Bool
    ) async throws {
        let cache = HTTPCache()
        let first = try app(cache)
        #expect(try await text(first.stack, request()) == "for ann")
        await clock.advance(by: .seconds(200))
        login.update { $0 = nil }
        isOnline.update { $0 = false }
        let (stack, api) = restarts ? try app(cache) : first
        let (sent, asked) = (api.requests.count, logins.value)
        let response = try await stack.send(request(policy), observer: nil)
        #expect(String(decoding: response.body, as: UTF8.self) == "for ann")
        #expect(response.head.cacheStatus?.isHit == true)
        #expect(api.requests.count == sent)
        // The policies of the cache need no token at all.
        #expect(logins.value == asked + (policy == .standard ? 1 : 0))
    }

    @Test func `5: what is not stored fails with the error of the network`() async throws {
        let (stack, api) = try app(HTTPCache())
        #expect(try await text(stack, request()) == "for ann")
        await clock.advance(by: .seconds(200))
        login.update { $0 = nil }
        // Only the token server is down: the API rejects the expired token, and no second token is asked for.
        let asked = logins.value
        let refresh = await #expect(throws: TransportError.self) {
            try await stack.send(request(.standard, "b"), observer: nil)
        }
        #expect(refresh?.code == .unreachable)
        #expect(logins.value == asked + 1)
        #expect(api.requests.count == 2)
        // A request that changes something is not sent with it.
        await #expect(throws: TransportError.self) {
            try await stack.send(HTTPRequest(.post, "https://example.com/b"), observer: nil)
        }
        #expect(api.requests.count == 2)
        login.update { $0 = "2" }
        #expect(try await text(stack, request(.preferCached, "b")) == "for ann")
        #expect(api.requests.map { $0.fields[.authorization] } == [1, 1, 1, 2].map { "Bearer \($0)" })
    }

    @Test func `5: without a user, onlyIfCached sends nothing`() async throws {
        login.update { $0 = nil }
        let (stack, api) = try app(HTTPCache())
        #expect(try await stack.send(request(.onlyIfCached), observer: nil).status == .gatewayTimeout)
        #expect(logins.value == 0 && api.requests.isEmpty)
    }
}
