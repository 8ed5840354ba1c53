import Dispatch
import SystemLibraries
import Testing

@Suite struct WakeupPipeTests {
    @Test func `a wait ends with a call before or during it, and with its limit`() throws {
        let pipe = try #require(WakeupPipe())
        pipe.wake()
        pipe.wake()
        pipe.wait(milliseconds: -1)
        // Both calls have ended the first wait, so this one ends with its limit.
        pipe.wait(milliseconds: 1)
        DispatchQueue.global().async { pipe.wake() }
        pipe.wait(milliseconds: -1)
    }

    @Test func `calls without a wait do not block`() throws {
        let pipe = try #require(WakeupPipe())
        for _ in 0..<100_000 { pipe.wake() }
        pipe.wait(milliseconds: -1)
    }
}
