/// FIFO queue of calls that need exclusive use of keys, such as tables: a state machine without I/O.
///
/// A call holds its keys when no earlier call holds or awaits one of them. It gets all of them at once, so that no two
/// calls wait for each other. Calls with other keys overtake it.
///
/// ```
/// absent  -add, keys are free->                    holding
/// absent  -add, else->                             waiting, or absent without a waiter
/// waiting -release or cancel of earlier calls->    holding
/// waiting -cancel->                                absent
/// holding -release->                               absent
/// ```
struct ExclusiveQueue<Key: Hashable, Waiter> {
    fileprivate struct Call {
        let id: UInt64
        let keys: Set<Key>
        /// Nil once the call holds its keys.
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
    /// - Parameter waiter: waits for the keys; nil for a call that must not wait.
    /// - Returns: true when the call holds its keys; false when it waits, or was not added.
    mutating func add(_ id: UInt64, _ keys: Set<Key>, _ waiter: Waiter?) -> Bool {
        let isFree = calls.allSatisfy { $0.keys.isDisjoint(with: keys) }
        if isFree || waiter != nil { calls.append(Call(id: id, keys: keys, waiter: isFree ? nil : waiter)) }
        return isFree
    }

    /// Removes a call that holds its keys.
    /// - Returns: the waiters of the calls that hold theirs now.
    mutating func release(_ id: UInt64) -> [Waiter] {
        calls.removeAll { $0.id == id }
        return start()
    }

    /// Removes a waiting call; nil for any other.
    /// - Returns: its waiter, and those of the calls that hold their keys now.
    mutating func cancel(_ id: UInt64) -> (cancelled: Waiter, started: [Waiter])? {
        guard let index = calls.firstIndex(where: { $0.id == id }), let waiter = calls[index].waiter else { return nil }
        calls.remove(at: index)
        return (waiter, start())
    }

    private mutating func start() -> [Waiter] {
        var started: [Waiter] = []
        var earlier: Set<Key> = []
        for index in calls.indices {
            if earlier.isDisjoint(with: calls[index].keys), let waiter = calls[index].waiter.take() {
                started.append(waiter)
            }
            earlier.formUnion(calls[index].keys)
        }
        return started
    }
}

extension ExclusiveQueue: Sendable where Key: Sendable, Waiter: Sendable {}
extension ExclusiveQueue.Call: Sendable where Key: Sendable, Waiter: Sendable {}
