package import Coordination
import HTTPMessages
import Synchronization

/// The state of a bandwidth limit, which several transports may share.
///
/// ```swift
/// let limiter = BandwidthLimiter(.bytesPerSecond(download: 500_000))
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

        /// The bucket of a direction.
        subscript(direction: Bandwidth.Direction) -> ByteBucket {
            get { direction == .upload ? upload : download }
            set {
                switch direction {
                case .upload: upload = newValue
                case .download: download = newValue
                }
            }
        }

        func pieceSize(_ direction: Bandwidth.Direction) -> Int? {
            [self[direction].pieceSize, total.pieceSize].compactMap(\.self).min()
        }

        /// Sets the limits that differ.
        mutating func change(from old: Bandwidth, to new: Bandwidth, now: Double) {
            if old.upload != new.upload {
                bandwidth.upload = new.upload
                upload.set(rate: new.upload, now: now)
            }
            if old.download != new.download {
                bandwidth.download = new.download
                download.set(rate: new.download, now: now)
            }
            if old.total != new.total {
                bandwidth.total = new.total
                total.set(rate: new.total, now: now)
            }
        }
    }

    /// The time that some bytes have reserved.
    struct Reservation {
        /// The time of the clock at which they have passed; not later than that of the reservation if they need not
        /// wait.
        let time: Duration
        fileprivate let count: Int
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

    /// The limits. A change counts from the next piece of each body that was limited when its call began; what is
    /// reserved by others then passes at the new rate. Changes of different limits at once do not undo each other.
    public var bandwidth: Bandwidth {
        get { state.withLock(\.bandwidth) }
        set {
            let now = clock.now / .seconds(1)
            state.withLock { $0.change(from: $0.bandwidth, to: newValue, now: now) }
        }
        _modify {
            let old = bandwidth
            var new = old
            yield &new
            let now = clock.now / .seconds(1)
            state.withLock { [new] in $0.change(from: old, to: new, now: now) }
        }
    }

    /// The bytes of bodies in both directions that passed per second, on average over the last five seconds.
    public var averageBytesPerSecond: Int {
        let now = clock.now / .seconds(1)
        return state.withLock { $0.meter.bytesPerSecond(now: now) }
    }

    /// The size of the next piece; nil without a limit.
    func pieceSize(_ direction: Bandwidth.Direction) -> Int? {
        state.withLock { $0.pieceSize(direction) }
    }

    /// Reserves the time of a piece, at most that of one at the rate of now: the piece may be older than the limit.
    /// - Returns: nil, and nothing is reserved, if the bytes would have to wait beyond the deadline.
    func reserve(
        _ count: Int, _ direction: Bandwidth.Direction, now: Duration, until deadline: Duration?
    ) -> Reservation? {
        let seconds = now / .seconds(1)
        return state.withLock { state in
            let count = min(count, state.pieceSize(direction) ?? count)
            let end = max(state[direction].time(of: count, now: seconds), state.total.time(of: count, now: seconds))
            let time = end <= seconds ? now : .seconds(min(end, seconds + .century))
            if let deadline, time > max(now, deadline) { return nil }
            state[direction].reserve(count, now: seconds)
            state.total.reserve(count, now: seconds)
            return Reservation(time: time, count: count)
        }
    }

    /// Gives back the time of bytes that do not pass.
    func refund(_ reservation: Reservation, _ direction: Bandwidth.Direction) {
        state.withLock { state in
            state[direction].refund(reservation.count)
            state.total.refund(reservation.count)
        }
    }

    /// Counts bytes that pass.
    func count(_ bytes: Int, now: Duration) {
        state.withLock { $0.meter.add(bytes, now: now / .seconds(1)) }
    }
}
