import Queueing
import Testing

@Suite struct QueueLimitsTests {
    @Test func `defaults`() {
        let limits = QueueLimits()
        #expect(limits.maximumConcurrent == 64 && limits.maximumConcurrentPerKey == 32)
        #expect(limits.capacity == .max && limits.overflowPolicy == .suspend)
    }
}
