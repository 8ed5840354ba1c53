/// What is known about the network of this device.
public struct NetworkState: Hashable, Sendable {
    /// Whether requests can reach a network.
    public enum Reachability: Hashable, Sendable {
        /// The state is not known; requests are sent, as if it were reachable.
        case unknown
        /// There is a network. The server may still be unreachable.
        case reachable
        /// There is no network: a request would fail at once.
        case unreachable
    }

    /// Whether requests can reach a network.
    public var reachability: Reachability
    /// True for a network that costs money for each byte, such as a cellular one, if the system tells.
    public var isExpensive: Bool
    /// True in the system's low data mode, if it has one.
    public var isConstrained: Bool

    /// Creates a state.
    public init(_ reachability: Reachability, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.reachability = reachability
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }

    /// Nothing is known, so the network counts as reachable.
    public static let unknown = NetworkState(.unknown)
    /// There is a network.
    public static let reachable = NetworkState(.reachable)
    /// There is no network.
    public static let unreachable = NetworkState(.unreachable)

    /// True unless there is certainly no network: an unknown state counts as reachable.
    public var isReachable: Bool { reachability != .unreachable }
}
