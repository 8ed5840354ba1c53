import TestSupport
import Testing

@Suite(.needsSlot) struct EventuallyTests {
    @Test func `a condition that never holds is an error with its name and location`() async throws {
        let line = #line + 2
        let never = Task {
            try await eventually("the queue is empty", for: .zero, evaluations: 3) { false }
        }
        let error = await #expect(throws: ConditionNeverHeld.self) { try await never.value }
        let text = "\(try #require(error))"
        #expect(
            text.hasPrefix(
                "Condition never held: the queue is empty (EventuallyTests.swift:\(line), false 3 times in "))
    }

    @Test func `gives up only after the time and the number of evaluations`() async throws {
        let error = await #expect(throws: ConditionNeverHeld.self) {
            try await eventually("never", for: .milliseconds(20), evaluations: 1) { false }
        }
        #expect(try #require(error).duration >= .milliseconds(20))
        var count = 0
        try await eventually("the fifth evaluation", for: .zero, evaluations: 5) {
            count += 1
            return count == 5
        }
    }

    @Test func `an error of the condition ends the wait`() async throws {
        await #expect(throws: CancellationError.self) { try await eventually("never") { throw CancellationError() } }
    }
}
