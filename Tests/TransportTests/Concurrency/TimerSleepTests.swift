import TestSupport
import Testing

@testable import Transport

@Suite("TimerSleep", .needsSlot) struct TimerSleepTests {
    @Test(
        "ends after its duration",
        arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min), .nanoseconds(1), .milliseconds(3)])
    func end(duration: Duration) async { await TimerSleep.sleep(for: duration) }

    @Test(
        "ends when its task is cancelled",
        arguments: [Duration.seconds(60), .seconds(Int64.max)])
    func cancel(duration: Duration) async {
        let early = Task { await TimerSleep.sleep(for: duration) }
        early.cancel()
        await early.value
        let late = Task { await TimerSleep.sleep(for: duration) }
        for _ in 0..<100 { await Task.yield() }
        late.cancel()
        await late.value
    }
}
