import Synchronization

/// Subscription token: the subscription ends with ``cancel()`` or the last reference to it.
public final class NetworkSubscription: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// Creates a token for a monitor of your own; ``NetworkSubscribers`` create one for each handler.
    /// - Parameter onCancel: called exactly once, on the thread that cancels or releases the token.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = Mutex(onCancel) }

    deinit { cancel() }

    /// Ends the subscription. A call of the handler that runs on another thread still finishes.
    public func cancel() {
        let onCancel = onCancel.withLock { $0.take() }
        onCancel?()
    }
}
