import Dispatch
import StoreCore
import Synchronization
import SystemLibraries

/// Pool of read-only connections: one for each concurrent read; idle ones are kept up to a limit.
///
/// The idle connections are a linked stack of unique boxes: a read takes the first one with one lock, and returns it
/// with one.
///
/// ```
/// open -> closing (close waits for active reads) -> closed
///         closing -> open (timed out, `body` failed, or the pool is to reopen)
/// ```
final class ReaderPool: Sendable {
    /// A connection, and the idle ones below it.
    private struct Reader: ~Copyable, Sendable {
        var connection: SQLiteConnection
        var next: UniqueBox<Reader>?
    }

    private struct State: ~Copyable {
        var idle: UniqueBox<Reader>?
        var idleCount = 0
        var active: [ThreadIdentity] = []
        var isClosed = false
        /// Threads in `close`, waiting for the last active read.
        var closers: [DispatchSemaphore] = []
        /// Threads that want to read, waiting for the outcome of `close`.
        var waiters: [DispatchSemaphore] = []
        /// The number of calls of `interruptWaits`.
        var interruptCount = 0

        mutating func pop() -> UniqueBox<Reader>? {
            guard var first = idle.take() else { return nil }
            idle = first.withValue { $0.next.take() }
            idleCount -= 1
            return first
        }

        mutating func push(_ reader: consuming UniqueBox<Reader>) {
            var rest = idle.take()
            var first = reader
            first.withValue { $0.next = rest.take() }
            idle = consume first
            idleCount += 1
        }

        /// Removes and returns the idle connections.
        mutating func takeIdle() -> UniqueBox<Reader>? {
            idleCount = 0
            return idle.take()
        }
    }

    private let state = Mutex(State())
    private let factory: SQLiteConnectionFactory

    init(_ factory: SQLiteConnectionFactory) { self.factory = factory }

    /// Runs a read on its own connection. Reads of one thread may be nested.
    func use<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        let me = ThreadIdentity.current
        var reader = try begin(me)
        let result = Swift.Result { try reader.withValue { try body(&$0.connection) } }
        switch result {
        case .success(let value):
            finish(me, consume reader)
            return value
        case .failure(let error):
            // A connection still in a transaction would show later reads an old snapshot, so it is dropped.
            if reader.withValue({ $0.connection.isInTransaction }) {
                _ = consume reader
                finish(me, nil)
            } else {
                finish(me, consume reader)
            }
            throw error
        }
    }

    private enum Step: ~Copyable { case read(UniqueBox<Reader>?), wait(DispatchSemaphore, interruptCount: Int) }

    /// Registers a read, waiting while the pool is closing.
    /// - Returns: an idle connection, or a new one.
    private func begin(_ thread: ThreadIdentity) throws(StoreError) -> UniqueBox<Reader> {
        // Set at the first wait, and kept when another `close` follows.
        var limits: WaitLimits?
        var interruptCount: Int?
        while true {
            let step: Step = try state.withLock { state throws(StoreError) in
                guard !state.isClosed else { throw StoreError.closed }
                if let interruptCount, interruptCount != state.interruptCount { throw .interrupted }
                // `close` waits for active reads, so a nested read must not wait for `close` (deadlock).
                guard state.closers.isEmpty || state.active.contains(thread) else {
                    let waiter = DispatchSemaphore(value: 0)
                    state.waiters.append(waiter)
                    return .wait(waiter, interruptCount: state.interruptCount)
                }
                state.active.append(thread)
                return .read(state.pop())
            }
            switch consume step {
            case .read(.some(let idle)): return idle
            case .read(.none):
                do throws(StoreError) {
                    return UniqueBox(Reader(connection: try factory.makeConnection(.reader)))
                } catch {
                    finish(thread, nil)
                    throw error
                }
            case .wait(let waiter, let count):
                interruptCount = count
                let current = limits ?? WaitLimits(after: factory.configuration.busyTimeout.dispatchInterval)
                limits = current
                try wait(for: waiter, current)
            }
        }
    }

    /// Waits for the outcome of `close`, or for an interrupt.
    /// - Throws: `StoreError`: `busy`, or `interrupted` when the task is cancelled.
    private func wait(for waiter: DispatchSemaphore, _ limits: WaitLimits) throws(StoreError) {
        let end = waiter.wait(within: limits)
        if end == .signaled { return }
        let wasWaiting = state.withLock { state in
            let count = state.waiters.count
            state.waiters.removeAll { $0 === waiter }
            return state.waiters.count < count
        }
        // Otherwise the outcome is known, or the wait was interrupted, just now.
        guard wasWaiting else { return }
        if end == .cancelled { throw .interrupted }
        throw StoreError(
            .busy,
            "Database is locked: timed out waiting for the store to close or to change its key; retry later, or raise "
                + "`busyTimeout`.")
    }

    /// Ends the waits of reads for the outcome of `close` with `interrupted`.
    func interruptWaits() {
        let interrupted = state.withLock { state in
            state.interruptCount += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in interrupted { waiter.signal() }
    }

    /// Ends a read.
    /// - Parameter reader: the connection to keep; nil to keep none.
    private func finish(_ thread: ThreadIdentity, _ reader: consuming UniqueBox<Reader>?) {
        var reader = reader
        let maximum = factory.configuration.maximumIdleReaders
        while true {
            let closers: [DispatchSemaphore]? = state.withLock { state in
                if reader != nil, state.isClosed || state.idleCount >= maximum { return nil }
                if let index = state.active.lastIndex(of: thread) { state.active.remove(at: index) }
                if let kept = reader.take() { state.push(kept) }
                return state.active.isEmpty ? state.closers : []
            }
            if let closers { return closers.forEach { $0.signal() } }
            // One too many is closed outside the lock, and before the read ends, since `close` waits for that.
            reader = nil
        }
    }

    /// True while a thread is in `close`.
    var isClosing: Bool { state.withLock { !$0.closers.isEmpty } }

    /// Number of threads waiting for the outcome of `close`.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// True when the current thread has an active read.
    var isReadingOnCurrentThread: Bool {
        state.withLock { $0.active.contains(.current) }
    }

    /// Waits for the active reads, closes the idle connections, runs `body`, and closes the pool.
    ///
    /// New reads wait for the outcome, up to `busyTimeout`; active ones that run long end with `interrupted`.
    /// - Parameter reopens: true to keep the pool open, for new connections, and let active reads end; default false.
    /// - Throws: `StoreError` (`busy`) when the reads time out; what `body` throws. The pool then stays open.
    func close(timeout: DispatchTimeInterval, reopens: Bool = false, _ body: () throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let mustWait = state.withLock { state in
            state.closers.append(done)
            return !state.active.isEmpty
        }
        if mustWait, reopens {
            _ = done.wait(timeout: .now() + timeout)
        } else if mustWait {
            _ = factory.interrupts.closing { done.wait(timeout: .now() + timeout) }
        }
        let closing = Result {
            var isActive = false
            let idle: UniqueBox<Reader>? = state.withLock { state in
                isActive = !state.active.isEmpty
                return isActive ? nil : state.takeIdle()
            }
            guard !isActive else {
                throw StoreError(
                    .busy, "Timed out waiting for a read to finish; nothing was changed, so retry after it.")
            }
            // Outside the lock, since closing may be slow; and before the writer, whose close removes the log.
            _ = consume idle
            try body()
        }
        let waiters = state.withLock { state in
            if case .success = closing, !reopens { state.isClosed = true }
            state.closers.removeAll { $0 === done }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.signal() }
        try closing.get()
    }
}
