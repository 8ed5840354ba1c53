public import Dispatch

/// Where callbacks are called.
public enum Delivery: Sendable {
    /// On the main queue, in order; the program must run it, for example with `RunLoop` or `dispatchMain()`.
    case main
    /// On this queue; in order if it is serial.
    case queue(DispatchQueue)
    /// Synchronously, on the current thread; callbacks must not block.
    case inline

    /// Calls `body`.
    public func deliver(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .main: DispatchQueue.main.async(execute: body)
        case .queue(let queue): queue.async(execute: body)
        case .inline: body()
        }
    }
}
