import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct AnyMonotonicClockTests {
    @Test func `starts at zero when it is created`() async throws {
        let clock = ManualClock(now: .init(offset: .seconds(77)))
        let erased = AnyMonotonicClock(clock)
        #expect(erased.now == .zero)
        let sleeper = Task { try await erased.sleep(until: .seconds(3)) }
        try await clock.waitForSleepers(1)
        #expect(clock.nextDeadline?.offset == .seconds(80))
        await clock.advance(by: .seconds(3))
        try await sleeper.value
        #expect(erased.now == .seconds(3))
    }

    @Test(arguments: [-1, 0, 1, 15]) func `sleeps at least the requested duration on a ContinuousClock`(
        milliseconds: Int
    ) async throws {
        let erased = AnyMonotonicClock(ContinuousClock())
        try await erased.sleep(until: .milliseconds(milliseconds))
        #expect(erased.now >= .milliseconds(milliseconds))
    }

    @Test func `a sleep ends when its task is cancelled, before or during the sleep`() async throws {
        let erased = AnyMonotonicClock(ContinuousClock())
        for number in 0..<200 {
            let sleeper = Task { try await erased.sleep(until: .seconds(3600 * 24 * 36_500)) }
            if number.isMultiple(of: 2) { await Task.yield() }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
    }
}
