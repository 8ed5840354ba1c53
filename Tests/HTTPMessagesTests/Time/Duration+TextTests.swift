import HTTPMessages
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: [
        (Duration.seconds(60), "60.0 s"), (.milliseconds(1449), "1.4 s"), (.milliseconds(50), "0.1 s"),
        (.zero, "0.0 s"),
        (.seconds(-1), "-1.0 s"),
    ])
    func `formats seconds with one decimal`(duration: Duration, text: String) {
        #expect(duration.secondsText == text)
    }

    @Test(arguments: [
        (Duration.seconds(0.3 * 1.5), "0.45 seconds"), (.seconds(10), "10.0 seconds"),
        (.milliseconds(1), "0.001 seconds"),
    ])
    func `a limit in milliseconds`(duration: Duration, text: String) {
        #expect(duration.limitText == text)
    }
}
