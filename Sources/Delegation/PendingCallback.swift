import Synchronization

/// A delegate or closure that is kept until its call completes, and then released.
///
/// ```swift
/// let callback = PendingCallback(completion)
/// return CallHandle.start(delivery: delivery, work) { result in callback.take()?(result) }
/// ```
/// The callback need not be `Sendable`: it is used only where ``Delivery`` calls back.
public final class PendingCallback<Callback>: Sendable {
    // Unchecked because a callback may be of any type. It is only carried here; `take()` is called on the queue that
    // the callback's owner chose.
    private struct Carried: @unchecked Sendable { let callback: Callback }

    private let carried: Mutex<Carried?>

    /// Keeps a callback.
    public init(_ callback: Callback) { carried = Mutex(Carried(callback: callback)) }

    /// Hands the callback out and stops keeping it; nil after the first time. Call it where callbacks are delivered.
    public func take() -> Callback? { carried.withLock { $0.take() }?.callback }
}
