import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite("Timeline", .needsSlot) struct TimelineTests {
    @Test("counts from when it was made") func now() async throws {
        let clock = ManualClock(now: .init(offset: .seconds(77)))
        let timeline = Timeline(clock)
        #expect(timeline.now == .zero)
        let sleeper = Task { try await timeline.sleep(until: .seconds(3)) }
        try await clock.waitForSleepers(1)
        #expect(clock.nextDeadline?.offset == .seconds(80))
        await clock.advance(by: .seconds(3))
        try await sleeper.value
        #expect(timeline.now == .seconds(3))
    }

    @Test("sleeps no less than asked on the machine's clock", arguments: [-1, 0, 1, 15]) func continuous(
        milliseconds: Int
    ) async throws {
        let timeline = Timeline(ContinuousClock())
        try await timeline.sleep(until: .milliseconds(milliseconds))
        #expect(timeline.now >= .milliseconds(milliseconds))
    }

    @Test("wakes when its task is cancelled, before or meanwhile") func cancellation() async throws {
        let timeline = Timeline(ContinuousClock())
        for number in 0..<200 {
            let sleeper = Task { try await timeline.sleep(until: .seconds(3600 * 24 * 36_500)) }
            if number.isMultiple(of: 2) { await Task.yield() }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
    }
}
