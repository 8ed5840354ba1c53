import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import Queueing

@Suite struct DecorrelatedJitterBackoffTests {
    @Test func `every wait is between the base and three times the previous wait`() throws {
        let backoff: DecorrelatedJitterBackoff = .decorrelatedJitter(base: .milliseconds(100), cap: .seconds(5))
        let request = try request()
        var longest = Duration.zero
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var attempts: [TransportError.AttemptRecord] = []
            for _ in 0..<12 {
                let before = attempts.last?.backoff ?? .milliseconds(100)
                let attempt = finished(request, TransportError(.connectionLost, "x"), previousAttempts: attempts)
                let wait = backoff.duration(after: attempt, random: Double.random(in: 0..<1, using: &generator))
                #expect(wait >= .milliseconds(100) && wait <= min(before * 3, .seconds(5)) + .nanoseconds(1))
                longest = max(longest, wait)
                attempts.append(.init(.failure(.connectionLost, "x"), backoff: wait))
            }
        }
        #expect(longest == .seconds(5))
    }

    @Test func `extreme bounds do not trap`() throws {
        let attempt = try finished(request(), .badGateway, previousAttempts: records(backoffs: .seconds(Int64.max)))
        for (base, cap) in [(Duration.seconds(-1), Duration.seconds(-1)), (.seconds(Int64.max), .seconds(Int64.max))] {
            let wait = DecorrelatedJitterBackoff(base: base, cap: cap).duration(after: attempt, random: 0.999)
            #expect(wait >= .zero && wait <= .longestWait)
        }
    }
}
