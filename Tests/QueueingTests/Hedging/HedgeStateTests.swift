import Testing

@testable import Queueing

@Suite struct HedgeStateTests {
    @Test func `begins no more than allowed`() {
        var state = HedgeState(limit: 3)
        #expect(state.begun == 1 && state.mayBeginMore)
        state.delayPassed()
        #expect(state.mayBeginMore)
        state.delayPassed()
        #expect(state.begun == 3 && !state.mayBeginMore)
    }

    @Test func `ends with the first that is good, or with the last`() {
        var state = HedgeState(limit: 3)
        state.delayPassed()
        state.delayPassed()
        let ends = [false, false, false].map { state.ended(isGood: $0) }
        #expect(ends == [false, false, true])
        var other = HedgeState(limit: 2)
        other.delayPassed()
        let isOver = other.ended(isGood: true)
        #expect(isOver)
        var alone = HedgeState(limit: 2)
        let isAlone = alone.ended(isGood: false)
        #expect(isAlone)
    }
}
