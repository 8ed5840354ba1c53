import Queueing
import Testing

@Suite struct QueueLimitsTests {
    @Test func holdSubmittersBackUnlessToldOtherwise() {
        let limits = QueueLimits()
        #expect(limits.running == 64 && limits.runningPerKey == 32)
        #expect(limits.waiting == .max && limits.whenFull == .wait)
    }
}
