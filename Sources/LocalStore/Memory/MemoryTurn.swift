import Dispatch
import SystemLibraries

/// Whose turn it is to use a store, call by call, and who comes next: those who wait have it in the order in which they
/// came. A pure value; who holds the lock around it wakes whom it names.
struct MemoryTurn {
    struct Waiter {
        let thread: ThreadIdentity
        let wake: DispatchSemaphore
    }

    /// The thread that has the turn; nil when nobody wants it.
    private(set) var owner: ThreadIdentity?
    /// Those who wait, the next one first.
    private(set) var waiters: [Waiter] = []

    /// True when a thread may go on: it has the turn, or nobody has.
    func isFree(for thread: ThreadIdentity) -> Bool { owner == nil || owner == thread }

    mutating func take(_ thread: ThreadIdentity) { owner = thread }

    /// Waits in line.
    /// - Returns: what is signalled as soon as the thread has the turn.
    mutating func wait(_ thread: ThreadIdentity) -> DispatchSemaphore {
        let waiter = Waiter(thread: thread, wake: DispatchSemaphore(value: 0))
        waiters.append(waiter)
        return waiter.wake
    }

    /// Leaves the line.
    /// - Returns: false when it is too late for that, since the thread has the turn.
    mutating func leave(_ wake: DispatchSemaphore) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.wake === wake }) else { return false }
        waiters.remove(at: index)
        return true
    }

    /// Ends the turn. It goes straight to who waited longest, so that nobody can jump in.
    /// - Returns: what to signal.
    mutating func pass() -> DispatchSemaphore? {
        guard !waiters.isEmpty else {
            owner = nil
            return nil
        }
        let next = waiters.removeFirst()
        owner = next.thread
        return next.wake
    }
}
