import Synchronization

/// Holds a delegate or closure until its call completes.
///
/// ```swift
/// let callback = PendingCallback(completion)
/// return CallHandle.start(delivery: delivery, work) { result in callback.take()?(result) }
/// ```
/// The callback need not be `Sendable`, since it is used only where ``Delivery`` calls back.
public final class PendingCallback<Callback>: Sendable {
    // Unchecked, because a callback may be of any type. It is only stored here; `take()` is called on the queue that
    // the callback's owner chose.
    private struct Box: @unchecked Sendable { let callback: Callback }

    private let box: Mutex<Box?>

    /// Stores a callback.
    public init(_ callback: Callback) { box = Mutex(Box(callback: callback)) }

    /// Returns the callback and releases it; nil after the first call. Call it where callbacks are delivered.
    public func take() -> Callback? { box.withLock { $0.take() }?.callback }
}
