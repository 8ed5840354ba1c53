import Dispatch
import StoreCore
import Synchronization
import SystemLibraries

extension MemoryStore {
    /// How long a read waits for a transaction before it reads the last committed state instead.
    private static let readerGracePeriod = DispatchTimeInterval.milliseconds(10)

    /// Changes the database atomically, and commits unless a transaction is open.
    func perform<Result>(
        _ body: (inout MemoryDatabase) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withExclusiveAccess { state throws(StoreError) in try perform(&state, body) }
    }

    /// Reads the database; waits at most the grace period for another thread's transaction.
    func inspect<Result>(
        _ body: (inout MemoryDatabase) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withExclusiveAccess { state throws(StoreError) in
            (try body(&state.database), [])
        } committed: { state throws(StoreError) in
            try state.readCommitted(body)
        }
    }

    /// Runs any statement. The caller reads its rows afterwards, and then calls ``endReading(_:)``.
    /// - Parameters:
    ///   - outcome: receives the result. Returned through the closures, its many members would be copied.
    ///   - defersReturning: true to leave a statement with RETURNING for a transaction.
    func run(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>, into outcome: inout MemoryDatabase.Outcome,
        defersReturning: Bool
    ) throws(StoreError) {
        try withExclusiveAccess(reads: true) { state throws(StoreError) in
            let result: (Void, Set<SQLIdentifier>) = try perform(&state) { database throws(StoreError) in
                outcome = try database.run(sql, parameters, defersReturning: defersReturning)
            }
            outcome.keepInterruption(of: state.database)
            state.readers.append(.current)
            return result
        } committed: { state throws(StoreError) in
            let committed = try state.readCommitted { database throws(StoreError) in
                try database.read(sql, parameters)
            }
            guard let committed else { return nil }
            outcome = committed
            outcome.keepInterruption(of: state.database)
            state.readers.append(.current)
            return ()
        }
    }

    @inline(__always)
    private func perform<Result>(
        _ state: inout MemoryState, _ body: (inout MemoryDatabase) throws(StoreError) -> Result
    ) throws(StoreError) -> (Result, Set<SQLIdentifier>) {
        let savepoint = state.database.undo.makeSavepoint()
        let result: Result
        do throws(StoreError) {
            result = try body(&state.database)
            if state.database.undo.entries.count > savepoint {
                try protectedTables.check(state.database.changedTables(since: savepoint))
            }
        } catch {
            state.rollBack(to: savepoint)
            throw error
        }
        return (result, state.savepoints.isEmpty ? try state.commit() : [])
    }

    // MARK: Locking

    /// Result of trying the lock.
    private enum Step<Result> {
        case done(Result, StoreSubscribers.Publication?)
        case wait(DispatchSemaphore)
        case waitForClose(DispatchSemaphore)
    }

    /// Runs `body` once the lock is free or owned by this thread.
    /// - Parameters:
    ///   - reads: true if `body` registers a read, which waits for the outcome of `close()`; default false.
    ///   - body: returns a result and the tables whose change it committed.
    ///   - committed: run instead if another thread's transaction outlasts the grace period; returns nil if the call
    ///     has to wait.
    @inline(__always)
    func withExclusiveAccess<Result>(
        reads: Bool = false, _ body: (inout MemoryState) throws(StoreError) -> (Result, Set<SQLIdentifier>),
        committed: (inout MemoryState) throws(StoreError) -> Result? = { _ in nil }
    ) throws(StoreError) -> Result {
        let thread = ThreadIdentity.current
        // Before waiting, so that an interrupt meanwhile ends this call too.
        let interruptCount = interrupts.count
        var limits: WaitLimits?
        while true {
            let step: Step<Result> = try shared.withLock { state throws(StoreError) in
                let mustWaitForClose = reads && state.mustWaitForClose(thread)
                guard !mustWaitForClose, state.lock.isFree(for: thread) else {
                    // `interrupt()` counts first, then ends the waits, so it misses neither.
                    guard interrupts.count == interruptCount else { throw .interrupted }
                    guard mustWaitForClose else { return .wait(state.lock.enqueue(thread)) }
                    let wake = DispatchSemaphore(value: 0)
                    state.waitingReads.append(wake)
                    return .waitForClose(wake)
                }
                try state.checkOpen()
                if !state.savepoints.isEmpty { try StoreThreads.checkCancellation() }
                state.beginStatement(interruptCount)
                let (result, changed) = try body(&state)
                return .done(result, changed.isEmpty ? nil : subscribers.publication(of: changed))
            }
            switch step {
            case .done(let result, let publication):
                publication?.deliver()
                return result
            case .wait(let wake):
                if let result = try wait(for: wake, interruptCount, committed: committed) { return result }
                return try performAsOwner(interruptCount, body)
            case .waitForClose(let wake): try waitForClose(wake, &limits)
            }
        }
    }

