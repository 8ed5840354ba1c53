import Testing

@testable import Transport

@Suite struct ByteMeterTests {
    @Test func `the average of the last five seconds`() {
        var meter = ByteMeter()
        #expect(meter.bytesPerSecond(now: 0) == 0)
        for second in 0..<10 { meter.add(100, now: Double(second)) }
        #expect(meter.bytesPerSecond(now: 9.5) == 100)
        #expect(meter.bytesPerSecond(now: 11) == 60)
        #expect(meter.bytesPerSecond(now: 100) == 0)
        meter.add(50, now: 100)
        #expect(meter.bytesPerSecond(now: 100) == 10)
    }
}
