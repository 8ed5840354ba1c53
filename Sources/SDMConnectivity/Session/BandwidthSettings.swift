import Connectivity
import Synchronization
import Transport

/// The vendor's settings of the bandwidth, in both directions together, of all requests of a session.
///
/// ```
/// off      -maximum > 0->       limited
/// any      -throttleOnWWAN->    limited while the network is a mobile one
/// any      -stopThrottling->    off
/// ```
final class BandwidthSettings: Sendable {
    private struct State {
        /// Bytes per second; 0 without a limit.
        var maximum = 0
        var isForWWANOnly = false
        var isOnWWAN = false
        var subscription: NetworkSubscription?

        var isThrottled: Bool { isForWWANOnly ? isOnWWAN : maximum > 0 }
        var bandwidth: Bandwidth { isThrottled && maximum > 0 ? .bytesPerSecond(total: maximum) : .unlimited }
    }

    private let limiter: BandwidthLimiter
    private let network: @Sendable () -> any NetworkMonitor
    private let state = Mutex(State())

    /// - Parameter network: called when a limit for mobile networks is set.
    init(clock: some Clock<Duration>, network: @escaping @Sendable () -> any NetworkMonitor) {
        limiter = BandwidthLimiter(clock: clock)
        self.network = network
    }

    /// A transport within the limits.
    func limiting(_ transport: AnyTransport) -> AnyTransport {
        AnyTransport(BandwidthLimiting(base: transport, limiter: limiter, needsBackPressure: false))
    }

    /// Bytes per second; 0 without a limit.
    var maximum: Int {
        get { state.withLock(\.maximum) }
        set { update { $0.maximum = max(0, newValue) } }
    }

    /// True if requests are limited now.
    var isThrottled: Bool { state.withLock(\.isThrottled) }

    var averagePerSecond: Int { limiter.averageBytesPerSecond }

    /// Limits requests while the network is a mobile one, as far as the system tells.
    func throttleOnWWAN(_ limit: Int) {
        let network = network()
        let subscription = network.subscribe { [weak self] network in
            self?.update { $0.isOnWWAN = network.isExpensive }
        }
        var isOnWWAN = network.isExpensive
        update { state in
            state.maximum = max(0, limit)
            state.isForWWANOnly = true
            state.isOnWWAN = isOnWWAN
            state.subscription = subscription
        }
        // A change meanwhile, of which the handler has taken note, was replaced by what was read before it.
        while network.isExpensive != isOnWWAN {
            isOnWWAN.toggle()
            update { if $0.subscription === subscription { $0.isOnWWAN = isOnWWAN } }
        }
    }

    /// Removes all limits.
    func stopThrottling() { update { $0 = State() } }

    private func update(_ change: (inout State) -> Void) {
        let ended = state.withLock { state in
            let before = state.subscription
            change(&state)
            limiter.bandwidth = state.bandwidth
            return before === state.subscription ? nil : before
        }
        ended?.cancel()
    }
}
