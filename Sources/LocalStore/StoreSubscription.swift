/// Subscription token: the subscription ends with ``cancel()`` or the last reference to it.
public final class StoreSubscription: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Creates a token.
    /// - Parameter onCancel: removes the handler. It is called at least once, from any thread, and must be idempotent.
    package init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Ends the subscription. A callback already running on another thread still finishes.
    public func cancel() { onCancel() }
}

/// Tables changed by a transaction, reported after its commit.
public struct StoreChange: Hashable, Sendable {
    /// The tables whose rows or schema may have changed, including created and dropped ones.
    ///
    /// The project's own tables (prefix `patchbay_`) are left out.
    public let tables: Set<SQLIdentifier>

    /// Creates a change.
    public init(tables: Set<SQLIdentifier>) { self.tables = tables }
}
