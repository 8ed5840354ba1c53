import Dispatch
import SystemLibraries

/// State of a fair, thread-owned lock with a FIFO wait queue.
///
/// A pure value, guarded by a store's mutex; the caller signals the returned semaphores after unlocking. A single
/// call of `MemoryStore` that finds the lock free runs under the mutex alone and never becomes the owner; transactions
/// and calls that waited do.
///
///     free          --acquire------------------>  owned
///     owned         --enqueue (other thread)--->  owned, one more waiter
///     owned         --cancelWait--------------->  owned, one waiter fewer
///     owned         --cancelWaits-------------->  owned, without waiters
///     owned         --release, no waiters------>  free
///     owned         --release, waiters--------->  owned by the first waiter
struct FairLock: Sendable {
    private struct Waiter {
        let thread: ThreadIdentity
        let wake: DispatchSemaphore
    }

    /// The owning thread; nil if the lock is free.
    private(set) var owner: ThreadIdentity?
    /// Waiting threads, first in, first out.
    private var waiters: [Waiter] = []

    /// A free lock.
    init() {}

    /// The number of waiting threads.
    var waiterCount: Int { waiters.count }

    /// True if the lock is free or this thread owns it.
    func isFree(for thread: ThreadIdentity) -> Bool { owner == nil || owner == thread }

    /// Makes a thread the owner; the lock must be free for it.
    mutating func acquire(_ thread: ThreadIdentity) { owner = thread }

    /// Adds a waiter.
    /// - Returns: a semaphore that is signaled once the thread owns the lock.
    mutating func enqueue(_ thread: ThreadIdentity) -> DispatchSemaphore {
        let waiter = Waiter(thread: thread, wake: DispatchSemaphore(value: 0))
        waiters.append(waiter)
        return waiter.wake
    }

    /// Removes a waiter after a timeout, or when its task is cancelled.
    /// - Returns: false if the thread already owns the lock.
    mutating func cancelWait(_ wake: DispatchSemaphore) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.wake === wake }) else { return false }
        waiters.remove(at: index)
        return true
    }

    /// Removes all waiters, which then find that they do not own the lock.
    /// - Returns: the semaphores to signal.
    mutating func cancelWaits() -> [DispatchSemaphore] {
        defer { waiters = [] }
        return waiters.map(\.wake)
    }

    /// Releases the lock, or hands it directly to the first waiter, so no other thread can barge in.
    /// - Returns: the semaphore to signal.
    mutating func release() -> DispatchSemaphore? {
        guard !waiters.isEmpty else {
            owner = nil
            return nil
        }
        let next = waiters.removeFirst()
        owner = next.thread
        return next.wake
    }
}
