import Testing

@testable import Queueing

@Suite struct KeyCountersTests {
    @Test func `counts running and waiting items, and busy keys`() {
        var counters = KeyCounters()
        #expect(counters.isIdle(4) && counters.running(4) == 0 && counters.busyCount == 0)
        counters.add(4, waiting: 1)
        counters.add(4, running: 1, waiting: -1)
        counters.add(2, waiting: 1)
        #expect(counters.running(4) == 1 && !counters.isIdle(4) && !counters.isIdle(2) && counters.isIdle(3))
        #expect(counters.busyCount == 2)
        counters.add(4, running: -1)
        #expect(counters.isIdle(4) && counters.busyCount == 1)
    }
}
