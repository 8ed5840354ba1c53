package import Coordination
import HTTPMessages
import Synchronization

/// The state of a bandwidth limit, which several transports may share.
///
/// ```swift
/// let limiter = BandwidthLimiter(Bandwidth(download: 500_000))
/// let transport = CurlTransport().limitingBandwidth(by: limiter)
/// limiter.bandwidth.download = nil  // from anywhere, at any time
/// ```
public final class BandwidthLimiter: Sendable {
    private struct State {
        var bandwidth: Bandwidth
        var upload: ByteBucket
        var download: ByteBucket
        var total: ByteBucket
        var meter = ByteMeter()

        init(_ bandwidth: Bandwidth) {
            self.bandwidth = bandwidth
            upload = ByteBucket(rate: bandwidth.upload)
            download = ByteBucket(rate: bandwidth.download)
            total = ByteBucket(rate: bandwidth.total)
        }
    }

    let clock: AnyMonotonicClock
    private let state: Mutex<State>

    /// Creates a limiter; its limits can be changed.
    /// - Parameter clock: measures rates.
    public convenience init(
        _ bandwidth: Bandwidth = .unlimited, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(bandwidth, on: AnyMonotonicClock(clock))
    }

    package init(_ bandwidth: Bandwidth, on clock: AnyMonotonicClock) {
        self.clock = clock
        state = Mutex(State(bandwidth))
    }

    /// The limits. A change counts from the next piece of each body, which takes at most a tenth of a second for each
    /// call in flight.
    public var bandwidth: Bandwidth {
        get { state.withLock(\.bandwidth) }
        set {
            state.withLock { state in
                state.bandwidth = newValue
                state.upload.set(rate: newValue.upload)
                state.download.set(rate: newValue.download)
                state.total.set(rate: newValue.total)
            }
        }
    }

    /// The bytes of bodies in both directions that passed per second, on average over the last five seconds.
    public var averageBytesPerSecond: Int {
        let now = clock.now / .seconds(1)
        return state.withLock { $0.meter.bytesPerSecond(now: now) }
    }

    /// The size of the next piece; nil without a limit.
    func pieceSize(_ direction: Bandwidth.Direction) -> Int? {
        state.withLock { state in
            let sizes = [
                direction == .upload ? state.upload.pieceSize : state.download.pieceSize, state.total.pieceSize,
            ]
            return sizes.compactMap(\.self).min()
        }
    }

    /// Reserves the time of some bytes, and counts them.
    /// - Returns: the time of the clock at which they have passed; not later than `now` if they need not wait.
    func reserve(_ count: Int, _ direction: Bandwidth.Direction, now: Duration) -> Duration {
        let seconds = now / .seconds(1)
        let passed = state.withLock { state in
            state.meter.add(count, now: seconds)
            let own =
                direction == .upload
                ? state.upload.reserve(count, now: seconds) : state.download.reserve(count, now: seconds)
            return max(own, state.total.reserve(count, now: seconds))
        }
        return passed <= seconds ? now : .seconds(min(passed, seconds + .century))
    }
}
