import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Authentication

/// Refreshes that ask the app's user.
@Suite(.needsSlot) struct RefreshDemandTests {
    /// Asks a user, which the test answers.
    private final class Asking: Authorizer {
        let questions = Watched<[Promise<Result<String, any Error>>]>([])
        /// The refreshes that were abandoned.
        let abandoned = Watched(0)

        func scope(of request: HTTPRequest) -> String? { "s" }
        func authorize(_ request: inout HTTPRequest, with credential: String) {}

        func obtain(_ need: CredentialNeed<String, String>) async throws -> IssuedCredential<String> {
            do {
                let credential = try await RefreshDemand.whileAwaited {
                    let input = Promise<Result<String, any Error>>()
                    questions.update { $0.append(input) }
                    return try await input.success { input.fulfill(.failure(CancellationError())) }
                }
                return IssuedCredential(credential)
            } catch {
                abandoned.update { $0 += 1 }
                throw error
            }
        }
    }

    @Test func `a question ends with the last call that waits, and the next call asks again`() async throws {
        let authorizer = Asking()
        let cache = CredentialCache(authorizer)
        let calls = (0..<2).map { _ in Task { try await cache.credential(for: "s") } }
        _ = try await authorizer.questions.wait { $0.count == 1 }
        try await eventually("both calls wait") { cache.waiterCount == 2 }
        calls[0].cancel()
        await #expect(throws: TransportError.self) { try await calls[0].value }
        #expect(authorizer.abandoned.value == 0)
        calls[1].cancel()
        await #expect(throws: TransportError.self) { try await calls[1].value }
        _ = try await authorizer.abandoned.wait { $0 == 1 }
        let next = Task { try await cache.credential(for: "s") }
        _ = try await authorizer.questions.wait { $0.count == 2 }
        // Too late for the calls that have left.
        authorizer.questions.value[0].fulfill(.success("b"))
        authorizer.questions.value[1].fulfill(.success("a"))
        #expect(try await next.value == "a" && authorizer.abandoned.value == 1)
    }

    /// Asks the user after an exchange, which the test ends.
    private struct AskingLate: Authorizer {
        let exchange = Gate()
        let questions = Watched(0)
        let outcomes = Watched<[String]>([])

        func scope(of request: HTTPRequest) -> String? { "s" }
        func authorize(_ request: inout HTTPRequest, with credential: String) {}

        func obtain(_ need: CredentialNeed<String, String>) async throws -> IssuedCredential<String> {
            try await exchange.wait()
            do {
                try await RefreshDemand.whileAwaited { questions.update { $0 += 1 } }
            } catch {
                outcomes.update { $0.append("\(type(of: error))") }
                throw error
            }
            outcomes.update { $0.append("obtained") }
            return IssuedCredential("a")
        }
    }

    @Test func `a refresh that no call waits for goes on until it would ask`() async throws {
        let authorizer = AskingLate()
        let cache = CredentialCache(authorizer)
        let call = Task { try await cache.credential(for: "s") }
        try await authorizer.exchange.waitForWaiters(1)
        call.cancel()
        await #expect(throws: TransportError.self) { try await call.value }
        #expect(authorizer.outcomes.value.isEmpty)
        authorizer.exchange.open()
        #expect(try await authorizer.outcomes.wait { $0.count == 1 } == ["CancellationError"])
        #expect(authorizer.questions.value == 0)
        #expect(try await cache.credential(for: "s") == "a" && authorizer.questions.value == 1)
    }

    @Test func `outside of a refresh a question is only asked`() async throws {
        #expect(try await RefreshDemand.whileAwaited { "a" } == "a")
    }

    @Test func `an interruptible refresh ends with its last waiter, and the next call starts another one`() throws {
        var table = CredentialTable<String, String, Int>(policy: .standard)
        let old = table.insert(IssuedCredential("old"), for: "s", now: .zero)
        table.reject("s", try #require(old.lease), now: .zero)
        let waiter = table.makeID()
        guard case .start(let start) = table.join(1, id: waiter, for: "s", now: .zero) else {
            Issue.record("The first call starts a refresh.")
            return
        }
        #expect(table.setInterruptible(true, start.id) && table.setInterruptible(false, start.id))
        #expect(table.cancel(waiter) == 1 && table.isInUse(start.id))
        // Without waiters at the begin, it is abandoned at once.
        #expect(!table.setInterruptible(true, start.id) && table.takeAbandoned() == [start.id])
        let later = table.makeID()
        guard case .start(let next) = table.join(2, id: later, for: "s", now: .zero) else {
            Issue.record("A later call starts another refresh.")
            return
        }
        #expect(next.id != start.id && next.previous == "old" && !table.setInterruptible(false, start.id))
        #expect(table.setInterruptible(true, next.id) && table.cancel(later) == 2)
        #expect(table.takeAbandoned() == [next.id] && table.refreshCount == 0)
        #expect(table.finish(next.id, for: "s", issued: IssuedCredential("late"), now: .zero).waiters.isEmpty)
        #expect(table.last("s")?.credential == "old")
    }
}
