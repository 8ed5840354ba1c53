import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct BandwidthLimiterTests {
    private let clock = ManualClock()

    @Test func `a piece that is older than the limit reserves no more than a piece`() {
        let limiter = BandwidthLimiter(.bytesPerSecond(download: 1000), clock: clock)
        for expected in [0, 0, 50, 100] {
            let reservation = limiter.reserve(10 << 20, .download, now: .zero, until: nil)
            #expect(reservation?.time == .milliseconds(expected))
        }
    }

    @Test func `beyond the deadline nothing is reserved, of a total neither`() {
        let limiter = BandwidthLimiter(.bytesPerSecond(download: 1000, total: 2000), clock: clock)
        for _ in 0..<100 { _ = limiter.reserve(50, .download, now: .zero, until: .zero) }
        #expect(limiter.reserve(50, .download, now: .zero, until: .milliseconds(50))?.time == .milliseconds(50))
        #expect(limiter.reserve(50, .upload, now: .zero, until: .zero)?.time == .zero)
    }

    @Test func `changes of different limits at once do not undo each other`() {
        let limiter = BandwidthLimiter(clock: clock)
        func change(_ bandwidth: inout Bandwidth) {
            limiter.bandwidth.download = 7
            bandwidth.upload = 5
        }
        change(&limiter.bandwidth)
        #expect(limiter.bandwidth == .bytesPerSecond(upload: 5, download: 7))
        limiter.bandwidth = .unlimited
        #expect(limiter.bandwidth == .unlimited)
    }
}
