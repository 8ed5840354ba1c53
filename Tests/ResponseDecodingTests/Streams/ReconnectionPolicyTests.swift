import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite struct ReconnectionPolicyTests {
    private func delay(_ policy: ReconnectionPolicy, _ failures: Int, _ requested: Duration? = nil) -> Duration {
        var generator = SeededGenerator(seed: 1)
        return policy.backoff(afterFailures: failures, requested: requested, using: &generator)
    }

    @Test(
        arguments: [
            (0, nil, 3), (1, nil, 3), (2, nil, 6), (3, nil, 12), (4, nil, 20), (1000, nil, 20), (Int.max, nil, 20),
            (-1, nil, 3),
            (Int.min, nil, 3), (0, 5, 5), (2, 5, 10), (0, 0, 1), (3, 0, 4), (0, 100, 20), (5, 100, 20), (0, -7, 1),
        ] as [(Int, Int?, Int)])
    func `the backoff grows with failures within its limits`(failures: Int, requested: Int?, expected: Int) {
        let policy = ReconnectionPolicy(limits: .seconds(1)...(.seconds(20)), jitter: 0)
        #expect(delay(policy, failures, requested.map { .seconds($0) }) == .seconds(expected))
    }

    @Test func `jitter is added to the backoff`() {
        var generator = SeededGenerator(seed: 7)
        let policy = ReconnectionPolicy(initialBackoff: .seconds(10), jitter: 0.5)
        let delays = (0..<200).map { _ in policy.backoff(afterFailures: 0, requested: nil, using: &generator) }
        #expect(delays.allSatisfy { (.seconds(10)...(.seconds(15))).contains($0) })
        #expect((delays.min() ?? .zero) < .seconds(10.5) && (delays.max() ?? .zero) > .seconds(14.5))
        var again = SeededGenerator(seed: 7)
        #expect(policy.backoff(afterFailures: 0, requested: nil, using: &again) == delays.first)
    }

    @Test func `the default limits bound the time requested by the server`() {
        let policy = ReconnectionPolicy()
        #expect(delay(policy, 0, .zero) >= .milliseconds(100))
        #expect(delay(policy, 0, .milliseconds(Int64.max)) <= .seconds(375))
        #expect(delay(policy, 0) >= .seconds(3))
    }

    @Test(arguments: [Double.nan, -.infinity, -1, 0, 0.5, 1, 2, .infinity, .greatestFiniteMagnitude])
    func `extreme numbers do not trap`(number: Double) {
        for limits: ClosedRange<Duration> in [
            .zero ... .zero, .seconds(-5)...(.seconds(-1)), .zero ... .seconds(Int64.max), .seconds(1)...(.seconds(2)),
        ] {
            for failures in [Int.min, 0, 1, 2, 5000, Int.max] {
                let policy = ReconnectionPolicy(multiplier: number, limits: limits, jitter: number)
                for requested in [nil, .zero, .seconds(Int64.max), .seconds(Int64.min)] as [Duration?] {
                    let delay = delay(policy, failures, requested)
                    #expect(delay >= max(.zero, limits.lowerBound))
                    #expect(delay <= .seconds(1_000_000_000))
                }
            }
        }
    }
}
