import Dispatch
public import StoreCore
import Synchronization
import SystemLibraries

extension MemoryStore {
    /// Ends the statements that run now; see ``/StoreCore/LocalStore/interrupt()``.
    public func interrupt() {
        interrupts.interrupt()
        // A statement that holds the mutex ends soon.
        let interrupted = shared.withLock { $0.lock.cancelWaits() + $0.takeWaitingReads() }
        for wake in interrupted { wake.signal() }
        threads.interruptWaits()
    }

    /// Closes the store; see ``/StoreCore/LocalStore/close()``.
    ///
    /// While it waits for reads in progress, those that begin wait for its outcome, up to `busyTimeout`.
    public func close() throws(StoreError) {
        interrupts.beginClosing()
        defer { interrupts.endClosing() }
        do throws(StoreError) { try closeAfterReads() } catch {
            if error.code == .closed { return }
            throw error
        }
        subscribers.finish()
    }

    private func closeAfterReads() throws(StoreError) {
        let (thread, closer) = (ThreadIdentity.current, DispatchSemaphore(value: 0))
        let deadline = DispatchTime.now() + busyTimeout.dispatchInterval
        defer {
            let reads = shared.withLock { state in
                state.closers.removeAll { $0 === closer }
                return state.takeWaitingReads()
            }
            for read in reads { read.signal() }
        }
        while true {
            let isClosed = try withExclusiveAccess { state throws(StoreError) in
                (try Self.close(&state, thread, closer), [])
            }
            if isClosed { return }
            guard closer.wait(timeout: deadline) == .success else { throw Self.busy }
        }
    }

    /// - Parameter closer: signaled when the last reader ends.
    /// - Returns: false if there are readers. Other threads then begin no read before `closer` is removed.
    private static func close(
        _ state: inout MemoryState, _ thread: ThreadIdentity, _ closer: DispatchSemaphore
    ) throws(StoreError) -> Bool {
        guard state.savepoints.isEmpty, !state.readers.contains(thread) else {
            throw StoreError(
                .misuse, "Store closed from within its own transaction or callback; close it afterwards.")
        }
        guard state.readers.isEmpty else {
            if !state.closers.contains(where: { $0 === closer }) { state.closers.append(closer) }
            return false
        }
        try state.journal?.finish()
        state.isClosed = true
        state.database = MemoryDatabase(seed: state.database.seed)
        state.journal = nil
        return true
    }

    /// Waits for the outcome of `close()`, or for an interrupt: the caller tells which.
    /// - Parameter limits: nil at the first wait of a read, and kept when another `close()` follows.
    /// - Throws: `StoreError`: `busy`, or `interrupted` when the task is cancelled.
    func waitForClose(_ wake: DispatchSemaphore, _ limits: inout WaitLimits?) throws(StoreError) {
        let current = limits ?? WaitLimits(after: busyTimeout.dispatchInterval)
        limits = current
        let end = wake.wait(within: current)
        if end == .signaled { return }
        let wasWaiting = shared.withLock { state in
            let count = state.waitingReads.count
            state.waitingReads.removeAll { $0 === wake }
            return state.waitingReads.count < count
        }
        // Otherwise the outcome is known, or the wait was interrupted, just now.
        if wasWaiting { throw end == .cancelled ? .interrupted : Self.closing }
    }

    private static let closing = StoreError(
        .busy, "Database is locked: timed out waiting for the store to close; retry later, or raise `busyTimeout`.")
}
