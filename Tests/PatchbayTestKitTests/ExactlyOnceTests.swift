import TestSupport
import Testing
import Transport

@testable import PatchbayTestKit

@Suite(.needsSlot) struct ExactlyOnceTests {
    private struct Failure: Error {}

    @Test func `outcome waits for the first completion and does not change`() async throws {
        let once = ExactlyOnce<Int>()
        async let outcome = once.outcome
        once.succeed(1)
        guard case .success(1) = try await outcome else { return #expect(Bool(false)) }
        #expect(once.verdict == .exactlyOnce)
        try once.check()
        once.fail(Failure())
        guard case .success(1) = try await once.outcome else { return #expect(Bool(false)) }
    }

    @Test func `reports a call that never completes or completes twice`() {
        let once = ExactlyOnce<Int>("fetch")
        #expect(once.verdict == .never)
        #expect(throws: CompletionError(violations: ["fetch never completed"])) { try once.check() }
        once.cancel()
        once.succeed(1)
        #expect(once.verdict == .moreThanOnce(2) && once.count == 2)
        #expect(throws: CompletionError(violations: ["fetch completed 2 times"])) { try once.check() }
    }

    @Test func `counts completions from many threads`() async {
        let once = ExactlyOnce<Int>()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 { group.addTask { once.succeed(index) } }
        }
        #expect(once.verdict == .moreThanOnce(200))
    }

    @Test func `distinguishes success, failure and cancellation`() async throws {
        let calls = (0..<4).map { _ in ExactlyOnce<Int>() }
        await calls[0].run { 1 }
        await calls[1].run { throw Failure() }
        await calls[2].run { throw CancellationError() }
        await calls[3].run { throw TransportError(.cancelled, "") }
        let kinds = calls.map { call in
            switch call.outcomes.first {
            case .success: "success"
            case .failure: "failure"
            case .cancellation: "cancellation"
            case nil: "nothing"
            }
        }
        #expect(kinds == ["success", "failure", "cancellation", "cancellation"])
        for call in calls { try call.check() }
    }
}
