import Authentication
import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

/// A call of one user never becomes one of the next user, and never gets the response of another one.
@Suite(.needsSlot) struct SignOutTests {
    private let origins: AllowedOrigins

    private let user = Watched("ann")
    private let clock = ManualClock()
    private let credentials: CredentialCache<BearerAuthorizer>

    init() throws {
        origins = try AllowedOrigins("https://example.com")
        credentials = CredentialCache(BearerAuthorizer { [user] in try OAuthToken(user.value) }, clock: clock)
    }

    private func signIn(_ name: String) {
        user.update { $0 = name }
        credentials.removeAll()
    }

    /// A transport that signs bob in while it sends the first request.
    private func signingInBob(_ status: HTTPStatus) -> ScriptedTransport {
        ScriptedTransport(
            [
                .init { request in
                    signIn("bob")
                    return request.response(status)
                }
            ], then: .text("done"))
    }

    private func stack(_ engine: some Transport) -> Stack {
        Stack(over: engine, clock: clock).authorizing(with: credentials, at: origins)
    }

    @Test func `a call does not share the request of the user before`() async throws {
        let gate = Gate()
        let engine = ScriptedTransport { request in
            try await gate.wait()
            return request.response(body: Data((request.fields[.authorization] ?? "").utf8))
        }
        let stack = stack(engine).coalescing()
        let request = try HTTPRequest(.get, "https://example.com/me")
        async let first = stack.send(request)
        _ = try await engine.requests(count: 1)
        signIn("bob")
        async let second = stack.send(request)
        async let third = stack.send(request)
        _ = try await engine.requests(count: 2)
        gate.open()
        let texts = try await [first, second, third].map { String(decoding: $0.body, as: UTF8.self) }
        #expect(texts == ["Bearer ann", "Bearer bob", "Bearer bob"] && engine.requests.count <= 3)
    }

    @Test(arguments: [false, true])
    func `a call is not sent again as the next user`(isNested: Bool) async throws {
        let engine = signingInBob(.serviceUnavailable)
        let stack =
            isNested ? Stack(over: stack(engine), clock: clock).retrying(.standard) : stack(engine).retrying(.standard)
        let error = await #expect(throws: AuthenticationError.self) {
            try await clock.autoAdvancing { try await stack.send(HTTPRequest(.get, "https://example.com/me")) }
        }
        #expect(error?.code == .signedOut && engine.requests.map { $0.fields[.authorization] } == ["Bearer ann"])
        // The next call is one of the next user.
        _ = try await stack.send(HTTPRequest(.get, "https://example.com/me"))
        #expect(engine.requests.last?.fields[.authorization] == "Bearer bob")
    }

    @Test func `a call that waits for a slot is not sent as the next user`() async throws {
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let engine = ScriptedTransport([], then: .text("done"))
        let stack = stack(engine).queued(in: queue)
        queue.pause()
        let call = Task { try await stack.send(HTTPRequest(.post, "https://example.com/orders")) }
        while queue.waitingCount == 0 { await Task.yield() }
        signIn("bob")
        queue.resume()
        let error = await #expect(throws: AuthenticationError.self) { try await call.value }
        #expect(error?.code == .signedOut && engine.requests.isEmpty)
    }

    @Test func `the sign-out of another user has no effect`() async throws {
        let other = CredentialCache(BearerAuthorizer { try OAuthToken("other") })
        let engine = ScriptedTransport(
            [
                .init { request in
                    other.removeAll()
                    return request.response(.serviceUnavailable)
                }
            ], then: .text("done"))
        let origins = try AllowedOrigins("https://other.example")
        let stack = stack(engine).retrying(.standard).authorizing(with: other, at: origins)
        let response = try await clock.autoAdvancing {
            try await stack.send(HTTPRequest(.get, "https://example.com/me"))
        }
        #expect(response.status == .ok && engine.requests.count == 2)
    }
}
