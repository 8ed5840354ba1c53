package import Dispatch

/// What ends the waits of one call: set at the first one, and kept when it waits again.
package struct WaitLimits: Sendable {
    /// The end of the waits.
    package let deadline: DispatchTime
    fileprivate let cancellation = WaitCancellation()

    /// For a wait for the lock of a store that begins now.
    package init(after timeout: DispatchTimeInterval) { deadline = StoreThreads.lockDeadline(after: timeout) }
}

/// How a wait for a lock ended.
package enum LockWait: Sendable { case signaled, timedOut, cancelled }

extension DispatchSemaphore {
    /// Waits for a signal, until the deadline or the cancellation of the task.
    ///
    /// A synchronous function cannot be called when its task is cancelled, so a task looks every 10 ms.
    package func wait(within limits: WaitLimits) -> LockWait {
        let (deadline, cancellation) = (limits.deadline, limits.cancellation)
        let canBeCancelled = !cancellation.isIgnored && withUnsafeCurrentTask { $0 != nil }
        while true {
            if cancellation.isCancelled { return wait(timeout: .now()) == .success ? .signaled : .cancelled }
            let end = canBeCancelled ? min(deadline, .now() + .milliseconds(10)) : deadline
            if wait(timeout: end) == .success { return .signaled }
            if end == deadline { return .timedOut }
        }
    }
}
