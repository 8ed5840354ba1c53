import Coordination
import PatchbayTestKit
import TestSupport
import Testing

@testable import Queueing

@Suite(.needsSlot) struct RetryLoopTests {
    private struct Broken: Error {}
    private struct Cancelled: Error {}

    @Test func `attempts follow each other until one ends the call`() async throws {
        let clock = ManualClock()
        let time = AnyMonotonicClock(clock)
        let starts = Watched<[Duration]>([])
        let call = Task {
            try await RetryLoop.run(on: time) {
                let count = starts.update { starts in
                    starts.append(time.now)
                    return starts.count
                }
                return switch count {
                case 1: RetryStep<Int>.retry(at: nil, cancellation: Cancelled())
                case 2: .retry(at: .seconds(10), cancellation: Cancelled())
                default: .finish(count)
                }
            }
        }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(10))
        #expect(try await call.value == 3)
        #expect(starts.value == [.zero, .zero, .seconds(10)])
    }

    @Test func `the error of an attempt ends the call`() async {
        await #expect(throws: Broken.self) {
            try await RetryLoop.run(on: .continuous) { () throws -> RetryStep<Int> in throw Broken() }
        }
    }

    @Test(arguments: [nil, Duration.seconds(10)])
    func `a call that is cancelled before its next attempt has its own error`(deadline: Duration?) async throws {
        let clock = AnyMonotonicClock(ManualClock())
        let attempts = Watched(0)
        let call = Task {
            try await RetryLoop.run(on: clock) { () -> RetryStep<Int> in
                attempts.update { $0 += 1 }
                withUnsafeCurrentTask { $0?.cancel() }
                return .retry(at: deadline, cancellation: Cancelled())
            }
        }
        await #expect(throws: Cancelled.self) { try await call.value }
        #expect(attempts.value == 1)
    }
}
