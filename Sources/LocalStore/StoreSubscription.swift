/// Keeps a callback for changes alive; ends it with ``cancel()``, or when the last reference goes away.
public final class StoreSubscription: Sendable {
    private let end: @Sendable () -> Void

    /// A subscription.
    /// - Parameter end: ends it; called at least once, from any thread, and again without effect.
    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the subscription. A callback that another thread is in at this moment still runs to its end.
    public func cancel() { end() }
}
