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

        /// The connections that nobody uses; nil while somebody reads.
        mutating func takeIdle() -> [ConnectionSlot]? {
            guard active.isEmpty else { return nil }
            defer { idle = [] }
            return idle
        }
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
        do {
            let result = try used.use(body)
            slot = used
            return result
        } catch {
            // One that could not end its transaction would show others an old state.
            if (try? used.use { $0.isInTransaction }) == false { slot = used }
            throw error
        }
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

    /// True while a thread waits to close, or closes.
    var isClosing: Bool { state.withLock { !$0.closers.isEmpty } }

    /// The number of threads that wait to read until closing is over.
    var waitingCount: Int { state.withLock(\.waiters.count) }

    /// True when the calling thread is in a read.
    var isMine: Bool {
        state.withLock { $0.active.contains(.current) }
    }

    /// Waits for the reads that were begun and lets nobody begin one, then runs `body`, and closes. Others wait to see
    /// what becomes of it.
    /// - Throws: `StoreError` (`busy`) when the reads take too long; what `body` throws. Reading goes on then.
    func close(patience: DispatchTimeInterval, _ body: () throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let mustWait = state.withLock { state in
            state.closers.append(done)
            return !state.active.isEmpty
        }
        if mustWait { _ = done.wait(timeout: .now() + patience) }
        let closing = Result {
            guard let idle = state.withLock({ $0.takeIdle() }) else {
                throw StoreError(.busy, "The store is read for longer than closing waits; it is still open.")
            }
            // Not in the lock: closing one may take its time. And before the writer, who removes the log.
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
