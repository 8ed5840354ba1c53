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
    func count(_ bytes: Int) { limiters[0].count(bytes, now: clock.now) }

    /// Waits until some bytes may pass, and counts them.
    /// - Parameter hold: notes the wait, which the engine counts neither as sending nor as waiting for the response.
    /// - Throws: `TransportError` (`cancelled`; `timedOut` at once if the total timeout would expire before). Then the
    ///   bytes take no time of others.
    func pass(
        _ count: Int, _ direction: Bandwidth.Direction, head: HTTPResponseHead?, hold: UploadHold? = nil
    ) async throws(TransportError) {
        let now = clock.now
        var reservations: [(BandwidthLimiter, BandwidthLimiter.Reservation)] = []
        // The limiter of the request first: if that of the layer refuses, no other call misses what was reserved.
        for limiter in limiters.reversed() {
            guard let reservation = limiter.reserve(count, direction, now: now, until: deadline) else {
                throw timedOut(head)
            }
            reservations.append((limiter, reservation))
        }
        if let time = reservations.map(\.1.time).max(), time > now {
            hold?.begin()
            defer { hold?.end() }
            do {
                try await clock.sleep(until: time)
            } catch {
                for (limiter, reservation) in reservations { limiter.refund(reservation, direction) }
                throw TransportError.cancelled(request, head: head)
            }
        }
        self.count(count)
    }

    private func timedOut(_ head: HTTPResponseHead?) -> TransportError {
        let whole = request.options.timeouts.wholeTotal ?? .zero
        var error = TransportError.timedOut(
            .total,
            "Timed out: the request did not finish within \(whole.secondsText), at the limit of its bandwidth.",
            request: request, head: head)
        error.isByOwnLimit = true
        return error
    }
}
