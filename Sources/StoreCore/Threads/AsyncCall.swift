import Dispatch
import Synchronization
import SystemLibraries

/// An async call that runs on a store's threads; its body finds it as a task-local value.
final class AsyncCall: Sendable {
    /// The innermost async call in whose body the current task runs, or was created.
    @TaskLocal static var current: AsyncCall?

    /// The thread that runs the body.
    private let thread = ThreadIdentity.current
    /// The store's threads, if the call is a transaction.
    private let writer: ObjectIdentifier?
    private let isOpen = Atomic(true)
    /// The deadline of a transaction for the lock.
    private let deadline: DispatchTime?
    private let hasBegun = Atomic(false)

    /// A call that the current thread begins.
    /// - Parameters:
    ///   - writer: the store's threads, if the call is a transaction.
    ///   - deadline: the end of its wait for the lock.
    init(writer: StoreThreads? = nil, _ deadline: DispatchTime? = nil) {
        self.writer = writer.map { ObjectIdentifier($0) }
        self.deadline = deadline
    }

    /// Begins the body, which has the lock: what it waits for has timeouts of its own.
    func begin() { hasBegun.store(true, ordering: .relaxed) }

    /// Ends the call: what follows its body, such as the callbacks of subscribers, is not part of it.
    func end() { isOpen.store(false, ordering: .releasing) }

    /// True while the body of a transaction on these threads runs.
    func isOpenTransaction(on threads: StoreThreads) -> Bool {
        writer == ObjectIdentifier(threads) && isOpen.load(ordering: .acquiring)
    }

    /// The deadline for the lock, while the current thread begins the transaction of an async call.
    static var lockDeadline: DispatchTime? {
        guard let current, current.thread == .current, !current.hasBegun.load(ordering: .relaxed) else { return nil }
        return current.deadline
    }

    /// True if the current thread runs the body of an async call. A task that the body creates does not.
    static var isRunning: Bool {
        guard let current else { return false }
        return current.thread == .current && current.isOpen.load(ordering: .relaxed)
    }
}
