import OracleCX
import Testing

@Suite struct ORAManualLifecycleTests {
    @Test func `observers are called until their observation ends`() {
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

    @Test func `background tasks are counted until they end`() {
        let lifecycle = ORAManualLifecycle()
        let log = StateLog()
        let end = lifecycle.beginBackgroundTask { log.add(.background) }
        #expect(lifecycle.backgroundTaskCount == 1)
        lifecycle.expireBackgroundTasks()
        #expect(log.states.count == 1)
        end()
        lifecycle.expireBackgroundTasks()
        #expect(lifecycle.backgroundTaskCount == 0 && log.states.count == 1)
    }
}
