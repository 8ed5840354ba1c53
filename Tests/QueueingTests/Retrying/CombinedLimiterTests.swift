import HTTPMessages
import Queueing
import Testing

@Suite struct CombinedLimiterTests {
    @Test func `allows what both limiters allow, and asks the second one last`() throws {
        let budget = RetryBudget(capacity: 2, refill: 0.5)
        let limiter: CombinedLimiter<AttemptLimit, RetryBudget> = .all(.attempts(2), budget)
        let (first, second) = (
            try finished(request(), .badGateway),
            try finished(request(), .badGateway, previousAttempts: records(backoffs: .zero))
        )
        #expect(limiter.allowsRetry(after: first) && !limiter.allowsRetry(after: second))
        #expect(budget.tokens == 1)
        #expect(limiter.allowsRetry(after: first) && !limiter.allowsRetry(after: first))
        limiter.recordSuccess()
        #expect(budget.tokens == 0.5)
    }
}
