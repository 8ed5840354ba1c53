import Testing

@testable import Queueing

/// The values are those that the SDKs of AWS publish for their adaptive retry mode.
@Suite struct CubicRateTests {
    private func isClose(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 1e-9 * max(1, right) }

    @Test(arguments: [
        (5.0, 7.0), (6, 9.64893600966), (7, 10.000030849917364), (8, 10.453284520772092), (9, 13.408697022224185),
        (10, 21.26626835427364), (11, 36.425998516920465),
    ])
    func `successes raise the rate along a cubic curve`(time: Double, rate: Double) {
        let cubic = CubicRate(lastMaximum: 10, lastThrottle: 5, now: 5)
        #expect(abs(cubic.rateAfterSuccess(now: time) - rate) < 1e-6)
    }

    @Test func `throttling lowers the rate to seven tenths`() {
        let steps: [(isThrottled: Bool, time: Double, rate: Double)] = [
            (false, 5, 7.0), (false, 6, 9.64893600966), (true, 7, 6.754255206761999), (true, 8, 4.727978644733399),
            (false, 9, 4.670125557970046), (false, 10, 4.770870456867401), (false, 11, 6.011819748005445),
            (false, 12, 10.792973431384178),
        ]
        var cubic = CubicRate(lastMaximum: 10, lastThrottle: 5, now: 5)
        var rate = 0.0
        for step in steps {
            if step.isThrottled {
                // The published table takes the lowered rate as the highest one.
                rate = cubic.rateAfterThrottling(rate, now: step.time)
                cubic = CubicRate(lastMaximum: rate, lastThrottle: step.time, now: step.time)
            } else {
                rate = cubic.rateAfterSuccess(now: step.time)
            }
            #expect(abs(rate - step.rate) < 1e-6)
        }
    }

    @Test func `the sending rate follows the measured one and throttled responses`() {
        let steps: [(isThrottled: Bool, time: Double, measured: Double, rate: Double)] = [
            (false, 0.2, 0, 0.5), (false, 0.4, 0, 0.5), (false, 0.6, 4.8, 0.5), (false, 0.8, 4.8, 0.5),
            (false, 1.0, 4.16, 0.5), (false, 1.2, 4.16, 0.6912), (false, 1.4, 4.16, 1.0976),
            (false, 1.6, 5.632, 1.6384), (false, 1.8, 5.632, 2.3328), (true, 2.0, 4.3264, 3.02848),
            (false, 2.2, 4.3264, 3.48663917347026), (false, 2.4, 4.3264, 3.821874416040255),
            (false, 2.6, 5.66528, 4.053385727709987), (false, 2.8, 5.66528, 4.200373108479454),
            (false, 3.0, 4.333056, 4.282036558348658), (true, 3.2, 4.333056, 2.99742559084406),
            (false, 3.4, 4.333056, 3.4522263943863463),
        ]
        var cubic = CubicRate(now: 0)
        for step in steps {
            cubic.responseReceived(isThrottled: step.isThrottled, now: step.time)
            #expect(isClose(cubic.measuredRate, step.measured), "at \(step.time)")
            #expect(isClose(cubic.bucket.rate, step.rate), "at \(step.time)")
            #expect(cubic.isLimiting == (step.time >= 2))
        }
    }

    @Test func `nothing waits before the first throttled response, and afterwards each call takes a token`() {
        var cubic = CubicRate(now: 0)
        for _ in 0..<100 { cubic.take() }
        expect(cubic.wait(for: 1, now: 0) == 0)
        cubic.responseReceived(isThrottled: true, now: 0)
        // The lowest rate is one call in two seconds.
        expect(cubic.wait(for: 1, now: 0) == 2)
        expect(cubic.wait(for: 1, now: 2) == 0)
        cubic.take()
        expect(cubic.wait(for: 1, now: 2) == 2)
    }
}
