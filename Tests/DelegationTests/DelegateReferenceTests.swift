import Delegation
import Testing

@Suite("DelegateReference") struct DelegateReferenceTests {
    private final class Delegate {}

    @Test("weak references let their delegate go") func weakly() {
        var delegate: Delegate? = Delegate()
        let reference = DelegateReference { [weak delegate] in delegate }
        #expect(reference.delegate === delegate && delegate != nil)
        delegate = nil
        #expect(reference.delegate == nil)
    }

    @Test("strong references keep it as long as they last") func strongly() {
        weak var kept: Delegate?
        do {
            let delegate = Delegate()
            kept = delegate
            let reference = DelegateReference { delegate }
            #expect(reference.delegate === kept && kept != nil)
        }
        #expect(kept == nil)
    }

    @Test("is asked anew each time") func anew() {
        var count = 0
        let reference = DelegateReference<Int> {
            count += 1
            return count
        }
        #expect(reference.delegate == 1)
        #expect(reference.delegate == 2)
    }
}
