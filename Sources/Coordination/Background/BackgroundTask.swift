import Synchronization

/// The system functions that begin and end background tasks.
package struct BackgroundTasks: Sendable {
    /// Begins a task and returns its identifier, 0 if refused; calls the handler shortly before the task expires.
    let begin: @Sendable (_ expired: @escaping @Sendable () -> Void) -> UInt
    /// Ends a task.
    let end: @Sendable (UInt) -> Void

    package init(
        begin: @escaping @Sendable (_ expired: @escaping @Sendable () -> Void) -> UInt,
        end: @escaping @Sendable (UInt) -> Void
    ) {
        self.begin = begin
        self.end = end
    }
}

/// A background task, ended exactly once: the system kills an app that leaves one open.
package final class BackgroundTask: Sendable {
    private let tasks: BackgroundTasks
    private let state = Mutex(BackgroundTaskState.beginning)

    package init(_ tasks: BackgroundTasks) { self.tasks = tasks }

    /// Begins the task. Call it once.
    /// - Parameter expired: called when the task expires or is refused; the task ends before the system's handler
    ///   returns.
    package func begin(_ expired: @escaping @Sendable () -> Void) {
        let id = tasks.begin {
            expired()
            self.end()
        }
        guard id != 0 else { return expired() }
        if let id = state.withLock({ $0.began(id) }) { tasks.end(id) }
    }

    /// Ends the task; later calls do nothing.
    package func end() {
        if let id = state.withLock({ $0.end() }) { tasks.end(id) }
    }
}

/// Transitions: beginning → running → ended; beginning → ended.
///
/// The second one happens if the task ends before the system returns its identifier.
enum BackgroundTaskState: Equatable {
    case beginning
    case running(UInt)
    case ended

    /// Records the system's identifier.
    /// - Returns: the task to end at once if it ended in the meantime, else nil.
    mutating func began(_ id: UInt) -> UInt? {
        guard self == .beginning else { return id }
        self = .running(id)
        return nil
    }

    /// - Returns: the task to end, or nil.
    mutating func end() -> UInt? {
        defer { self = .ended }
        return if case .running(let id) = self { id } else { nil }
    }
}
