import Dispatch
import Synchronization
import SystemLibraries

extension MemoryStore {
    /// How long a call that reads waits for a transaction to end, before it makes do with what was committed earlier.
    private static let grace = DispatchTimeInterval.milliseconds(10)

    /// Does something to the database, all or nothing, and commits it unless it is a part of a transaction.
    func perform<Result>(
        _ body: (inout MemoryDatabase) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try whenFree { state throws(StoreError) in try perform(&state, body) }
    }

    /// Reads something. Another thread's transaction does not hold it up for long.
    func look<Result>(
        _ body: (inout MemoryDatabase) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try whenFree { state throws(StoreError) in
            (try body(&state.database), [])
        } committed: { state throws(StoreError) in
            try state.readCommitted(body)
        }
    }

    /// Runs a statement, which may only read.
    /// - Parameters:
    ///   - outcome: what it came to. A result would be copied on its way through the closures, and has many parts.
    ///   - isCallback: true when the caller hands over the rows and then ends the reading.
    func run(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>, into outcome: inout MemoryDatabase.Outcome,
        isCallback: Bool = false
    ) throws(StoreError) {
        try whenFree { state throws(StoreError) in
            let result: (Void, Set<SQLIdentifier>) = try perform(&state) { database throws(StoreError) in
                outcome = try database.run(sql, parameters)
            }
            if isCallback { state.readers.append(.current) }
            return result
        } committed: { state throws(StoreError) in
            let committed = try state.readCommitted { database throws(StoreError) in
                try database.read(sql, parameters)
            }
            guard let committed else { return nil }
            outcome = committed
            if isCallback { state.readers.append(.current) }
            return ()
        }
    }

    @inline(__always)
    private func perform<Result>(
        _ state: inout MemoryState, _ body: (inout MemoryDatabase) throws(StoreError) -> Result
    ) throws(StoreError) -> (Result, Set<SQLIdentifier>) {
        let mark = state.database.undo.makeMark()
        let result: Result
        do throws(StoreError) {
            result = try body(&state.database)
            if state.database.undo.entries.count > mark {
                try ProtectedTables.check(state.database.changedTables(since: mark), in: self)
            }
        } catch {
            state.rollBack(to: mark)
            throw error
        }
        return (result, state.marks.isEmpty ? try state.commit() : [])
    }

    // MARK: Turns

    /// What came of a look at the state.
    private enum Step<Result> {
        case done(Result, changed: Set<SQLIdentifier>)
        case wait(DispatchSemaphore)
    }

    /// Does something to the state as soon as it is this thread's turn.
    /// - Parameters:
    ///   - body: what to do; gives what came of it and the tables whose change was committed.
    ///   - committed: what to do instead when another thread's transaction takes its time; nil from it means that the
    ///     call has to wait.
    @inline(__always)
    private func whenFree<Result>(
        _ body: (inout MemoryState) throws(StoreError) -> (Result, Set<SQLIdentifier>),
        committed: (inout MemoryState) throws(StoreError) -> Result? = { _ in nil }
    ) throws(StoreError) -> Result {
        let me = ThreadIdentity.current
        let step: Step<Result> = try shared.withLock { state throws(StoreError) in
            guard state.turn.isFree(for: me) else { return .wait(state.turn.wait(me)) }
            try state.checkOpen()
            let (result, changed) = try body(&state)
            return .done(result, changed: changed)
        }
        switch step {
        case .done(let result, let changed):
            if !changed.isEmpty { subscribers.publish(changed) }
            return result
        case .wait(let wake):
            if let result = try wait(for: wake, committed: committed) { return result }
            return try inTurn(body)
        }
    }

    /// Waits until it is this thread's turn.
    /// - Returns: what came of reading what is committed, when that was enough; then the thread is out of the line.
    private func wait<Result>(
        for wake: DispatchSemaphore, committed: (inout MemoryState) throws(StoreError) -> Result?
    ) throws(StoreError) -> Result? {
        let deadline = DispatchTime.now() + patience.dispatchInterval
        if wake.wait(timeout: min(deadline, .now() + Self.grace)) == .success { return nil }
        let result: Result? = try shared.withLock { state throws(StoreError) in
            if state.turn.owner == .current { return nil }
            let result: Result?
            do throws(StoreError) {
                try state.checkOpen()
                result = try committed(&state)
            } catch {
                _ = state.turn.leave(wake)
                throw error
            }
            if result != nil { _ = state.turn.leave(wake) }
            return result
        }
        if let result { return result }
        if wake.wait(timeout: deadline) == .success { return nil }
        if shared.withLock({ $0.turn.leave(wake) }) { throw Self.busy }
        return nil
    }

