import HTTPMessages
import Testing

@Suite struct RequestOptionsTests {
    @Test func `default options`() throws {
        let options = RequestOptions()
        #expect(options.timeouts.response == .seconds(60) && options.timeouts.idle == .seconds(60))
        #expect(options.timeouts.total == nil)
        #expect(options.maximumResponseBytes == 64 << 20)
        try options.timeouts.validate()
    }

    @Test(
        arguments: [.zero, .seconds(-1), .nanoseconds(-1), .seconds(100 * 365 * 86_400 + 1), .seconds(Int64.max)]
            as [Duration])
    func `invalid timeouts are rejected`(duration: Duration) {
        for timeouts in [Timeouts(response: duration), Timeouts(idle: duration), Timeouts(total: duration)] {
            let error = #expect(throws: HTTPMessageError.self) { try timeouts.validate() }
            #expect(error?.code == .invalidTimeout)
        }
    }

    @Test func `valid timeouts and nil are accepted`() throws {
        try Timeouts(response: .nanoseconds(1), idle: nil, total: .seconds(100 * 365 * 86_400)).validate()
        try Timeouts(response: nil, idle: nil, total: nil).validate()
    }

    @Test(
        arguments: [
            Double.nan, Double.signalingNaN, .infinity, -.infinity, 0, -0.0, -1, 1e300, -1e300,
            .greatestFiniteMagnitude,
            .leastNonzeroMagnitude, 1e-30, 100 * 365 * 86_400.0 * 1.000001,
        ] as [Double])
    func `invalid numbers of seconds are rejected`(seconds: Double) {
        let error = #expect(throws: HTTPMessageError.self) { try Duration.timeout(seconds: seconds) }
        #expect(error?.code == .invalidTimeout)
    }

    @Test(arguments: [0.001, 0.5, 60, 100 * 365 * 86_400] as [Double])
    func `valid numbers of seconds are accepted`(seconds: Double) throws {
        let timeout = try Duration.timeout(seconds: seconds)
        #expect(timeout == .seconds(seconds))
        try Timeouts(total: timeout).validate()
    }
}
