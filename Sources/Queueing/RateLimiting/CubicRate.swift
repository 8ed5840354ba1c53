import Foundation

/// The rate that a server tolerates, as a state machine: cubic increase, multiplicative decrease.
///
/// The client rate limiter of the adaptive retry mode of the Smithy and AWS SDKs, with its constants. It measures the
/// rate of responses in half seconds. Nothing is limited before the first throttled response.
///
/// ```
/// unlimited -throttled->     limited, at 0.7 of the measured rate
/// limited   -throttled->     limited, at 0.7 of the lower of the measured rate and the limit
/// limited   -not throttled-> limited, at most at twice the measured rate
/// ```
struct CubicRate {
    /// The factor after a throttled response.
    static let beta = 0.7
    /// How fast the rate rises.
    static let scale = 0.4
    /// The weight of the latest half second.
    private static let smoothing = 0.8
    private static let minimumRate = 0.5

    /// False until the first throttled response.
    private(set) var isLimiting = false
    /// The smoothed rate of responses per second.
    private(set) var measuredRate = 0.0
    private(set) var bucket: TimedTokenBucket
    private var measuredUntil: Double
    private var count = 0
    /// The rate at the last throttled response, and its time.
    private var lastMaximum: Double
    private var lastThrottle: Double

    /// - Parameters:
    ///   - lastMaximum: the rate at the last throttled response.
    ///   - lastThrottle: the time of that response.
    init(lastMaximum: Double = 0, lastThrottle: Double = 0, now: Double) {
        (self.lastMaximum, self.lastThrottle) = (lastMaximum, lastThrottle)
        measuredUntil = now.rounded(.down)
        bucket = TimedTokenBucket(rate: 0, capacity: .infinity, tokens: 0, now: now)
    }

    /// The time until a number of calls may be sent.
    mutating func wait(for count: Double, now: Double) -> Double { isLimiting ? bucket.wait(for: count, now: now) : 0 }

    mutating func take() {
        if isLimiting { bucket.take(1) }
    }

    mutating func giveBack() {
        if isLimiting { bucket.giveBack() }
    }

    /// Records a response.
    mutating func responseReceived(isThrottled: Bool, now: Double) {
        measure(now: now)
        let rate: Double
        if isThrottled {
            let current = isLimiting ? min(measuredRate, bucket.rate) : measuredRate
            rate = rateAfterThrottling(current, now: now)
            isLimiting = true
        } else {
            rate = rateAfterSuccess(now: now)
        }
        let new = min(rate, 2 * measuredRate)
        bucket.set(rate: max(new, Self.minimumRate), capacity: max(new, 1), now: now)
    }

    /// Lowers the rate, and remembers it as the highest one.
    mutating func rateAfterThrottling(_ current: Double, now: Double) -> Double {
        lastMaximum = current
        lastThrottle = now
        return current * Self.beta
    }

    /// The rate on the cubic curve, which returns to the last highest rate after a while, and then rises faster.
    func rateAfterSuccess(now: Double) -> Double {
        let window = cbrt(lastMaximum * (1 - Self.beta) / Self.scale)
        return Self.scale * pow(now - lastThrottle - window, 3) + lastMaximum
    }

    private mutating func measure(now: Double) {
        count += 1
        let halfSecond = (now * 2).rounded(.down) / 2
        guard halfSecond > measuredUntil else { return }
        let rate = Double(count) / (halfSecond - measuredUntil)
        measuredRate = rate * Self.smoothing + measuredRate * (1 - Self.smoothing)
        count = 0
        measuredUntil = halfSecond
    }
}
