import StoreCore

/// FIFO queue of calls that need exclusive use of tables: a state machine without I/O.
///
/// A call holds its tables when no earlier call holds or awaits one of them. It gets all of them at once, so that no two
/// calls wait for each other. Calls with other tables overtake it.
///
/// ```
/// absent  -add, tables are free->                  holding
/// absent  -add, else->                             waiting, or absent without a waiter
/// waiting -release or cancel of earlier calls->    holding
/// waiting -cancel->                                absent
/// holding -release->                               absent
/// ```
struct TableLockQueue<Waiter> {
    private struct Call {
        let id: UInt64
        let tables: Set<SQLIdentifier>
        /// Nil once the call holds its tables.
        var waiter: Waiter?
    }

    private var calls: [Call] = []
    private var lastID: UInt64 = 0

    /// The number of waiting calls.
    var waiterCount: Int { calls.count { $0.waiter != nil } }

    /// Makes an ID for a call.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a call.
    /// - Parameter waiter: waits for the tables; nil for a call that must not wait.
    /// - Returns: true when the call holds its tables; false when it waits, or was not added.
    mutating func add(_ id: UInt64, _ tables: Set<SQLIdentifier>, _ waiter: Waiter?) -> Bool {
        let isFree = calls.allSatisfy { $0.tables.isDisjoint(with: tables) }
        if isFree || waiter != nil { calls.append(Call(id: id, tables: tables, waiter: isFree ? nil : waiter)) }
        return isFree
    }

    /// Removes a call that holds its tables.
    /// - Returns: the waiters of the calls that hold theirs now.
    mutating func release(_ id: UInt64) -> [Waiter] {
        calls.removeAll { $0.id == id }
        return start()
    }

    /// Removes a waiting call; nil for any other.
    /// - Returns: its waiter, and those of the calls that hold their tables now.
    mutating func cancel(_ id: UInt64) -> (cancelled: Waiter, started: [Waiter])? {
        guard let index = calls.firstIndex(where: { $0.id == id }), let waiter = calls[index].waiter else { return nil }
        calls.remove(at: index)
        return (waiter, start())
    }

    private mutating func start() -> [Waiter] {
        var started: [Waiter] = []
        var earlier: Set<SQLIdentifier> = []
        for index in calls.indices {
            if earlier.isDisjoint(with: calls[index].tables), let waiter = calls[index].waiter.take() {
                started.append(waiter)
            }
            earlier.formUnion(calls[index].tables)
        }
        return started
    }
}
