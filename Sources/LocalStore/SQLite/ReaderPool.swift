import Dispatch
import Synchronization
import SystemLibraries

/// The connections of those who read: one for each thread that reads at a time. Some are kept for the next.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [ConnectionSlot] = []
        var active: [ThreadIdentity] = []
        var isClosed = false
        /// Who waits for the last reader to be done, so as to close.
        var closers: [DispatchSemaphore] = []
        /// Who waits to hear whether it was closed.
        var waiters: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())
    private let opening: SQLiteOpening

    init(_ opening: SQLiteOpening) { self.opening = opening }

    /// Reads on a connection of its own. A reader may begin another read meanwhile.
    func use<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        let me = ThreadIdentity.current
        let idle = try begin(me)
        var slot: ConnectionSlot?
        defer { finish(me, slot) }
        let used = try idle ?? ConnectionSlot(opening.connection(.reader))
        slot = used
        return try used.use(body)
    }

    private enum Step { case read(ConnectionSlot?), wait(DispatchSemaphore) }

    /// Lets a thread read, as soon as nobody is about to close.
    /// - Returns: a connection that was kept.
    private func begin(_ thread: ThreadIdentity) throws(StoreError) -> ConnectionSlot? {
        while true {
            let step: Step = try state.withLock { state throws(StoreError) in
                guard !state.isClosed else { throw ConnectionSlot.closed }
                // Who closes waits for a read that is under way, so what belongs to that does not wait for who closes.
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

    private func finish(_ thread: ThreadIdentity, _ slot: ConnectionSlot?) {
        let closers: [DispatchSemaphore] = state.withLock { state in
            if let index = state.active.lastIndex(of: thread) { state.active.remove(at: index) }
            if let slot, !state.isClosed, state.idle.count < opening.configuration.idleReaders {
                state.idle.append(slot)
            }
            return state.active.isEmpty ? state.closers : []
        }
        for closer in closers { closer.signal() }
    }

    /// True when the calling thread is in a read.
    var isMine: Bool {
        state.withLock { $0.active.contains(.current) }
    }

    /// Waits for the reads that were begun, and lets nobody begin one. Others wait to see what becomes of it.
    /// - Throws: `StoreError` (`busy`) when they take too long; reading goes on then.
    func close(patience: DispatchTimeInterval) throws(StoreError) {
        let done = DispatchSemaphore(value: 0)
        let mustWait = state.withLock { state in
            state.isClosed = state.active.isEmpty
            if !state.isClosed { state.closers.append(done) }
            return !state.isClosed
        }
        if mustWait { _ = done.wait(timeout: .now() + patience) }
        // The connections go after the lock: closing one may take its time.
        let (isClosed, idle, waiters) = state.withLock { state in
            state.closers.removeAll { $0 === done }
            if state.active.isEmpty { state.isClosed = true }
            let idle = state.isClosed ? state.idle : []
            if state.isClosed { state.idle = [] }
            defer { state.waiters = [] }
            return (state.isClosed, idle, state.waiters)
        }
        for waiter in waiters { waiter.signal() }
        _ = idle
        if !isClosed {
            throw StoreError(.busy, "The store is read for longer than closing waits; it is still open.")
        }
    }
}
