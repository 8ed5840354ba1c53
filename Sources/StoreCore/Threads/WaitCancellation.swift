package import Dispatch

/// Tells a call that blocks its thread whether the cancellation of its task ends its wait.
///
/// A synchronous call still waits in a task that was cancelled before, so that it can clean up. An async call ends at
/// any cancellation.
package struct WaitCancellation: Sendable {
    /// True if the task was cancelled before.
    package let isIgnored: Bool

    /// For a wait that begins now.
    package init() { isIgnored = Task.isCancelled && !AsyncCall.isRunning }

    /// For a wait that has begun.
    package init(isIgnored: Bool) { self.isIgnored = isIgnored }

    /// True if the wait has to end.
    package var isCancelled: Bool { !isIgnored && Task.isCancelled }
}

/// How a wait for a lock ended.
package enum LockWait: Sendable { case signaled, timedOut, cancelled }

extension DispatchSemaphore {
    /// Waits for a signal, until a deadline or the cancellation of the task.
    ///
    /// A synchronous function cannot be called when its task is cancelled, so a task looks every 10 ms.
    package func wait(until deadline: DispatchTime, _ cancellation: WaitCancellation) -> LockWait {
        let canBeCancelled = !cancellation.isIgnored && withUnsafeCurrentTask { $0 != nil }
        while true {
            if cancellation.isCancelled { return wait(timeout: .now()) == .success ? .signaled : .cancelled }
            let end = canBeCancelled ? min(deadline, .now() + .milliseconds(10)) : deadline
            if wait(timeout: end) == .success { return .signaled }
            if end == deadline { return .timedOut }
        }
    }
}
