import Dispatch
import StoreCore
import Synchronization
import SystemLibraries

/// Fair, reentrant lock with a timeout that owns the resource it guards.
///
/// The lock is one word: the owner's thread, and a bit that tells whether threads wait. A free lock is acquired and
/// released without a mutex; the mutex guards only the queue of waiting threads. A thread can hold the lock over
/// several uses of the resource; using it again from within a use throws `misuse`, since both would need it at once.
///
/// ```
/// free -> held (in use)        the first use or hold of a thread
/// held (in use) -> held        the use ends within an enclosing hold
/// held -> held (in use)        a further use by the same thread
/// held -> held by next waiter  the outermost use or hold ends; free if none waits
/// held -> closed               close; waiting threads then get `closed`
/// ```
final class WriterLock<Resource: ~Copyable & Sendable>: Sendable {
    private struct Waiter {
        let thread: UInt
        let wake: DispatchSemaphore
    }

    /// The owner's thread, 0 for none; plus ``waitersBit``.
    private let owner = Atomic<UInt>(0)
    /// Set while threads wait; changed only with the queue's mutex locked.
    ///
    /// The bit is free in a thread's identity, which is an aligned address.
    private static var waitersBit: UInt { 1 }
    /// Waiting threads, first in, first out.
    private let waiters = Mutex<[Waiter]>([])
    /// The resource, which only the owner reads and writes; nil when the lock is closed.
    private let resource: UniqueBox<Resource?>
    /// True during a use; only the owner reads and writes it.
    private let isInUse = Atomic(false)
    /// Maximum wait for the lock.
    let busyTimeout: DispatchTimeInterval

    /// - Parameter busyTimeout: maximum wait for the lock.
    init(_ resource: consuming sending Resource, busyTimeout: Duration) {
        self.resource = UniqueBox(resource)
        self.busyTimeout = busyTimeout.dispatchInterval
    }

    /// True when the current thread holds the lock.
    var isHeldByCurrentThread: Bool { isHeld(by: ThreadIdentity.current.rawValue) }

    @inline(__always)
    private func isHeld(by thread: UInt) -> Bool {
        // Only the thread itself makes itself the owner, or the thread that hands the lock to it while it waits.
        owner.load(ordering: .acquiring) & ~Self.waitersBit == thread
    }

    /// Runs `body` with the resource, acquiring the lock unless this thread already holds it.
    /// - Throws: `StoreError`: `busy`, `closed`, or `misuse` from within another use; what `body` throws.
    @inline(__always)
    func use<Result>(_ body: (inout Resource) throws -> Result) throws -> Result {
        let me = ThreadIdentity.current.rawValue
        let isOutermost = try acquire(me)
        defer { if isOutermost { release(me) } }
        isInUse.store(true, ordering: .relaxed)
        defer { isInUse.store(false, ordering: .relaxed) }
        return try resource.withValueOfOwner { resource in
            guard resource != nil else { throw StoreError.closed }
            return try body(&resource!)
        }
    }

    /// Holds the lock while `body` runs, which may use the resource several times.
    /// - Throws: as ``use(_:)``.
    func hold<Result>(_ body: () throws -> Result) throws -> Result {
        let me = ThreadIdentity.current.rawValue
        let isOutermost = try acquire(me)
        defer { if isOutermost { release(me) } }
        guard resource.withValueOfOwner({ $0 != nil }) else { throw StoreError.closed }
        return try body()
    }

    /// Closes the lock and destroys the resource.
    /// - Throws: `StoreError`: `busy`, or `misuse` from within a use; the lock then stays open.
    func close() throws(StoreError) {
        let me = ThreadIdentity.current.rawValue
        let isOutermost = try acquire(me)
        defer { if isOutermost { release(me) } }
        resource.withValueOfOwner { $0 = nil }
    }

    // MARK: Acquire and release

    /// Acquires or reenters the lock.
    /// - Returns: true when the lock was acquired here, and so must be released here.
    @inline(__always)
    private func acquire(_ me: UInt) throws(StoreError) -> Bool {
        if owner.compareExchange(expected: 0, desired: me, ordering: .acquiring).exchanged { return true }
        return try acquireHeld(me)
    }

    private func acquireHeld(_ me: UInt) throws(StoreError) -> Bool {
        guard !isHeld(by: me) else {
            if !isInUse.load(ordering: .relaxed) { return false }
            throw StoreError(
                .misuse, "Store called from a row callback of the same connection; make the call after the query.")
        }
        guard let wake = waiters.withLock({ enqueue(me, in: &$0) }) else { return true }
        try wait(for: wake)
        guard isHeld(by: me) else { throw .interrupted }
        return true
    }

    /// Adds a waiter, or acquires the lock if it has become free.
    /// - Returns: a semaphore that is signaled once the thread owns the lock or is interrupted; nil if it owns it now.
    private func enqueue(_ me: UInt, in waiters: inout [Waiter]) -> DispatchSemaphore? {
        while true {
            let seen = owner.load(ordering: .relaxed)
            let next = seen == 0 ? me : seen | Self.waitersBit
            guard owner.compareExchange(expected: seen, desired: next, ordering: .acquiring).exchanged else { continue }
            if seen == 0 { return nil }
            let waiter = Waiter(thread: me, wake: DispatchSemaphore(value: 0))
            waiters.append(waiter)
            return waiter.wake
        }
    }

    private func wait(for wake: DispatchSemaphore) throws(StoreError) {
        let end = wake.wait(within: WaitLimits(after: busyTimeout))
        if end == .signaled { return }
        let wasWaiting = waiters.withLock { waiters in
            let count = waiters.count
            waiters.removeAll { $0.wake === wake }
            return waiters.count < count
        }
        // Otherwise the lock was handed to this thread, or the wait interrupted, just now.
        guard wasWaiting else { return }
        if end == .cancelled { throw .interrupted }
        throw StoreError(
            .busy,
            "database is locked: timed out waiting for another thread's write; retry later, or raise `busyTimeout`")
    }

    @inline(__always)
    private func release(_ me: UInt) {
        if owner.compareExchange(expected: me, desired: 0, ordering: .releasing).exchanged { return }
        handOff()
    }

    /// Passes the lock to the first waiter, so that no other thread can come first.
    private func handOff() {
        let next: DispatchSemaphore? = waiters.withLock { waiters in
            guard !waiters.isEmpty else {
                owner.store(0, ordering: .releasing)
                return nil
            }
            let next = waiters.removeFirst()
            owner.store(next.thread | (waiters.isEmpty ? 0 : Self.waitersBit), ordering: .releasing)
            return next.wake
        }
        next?.signal()
    }

    // MARK: Waiting threads

    /// The number of threads that wait for the lock.
    var waiterCount: Int { waiters.withLock(\.count) }

    /// Ends the waits of all threads with `interrupted`.
    func interruptWaits() {
        let interrupted = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in interrupted { waiter.wake.signal() }
    }
}
