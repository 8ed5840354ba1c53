import Dispatch
import Foundation
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

    /// An authorizer whose refreshes run until they are cancelled.
    private struct Endless: Authorizer {
        let started = Gate()
        let cancelled = Gate()
        func scope(of request: HTTPRequest) -> OAuthScope? { .empty }
        func authorize(_ request: inout HTTPRequest, with token: String) {}
        func obtain(_ need: CredentialNeed<OAuthScope, String>) async throws -> IssuedCredential<String> {
            started.open()
            defer { cancelled.open() }
            try await Gate().wait()
            return IssuedCredential("never")
        }
    }

    @Test(arguments: ["remove", "removeAll", "insert"], [false, true])
    func `a refresh that no call waits for is cancelled with its credential`(
        event: String, isCancelledFirst: Bool
    ) async throws {
        let authorizer = Endless()
        let cache = CredentialCache(authorizer)
        let call = Task { try await cache.credential(for: "a") }
        try await authorizer.started.wait()
        func cancelCall() async {
            call.cancel()
            _ = await call.result
        }
        if isCancelledFirst { await cancelCall() }
        #expect(!authorizer.cancelled.isOpen)
        switch event {
        case "remove": cache.remove("a")
        case "removeAll": cache.removeAll()
        default: cache.insert(IssuedCredential("mine"), for: "a")
        }
        if !isCancelledFirst { await cancelCall() }
        try await authorizer.cancelled.wait()
    }

    @Test func `a call that waits at a sign-out gets no credential, also none that is obtained from the next user`()
        async throws
    {
        let gate = Gate()
        let cache = CredentialCache(NumberedTokens(gate: gate))
        let call = Task { try await cache.credential(for: "a") }
        try await gate.waitForWaiters(1)
        cache.removeAll()
        let error = await #expect(throws: AuthenticationError.self) { try await call.value }
        #expect(error?.code == .signedOut)
        gate.open()
        #expect(try await cache.credential(for: "a") == "token-2")
    }

    /// An authorizer that has a password until it forgets its users, and then runs a closure first.
    private final class PasswordKeeper: Authorizer {
        let password = Watched("ann")
        let obtained = Gate()
        let entered = DispatchSemaphore(value: 0)
        let beforeForgetting = Watched<(@Sendable () -> Void)?>(nil)

        func scope(of request: HTTPRequest) -> OAuthScope? { .empty }
        func authorize(_ request: inout HTTPRequest, with token: String) {}
        func obtain(_ need: CredentialNeed<OAuthScope, String>) async throws -> IssuedCredential<String> {
            let password = password.value
            entered.signal()
            await Task { try? await obtained.wait() }.value
            return IssuedCredential(password)
        }
        func forgetUsers() {
            beforeForgetting.value?()
            password.update { $0 = "bob" }
        }
    }

    @Test func `a refresh that begins before the authorizer forgets its users is that of the former one`() async throws
    {
        let keeper = PasswordKeeper()
        let cache = CredentialCache(keeper)
        let call = Watched<Task<String, any Error>?>(nil)
        keeper.beforeForgetting.update { closure in
            closure = {
                call.update { $0 = Task { try await cache.credential(for: "a") } }
                keeper.entered.wait()
            }
        }
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                cache.removeAll()
                done.resume()
            }
        }
        keeper.obtained.open()
        let error = await #expect(throws: AuthenticationError.self) { try await call.value?.value }
        #expect(error?.code == .signedOut)
        #expect(cache.cachedCredential(for: "a") == nil)
        #expect(try await cache.credential(for: "a") == "bob")
        #expect(cache.cachedCredential(for: "a") == "bob")
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
        #expect(error?.code == .timedOut && error?.phase == .total && error?.timeout == .seconds(1))
        #expect(error?.message.contains("within 1.0 s; raise `timeout`,") == true)
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

    @Test func `of more scopes than the capacity the first ones are dropped`() async {
        let clock = ManualClock()
        let cache = CredentialCache(NumberedTokens(), clock: clock)
        let scopes = (0..<1200).map { OAuthScope("s\($0)") }
        for scope in scopes {
            cache.insert(IssuedCredential("mine"), for: scope)
            await clock.advance(by: .milliseconds(1))
        }
        let kept = scopes.filter { cache.cachedCredential(for: $0) != nil }
        #expect(kept.count <= 1000 && kept.count >= 750 && kept == scopes.suffix(kept.count))
    }

    /// A clock with given readings, of which the last one repeats, and with sleepers that wake at once or never.
    private final class ReadClock: Clock {
        private let readings: Mutex<[Duration]>
        init(_ readings: [Duration]) { self.readings = Mutex(readings) }
        var now: ManualClock.Instant {
            ManualClock.Instant(offset: readings.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .zero })
        }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            if now < deadline { try await Gate().wait() }
        }
    }

    @Test func `a deadline that passes before its call waits ends the wait`() async throws {
        let gate = Gate()
        // Creation, start of the call, before the call waits, and when it waits.
        let clock = ReadClock([.zero, .zero, .milliseconds(900), .milliseconds(1100)])
        let cache = CredentialCache(NumberedTokens(gate: gate), clock: clock)
        let error = await #expect(throws: TransportError.self) {
            try await cache.credential(for: "a", timeout: .seconds(1))
        }
        #expect(error?.code == .timedOut && error?.timeout == .seconds(1) && cache.waiterCount == 0)
        gate.open()
    }

    /// An authorizer whose first refresh starts a task that outlives it.
    private final class Spawning: Authorizer {
        let cache = Mutex<CredentialCache<Spawning>?>(nil)
        let isFinished = Gate()
        let outcome = Watched<String?>(nil)
        func scope(of request: HTTPRequest) -> OAuthScope? { .empty }
        func authorize(_ request: inout HTTPRequest, with token: String) {}
        func obtain(_ need: CredentialNeed<OAuthScope, String>) async throws -> IssuedCredential<String> {
            let cache = cache.withLock { $0 }
            if need.scope == "a" {
                Task { [isFinished, outcome] in
                    try? await isFinished.wait()
                    let text: String
                    do {
                        text = try await cache?.credential(for: "b") ?? ""
                    } catch {
                        text = "\(error)"
                    }
                    outcome.update { $0 = text }
                }
            }
            return IssuedCredential("token of \(need.scope)")
        }
    }

    @Test func `a task that outlives the refresh that has started it gets credentials`() async throws {
        let authorizer = Spawning()
        let cache = CredentialCache(authorizer)
        authorizer.cache.withLock { $0 = cache }
        #expect(try await cache.credential(for: "a") == "token of a")
        authorizer.isFinished.open()
        #expect(try await authorizer.outcome.wait { $0 != nil } == "token of b")
        authorizer.cache.withLock { $0 = nil }
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
