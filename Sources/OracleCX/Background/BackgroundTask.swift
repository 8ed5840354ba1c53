import Synchronization

/// The system's background tasks.
struct BackgroundTasks: Sendable {
    /// Begins a task, and calls the handler when its time is nearly over. 0 stands for a task that is refused.
    let begin: @Sendable (_ expired: @escaping @Sendable () -> Void) -> UInt
    /// Ends a task.
    let end: @Sendable (UInt) -> Void
}

/// One background task, which is ended exactly once: the system kills an app that leaves one open.
final class BackgroundTask: Sendable {
    private let tasks: BackgroundTasks
    private let state = Mutex(BackgroundTaskState.beginning)

    init(_ tasks: BackgroundTasks) { self.tasks = tasks }

    /// Begins the task. To be called once.
    /// - Parameter expired: called when the time is nearly over or the task is refused; the task has ended when the
    ///   system's own handler returns.
    func begin(_ expired: @escaping @Sendable () -> Void) {
        let id = tasks.begin {
            expired()
            self.end()
        }
        guard id != 0 else { return expired() }
        if let id = state.withLock({ $0.began(id) }) { tasks.end(id) }
    }

    /// Ends the task, unless it has ended.
    func end() {
        if let id = state.withLock({ $0.end() }) { tasks.end(id) }
    }
}

/// Transitions: beginning → running → ended; beginning → ended for a task that is ended before the system has named it.
enum BackgroundTaskState: Equatable {
    case beginning
    case running(UInt)
    case ended

    /// The system has named the task.
    /// - Returns: the task to end at once, because it has ended meanwhile.
    mutating func began(_ id: UInt) -> UInt? {
        guard self == .beginning else { return id }
        self = .running(id)
        return nil
    }

    /// - Returns: the task to end.
    mutating func end() -> UInt? {
        defer { self = .ended }
        return if case .running(let id) = self { id } else { nil }
    }
}
