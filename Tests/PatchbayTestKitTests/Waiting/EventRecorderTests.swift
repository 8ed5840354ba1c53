import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct EventRecorderTests {
    @Test func `records events in order and returns them when they meet a condition`() async throws {
        let recorder = EventRecorder()
        async let events = recorder.wait { $0.count == 2 }
        recorder.transfer(didEmit: .receivedBytes(1, total: 3))
        recorder.transfer(didEmit: .receivedBytes(3, total: 3))
        #expect(try await events == [.receivedBytes(1, total: 3), .receivedBytes(3, total: 3)])
        #expect(try await recorder.wait { !$0.isEmpty } == recorder.events)
    }

    @Test func `a wait ends when its task is cancelled`() async throws {
        let recorder = EventRecorder()
        let waiting = Task { try await recorder.wait { !$0.isEmpty } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
