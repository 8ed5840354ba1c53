import PatchbayTestKit
import Testing

@testable import TestSupport

@Suite struct SlotTraitTests {
    @Test func `limits the number of slots, first in, first out`() async throws {
        let slots = Slots(3)
        let order = Watched<[Int]>([])
        let gate = Gate()
        let executor = ObservedExecutor()
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask(executorPreference: executor) {
                    try await slots.withSlot {
                        order.update { $0.append(number) }
                        try await gate.wait()
                    }
                }
                // The first three get slots; each other task must be queued before the next one starts.
                try await executor.waitUntilIdle()
                #expect(slots.waitingCount == max(0, number - 2))
            }
            #expect(order.value == [0, 1, 2])
            gate.open()
            try await group.waitForAll()
        }
        #expect(order.value.sorted() == Array(0..<20))
    }

    @Test func `a test that needs all slots runs alone and does not starve`() async throws {
        let slots = Slots(3)
        let order = Watched<[String]>([])
        let gate = Gate()
        let executor = ObservedExecutor()
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await slots.withSlot {
                    order.update { $0.append("one") }
                    try await gate.wait()
                }
            }
            try await order.wait { $0.count == 1 }
            group.addTask(executorPreference: executor) {
                await slots.withAllSlots {
                    order.update { $0.append("all") }
                    await Task.yield()
                    order.update { $0.append("all again") }
                }
            }
            try await executor.waitUntilIdle()
            #expect(slots.waitingCount == 1)
            group.addTask(executorPreference: executor) {
                await slots.withSlot { order.update { $0.append("late") } }
            }
            try await executor.waitUntilIdle()
            #expect(slots.waitingCount == 2)
            gate.open()
            try await group.waitForAll()
        }
        #expect(order.value == ["one", "all", "all again", "late"])
    }

    @Test func `a failing test releases its slot`() async throws {
        let slots = Slots(1)
        for _ in 0..<3 {
            await #expect(throws: CancellationError.self) { try await slots.withSlot { throw CancellationError() } }
        }
    }

    @Test func `a hanging test is cancelled with an issue`() async throws {
        try await withKnownIssue {
            try await SlotTrait.endingWhenHung(afterSeconds: 0) { try? await Gate().wait() }
        } matching: {
            "\($0)".contains("Test timed out")
        }
    }

    @Test func `a hanging test that ignores the cancellation ends the process`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await withKnownIssue {
                try await SlotTrait.endingWhenHung(afterSeconds: 0, grace: 0) {
                    // Not cancelled with the test.
                    await Task { try? await Gate().wait() }.value
                }
            }
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("Hanging, although cancelled"))
    }

    @Test(arguments: [("7200", 7200), ("1", 1), ("0", 300), ("-1", 300), ("", 300), ("1 h", 300), (nil, 300)])
    func `a number above 0 sets the timeout`(text: String?, seconds: Int) {
        #expect(SlotTrait.seconds(of: text) == seconds)
    }

    @Test func `a test that ends is not cancelled and keeps its error`() async throws {
        try await SlotTrait.endingWhenHung(afterSeconds: 600) {}
        await #expect(throws: LoopbackError.self) {
            try await SlotTrait.endingWhenHung(afterSeconds: 600) { _ = try LoopbackServer(port: -1) { $0.response() } }
        }
    }

    @Test(.needsSlot, .needsSlot) func `a test may have the trait of its suite too`() {}

    @Suite(.needsSlot) struct Inherited {
        @Test(.needsAllSlots) func `a test may need all slots instead`() {}
    }
}
