import Synchronization
import Testing

@testable import HTTPMessages

@Suite struct OpenCallTests {
    private final class Counter: OpenCall.Counter {
        let ended = Atomic<Int>(0)
        var count: Int { ended.load(ordering: .relaxed) }
        func callEnded() { ended.add(1, ordering: .relaxed) }
    }

    @Test func `a call is counted once by each counter, until its end`() {
        let (first, second, call) = (Counter(), Counter(), OpenCall())
        #expect(call.enter(first) == .first && call.enter(first) == .further && call.enter(second) == .first)
        call.leave(second)
        #expect(call.enter(second) == .first && first.count == 0)
        call.end()
        call.end()
        #expect(first.count == 1 && second.count == 1 && call.enter(first) == .none)
    }

    @Test func `the outermost layer opens the call, and requests do not differ by it`() {
        var options = RequestOptions()
        let call = options.openCall()
        #expect(call != nil && options.openCall() == nil && options.call === call)
        var other = RequestOptions()
        #expect(other.openCall() != nil && other.call !== options.call)
        #expect(other == options && other.hashValue == options.hashValue)
    }
}
