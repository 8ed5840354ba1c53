import TestSupport
import Testing

@testable import PatchbayTestKit

@Suite(.needsSlot) struct CompletionLedgerTests {
    @Test func `waits for all calls and passes when each completes once`() async throws {
        let ledger = CompletionLedger<Int>()
        let calls = (0..<100).map { ledger.call("call \($0)") }
        let work = Task {
            for (index, call) in calls.enumerated().reversed() { call.succeed(index) }
        }
        let values = try await ledger.waitForAll().map { outcome in
            if case .success(let value) = outcome { value } else { -1 }
        }
        #expect(values == Array(0..<100))
        await work.value
        try ledger.check()
    }

    @Test func `a call that never ends is an error within a limit`() async throws {
        let clock = ManualClock()
        let ledger = CompletionLedger<Int>()
        ledger.call("a").succeed(1)
        _ = ledger.call("b")
        _ = await clock.autoAdvancing {
            await #expect(throws: CompletionError(violations: ["b never completed"])) {
                try await ledger.waitForAll(clock: clock)
            }
        }
        #expect(clock.now.offset == .seconds(60))
    }

    @Test func `names every violating call`() {
        let ledger = CompletionLedger<Int>()
        let calls = ["a", "b", "c"].map(ledger.call)
        calls[0].succeed(1)
        calls[2].succeed(1)
        calls[2].cancel()
        #expect(throws: CompletionError(violations: ["b never completed", "c completed 2 times"])) {
            try ledger.check()
        }
    }
}
