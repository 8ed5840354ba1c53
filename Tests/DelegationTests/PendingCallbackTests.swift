import Dispatch
import Testing

@testable import Delegation

@Suite("PendingCallback") struct PendingCallbackTests {
    private final class Delegate {}

    @Test("releases its callback when it is taken") func release() {
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

    @Test("is taken once by concurrent threads") func once() {
        for _ in 0..<100 {
            let taken = Log<Int>()
            let pending = PendingCallback { taken.note(1) }
            DispatchQueue.concurrentPerform(iterations: 8) { _ in pending.take()?() }
            #expect(taken.all == [1])
        }
    }
}
