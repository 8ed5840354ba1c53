import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import Queueing

@Suite struct RetryBudgetTests {
    @Test func `a retry takes a token, and successes refill the bucket`() {
        var bucket = TokenBucket(capacity: 2, refill: 0.1)
        let taken = (0..<3).map { _ in bucket.take() }
        #expect(taken == [true, true, false])
        for _ in 0..<9 { bucket.add() }
        var isTaken = bucket.take()
        #expect(!isTaken)
        bucket.add()
        isTaken = bucket.take()
        #expect(isTaken && bucket.tokens == 0)
        for _ in 0..<1000 { bucket.add() }
        #expect(bucket.tokens == 2)
    }

    @Test(arguments: [(-1.0, 1.0), (.nan, 1), (0, 1), (0.5, .infinity)])
    func `invalid sizes allow nothing`(capacity: Double, refill: Double) {
        var bucket = TokenBucket(capacity: capacity, refill: refill)
        bucket.add()
        let isTaken = bucket.take()
        #expect(!isTaken)
    }

    @Test func `all calls share a budget`() async throws {
        let budget = RetryBudget(capacity: 5, refill: 0.1)
        let down = ScriptedTransport([], then: .status(.serviceUnavailable))
        let transport = Retrying(
            base: down,
            strategy: Retry(classifier: .standard, backoff: .immediate, limiter: .all(.attempts(3), budget)))
        for _ in 0..<20 { _ = try await transport.send(request()) }
        #expect(down.requests.count == 20 + 5)
        let up = Retrying(base: ScriptedTransport([], then: .status(.ok)), strategy: transport.strategy)
        for _ in 0..<20 { _ = try await up.send(request()) }
        #expect(abs(budget.tokens - 2) < 1e-6)
        // A final response shows a working server, too.
        let missing = Retrying(base: ScriptedTransport([], then: .status(.notFound)), strategy: transport.strategy)
        for _ in 0..<10 { _ = try await missing.send(request()) }
        #expect(abs(budget.tokens - 3) < 1e-6)
    }
}
