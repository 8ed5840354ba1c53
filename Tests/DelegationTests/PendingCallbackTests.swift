import Dispatch
import Testing

@testable import Delegation

@Suite struct PendingCallbackTests {
    private final class Delegate {}

    @Test func `releases its callback when it is taken`() {
        weak var kept: Delegate?
        let pending: PendingCallback<Delegate>
        do {
            let delegate = Delegate()
            kept = delegate
            pending = PendingCallback(delegate)
        }
        #expect(kept != nil)
        #expect(pending.take() === kept)
        #expect(kept == nil)
        #expect(pending.take() == nil)
    }

    @Test func `is taken once by concurrent threads`() {
        for _ in 0..<100 {
            let taken = Log<Int>()
            let pending = PendingCallback { taken.note(1) }
            DispatchQueue.concurrentPerform(iterations: 8) { _ in pending.take()?() }
            #expect(taken.all == [1])
        }
    }
}
