import Dispatch
import LocalStore
import Synchronization
import SystemLibraries

/// Pool of read-only connections: one for each concurrent read; idle ones are kept up to a limit.
///
/// ```
/// open -> closing (close waits for active reads) -> closed
///         closing -> open (timed out, or closing the writer failed)
/// ```
final class ReaderPool: Sendable {
    private struct State {
        var idle: [PooledConnection] = []
        var active: [ThreadIdentity] = []
        var isClosed = false
        /// Threads in `close`, waiting for the last active read.
        var closers: [DispatchSemaphore] = []
        /// Threads that want to read, waiting for the outcome of `close`.
        var waiters: [DispatchSemaphore] = []

        /// Removes and returns the idle connections; nil while a read is active.
        mutating func takeIdle() -> [PooledConnection]? {
            guard active.isEmpty else { return nil }
            defer { idle = [] }
            return idle
        }
    }

    private let state = Mutex(State())
    private let factory: SQLiteConnectionFactory

    init(_ factory: SQLiteConnectionFactory) { self.factory = factory }

    /// Runs a read on its own connection. Reads of one thread may be nested.
    func use<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        let me = ThreadIdentity.current
        let idle = try begin(me)
        var slot: PooledConnection?
        defer { finish(me, slot) }
        let used = try idle ?? PooledConnection(factory.makeConnection(.reader))
        do {
            let result = try used.use(body)
            slot = used
            return result
        } catch {
            // A connection still in a transaction would show later reads an old snapshot, so it is dropped.
            if (try? used.use { $0.isInTransaction }) == false { slot = used }
            throw error
        }
    }

    private enum Step { case read(PooledConnection?), wait(DispatchSemaphore) }

    /// Registers a read, waiting while the pool is closing.
    /// - Returns: an idle connection, if any.
    private func begin(_ thread: ThreadIdentity) throws(StoreError) -> PooledConnection? {
        while true {
            let step: Step = try state.withLock { state throws(StoreError) in
                guard !state.isClosed else { throw PooledConnection.closed }
                // `close` waits for active reads, so a nested read must not wait for `close` (deadlock).
                guard state.closers.isEmpty || state.active.contains(thread) else {
                    let waiter = DispatchSemaphore(value: 0)
                    state.waiters.append(waiter)
                    return .wait(waiter)
                }
                state.active.append(thread)
                return .read(state.idle.popLast())
            }
            switch step {
            case .read(let idle): return idle
            case .wait(let waiter): waiter.wait()
            }
        }
    }

    private func finish(_ thread: ThreadIdentity, _ slot: PooledConnection?) {
        let closers: [DispatchSemaphore] = state.withLock { state in
            if let index = state.active.lastIndex(of: thread) { state.active.remove(at: index) }
            if let slot, !state.isClosed, state.idle.count < factory.configuration.maximumIdleReaders {
                state.idle.append(slot)
            }
            return state.active.isEmpty ? state.closers : []
        }
        for closer in closers { closer.signal() }
    }

    /// True while a thread is in `close`.
    var isClosing: Bool { state.withLock { !$0.closers.isEmpty } }

    /// Number of threads waiting for the outcome of `close`.
    var waitingCount: Int { state.withLock(\.waiters.count) }

    /// True when the current thread has an active read.
    var isReadingOnCurrentThread: Bool {
        state.withLock { $0.active.contains(.current) }
    }

    /// Waits for the active reads, closes the idle connections, runs `body`, and closes the pool.
    ///
    /// New reads wait for the outcome.
    /// - Throws: `StoreError` (`busy`) when the reads time out; what `body` throws. The pool then stays open.
    func close(timeout: DispatchTimeInterval, _ body: () throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let mustWait = state.withLock { state in
            state.closers.append(done)
            return !state.active.isEmpty
        }
        if mustWait { _ = done.wait(timeout: .now() + timeout) }
        let closing = Result {
            guard let idle = state.withLock({ $0.takeIdle() }) else {
                throw StoreError(
                    .busy, "Timed out waiting for a read to finish; the store stays open, so close it again later.")
            }
            // Outside the lock, since closing may be slow; and before the writer, whose close removes the log.
            for slot in idle { slot.close() }
            try body()
        }
        let waiters = state.withLock { state in
            if case .success = closing { state.isClosed = true }
            state.closers.removeAll { $0 === done }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.signal() }
        try closing.get()
    }
}
