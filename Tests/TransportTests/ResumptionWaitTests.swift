import Testing

@testable import Transport

@Suite struct ResumptionWaitTests {
    @Test func `waits grow without bytes, and start over with some`() {
        var waits = ResumptionWait(count: 10)
        #expect(waits.interrupted(count: 10) == .milliseconds(200))
        #expect(waits.interrupted(count: 5) == .milliseconds(400) && waits.failures == 2)
        #expect(waits.interrupted(count: 10, attempts: 3) == .milliseconds(3200) && waits.failures == 5)
        #expect(waits.interrupted(count: 11) == .milliseconds(200) && waits.failures == 1)
        for _ in 0..<100 { _ = waits.interrupted(count: 0) }
        #expect(waits.interrupted(count: 0) == .seconds(20))
    }

    @Test func `after a good piece the next attempt follows at once`() {
        var waits = ResumptionWait(count: 0)
        #expect(waits.interrupted(count: ResumptionWait.goodPiece) == .zero && waits.failures == 1)
        #expect(waits.interrupted(count: 2 * ResumptionWait.goodPiece - 1) == .milliseconds(200))
        #expect(waits.interrupted(count: 100 * ResumptionWait.goodPiece) == .zero)
        // A connection that carries a refusal was not lost.
        #expect(waits.interrupted(count: 200 * ResumptionWait.goodPiece, isRefused: true) == .milliseconds(200))
    }
}
