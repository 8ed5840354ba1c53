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
