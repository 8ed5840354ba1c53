import Testing

@testable import Queueing

@Suite struct DurationBoundsTests {
    @Test(arguments: [
        (Double.nan, Duration.zero), (-.infinity, .zero), (-1, .zero), (0, .zero), (1.5, .milliseconds(1500)),
        (1e300, .longestWait), (.infinity, .longestWait),
    ])
    func `any number of seconds has a duration`(seconds: Double, duration: Duration) {
        #expect(Duration.boundedSeconds(seconds) == duration)
    }

    @Test func `bounds and seconds`() {
        #expect(Duration.seconds(Int64.max).bounded == .longestWait && Duration.seconds(Int64.min).bounded == .zero)
        #expect(Duration.milliseconds(1500).inSeconds == 1.5 && Duration.milliseconds(-1500).inSeconds == -1.5)
        #expect((Duration.seconds(Int64.max) * 3).inSeconds > 2.7e19 && (Duration.seconds(Int64.min) * 3).inSeconds < 0)
    }
}
