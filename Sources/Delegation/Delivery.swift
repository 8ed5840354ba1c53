public import Dispatch

/// Where callbacks arrive.
public enum Delivery: Sendable {
    /// On the main queue, in order. A program whose main thread waits without running its queue never hears them.
    case main
    /// On a queue of the caller's; a serial one keeps the order.
    case queue(DispatchQueue)
    /// At once, on whichever thread has the news. What is called must not wait.
    case inline

    /// Calls `body` there.
    public func deliver(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .main: DispatchQueue.main.async(execute: body)
        case .queue(let queue): queue.async(execute: body)
        case .inline: body()
        }
    }
}
