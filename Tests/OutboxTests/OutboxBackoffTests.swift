import Foundation
import HTTPMessages
import Outbox
import PatchbayTestKit
import Queueing
import StoreCore
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct OutboxBackoffTests {
    /// As many seconds as there were attempts.
    private struct CountedBackoff: Backoff {
        func duration(after attempt: AttemptResult, random: Double) -> Duration { .seconds(attempt.number) }
    }

    /// The same, and tries at once while it is asked for the time after the third attempt.
    private struct RetryingBackoff: Backoff {
        let outbox: Watched<Outbox?>

        func duration(after attempt: AttemptResult, random: Double) -> Duration {
            if attempt.number == 3 { outbox.value?.sendNow() }
            return .seconds(attempt.number)
        }
    }

    @Test(arguments: [true, false])
    func `4: each wait follows from the number of attempts, also that of an origin that does not respond`(
        isResponding: Bool
    ) async throws {
        let (world, clock, requestCount) = (try OutboxWorld(), ManualClock(), Watched(0))
        let transport = FakeTransport { request in
            let count = requestCount.update {
                $0 += 1; return $0
            }
            guard isResponding || count == 4 else {
                throw TransportError(.connectionRefused, "Connection refused.", request: request)
            }
            return request.response(count == 4 ? .ok : .serviceUnavailable)
        }
        let outbox = try world.open(over: transport, on: clock) { $0.backoff = CountedBackoff() }
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        for (seconds, end) in [(1, 1), (2, 3), (3, 6)] {
            _ = try await clock.wait { $0.first?.offset == .seconds(end) }
            #expect(requestCount.value == seconds)
            await clock.advance(by: .seconds(seconds))
        }
        try await outbox.drained()
        #expect(requestCount.value == 4)
        await outbox.close()
    }

    @Test func `4: a wait whose earlier ones are ended while it is computed is the first one again`() async throws {
        let (world, clock, sender) = (try OutboxWorld(), ManualClock(), Watched<Outbox?>(nil))
        let transport = FakeTransport { request in
            throw TransportError(.connectionRefused, "Connection refused.", request: request)
        }
        let outbox = try world.open(over: transport, on: clock) { $0.backoff = RetryingBackoff(outbox: sender) }
        sender.update { $0 = outbox }
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        for (seconds, end) in [(1, 1), (2, 3)] {
            _ = try await clock.wait { $0.first?.offset == .seconds(end) }
            await clock.advance(by: .seconds(seconds))
        }
        let first = ManualClock.Instant(offset: .seconds(4))
        let third = ManualClock.Instant(offset: .seconds(6))
        let ends = try await clock.wait { $0.contains(first) || $0.contains(third) }
        #expect(ends.contains(first))
        sender.update { $0 = nil }
        await outbox.close()
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (9, 256), (10, 300), (60, 300)])
    func `4: the default wait is up to a second, doubling up to five minutes, or Retry-After up to an hour`(
        number: Int, seconds: Int
    ) throws {
        let request = try OutboxWorld.request()
        func wait(_ retryAfter: String? = nil) throws -> Duration {
            var head = request.response(.serviceUnavailable).head
            head.fields[.retryAfter] = retryAfter
            let earlier = TransportError.AttemptRecord(.notSent(""), backoff: nil)
            let attempt = AttemptResult(
                request, outcome: .response(head), previousAttempts: Array(repeating: earlier, count: number - 1),
                date: Date())
            return OutboxOptions().backoff.duration(after: attempt, random: 1)
        }
        #expect(try wait() == .seconds(seconds))
        #expect(try wait("3000") == .seconds(3000))
        #expect(try wait("7200") == .seconds(3600))
    }
}
