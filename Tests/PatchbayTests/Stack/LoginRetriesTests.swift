import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

/// A login of the app's own, inside a call that is retried.
@Suite(.needsSlot) struct LoginRetriesTests {
    private let clock = ManualClock()
    private let login: ScriptedTransport
    private let server = ScriptedTransport([], then: .text("done"))

    init() { login = ScriptedTransport([], then: .failure(.connectionRefused)) }

    /// The error of a call, whose login goes through a transport.
    private func failure(_ transport: some StreamingTransport) async throws -> TransportError {
        let door = try APIClient("https://login.example.com", over: transport)
        let stack = Stack.standard(over: server, clock: clock).authorizing(
            with: BearerAuthorizer {
                let token: String = try await door.post("login")
                return try OAuthToken(token)
            }, at: .baseURL)
        let client = try APIClient("https://example.com", over: stack)
        let error = await #expect(throws: TransportError.self) {
            _ = try await clock.autoAdvancing { try await client.get("a") }
        }
        return try #require(error)
    }

    @Test func `a login that was retried is not retried again by the call that needs it`() async throws {
        let error = try await failure(Stack.standard(over: login, clock: clock))
        #expect(login.requests.count == 3 && error.attempts.count == 3 && server.requests.isEmpty)
    }

    @Test func `a login that must not be repeated is not repeated by the call that needs it`() async throws {
        let lost = ScriptedTransport([], then: .failure(.connectionLost))
        let error = try await failure(Stack.standard(over: lost, clock: clock))
        #expect(lost.requests.count == 1 && error.attempts.count == 1 && server.requests.isEmpty)
    }

    @Test func `a login without retries of its own is retried by the call`() async throws {
        let error = try await failure(login)
        #expect(login.requests.count == 3 && error.attempts.count == 3 && server.requests.isEmpty)
    }
}
