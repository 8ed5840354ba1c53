import Testing

@testable import Queueing

@Suite struct ServerQuotasTests {
    private func quota(_ remaining: Int, _ window: Double, policy: (Int, Double)? = nil) -> RateLimitLesson {
        RateLimitLesson(quotas: [
            .init(
                name: "q", remaining: remaining, window: window,
                policy: policy.map { RateLimitLesson.Policy(quota: $0.0, window: $0.1) })
        ])
    }

    @Test func `calls use up the quota, then wait for the end of its window`() {
        var quotas = ServerQuotas()
        expect(quotas.wait(for: 1, now: 0) == 0 && quotas.isIdle(now: 0))
        quotas.learn(quota(2, 30), now: 10)
        for now in [10.0, 11] {
            expect(quotas.wait(for: 1, now: now) == 0)
            quotas.take(now: now)
        }
        expect(quotas.wait(for: 1, now: 12) == 28)
        #expect(!quotas.isIdle(now: 39) && quotas.isIdle(now: 40))
        expect(quotas.wait(for: 500, now: 40) == 0)
    }

    @Test func `a policy tells the next windows`() {
        var quotas = ServerQuotas()
        quotas.learn(quota(0, 5, policy: (2, 60)), now: 0)
        expect((1...5).map { quotas.wait(for: $0, now: 0) } == [5, 5, 65, 65, 125])
        expect((1...3).map { quotas.wait(for: $0, now: 5) } == [0, 0, 60])
    }

    @Test func `within a window the lower number is right, in a later one the new number`() {
        var quotas = ServerQuotas()
        quotas.learn(quota(5, 30), now: 0)
        quotas.learn(quota(9, 30), now: 0.5)
        expect(quotas.wait(for: 6, now: 1) == 29)
        quotas.learn(quota(9, 60), now: 1)
        expect(quotas.wait(for: 9, now: 1) == 0)
        expect(quotas.wait(for: 10, now: 1) == 60)
    }

    @Test func `Retry-After stops all calls and replaces quotas`() {
        var quotas = ServerQuotas()
        quotas.learn(quota(0, 600), now: 0)
        quotas.learn(RateLimitLesson(isThrottled: true, retryAfter: 7), now: 1)
        expect(quotas.wait(for: 1, now: 1) == 7)
        quotas.learn(RateLimitLesson(isThrottled: true, retryAfter: 1), now: 2)
        expect(quotas.wait(for: 1, now: 2) == 6)
        expect(quotas.wait(for: 100, now: 8) == 0 && quotas.isIdle(now: 8))
    }

    @Test func `a server with many names is not kept`() {
        var quotas = ServerQuotas()
        for number in 0..<1000 {
            quotas.learn(
                RateLimitLesson(quotas: [.init(name: "\(number)", remaining: 10, window: Double(number))]), now: 0)
        }
        expect(quotas.wait(for: 11, now: 0) == 7)
    }
}
