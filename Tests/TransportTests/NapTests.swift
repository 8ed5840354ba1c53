import TestSupport
import Testing

@testable import Transport

@Suite("Nap", .needsSlot) struct NapTests {
    @Test(
        "ends by itself",
        arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min), .nanoseconds(1), .milliseconds(3)])
    func end(duration: Duration) async { await Nap.take(duration) }

    @Test(
        "ends when its task is cancelled, however long it was to be",
        arguments: [Duration.seconds(60), .seconds(Int64.max)])
    func cancel(duration: Duration) async {
        let nap = Task { await Nap.take(duration) }
        nap.cancel()
        await nap.value
        let late = Task { await Nap.take(duration) }
        for _ in 0..<100 { await Task.yield() }
        late.cancel()
        await late.value
    }
}
