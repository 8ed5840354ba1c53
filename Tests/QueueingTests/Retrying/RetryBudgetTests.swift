import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import Queueing

@Suite struct RetryBudgetTests {
    @Test func `a token costs one repeat, and successes pay for the next`() {
        var bucket = TokenBucket(capacity: 2, refill: 0.1)
        let taken = (0..<3).map { _ in bucket.take() }
        #expect(taken == [true, true, false])
        for _ in 0..<9 { bucket.giveBack() }
        var isTaken = bucket.take()
        #expect(!isTaken)
        bucket.giveBack()
        isTaken = bucket.take()
        #expect(isTaken && bucket.tokens == 0)
        for _ in 0..<1000 { bucket.giveBack() }
        #expect(bucket.tokens == 2)
    }

    @Test(arguments: [(-1.0, 1.0), (.nan, 1), (0, 1), (0.5, .infinity)])
    func `strange sizes allow nothing`(capacity: Double, refill: Double) {
        var bucket = TokenBucket(capacity: capacity, refill: refill)
        bucket.giveBack()
        let isTaken = bucket.take()
        #expect(!isTaken)
    }

    @Test func `is shared by all calls`() async throws {
        let budget = RetryBudget(capacity: 5, refill: 0.1)
        let down = ScriptedTransport([], then: .status(.serviceUnavailable))
        let transport = Retrying(
            base: down,
            strategy: Retry(triage: .standard, delay: .immediate, permission: .both(.attempts(3), budget)))
        for _ in 0..<20 { _ = try await transport.send(request()) }
        #expect(down.requests.count == 20 + 5)
        let up = Retrying(base: ScriptedTransport([], then: .status(.ok)), strategy: transport.strategy)
        for _ in 0..<20 { _ = try await up.send(request()) }
        #expect(abs(budget.tokens - 2) < 1e-6)
        // An answer that nobody would repeat shows that the server is well, too.
        let missing = Retrying(base: ScriptedTransport([], then: .status(.notFound)), strategy: transport.strategy)
        for _ in 0..<10 { _ = try await missing.send(request()) }
        #expect(abs(budget.tokens - 3) < 1e-6)
    }
}
