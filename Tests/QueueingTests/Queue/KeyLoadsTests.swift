import Testing

@testable import Queueing

@Suite struct KeyLoadsTests {
    @Test func knowsWhoIsBusy() {
        var loads = KeyLoads()
        #expect(loads.isIdle(4) && loads.running(4) == 0 && loads.busyCount == 0)
        loads.change(4, waiting: 1)
        loads.change(4, running: 1, waiting: -1)
        loads.change(2, waiting: 1)
        #expect(loads.running(4) == 1 && !loads.isIdle(4) && !loads.isIdle(2) && loads.isIdle(3))
        #expect(loads.busyCount == 2)
        loads.change(4, running: -1)
        #expect(loads.isIdle(4) && loads.busyCount == 1)
    }
}
