import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Transport

extension Harness {
    /// Measures the authorizing layer over a fake: with a cached token, with tokens that expire every 50 calls, with
    /// many first calls at once, and with Digest.
    func authentication() async throws -> [Figure] {
        let request = try HTTPRequest(
            .get, "https://api.example.com/items?region=east", fields: HTTPFields(["Accept": "application/json"]))
        return [
            try await cachedToken(request), try await expiringTokens(request), try await firstCalls(request),
            try await digest(request), try await digestChallenges(request),
        ]
    }

    private static let origins = Result { try AllowedOrigins("https://api.example.com") }

    private func cachedToken(_ request: HTTPRequest) async throws -> Figure {
        let operations = count(100_000)
        let fake = FakeTransport { $0.response(body: ServerProcess.responseBody) }
        let issuer = TokenIssuer()
        let transport = fake.authorizing(with: try issuer.client(), at: try Self.origins.get())
        return try await compare(
            "Authorizing with a cached token over a fake", operations: operations, against: "the fake alone",
            subject: { for _ in 0..<operations { _ = try await transport.send(request) } },
            baseline: { for _ in 0..<operations { _ = try await fake.send(request) } })
    }

    private static let digestFields = Result {
        try ["one", "two"].map { nonce in
            try HTTPFields([
                "WWW-Authenticate": """
                Digest realm="items", qop="auth", algorithm=SHA-256, nonce="\(nonce)7ypfxlj9XXwfDPEoM4URrv", opaque="5ccc"
                """
            ])
        }
    }

    /// Fails unless all calls but the first are authorized without a challenge.
    private func digest(_ request: HTTPRequest) async throws -> Figure {
        let operations = count(100_000)
        let fields = try Self.digestFields.get()[0]
        let fake = FakeTransport { $0.response(body: ServerProcess.responseBody) }
        return try await compare(
            "Digest (SHA-256) with a known nonce over a fake", operations: operations, against: "the fake alone",
            subject: {
                let challenges = Atomic(0)
                let service = FakeTransport { request in
                    guard !request.fields.contains(.authorization) else {
                        return request.response(body: ServerProcess.responseBody)
                    }
                    challenges.add(1, ordering: .relaxed)
                    return request.response(.unauthorized, fields: fields)
                }
                let transport = service.authorizing(
                    with: .password(user: "app", password: "secret"), at: try Self.origins.get())
                for _ in 0..<operations {
                    guard try await transport.send(request).status == .ok else { throw BenchmarkFailure.challenge }
                }
                guard challenges.load(ordering: .relaxed) == 1 else { throw BenchmarkFailure.challenge }
            }, baseline: { for _ in 0..<operations { _ = try await fake.send(request) } })
    }

    /// Each challenge has another nonce, so that nothing is cached.
    private func digestChallenges(_ request: HTTPRequest) async throws -> Figure {
        let operations = count(50_000)
        let heads = try Self.digestFields.get().map { fields in
            HTTPResponseHead(status: .unauthorized, fields: fields, url: request.url)
        }
        let fake = FakeTransport { $0.response(body: ServerProcess.responseBody) }
        let credential = PasswordCredential(user: "app", password: "secret")
        return try await compare(
            "Digest (SHA-256) after a challenge, beside a fake", operations: operations, against: "the fake alone",
            subject: {
                let authentication = PasswordAuthentication()
                for number in 0..<operations {
                    var attempt = request
                    guard let challenge = try authentication.challenge(in: heads[number % 2], of: attempt) else {
                        throw BenchmarkFailure.challenge
                    }
                    try authentication.authorize(&attempt, for: challenge, with: credential)
                    _ = try await fake.send(attempt)
                }
            }, baseline: { for _ in 0..<operations { _ = try await fake.send(request) } })
    }

    /// Fails if a call sees a challenge, or if there are more refreshes than expiries.
    private func expiringTokens(_ request: HTTPRequest) async throws -> Figure {
        let operations = count(100_000)
        let fake = FakeTransport { $0.response(body: ServerProcess.responseBody) }
        return try await compare(
            "Authorizing with tokens that expire every 50 calls", operations: operations, against: "the fake alone",
            subject: {
                // A second passes with each call, and a token is valid for 50 of them.
                let clock = ManualClock()
                let issuer = TokenIssuer(lifetime: 50, date: { Date(timeIntervalSince1970: 0) })
                let service = FakeTransport { request in
                    defer { issuer.used() }
                    return request.response(issuer.accepts(request) ? .ok : .unauthorized)
                }
                let transport = service.authorizing(
                    with: try issuer.client(), at: try Self.origins.get(), policy: RefreshPolicy(leeway: .zero),
                    clock: clock)
                for _ in 0..<operations {
                    guard try await transport.send(request).status == .ok else { throw BenchmarkFailure.challenge }
                    await clock.advance(by: .seconds(1))
                }
                guard issuer.issued == (operations + 49) / 50 else { throw BenchmarkFailure.refreshes(issuer.issued) }
            }, baseline: { for _ in 0..<operations { _ = try await fake.send(request) } })
    }

    /// Fails unless there is one token request.
    private func firstCalls(_ request: HTTPRequest) async throws -> Figure {
        let operations = 1000
        let fake = FakeTransport { $0.response(body: ServerProcess.responseBody) }
        func send(over transport: some Transport) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<operations { group.addTask { _ = try await transport.send(request) } }
                try await group.waitForAll()
            }
        }
        return try await compare(
            "1,000 parallel first calls with one token request", operations: operations,
            against: "1,000 parallel calls of the fake alone",
            subject: {
                let issuer = TokenIssuer()
                try await send(over: fake.authorizing(with: try issuer.client(), at: try Self.origins.get()))
                guard issuer.issued == 1 else { throw BenchmarkFailure.refreshes(issuer.issued) }
            }, baseline: { try await send(over: fake) })
    }
}

private enum BenchmarkFailure: Error {
    case challenge
    case refreshes(Int)
}

/// A token endpoint and the server that accepts its latest token for a number of calls.
private final class TokenIssuer: Sendable {
    private struct State {
        var issued = 0
        var uses = 0
        var field = ""
    }

    private let state = Mutex(State())
    private let lifetime: Int
    private let date: @Sendable () -> Date

    init(lifetime: Int = 3600, date: @escaping @Sendable () -> Date = { Date() }) {
        self.lifetime = lifetime
        self.date = date
    }

    var issued: Int { state.withLock { $0.issued } }

    func accepts(_ request: HTTPRequest) -> Bool {
        let field = request.fields[.authorization]
        return state.withLock { $0.field == field && $0.uses < lifetime }
    }

    func used() { state.withLock { $0.uses += 1 } }

    /// A client of the endpoint, without a network.
    func client() throws -> OAuthClient {
        let transport = FakeTransport { [self] request in
            let number = state.withLock { state in
                state.issued += 1
                state.uses = 0
                state.field = "Bearer \(Self.token(state.issued))"
                return state.issued
            }
            return request.response(
                json: ["access_token": .string(Self.token(number)), "expires_in": .integer(Int64(lifetime))])
        }
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .basic(id: "app", secret: "secret"), over: transport,
            clock: ServerClock(date: date))
        return OAuthClient(endpoint, grant: .clientCredentials)
    }

    /// As long as a usual signed token.
    private static func token(_ number: Int) -> String { "\(number)." + String(repeating: "a1B2", count: 200) }
}
