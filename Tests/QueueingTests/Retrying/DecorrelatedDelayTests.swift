import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import Queueing

@Suite struct DecorrelatedDelayTests {
    @Test func `every wait is between the base and three times the one before`() throws {
        let delay: DecorrelatedDelay = .decorrelated(base: .milliseconds(100), cap: .seconds(5))
        let request = try request()
        var longest = Duration.zero
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var attempts: [TransportError.Attempt] = []
            for _ in 0..<12 {
                let before = attempts.last?.delay ?? .milliseconds(100)
                let attempt = ended(request, TransportError(.connectionLost, "x"), earlier: attempts)
                let wait = delay.delay(after: attempt, random: Double.random(in: 0..<1, using: &generator))
                #expect(wait >= .milliseconds(100) && wait <= min(before * 3, .seconds(5)) + .nanoseconds(1))
                longest = max(longest, wait)
                attempts.append(.init(.failure(.connectionLost, "x"), delay: wait))
            }
        }
        #expect(longest == .seconds(5))
    }

    @Test func `no bounds are too strange`() throws {
        let attempt = try ended(request(), .badGateway, earlier: earlier(.seconds(Int64.max)))
        for (base, cap) in [(Duration.seconds(-1), Duration.seconds(-1)), (.seconds(Int64.max), .seconds(Int64.max))] {
            let wait = DecorrelatedDelay(base: base, cap: cap).delay(after: attempt, random: 0.999)
            #expect(wait >= .zero && wait <= .longestWait)
        }
    }
}
