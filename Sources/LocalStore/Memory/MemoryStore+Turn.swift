import Dispatch
import Synchronization
import SystemLibraries

extension MemoryStore {
    /// What came of a look at the state.
    private enum Step<Result> {
        case done(Result, changed: Set<SQLIdentifier>)
        case wait(DispatchSemaphore)
    }

    /// Does something to the database, all or nothing, and commits it unless it is a part of a transaction.
    /// - Parameter reading: true when the caller goes on to read an answer and then calls ``endReading()``.
    func perform<Result>(
        reading: Bool = false, _ body: (inout MemoryDatabase) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let me = ThreadIdentity.current
        return try whenFree(me) { state throws(StoreError) in
            let mark = state.database.undo.makeMark()
            let result: Result
            do throws(StoreError) {
                result = try body(&state.database)
            } catch {
                state.database.rollBack(to: mark)
                throw error
            }
            let changed = state.owner == nil ? try state.commit() : []
            if reading { state.readers.append(me) }
            return (result, changed)
        }
    }

    /// Does something to the state as soon as no other thread is in a transaction.
    private func whenFree<Result>(
        _ me: ThreadIdentity, _ body: (inout MemoryState) throws(StoreError) -> (Result, Set<SQLIdentifier>)
    ) throws(StoreError) -> Result {
        var deadline: DispatchTime?
        while true {
            let step: Step<Result> = try shared.withLock { state throws(StoreError) in
                if state.isClosed { throw StoreError(.closed, "The store was closed.") }
                guard state.isFree(for: me) else {
                    let waiter = DispatchSemaphore(value: 0)
                    state.waiters.append(waiter)
                    return .wait(waiter)
                }
                let (result, changed) = try body(&state)
                return .done(result, changed: changed)
            }
            switch step {
            case .done(let result, let changed):
                if !changed.isEmpty { subscribers.publish(changed) }
                return result
            case .wait(let waiter):
                let last = deadline ?? .now() + patience.dispatchInterval
                deadline = last
                try wait(for: waiter, until: last)
            }
        }
    }

    private func wait(for waiter: DispatchSemaphore, until deadline: DispatchTime) throws(StoreError) {
        guard waiter.wait(timeout: deadline) != .success else { return }
        shared.withLock { state in state.waiters.removeAll { $0 === waiter } }
        throw StoreError(.busy, "Another thread's transaction takes longer than this call waits; try again later.")
    }

    /// Ends the reading of an answer.
    func endReading() {
        let me = ThreadIdentity.current
        let waiters = shared.withLock { state in
            if let index = state.readers.lastIndex(of: me) { state.readers.remove(at: index) }
            return state.isClosing ? state.takeWaiters() : []
        }
        for waiter in waiters { waiter.signal() }
    }

    // MARK: Transactions

    /// Runs a transaction; see ``LocalStore/transaction(_:)``.
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        let me = ThreadIdentity.current
        try whenFree(me) { state throws(StoreError) in
            state.owner = me
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
        var waiters: [DispatchSemaphore] = []
        defer { for waiter in waiters { waiter.signal() } }
        let changed: Set<SQLIdentifier> = try shared.withLock { state throws(StoreError) in
            let mark = state.marks.popLast() ?? 0
            if !isKept { state.database.rollBack(to: mark) }
            guard state.marks.isEmpty else { return [] }
            state.owner = nil
            waiters = state.takeWaiters()
            return isKept ? try state.commit() : []
        }
        if !changed.isEmpty {
            // Nobody who waits has to wait for the subscribers too.
            for waiter in waiters { waiter.signal() }
            waiters = []
            subscribers.publish(changed)
        }
    }

    // MARK: Closing

    /// Closes the store; see ``LocalStore/close()``.
    public func close() throws(StoreError) {
        let me = ThreadIdentity.current
        let deadline = DispatchTime.now() + patience.dispatchInterval
        while true {
            let waiter: DispatchSemaphore? = try shared.withLock { state throws(StoreError) in
                if state.isClosed { return nil }
                guard state.owner != me, !state.readers.contains(me) else {
                    throw StoreError(.misuse, "A store is not closed from within its own transaction or callback.")
                }
                if state.owner == nil, state.readers.isEmpty {
                    try state.journal?.finish()
                    state.isClosed = true
                    state.isClosing = false
                    state.database = MemoryDatabase()
                    state.journal = nil
                    return nil
                }
                state.isClosing = true
                let waiter = DispatchSemaphore(value: 0)
                state.waiters.append(waiter)
                return waiter
            }
            guard let waiter else { return }
            try wait(for: waiter, until: deadline)
        }
    }
}

extension Duration {
    /// In milliseconds; a very long one is about eleven days.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let milliseconds = Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
        return .milliseconds(Int(min(max(milliseconds, 0), 1e9)))
    }
}
