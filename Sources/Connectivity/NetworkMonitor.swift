/// Tells whether there is a network, and when that changes.
///
/// ```swift
/// let network: some NetworkMonitor = .system
/// if network.isExpensive { quality = .low }
/// for await state in network.changes { print(state.isReachable) }
/// ```
///
/// *Use* `.system` in an app and ``ManualNetworkMonitor`` in tests. A reachable network does not promise that a server
/// is reachable: send the request, and use the monitor only to wait after a failure.
///
/// *Implement* it with ``NetworkSubscribers``, which keep the state and the handlers.
public protocol NetworkMonitor: Sendable {
    /// The state now.
    var state: NetworkState { get }

    /// Calls a handler after each change of the state.
    /// - Parameter handler: called with the new state, on any thread, without a lock; it must not block. Of changes in
    ///   quick succession, it may get only the last one.
    /// - Returns: a token; the handler is called as long as the token is retained and not cancelled.
    func subscribe(_ handler: @escaping @Sendable (NetworkState) -> Void) -> NetworkSubscription
}

extension NetworkMonitor {
    /// True unless there is certainly no network: an unknown state counts as reachable.
    public var isReachable: Bool { state.isReachable }
    /// True for a network that costs money for each byte, if the system tells.
    public var isExpensive: Bool { state.isExpensive }

    /// The state now, and again after each change.
    ///
    /// A slow reader gets the latest state, not each one. The sequence ends when the reading task is cancelled.
    public var changes: AsyncStream<NetworkState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            // Subscribed first, so that no change is missed.
            let subscription = subscribe { continuation.yield($0) }
            // Again if it has changed meanwhile: the handler may have yielded the newer state before this one.
            var last: NetworkState
            repeat {
                last = state
                continuation.yield(last)
            } while last != state
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }
}
