import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct TimerSleepTests {
    @Test(arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min), .nanoseconds(1), .milliseconds(3)])
    func `ends after its duration`(duration: Duration) async { await TimerSleep.sleep(for: duration) }

    @Test(arguments: [Duration.seconds(60), .seconds(Int64.max)])
    func `ends when its task is cancelled`(duration: Duration) async {
        let early = Task { await TimerSleep.sleep(for: duration) }
        early.cancel()
        await early.value
        let late = Task { await TimerSleep.sleep(for: duration) }
        for _ in 0..<100 { await Task.yield() }
        late.cancel()
        await late.value
    }
}
