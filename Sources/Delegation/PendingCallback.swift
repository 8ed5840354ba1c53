import Synchronization

/// Holds the completion of a call until it is called.
///
/// The callback need not be `Sendable`, since it is used only where ``Delivery`` calls back.
final class PendingCallback<Callback>: Sendable {
    // Unchecked, because a callback may be of any type. It is only stored here; `take()` is called on the queue that
    // the callback's owner chose.
    private struct Box: @unchecked Sendable { let callback: Callback }

    private let box: Mutex<Box?>

    /// Stores a callback.
    init(_ callback: Callback) { box = Mutex(Box(callback: callback)) }

    /// Returns the callback and releases it; nil after the first call. Call it where callbacks are delivered.
    func take() -> Callback? { box.withLock { $0.take() }?.callback }
}
