/// A monitor whose state a test or an app sets.
///
/// ```swift
/// let network = ManualNetworkMonitor(.unreachable)
/// network.set(.reachable)
/// ```
public final class ManualNetworkMonitor: NetworkMonitor {
    private let subscribers: NetworkSubscribers

    /// Creates a monitor with a state; default ``NetworkState/unknown``.
    public init(_ state: NetworkState = .unknown) { subscribers = NetworkSubscribers(state) }

    /// The state now.
    public var state: NetworkState { subscribers.current }

    /// Sets the state; handlers are called before this returns, unless another thread is calling them.
    public func set(_ state: NetworkState) { subscribers.set(state) }

    /// Calls a handler after each change.
    public func subscribe(_ handler: @escaping @Sendable (NetworkState) -> Void) -> NetworkSubscription {
        subscribers.add(handler)
    }
}
