import Coordination
import HTTPMessages

/// The limiters of one call, and its time.
struct Pace: Sendable {
    let request: HTTPRequest
    /// The limiter of the layer, then that of the request.
    let limiters: [BandwidthLimiter]
    private let deadline: Duration?
    private var clock: AnyMonotonicClock { limiters[0].clock }

    init(_ request: HTTPRequest, _ shared: BandwidthLimiter) {
        self.request = request
        let own = request.options.bandwidth
        limiters = own == .unlimited ? [shared] : [shared, BandwidthLimiter(own, on: shared.clock)]
        deadline = request.options.timeouts.total.map { shared.clock.now + $0 }
    }

    /// True if bodies of a direction are limited now.
    func limits(_ direction: Bandwidth.Direction) -> Bool { limiters.contains { $0.bandwidth.limits(direction) } }

    /// Counts bytes that have passed.
    func count(_ bytes: Int, _ direction: Bandwidth.Direction) {
        _ = limiters[0].reserve(bytes, direction, now: clock.now)
    }

    /// Waits until some bytes may pass.
    /// - Throws: `TransportError` (`cancelled`; `timedOut` at once if the total timeout would expire before).
    func pass(_ count: Int, _ direction: Bandwidth.Direction, head: HTTPResponseHead?) async throws(TransportError) {
        let now = clock.now
        let time = limiters.map { $0.reserve(count, direction, now: now) }.max() ?? now
        guard time > now else { return }
        if let deadline, let total = request.options.timeouts.total, time > deadline {
            throw .timedOut(
                .total, "Timed out: the request did not finish within \(total), at the limit of its bandwidth.",
                request: request, head: head)
        }
        do { try await clock.sleep(until: time) } catch { throw TransportError.cancelled(request, head: head) }
    }
}
