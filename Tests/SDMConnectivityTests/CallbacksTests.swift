import Delegation
import Dispatch
import PatchbayTestKit
import TestSupport
import Testing

@testable import SDMConnectivity

@Suite(.needsSlot) struct CallbacksTests {
    private let log = Watched<[Int]>([])

    private func note(_ number: Int) -> @Sendable () -> Void { { [log] in log.update { $0.append(number) } } }

    @Test func `a callback that is added by another one follows it`() {
        let callbacks = Callbacks(.inline)
        callbacks.post { [self] in
            callbacks.post(note(2))
            note(1)()
        }
        #expect(log.value == [1, 2])
    }

    @Test func `in place, callbacks of other threads wait for the next one of the blocked thread`() async {
        await onThread { [self] in
            let callbacks = Callbacks(.main, isInPlace: true)
            callbacks.post(note(1))
            let isPosted = DispatchSemaphore(value: 0)
            DispatchQueue.global().async { [self] in
                callbacks.post(note(2))
                isPosted.signal()
            }
            isPosted.wait()
            #expect(log.value == [1])
            callbacks.post(note(3))
            #expect(log.value == [1, 2, 3])
        }
    }
}
