import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@Suite(.needsSlot) struct GateTests {
    @Test func `suspends tasks until it is opened`() async throws {
        let gate = Gate()
        let hasPassed = Mutex(false)
        async let waiting: Void = {
            try await gate.wait()
            hasPassed.withLock { $0 = true }
        }()
        try await gate.waitForWaiters(1)
        #expect(!hasPassed.withLock { $0 })
        gate.open()
        try await waiting
        #expect(hasPassed.withLock { $0 } && gate.isOpen)
        try await gate.wait()
        #expect(gate.waitCount == 2)
    }

    @Test func `suspends tasks again after it was closed`() async throws {
        let gate = Gate(isOpen: true)
        gate.close()
        let waiting = Task { try await gate.wait() }
        try await gate.waitForWaiters(1)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `a cancelled task passes only an open gate`() async throws {
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

    @Test func `all of many waiters end when opened and cancelled concurrently`() async throws {
        for _ in 0..<50 {
            let gate = Gate()
            let tasks = (0..<20).map { _ in Task { try await gate.wait() } }
            try await gate.waitForWaiters(20)
            let opener = Task { gate.open() }
            for task in tasks.prefix(10) { task.cancel() }
            await opener.value
            for task in tasks.suffix(10) { try await task.value }
            for task in tasks { _ = await task.result }
        }
    }
}
