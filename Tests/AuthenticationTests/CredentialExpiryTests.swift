import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Authentication

@Suite(.needsSlot) struct CredentialExpiryTests {
    private let server = TokenGuard(accepting: ["token-1"])
    private let origins: AllowedOrigins

    init() throws { origins = try AllowedOrigins("https://api.example.com") }

    @Test func `a credential that expires is replaced before the server sees it`() async throws {
        let clock = ManualClock()
        let tokens = NumberedTokens(lifetime: .seconds(100))
        let transport = server.transport.authorizing(with: tokens, at: origins, clock: clock)
        server.accept(["token-1"])
        _ = try await transport.send(request())
        await clock.advance(by: .seconds(89))
        #expect(try await transport.send(request()).status == .ok && tokens.refreshes.count == 1)
        await clock.advance(by: .seconds(1))
        // Starts the refresh, and does not wait for it.
        #expect(try await transport.send(request()).status == .ok)
        try await eventually("the credential is replaced") {
            transport.credentials.cachedCredential(for: .empty) == "token-2"
        }
        server.accept(["token-2"])
        await clock.advance(by: .seconds(10))
        #expect(try await transport.send(request()).status == .ok && tokens.refreshes.count == 2)
        #expect(server.authorizations == ["token-1", "token-1", "token-1", "token-2"].map { "Bearer \($0)" })
    }

    @Test func `a refresh that hangs and then fails delays no call while the credential is valid`() async throws {
        let clock = ManualClock()
        let gate = Gate(isOpen: true)
        let tokens = NumberedTokens(lifetime: .seconds(100), gate: gate)
        let transport = server.transport.authorizing(with: tokens, at: origins, clock: clock)
        _ = try await transport.send(request())
        gate.close()
        tokens.fail(TransportError(.unreachable, "No network."))
        await clock.advance(by: .seconds(95))
        for _ in 0..<3 { #expect(try await transport.send(request()).status == .ok) }
        // The second refresh, which is in flight.
        try await gate.waitForWaiters(2)
        #expect(tokens.refreshes.count == 2)
        await clock.advance(by: .seconds(5))
        let late = Task { try await transport.send(request()) }
        try await eventually("the call waits") { transport.credentials.waiterCount == 1 }
        server.accept([])
        gate.open()
        let error = await #expect(throws: TransportError.self) { try await late.value }
        #expect(error?.code == .unreachable && tokens.refreshes.count == 2)
    }

    @Test func `many calls with credentials that expire see no challenge`() async throws {
        let clock = ManualClock()
        let tokens = NumberedTokens(lifetime: .seconds(50))
        let base = FakeTransport { request in
            await clock.advance(by: .seconds(1))
            return request.response(text: "")
        }
        let transport = base.authorizing(
            with: tokens, at: origins, policy: RefreshPolicy(leeway: .zero), clock: clock)
        for _ in 0..<1000 { _ = try await transport.send(request()) }
        #expect(tokens.refreshes.count == 20)
    }
}
