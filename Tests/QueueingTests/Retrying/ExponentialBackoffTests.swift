import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import Queueing

@Suite struct ExponentialBackoffTests {
    private let backoff: ExponentialBackoff = .exponential(base: .milliseconds(200), cap: .seconds(20))

    @Test(arguments: [(1, 200), (2, 400), (3, 800), (7, 12_800), (8, 20_000), (60, 20_000), (5000, 20_000)])
    func `the longest wait doubles up to the cap`(number: Int, milliseconds: Int) {
        let longest = backoff.longest(after: number)
        #expect(longest - .milliseconds(milliseconds) < .microseconds(1), "\(longest)")
        #expect(.milliseconds(milliseconds) - longest < .microseconds(1), "\(longest)")
    }

    @Test func `waits use the whole range between their bounds`() throws {
        var generator = SeededGenerator(seed: 1)
        for number in 1...12 {
            let attempt = try finished(
                request(), .badGateway,
                previousAttempts: Array(repeating: .init(.status(.badGateway)), count: number - 1))
            let longest = backoff.longest(after: number)
            let waits = (0..<500).map { _ in
                backoff.duration(after: attempt, random: Double.random(in: 0..<1, using: &generator))
            }
            #expect(waits.allSatisfy { $0 >= .zero && $0 <= longest })
            #expect(try #require(waits.min()) < longest * 0.05 && #require(waits.max()) > longest * 0.95)
        }
    }

    @Test(arguments: [
        (Duration.seconds(-1), Duration.seconds(1), Duration.zero), (.seconds(1), .seconds(-1), .zero),
        (.seconds(Int64.max), .seconds(Int64.max), .longestWait), (.zero, .seconds(1), .zero),
        (.seconds(Int64.max) * 3, .seconds(1), .seconds(1)), (.seconds(Int64.min) * 3, .seconds(1), .zero),
    ])
    func `extreme bounds do not trap`(base: Duration, cap: Duration, longest: Duration) {
        for number in [1, 2, 100, 10_000, Int.max] {
            #expect(ExponentialBackoff(base: base, cap: cap).longest(after: number) == longest)
        }
    }
}
