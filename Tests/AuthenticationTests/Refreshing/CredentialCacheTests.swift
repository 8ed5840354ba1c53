import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Authentication

@Suite(.needsSlot) struct CredentialCacheTests {
    @Test func `credentials are obtained once, and can be inserted and removed`() async throws {
        let tokens = NumberedTokens()
        let cache = CredentialCache(tokens)
        #expect(cache.cachedCredential(for: "a") == nil)
        #expect(try await cache.credential(for: "a") == "token-1")
        #expect(try await cache.credential(for: "a") == "token-1" && cache.cachedCredential(for: "a") == "token-1")
        cache.insert(IssuedCredential("mine"), for: "a")
        #expect(try await cache.credential(for: "a") == "mine")
        cache.remove("a")
        #expect(try await cache.credential(for: "a") == "token-2")
        #expect(try await cache.credential(for: "b") == "token-3")
        cache.removeAll()
        #expect(cache.cachedCredential(for: "a") == nil && cache.cachedCredential(for: "b") == nil)
        #expect(tokens.refreshes.map(\.scope) == ["a", "a", "b"])
    }

    @Test func `inserting a credential ends the wait of all calls`() async throws {
        let gate = Gate()
        let cache = CredentialCache(NumberedTokens(gate: gate))
        let calls = (0..<10).map { _ in Task { try await cache.credential(for: "a") } }
        try await eventually("the calls wait") { cache.waiterCount == 10 }
        cache.insert(IssuedCredential("mine"), for: "a")
        for call in calls { #expect(try await call.value == "mine") }
        gate.open()
        #expect(try await cache.credential(for: "a") == "mine")
    }

    @Test func `a timeout ends one wait`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let cache = CredentialCache(NumberedTokens(gate: gate), clock: clock)
        let patient = Task { try await cache.credential(for: "a") }
        let hurried = Task { try await cache.credential(for: "a", timeout: .seconds(1)) }
        try await clock.waitForSleepers(1)
        try await eventually("the calls wait") { cache.waiterCount == 2 }
        await clock.advance(by: .seconds(1))
        let error = await #expect(throws: TransportError.self) { try await hurried.value }
        #expect(error?.code == .timedOut)
        gate.open()
        #expect(try await patient.value == "token-1" && clock.sleeperCount == 0)
    }

    @Test func `a cancelled task gets no credential that it would have to wait for`() async throws {
        let tokens = NumberedTokens()
        let cache = CredentialCache(tokens)
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            return try await cache.credential(for: "a")
        }
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled && tokens.refreshes.isEmpty && cache.waiterCount == 0)
    }

    private final class Circular: Authorizer {
        let cache = Mutex<CredentialCache<Circular>?>(nil)
        func scope(of request: HTTPRequest) -> OAuthScope? { .empty }
        func authorize(_ request: inout HTTPRequest, with token: String) {}
        func obtain(_ need: CredentialNeed<OAuthScope, String>) async throws -> IssuedCredential<String> {
            let cache = cache.withLock { $0 }
            return IssuedCredential(try await cache?.credential(for: need.scope) ?? "")
        }
    }

    @Test func `an authorizer that asks for its own credential gets an error instead of a deadlock`() async throws {
        let authorizer = Circular()
        let cache = CredentialCache(authorizer)
        authorizer.cache.withLock { $0 = cache }
        let error = await #expect(throws: AuthenticationError.self) { try await cache.credential(for: .empty) }
        #expect(error?.code == .recursiveRefresh)
        authorizer.cache.withLock { $0 = nil }
    }

    @Test func `readers and refreshes at the same time get the latest credential or an earlier one`() async throws {
        let cache = CredentialCache(NumberedTokens())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let token = try await cache.credential(for: "a")
                    #expect(token.hasPrefix("token-"))
                    if number.isMultiple(of: 20) { cache.remove("a") }
                }
            }
            try await group.waitForAll()
        }
        #expect(cache.waiterCount == 0)
    }
}
