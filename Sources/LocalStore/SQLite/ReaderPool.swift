import Dispatch
import Synchronization
import SystemLibraries

/// The connections of those who read: one for each thread that reads at a time. Some are kept for the next.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [ConnectionSlot] = []
        var active: [ThreadIdentity] = []
        var isClosed = false
        /// Who waits for the last reader to be done.
        var closers: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())
    private let opening: SQLiteOpening

    init(_ opening: SQLiteOpening) { self.opening = opening }

    /// Reads on a connection of its own. A reader may begin another read meanwhile.
    func use<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        let me = ThreadIdentity.current
        let idle = try state.withLock { state throws(StoreError) in
            guard !state.isClosed else { throw ConnectionSlot.closed }
            state.active.append(me)
            return state.idle.popLast()
        }
        var slot: ConnectionSlot?
        defer { finish(me, slot) }
        let used = try idle ?? ConnectionSlot(opening.connection(.reader))
        slot = used
        return try used.use(body)
    }

    private func finish(_ thread: ThreadIdentity, _ slot: ConnectionSlot?) {
        let closers: [DispatchSemaphore] = state.withLock { state in
            if let index = state.active.lastIndex(of: thread) { state.active.remove(at: index) }
            if let slot, !state.isClosed, state.idle.count < opening.configuration.idleReaders {
                state.idle.append(slot)
            }
            guard state.active.isEmpty else { return [] }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.signal() }
    }

    /// True when the calling thread is in a read.
    var isMine: Bool {
        state.withLock { $0.active.contains(.current) }
    }

    /// Lets nobody begin a read, and waits for those that were begun.
    /// - Throws: `StoreError` (`busy`) when they take too long; reading goes on then.
    func close(patience: DispatchTimeInterval) throws(StoreError) {
        let done = DispatchSemaphore(value: 0)
        // The connections go after the lock: closing one may take its time.
        let (mustWait, idle) = state.withLock { state in
            state.isClosed = true
            let idle = state.idle
            state.idle = []
            if !state.active.isEmpty { state.closers.append(done) }
            return (!state.active.isEmpty, idle)
        }
        _ = idle
        guard mustWait, done.wait(timeout: .now() + patience) == .timedOut else { return }
        let isStillRead = state.withLock { state in
            state.closers.removeAll { $0 === done }
            state.isClosed = state.active.isEmpty
            return !state.isClosed
        }
        if isStillRead {
            throw StoreError(.busy, "The store is read for longer than closing waits; it is still open.")
        }
    }
}
