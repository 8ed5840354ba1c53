import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@Suite("Gate", .needsSlot) struct GateTests {
    @Test("holds back until it is opened") func opens() async throws {
        let gate = Gate()
        let hasPassed = Mutex(false)
        async let waiting: Void = {
            try await gate.wait()
            hasPassed.withLock { $0 = true }
        }()
        try await gate.waitForArrivals(1)
        #expect(!hasPassed.withLock { $0 })
        gate.open()
        try await waiting
        #expect(hasPassed.withLock { $0 } && gate.isOpen)
        try await gate.wait()
        #expect(gate.arrivals == 2)
    }

    @Test("holds back again after it was shut") func shuts() async throws {
        let gate = Gate(isOpen: true)
        gate.shut()
        let waiting = Task { try await gate.wait() }
        try await gate.waitForArrivals(1)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("lets a cancelled task through only when it is open") func cancelled() async throws {
        let gate = Gate()
        for isOpen in [false, true] {
            if isOpen { gate.open() }
            let ahead = Gate()
            let task = Task {
                try? await ahead.wait()
                try await gate.wait()
            }
            task.cancel()
            if isOpen {
                try await task.value
            } else {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }

    @Test("many waiters, opened and cancelled at once, all end") func race() async throws {
        for _ in 0..<50 {
            let gate = Gate()
            let tasks = (0..<20).map { _ in Task { try await gate.wait() } }
            try await gate.waitForArrivals(20)
            let opener = Task { gate.open() }
            for task in tasks.prefix(10) { task.cancel() }
            await opener.value
            for task in tasks.suffix(10) { try await task.value }
            for task in tasks { _ = await task.result }
        }
    }
}
