public import Dispatch

/// Where callbacks are called.
@nonexhaustive public enum Delivery: Sendable {
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

    /// True in code that runs where callbacks are called, so that no callback runs while it blocks.
    ///
    /// False for `inline` and for a global queue, whose callbacks never wait for this code.
    package var isCurrent: Bool {
        switch self {
        case .main: MainQueue.isCurrent
        case .queue(let queue): queue.label == DispatchQueue.main.label ? MainQueue.isCurrent : queue.isCurrent
        case .inline: false
        }
    }
}

extension DispatchQueue {
    /// True in code that this queue runs, also through a queue that targets it.
    fileprivate var isCurrent: Bool {
        // A value for a global queue ends the process.
        guard !label.hasPrefix("com.apple.root.") else { return false }
        let key = DispatchSpecificKey<Bool>()
        setSpecific(key: key, value: true)
        defer { setSpecific(key: key, value: nil) }
        return DispatchQueue.getSpecific(key: key) ?? false
    }
}
