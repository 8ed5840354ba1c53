public import Connectivity
import Synchronization

extension PauseReason {
    /// A pause while there is no network; see ``RequestQueue/pauseWhenOffline(_:)``.
    public static let offline = PauseReason("offline")
}

extension RequestQueue {
    /// Pauses the queue with the reason ``PauseReason/offline`` while there is no network.
    ///
    /// ```swift
    /// let subscription = queue.pauseWhenOffline(.system)
    /// ```
    ///
    /// Running requests are not affected. Other reasons for a pause stay, and this one ends none of them. One monitor
    /// for each queue: two would end each other's pause.
    /// - Returns: a token. When it is cancelled or released, the pause ends, and the queue ignores the network.
    public func pauseWhenOffline(_ network: some NetworkMonitor) -> NetworkSubscription {
        let isCancelled = Flag()
        let follow: @Sendable () -> Void = { [weak self] in
            // Until the state is still the one that was applied: another thread may apply an older one meanwhile.
            var isReachable: Bool
            repeat {
                isReachable = network.isReachable
                if isReachable { self?.resume(.offline) } else { self?.pause(.offline) }
            } while isReachable != network.isReachable
            // The token was cancelled meanwhile, and nothing else ends the pause.
            if isCancelled.value.load(ordering: .sequentiallyConsistent) { self?.resume(.offline) }
        }
        let subscription = network.subscribe { _ in follow() }
        follow()
        return NetworkSubscription { [weak self] in
            isCancelled.value.store(true, ordering: .sequentiallyConsistent)
            subscription.cancel()
            self?.resume(.offline)
        }
    }
}

/// A flag that closures share.
private final class Flag: Sendable {
    let value = Atomic(false)
}