    /// Waits until this thread owns the lock.
    /// - Returns: the result of `committed`, if it sufficed; the thread is then no longer in the wait queue.
    private func wait<Result>(
        for wake: DispatchSemaphore, _ interruptCount: Int,
        committed: (inout MemoryState) throws(StoreError) -> Result?
    ) throws(StoreError) -> Result? {
        let limits = WaitLimits(after: busyTimeout.dispatchInterval)
        if wake.wait(timeout: min(limits.deadline, .now() + Self.readerGracePeriod)) == .success { return nil }
        let result: Result? = try shared.withLock { state throws(StoreError) in
            if state.lock.owner == .current { return nil }
            let result: Result?
            do throws(StoreError) {
                try state.checkOpen()
                state.beginStatement(interruptCount, isOutsideTransaction: true)
                result = try committed(&state)
            } catch {
                _ = state.lock.cancelWait(wake)
                throw error
            }
            if result != nil { _ = state.lock.cancelWait(wake) }
            return result
        }
        if let result { return result }
        let end = wake.wait(within: limits)
        // Otherwise the lock was handed to this thread just now.
        guard end != .signaled, shared.withLock({ $0.lock.cancelWait(wake) }) else { return nil }
        throw end == .cancelled ? .interrupted : Self.busy
    }

    /// Runs `body` as the owner of the lock, then releases it.
    /// - Throws: `StoreError` (`interrupted`) when the wait was interrupted; the thread is not the owner then.
    private func performAsOwner<Result>(
        _ interruptCount: Int,
        _ body: (inout MemoryState) throws(StoreError) -> (Result, Set<SQLIdentifier>)
    ) throws(StoreError) -> Result {
        var next: DispatchSemaphore?
        defer { next?.signal() }
        let (result, publication) = try shared.withLock { state throws(StoreError) in
            guard state.lock.owner == .current else { throw .interrupted }
            // A transaction that begins here keeps the lock.
            defer { if state.savepoints.isEmpty { next = state.lock.release() } }
            try state.checkOpen()
            state.beginStatement(interruptCount)
            let (result, changed) = try body(&state)
            return (result, subscribers.publication(of: changed))
        }
        if let publication {
            // Signal first: the next thread does not have to wait for the subscribers.
            next?.signal()
            next = nil
            publication.deliver()
        }
        return result
    }

    static let busy = StoreError(
        .busy,
        "Database is locked: timed out waiting for another thread's transaction; retry later, or raise `busyTimeout`.")

    /// A snapshot of the database as this thread sees it, copy on write. The caller ends it with ``endReading(_:)``.
    func beginReading() throws(StoreError) -> MemoryDatabase {
        try withExclusiveAccess(reads: true) { state throws(StoreError) in
            state.readers.append(.current)
            return (state.database, [])
        } committed: { state throws(StoreError) in
            let copy = try state.readCommitted { database throws(StoreError) in database }
            state.readers.append(.current)
            return copy
        }
    }

    /// Releases a snapshot, so that later changes to its tables need no copy. Its cached plans and sorted tables are
    /// kept if they are newer.
    func endReading(_ copy: inout MemoryDatabase) {
        let closers = shared.withLock { state in
            if state.database.isSuperseded(by: copy) {
                copy.restoreSession(state.database.session)
                state.database = copy
            }
            copy = MemoryDatabase(seed: copy.seed)
            return state.endReading(.current)
        }
        for closer in closers { closer.signal() }
    }

    /// Releases a result set, and recycles its buffers.
    func endReading(_ resultSet: inout ResultSet?) {
        let thread = ThreadIdentity.current
        let closers = shared.withLock { state in
            resultSet?.swapBuffers(&state.database.resultBuffers)
            return state.endReading(thread)
        }
        for closer in closers { closer.signal() }
    }

    // MARK: Transactions

    /// Runs a transaction; see `LocalStore.transaction(_:)`.
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try withExclusiveAccess { state throws(StoreError) in
            state.lock.acquire(.current)
            state.savepoints.append(state.database.undo.makeSavepoint())
            return ((), [])
        }
        let result: Result
        do {
            result = try body()
        } catch {
            _ = try? end(isKept: false)
            throw error
        }
        try end(isKept: true)
        return result
    }

    /// Ends the innermost transaction.
    private func end(isKept: Bool) throws(StoreError) {
        var next: DispatchSemaphore?
        defer { next?.signal() }
        let publication: StoreSubscribers.Publication? = try shared.withLock { state throws(StoreError) in
            let savepoint = state.savepoints.popLast() ?? 0
            if !isKept { state.rollBack(to: savepoint) }
            guard state.savepoints.isEmpty else { return nil }
            defer { next = state.lock.release() }
            return isKept ? subscribers.publication(of: try state.commit()) : nil
        }
        if let publication {
            next?.signal()
            next = nil
            publication.deliver()
        }
    }
}