    /// Does something in a turn that was waited for, and passes it on.
    private func inTurn<Result>(
        _ body: (inout MemoryState) throws(StoreError) -> (Result, Set<SQLIdentifier>)
    ) throws(StoreError) -> Result {
        var next: DispatchSemaphore?
        defer { next?.signal() }
        let (result, changed) = try shared.withLock { state throws(StoreError) in
            // A transaction that begins here keeps the turn.
            defer { if state.marks.isEmpty { next = state.turn.pass() } }
            try state.checkOpen()
            let (result, changed) = try body(&state)
            return (result, changed)
        }
        if !changed.isEmpty {
            // Nobody who waits has to wait for the subscribers too.
            next?.signal()
            next = nil
            subscribers.publish(changed)
        }
        return result
    }

    private static let busy = StoreError(
        .busy, "Timed out waiting for another thread's transaction; try again, or raise `patience`.")

    /// A copy of the database as this thread sees it. It shares the memory of the tables until one of both is changed.
    /// The caller reads it and then ends the reading.
    func beginReading() throws(StoreError) -> MemoryDatabase {
        try whenFree { state throws(StoreError) in
            state.readers.append(.current)
            return (state.database, [])
        } committed: { state throws(StoreError) in
            let copy = try state.readCommitted { database throws(StoreError) in database }
            state.readers.append(.current)
            return copy
        }
    }

    /// Ends the reading of a copy. The copy is gone then, so that nobody who changes a table has to copy it.
    func endReading(_ copy: inout MemoryDatabase) {
        let closers = shared.withLock { state in
            if state.database.isSurpassed(by: copy) { state.database = copy }
            copy = MemoryDatabase(seed: copy.seed)
            return state.endReading(.current)
        }
        for closer in closers { closer.signal() }
    }

    /// Ends the reading of an answer. It is gone then.
    func endReading(_ answer: inout MemoryAnswer?) {
        let me = ThreadIdentity.current
        let closers = shared.withLock { state in
            answer?.exchange(&state.database.room)
            return state.endReading(me)
        }
        for closer in closers { closer.signal() }
    }

    // MARK: Transactions

    /// Runs a transaction; see ``LocalStore/transaction(_:)``.
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try whenFree { state throws(StoreError) in
            state.turn.take(.current)
            state.marks.append(state.database.undo.makeMark())
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
        let changed: Set<SQLIdentifier> = try shared.withLock { state throws(StoreError) in
            let mark = state.marks.popLast() ?? 0
            if !isKept { state.rollBack(to: mark) }
            guard state.marks.isEmpty else { return [] }
            defer { next = state.turn.pass() }
            return isKept ? try state.commit() : []
        }
        if !changed.isEmpty {
            next?.signal()
            next = nil
            subscribers.publish(changed)
        }
    }

    // MARK: Closing

    /// Closes the store; see ``LocalStore/close()``.
    public func close() throws(StoreError) {
        let me = ThreadIdentity.current
        let deadline = DispatchTime.now() + patience.dispatchInterval
        while true {
            let reader: DispatchSemaphore?
            do throws(StoreError) {
                reader = try whenFree { state throws(StoreError) in (try Self.close(&state, me), []) }
            } catch {
                if error.code == .closed { return }
                throw error
            }
            guard let reader else { return }
            guard reader.wait(timeout: deadline) == .success else {
                shared.withLock { state in state.closers.removeAll { $0 === reader } }
                throw Self.busy
            }
        }
    }

    /// - Returns: what is signalled when a reader ends, if there are any.
    private static func close(
        _ state: inout MemoryState, _ me: ThreadIdentity
    ) throws(StoreError) -> DispatchSemaphore? {
        guard state.marks.isEmpty, !state.readers.contains(me) else {
            throw StoreError(.misuse, "A store cannot be closed from within its own transaction or callback.")
        }
        guard state.readers.isEmpty else {
            let closer = DispatchSemaphore(value: 0)
            state.closers.append(closer)
            return closer
        }
        try state.journal?.finish()
        state.isClosed = true
        state.database = MemoryDatabase(seed: state.database.seed)
        state.journal = nil
        return nil
    }
}

extension Duration {
    /// In milliseconds; a very long one is about eleven days.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let milliseconds = Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
        return .milliseconds(Int(min(max(milliseconds, 0), 1e9)))
    }
}
