import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import Queueing

@Suite struct ExponentialDelayTests {
    private let delay: ExponentialDelay = .exponential(base: .milliseconds(200), cap: .seconds(20))

    @Test(arguments: [(1, 200), (2, 400), (3, 800), (7, 12_800), (8, 20_000), (60, 20_000), (5000, 20_000)])
    func `the longest wait doubles up to the cap`(number: Int, milliseconds: Int) {
        let longest = delay.longest(after: number)
        #expect(longest - .milliseconds(milliseconds) < .microseconds(1), "\(longest)")
        #expect(.milliseconds(milliseconds) - longest < .microseconds(1), "\(longest)")
    }

    @Test func `every wait is within its bounds, and they are used`() throws {
        var generator = SeededGenerator(seed: 1)
        for number in 1...12 {
            let attempt = try ended(
                request(), .badGateway, earlier: Array(repeating: .init(.status(.badGateway)), count: number - 1))
            let longest = delay.longest(after: number)
            let waits = (0..<500).map { _ in
                delay.delay(after: attempt, random: Double.random(in: 0..<1, using: &generator))
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
    func `no bounds are too strange`(base: Duration, cap: Duration, longest: Duration) {
        for number in [1, 2, 100, 10_000, Int.max] {
            #expect(ExponentialDelay(base: base, cap: cap).longest(after: number) == longest)
        }
    }
}
