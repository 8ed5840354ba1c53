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
}
