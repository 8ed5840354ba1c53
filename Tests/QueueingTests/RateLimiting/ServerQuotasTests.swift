import HTTPMessages
import Testing

@testable import Queueing

@Suite struct ServerQuotasTests {
    private func quota(
        _ remaining: Int, _ window: Double, policy: (Int, Double)? = nil, name: String = "q"
    ) -> RateLimitLesson {
        RateLimitLesson(quotas: [
            .init(
                name: name, remaining: remaining, window: window,
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
        // The latest ones are.
        expect(quotas.wait(for: 11, now: 0) == 999)
    }

    @Test func `another window replaces both its number and its end`() {
        var quotas = ServerQuotas()
        quotas.learn(quota(4999, 3600), now: 0)
        quotas.learn(quota(9, 60), now: 1)
        expect(quotas.wait(for: 9, now: 1) == 0 && quotas.wait(for: 10, now: 1) == 60)
        quotas.learn(quota(4998, 3598), now: 2)
        expect(quotas.wait(for: 4998, now: 2) == 0 && quotas.wait(for: 4999, now: 2) == 3598)
    }

    @Test func `quotas of several names limit, and calls use up those told last`() {
        var quotas = ServerQuotas()
        quotas.learn(quota(2, 60, name: "search"), now: 0)
        quotas.learn(quota(4999, 3600, name: "core"), now: 0)
        for _ in 0..<100 { quotas.take(now: 0) }
        expect(quotas.wait(for: 2, now: 0) == 0 && quotas.wait(for: 3, now: 0) == 60)
        quotas.learn(quota(0, 3600, name: "core"), now: 1)
        quotas.learn(quota(9, 60, name: "search"), now: 2)
        expect(quotas.wait(for: 1, now: 2) == 3598)
    }

    @Test func `a stop is no longer than the longest one`() {
        var quotas = ServerQuotas(longestStop: 100)
        quotas.learn(quota(0, .century, policy: (1, .century)), now: 0)
        expect(quotas.wait(for: 1, now: 0) == 100 && quotas.wait(for: 2, now: 0) == 200)
        quotas.learn(RateLimitLesson(isThrottled: true, retryAfter: .century), now: 1)
        expect(quotas.wait(for: 1, now: 1) == 100 && quotas.wait(for: 1, now: 101) == 0)
    }

    @Test func `a policy that the server tells no longer is forgotten`() {
        var quotas = ServerQuotas()
        quotas.learn(quota(0, 5, policy: (1, 10)), now: 0)
        for now in [5.0, 15] { expect(quotas.wait(for: 2, now: now) == 10) }
        expect(quotas.wait(for: 2, now: 25) == 0 && quotas.isIdle(now: 25))
    }
}
