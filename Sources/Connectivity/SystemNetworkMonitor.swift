import Coordination
import SystemLibraries

/// The network of this device, as the system sees it: Network framework on Apple's platforms, netlink on Linux.
///
/// On Linux the network is reachable when an interface other than loopback is up, has a carrier, and has an address
/// that is not link-local; whether it is expensive is not known there. The state is unknown, and so counts as
/// reachable, on other systems and where the kernel refuses netlink.
///
/// Servers on this device itself (`127.0.0.1`) need no network: do not wait for one.
public final class SystemNetworkMonitor: NetworkMonitor {
    /// The monitor of the process. It starts when it is first used.
    public static let shared = SystemNetworkMonitor()

    private let subscribers: NetworkSubscribers
    private let watch: NetworkPathWatch?
    /// Waits for the watch; exits after the monitor is released.
    private let thread: WorkerThreads?

    /// Starts a monitor of its own, which stops when it is released. Prefer ``shared``.
    public init() {
        let watch = NetworkPathWatch()
        self.watch = watch
        guard let watch else {
            (subscribers, thread) = (NetworkSubscribers(.unknown), nil)
            return
        }
        let subscribers = NetworkSubscribers(NetworkState(watch.path))
        let thread = WorkerThreads(count: 1, name: "patchbay.network")
        (self.subscribers, self.thread) = (subscribers, thread)
        // The job owns neither the monitor nor its pool, so both can be released while it waits.
        thread.run {
            while let path = watch.next() { subscribers.set(NetworkState(path)) }
        }
    }

    deinit { watch?.stop() }

    /// The state now.
    public var state: NetworkState { subscribers.current }

    /// Calls a handler after each change, on the monitor's thread.
    public func subscribe(_ handler: @escaping @Sendable (NetworkState) -> Void) -> NetworkSubscription {
        subscribers.add(handler)
    }
}

extension NetworkMonitor where Self == SystemNetworkMonitor {
    /// The network of this device, as the system sees it.
    public static var system: SystemNetworkMonitor { .shared }
}

extension NetworkState {
    fileprivate init(_ path: NetworkPath?) {
        guard let path else {
            self = .unknown
            return
        }
        self.init(
            path.isSatisfied ? .reachable : .unreachable, isExpensive: path.isExpensive,
            isConstrained: path.isConstrained)
    }
}
