import TestSupport
import Testing

@testable import PatchbayTestKit

@Suite(.needsSlot) struct ManualClockTests {
    let clock = ManualClock()

    @Test func `stands still until it is advanced`() async throws {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(2)) }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .milliseconds(1999))
        #expect(clock.sleeperCount == 1 && clock.now.offset == .milliseconds(1999))
        await clock.advance(by: .milliseconds(1))
        try await sleeper.value
        #expect(clock.sleeperCount == 0 && clock.now.offset == .seconds(2))
    }

    @Test func `wakes sleepers by deadline, then in order of arrival`() async throws {
        let log = Watched<[Int]>([])
        let deadlines = [3, 1, 2, 1, 3]
        var tasks: [Task<Void, any Error>] = []
        for (index, seconds) in deadlines.enumerated() {
            tasks.append(
                Task { [clock] in
                    try await clock.sleep(for: .seconds(seconds))
                    log.update { $0.append(index) }
                })
            try await clock.waitForSleepers(index + 1)
        }
        #expect(clock.nextDeadline == ManualClock.Instant(offset: .seconds(1)))
        for expected in [[1, 3], [2], [0, 4]] {
            await clock.advance(by: .seconds(1))
            for index in expected { try await tasks[index].value }
            #expect(Set(log.value.suffix(expected.count)) == Set(expected))
        }
    }

    @Test func `waits for the deadlines of its sleepers`() async throws {
        let sleepers = [5, 2].map { seconds in Task { [clock] in try await clock.sleep(for: .seconds(seconds)) } }
        let deadlines = try await clock.wait { $0.count == 2 }
        #expect(deadlines.map(\.offset) == [.seconds(2), .seconds(5)])
        sleepers[1].cancel()
        try await clock.wait { $0.first?.offset == .seconds(5) }
        await clock.advance(by: .seconds(5))
        try await clock.wait { $0.isEmpty }
        try await sleepers[0].value
    }

    @Test func `does not sleep until a past deadline`() async throws {
        await clock.advance(by: .seconds(1))
        try await clock.sleep(until: .init(offset: .seconds(1)))
        try await clock.sleep(for: .seconds(-1))
        await clock.advance(by: .seconds(-5))
        #expect(clock.now.offset == .seconds(1))
    }

    @Test func `a cancelled sleep ends at once and is removed`() async throws {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        let other = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(2)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 1)
        await clock.advanceToNextDeadline()
        try await other.value
        #expect(await clock.advanceToNextDeadline() == false)
    }

    @Test func `a cancelled task does not sleep`() async throws {
        let gate = Gate()
        let sleeper = Task { [clock] in
            try? await gate.wait()
            try await clock.sleep(until: .init())
        }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func `autoAdvancing follows a task that sleeps repeatedly`() async throws {
        let offset = try await clock.autoAdvancing {
            for seconds in 1...100 { try await clock.sleep(for: .seconds(seconds)) }
            return clock.now.offset
        }
        #expect(offset == .seconds(5050))
        #expect(clock.sleeperCount == 0)
    }

    @Test func `advances a task from one sleep to the next`() async throws {
        let rounds = Watched(0)
        let task = Task { [clock] in
            while rounds.value < 3 {
                try await clock.sleep(for: .seconds(1))
                rounds.update { $0 += 1 }
            }
        }
        for round in 0..<3 {
            try await clock.waitForSleepers(1)
            #expect(rounds.value == round)
            await clock.advance(by: .seconds(1))
        }
        try await task.value
    }
}
