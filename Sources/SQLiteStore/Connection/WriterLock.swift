import Dispatch
import LocalStore
import Synchronization
import SystemLibraries

/// Fair, reentrant lock with a timeout that owns the resource it guards; see ``FairLock``.
///
/// The resource is moved out while it is used, so no mutex is held then; a box makes that cheap. A thread can hold the
/// lock over several uses of the resource; using it again from within a use throws `misuse`, since both would need it at
/// once.
///
/// ```
/// free -> held (in use)        the first use or hold of a thread
/// held (in use) -> held        the use ends within an enclosing hold
/// held -> held (in use)        a further use by the same thread
/// held -> held by next waiter  the outermost use or hold ends; free if none waits
/// held -> closed               close; waiting threads then get `closed`
/// ```
final class WriterLock<Resource: ~Copyable & Sendable>: Sendable {
    private struct State: ~Copyable {
        var resource: UniqueBox<Resource>?
        var lock = FairLock()
        var isInUse = false
        var isClosed = false
    }

    private enum Step { case acquired, reentered, nested, closed, wait(DispatchSemaphore) }

    private let state: Mutex<State>
    /// The owner of the lock, 0 for none: reads need no mutex to find out that this thread is not the owner.
    private let owner = Atomic<UInt>(0)
    /// Maximum wait for the lock.
    let busyTimeout: DispatchTimeInterval

    /// - Parameter busyTimeout: maximum wait for the lock.
    init(_ resource: consuming sending Resource, busyTimeout: Duration) {
        state = Mutex(State(resource: UniqueBox(resource)))
        let (seconds, attoseconds) = busyTimeout.components
        let milliseconds = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
        self.busyTimeout = .milliseconds(Int(min(max(milliseconds, 0), 1e9)))
    }

    /// True when the current thread holds the lock.
    var isHeldByCurrentThread: Bool {
        // Only this thread makes itself the owner, or the thread that hands the lock to it while it waits.
        owner.load(ordering: .relaxed) == ThreadIdentity.current.rawValue
    }

    /// Runs `body` with the resource, acquiring the lock unless this thread already holds it.
    /// - Throws: `StoreError`: `busy`, `closed`, or `misuse` from within another use; what `body` throws.
    @inline(__always)
    func use<Result>(_ body: (inout Resource) throws -> Result) throws -> Result {
        var isOutermost = false
        guard var resource = try acquire(&isOutermost) else { throw ReaderPool.closed }
        let result = Swift.Result { try resource.withValue(body) }
        release(isOutermost, resource)
        return try result.get()
    }

    /// Holds the lock while `body` runs, which may use the resource several times.
    /// - Throws: as ``use(_:)``.
    func hold<Result>(_ body: () throws -> Result) throws -> Result {
        var isOutermost = false
        guard let resource = try acquire(&isOutermost) else { throw ReaderPool.closed }
        endUse(resource)
        defer { if isOutermost { handOff() } }
        return try body()
    }

    /// Closes the lock and destroys the resource.
    /// - Throws: `StoreError`: `busy`, or `misuse` from within a use; the lock then stays open.
    func close() throws(StoreError) {
        var isOutermost = false
        guard let resource = try acquire(&isOutermost) else { return }
        _ = consume resource
        state.withLock { $0.isClosed = true }
        if isOutermost { handOff() } else { state.withLock { $0.isInUse = false } }
    }

    /// Acquires or reenters the lock, and takes the resource.
    /// - Parameter isOutermost: set to true when the lock was acquired here, and so must be released here.
    /// - Returns: nil when the lock is closed.
    private func acquire(_ isOutermost: inout Bool) throws(StoreError) -> UniqueBox<Resource>? {
        let me = ThreadIdentity.current
        var resource: UniqueBox<Resource>?
        let step: Step = state.withLock { state in
            if state.isClosed { return .closed }
            guard state.lock.isFree(for: me) else { return .wait(state.lock.enqueue(me)) }
            // A lock that is in use and free for this thread is its own.
            if state.isInUse { return .nested }
            let isFree = state.lock.owner == nil
            state.lock.acquire(me)
            owner.store(me.rawValue, ordering: .relaxed)
            state.isInUse = true
            resource = state.resource.take()
            return isFree ? .acquired : .reentered
        }
        switch step {
        case .acquired: isOutermost = true
        case .reentered: break
        case .closed: return nil
        case .nested:
            throw StoreError(
                .misuse, "Store called from a row callback of the same connection; make the call after the query.")
        case .wait(let wake):
            try wait(for: wake)
            isOutermost = true
            let isOwner = state.withLock { state in
                guard state.lock.owner == me else { return false }
                resource = state.resource.take()
                return true
            }
            guard isOwner else { throw .interrupted }
            // The previous owner closed the lock.
            if resource == nil { handOff() }
        }
        return resource
    }

    /// The number of threads that wait for the lock.
    var waiterCount: Int { state.withLock { $0.lock.waiterCount } }

    /// Ends the waits of all threads with `interrupted`.
    func interruptWaits() {
        let interrupted = state.withLock { $0.lock.cancelWaits() }
        for wake in interrupted { wake.signal() }
    }

    private func wait(for wake: DispatchSemaphore) throws(StoreError) {
        if wake.wait(timeout: .now() + busyTimeout) == .success { return }
        // The lock may have been handed to this thread just after the timeout.
        if state.withLock({ $0.lock.cancelWait(wake) }) {
            throw StoreError(
                .busy,
                "database is locked: timed out waiting for another thread's write; retry later, or raise `busyTimeout`")
        }
    }

    private func release(_ isOutermost: Bool, _ resource: consuming UniqueBox<Resource>) {
        var resource: UniqueBox<Resource>? = consume resource
        let next: DispatchSemaphore? = state.withLock { state in
            state.resource = resource.take()
            if isOutermost { return handOff(&state) }
            state.isInUse = false
            return nil
        }
        next?.signal()
    }

    private func endUse(_ resource: consuming UniqueBox<Resource>) {
        var resource: UniqueBox<Resource>? = consume resource
        state.withLock { state in
            state.resource = resource.take()
            state.isInUse = false
        }
    }

    private func handOff() {
        let next = state.withLock { handOff(&$0) }
        next?.signal()
    }

    /// Ends the outermost use or hold, and passes the lock to the first waiter.
    /// - Returns: the semaphore to signal.
    @inline(__always)
    private func handOff(_ state: inout State) -> DispatchSemaphore? {
        let next = state.lock.release()
        state.isInUse = next != nil
        owner.store(state.lock.owner?.rawValue ?? 0, ordering: .relaxed)
        return next
    }
}
