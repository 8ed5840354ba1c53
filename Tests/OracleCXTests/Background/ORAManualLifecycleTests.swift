import OracleCX
import Testing

@Suite("Oracle 7: an app's state by hand") struct ORAManualLifecycleTests {
    @Test("tells everybody, until it is ended") func tells() {
        let lifecycle = ORAManualLifecycle()
        let (first, second) = (StateLog(), StateLog())
        let end = lifecycle.observe(first.add)
        _ = lifecycle.observe(second.add)
        lifecycle.enterBackground()
        end()
        lifecycle.enterForeground()
        #expect(first.states == [.background])
        #expect(second.states == [.background, .foreground])
    }

    @Test("keeps the times that were asked for") func times() {
        let lifecycle = ORAManualLifecycle()
        let log = StateLog()
        let end = lifecycle.beginBackgroundTime { log.add(.background) }
        #expect(lifecycle.backgroundTimes == 1)
        lifecycle.expireBackgroundTime()
        #expect(log.states.count == 1)
        end()
        lifecycle.expireBackgroundTime()
        #expect(lifecycle.backgroundTimes == 0 && log.states.count == 1)
    }
}
