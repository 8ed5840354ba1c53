import Testing

@testable import HyperHive

@Suite struct RetryRulesTests {
    @Test(
        arguments: [
            (.status(502, isRepeatable: true), true), (.status(503, isRepeatable: true), true),
            (.status(504, isRepeatable: true), true), (.status(502, isRepeatable: false), false),
            (.status(503, isRepeatable: false), false), (.status(504, isRepeatable: false), false),
            (.status(500, isRepeatable: true), false), (.status(501, isRepeatable: true), false),
            (.status(401, isRepeatable: true), false), (.status(404, isRepeatable: true), false),
            (.status(409, isRepeatable: true), false), (.status(429, isRepeatable: true), false),
            (.status(304, isRepeatable: true), false), (.status(200, isRepeatable: true), false), (.other, false),
            (.failure(hasResponse: false, isRepeatable: false), true),
            (.failure(hasResponse: false, isRepeatable: true), true),
            (.failure(hasResponse: true, isRepeatable: true), true),
            (.failure(hasResponse: true, isRepeatable: false), false),
        ] as [(RetryRules.Outcome, Bool)])
    func `HyperHive 15: what is retried`(outcome: RetryRules.Outcome, isRetried: Bool) {
        var rules = RetryRules(count: 1, interval: .seconds(10))
        #expect(rules.attemptEnded(outcome) == (isRetried ? .retry(after: .seconds(10)) : .finish))
        #expect(rules.retries == (isRetried ? 1 : 0))
    }

    @Test(arguments: [(0, 0), (-1, 0), (1, 1), (5, 5)])
    func `HyperHive 15: the count limits retries, and the interval is fixed`(count: Int, retries: Int) {
        var rules = RetryRules(count: count, interval: .seconds(3))
        for _ in 0..<retries {
            #expect(rules.attemptEnded(.status(503, isRepeatable: true)) == .retry(after: .seconds(3)))
        }
        #expect(rules.attemptEnded(.status(503, isRepeatable: true)) == .finish)
        #expect(rules.retries == retries)
    }

    @Test func `a negative interval counts as none`() {
        var rules = RetryRules(count: 1, interval: .seconds(-1))
        #expect(rules.attemptEnded(.status(503, isRepeatable: true)) == .retry(after: .zero))
    }
}
