import Dispatch
public import StoreCore
import Synchronization
import SystemLibraries

extension MemoryStore {
    /// Ends the statements that run now; see ``/StoreCore/LocalStore/interrupt()``.
    public func interrupt() {
        interrupts.interrupt()
        // A statement that holds the mutex ends soon.
        let interrupted = shared.withLock { $0.lock.cancelWaits() }
        for wake in interrupted { wake.signal() }
        threads.interruptWaits()
    }

    /// Closes the store; see ``/StoreCore/LocalStore/close()``.
    public func close() throws(StoreError) {
        let thread = ThreadIdentity.current
        let deadline = DispatchTime.now() + busyTimeout.dispatchInterval
        interrupts.beginClosing()
        defer { interrupts.endClosing() }
        while true {
            let reader: DispatchSemaphore?
            do throws(StoreError) {
                reader = try withExclusiveAccess { state throws(StoreError) in (try Self.close(&state, thread), []) }
            } catch {
                if error.code == .closed { return }
                throw error
            }
            guard let reader else { return subscribers.finish() }
            guard reader.wait(timeout: deadline) == .success else {
                shared.withLock { state in state.closeWaiters.removeAll { $0 === reader } }
                throw Self.busy
            }
        }
    }

    /// - Returns: nil once closed, else a semaphore that is signaled when a reader ends.
    private static func close(
        _ state: inout MemoryState, _ thread: ThreadIdentity
    ) throws(StoreError) -> DispatchSemaphore? {
        guard state.savepoints.isEmpty, !state.readers.contains(thread) else {
            throw StoreError(
                .misuse, "Store closed from within its own transaction or callback; close it afterwards.")
        }
        guard state.readers.isEmpty else {
            let closer = DispatchSemaphore(value: 0)
            state.closeWaiters.append(closer)
            return closer
        }
        try state.journal?.finish()
        state.isClosed = true
        state.database = MemoryDatabase(seed: state.database.seed)
        state.journal = nil
        return nil
    }
}
