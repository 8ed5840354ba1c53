import Connectivity
import HTTPMessages

/// Tells layers inside ``WaitingForConnectivity`` whether an attempt ends without a network.
struct NetworkCheck: Hashable, Sendable {
    private let network: any NetworkMonitor
    private let wasReachable: Bool

    /// A check for an attempt that starts now.
    init(_ network: any NetworkMonitor) {
        self.network = network
        wasReachable = network.isReachable
    }

    /// True if there was no network when the attempt started, or there is none now.
    var isOffline: Bool { !wasReachable || !network.isReachable }

    /// All are equal: requests do not differ by their checks.
    static func == (_: NetworkCheck, _: NetworkCheck) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

private enum NetworkCheckKey: RequestOptionKey { static var defaultValue: NetworkCheck? { nil } }

extension RequestOptions {
    /// The check of a ``WaitingForConnectivity`` outside; nil without one.
    var networkCheck: NetworkCheck? {
        get { hasLayerOptions ? self[NetworkCheckKey.self] : nil }
        set { self[NetworkCheckKey.self] = newValue }
    }
}
