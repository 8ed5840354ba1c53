import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Authentication

/// Refreshes that ask the app's user.
@Suite(.needsSlot) struct RefreshDemandTests {
    /// Asks a user, which the test answers.
    private final class Asking: Authorizer {
        let questions = Watched<[CheckedContinuation<String, Never>?]>([])
        /// The refreshes that were abandoned before they asked.
        let abandoned = Watched(0)

        func scope(of request: HTTPRequest) -> String? { "s" }
        func authorize(_ request: inout HTTPRequest, with credential: String) {}

        func obtain(_ need: CredentialNeed<String, String>) async throws -> IssuedCredential<String> {
            do {
                let demand = try #require(RunningWork.context(RefreshDemand.self))
                let input = try await demand.ask(stop: { self.answer("stopped") }) {
                    await withCheckedContinuation { waiter in questions.update { $0.append(waiter) } }
                }
                return IssuedCredential(input)
            } catch {
                abandoned.update { $0 += 1 }
                throw error
            }
        }

        /// Answers the last question.
        func answer(_ text: String) {
            let waiter = Mutex<CheckedContinuation<String, Never>?>(nil)
            questions.update { questions in
                guard let last = questions.popLast() else { return }
                waiter.withLock { $0 = last }
                questions.append(nil)
            }
            waiter.withLock { $0.take() }?.resume(returning: text)
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
        authorizer.answer("a")
        #expect(try await next.value == "a")
    }

    @Test func `an abandoned refresh starts again for calls that have joined since`() {
        var table = CredentialTable<String, String, Int>(policy: .standard)
        guard case .start(let refresh) = table.join(1, id: 1, for: "s", now: .zero) else {
            Issue.record("The first call starts a refresh.")
            return
        }
        #expect(table.isAwaited(refresh.id, for: "s"))
        #expect(table.cancel(1, for: "s") == 1 && !table.isAwaited(refresh.id, for: "s"))
        _ = table.join(2, id: 2, for: "s", now: .zero)
        #expect(table.keepIfAwaited(refresh.id, for: "s") && table.refreshCount == 1)
        #expect(table.cancel(2, for: "s") == 2)
        #expect(!table.keepIfAwaited(refresh.id, for: "s") && table.refreshCount == 0)
    }

    @Test func `an abandoned refresh of a removed scope ends too`() {
        var table = CredentialTable<String, String, Int>(policy: .standard)
        guard case .start(let refresh) = table.join(1, id: 1, for: "s", now: .zero) else {
            Issue.record("The first call starts a refresh.")
            return
        }
        table.remove("s")
        #expect(table.isAwaited(refresh.id, for: "s") && table.keepIfAwaited(refresh.id, for: "s"))
        #expect(table.cancel(1, for: "s") == 1)
        #expect(!table.keepIfAwaited(refresh.id, for: "s") && table.refreshCount == 0)
    }
}
