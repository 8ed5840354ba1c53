import Synchronization

/// Subscription token: the subscription ends with ``cancel()`` or the last reference to it.
public final class StoreSubscription: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>
    /// Signaled when the store is closed.
    let storeEnd: StoreEnd

    /// Creates a token for a store of your own; ``StoreSubscribers`` creates one for each handler.
    /// - Parameter onCancel: removes the handler. It is called exactly once, on the thread that cancels or releases the
    ///   token.
    public convenience init(onCancel: @escaping @Sendable () -> Void) {
        self.init(storeEnd: StoreEnd(), onCancel: onCancel)
    }

    init(storeEnd: StoreEnd, onCancel: @escaping @Sendable () -> Void) {
        self.storeEnd = storeEnd
        self.onCancel = Mutex(onCancel)
    }

    deinit { cancel() }

    /// Ends the subscription. A callback already running on another thread still finishes.
    public func cancel() {
        let onCancel = onCancel.withLock { onCancel in
            defer { onCancel = nil }
            return onCancel
        }
        onCancel?()
    }
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
