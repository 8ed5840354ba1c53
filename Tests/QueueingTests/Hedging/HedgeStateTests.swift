import Testing

@testable import Queueing

@Suite struct HedgeStateTests {
    @Test func `starts no more attempts than the limit`() {
        var state = HedgeState(limit: 3)
        #expect(state.startedCount == 1 && state.canStartMore)
        state.startAttempt()
        #expect(state.canStartMore)
        state.startAttempt()
        #expect(state.startedCount == 3 && !state.canStartMore)
    }

    @Test func `ends with the first acceptable attempt, or with the last one`() {
        var state = HedgeState(limit: 3)
        state.startAttempt()
        state.startAttempt()
        let ends = [false, false, false].map { state.attemptEnded(isAcceptable: $0) }
        #expect(ends == [false, false, true])
        var other = HedgeState(limit: 2)
        other.startAttempt()
        let isOver = other.attemptEnded(isAcceptable: true)
        #expect(isOver)
        var alone = HedgeState(limit: 2)
        let isAlone = alone.attemptEnded(isAcceptable: false)
        #expect(isAlone)
    }
}
