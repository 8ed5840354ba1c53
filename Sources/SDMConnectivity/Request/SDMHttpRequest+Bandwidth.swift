// The vendor's settings of the process: those of the shared session.
//
// The limit is that of all requests, in both directions together, and of bodies only, as the vendor documents it: a
// rough figure, of which the fields of the messages are no part.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension SDMHttpRequest {
    /// The limit of all requests in bytes per second; default 0, no limit.
    public class func maxBandwidthPerSecond() -> Int { SDMSession.shared.bandwidth.maximum }

    /// Limits all requests to a number of bytes per second; 0 removes the limit.
    ///
    /// Over `URLSession` on Linux, and for request bodies also on Apple's platforms, bodies are collected on their way:
    /// there the bytes are passed at this rate on average, but may be on the network in bursts.
    public class func setMaxBandwidthPerSecond(_ bytes: Int) { SDMSession.shared.bandwidth.maximum = bytes }

    /// The bytes per second that all requests used on average, in the last five seconds.
    public class func averageBandwidthUsedPerSecond() -> Int { SDMSession.shared.bandwidth.averagePerSecond }

    /// True if requests are limited now.
    public class func isBandwidthThrottled() -> Bool { SDMSession.shared.bandwidth.isThrottled }

    /// Limits requests over mobile networks to `WWANBandwidthThrottleAmount`; false removes all limits.
    ///
    /// A network is a mobile one if the system calls it expensive, as it also does for a personal hotspot. Linux does
    /// not tell: nothing is limited there.
    public class func setShouldThrottleBandwidthForWWAN(_ isThrottled: Bool) {
        if isThrottled {
            throttleBandwidthForWWANUsingLimit(WWANBandwidthThrottleAmount)
        } else {
            SDMSession.shared.bandwidth.stopThrottling()
        }
    }

    /// Limits requests over mobile networks to a number of bytes per second, as
    /// ``setShouldThrottleBandwidthForWWAN(_:)`` does.
    public class func throttleBandwidthForWWANUsingLimit(_ limit: Int) {
        SDMSession.shared.bandwidth.throttleOnWWAN(limit)
    }
}
