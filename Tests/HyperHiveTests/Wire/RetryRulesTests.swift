import Testing

@testable import HyperHive

@Suite struct RetryRulesTests {
    @Test(
        arguments: [
            (.status(502), true), (.status(503), true), (.status(504), true), (.status(500), false),
            (.status(501), false),
            (.status(401), false), (.status(404), false), (.status(409), false), (.status(429), false),
            (.status(304), false), (.status(200), false), (.other, false),
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
        for _ in 0..<retries { #expect(rules.attemptEnded(.status(503)) == .retry(after: .seconds(3))) }
        #expect(rules.attemptEnded(.status(503)) == .finish)
        #expect(rules.retries == retries)
    }

    @Test func `a negative interval counts as none`() {
        var rules = RetryRules(count: 1, interval: .seconds(-1))
        #expect(rules.attemptEnded(.status(503)) == .retry(after: .zero))
    }
}
