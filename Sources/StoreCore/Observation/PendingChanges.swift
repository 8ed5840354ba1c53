/// Changed tables that a reader has not taken yet, merged into one change.
///
/// A pure value, guarded by a mutex; the caller resumes the returned waiters after unlocking.
///
/// ```
/// idle          -add->     pending
/// pending       -add->     pending, merged
/// waiting       -add->     idle: the waiter gets the change
/// idle          -wait->    waiting
/// pending       -wait->    idle: the reader gets the change at once
/// idle, pending -finish->  finished: a pending change is still delivered
/// waiting       -finish->  finished: the waiter gets nil
/// any           -cancel->  finished: a pending change is dropped, a waiter gets nil
/// ```
struct PendingChanges<Waiter> {
    /// The result of ``wait(_:)``.
    enum Step {
        /// The waiter is stored until a change.
        case suspend
        /// The waiter is resumed at once; nil at the end.
        case resume(StoreChange?)
    }

    /// The tables to report; nil for all.
    private var filter: Set<SQLIdentifier>?
    private var tables: Set<SQLIdentifier> = []
    private var waiter: Waiter?
    private var isFinished = false

    /// - Parameter filter: the tables to report; nil for all.
    init(filter: Set<SQLIdentifier>? = nil) { self.filter = filter }

    /// Adds the tables of a commit.
    /// - Returns: the waiter to resume, with its change.
    mutating func add(_ change: StoreChange) -> (Waiter, StoreChange)? {
        let added = filter.map { change.tables.intersection($0) } ?? change.tables
        guard !isFinished, !added.isEmpty else { return nil }
        guard let waiter = waiter.take() else {
            tables.formUnion(added)
            return nil
        }
        return (waiter, StoreChange(tables: added))
    }

    /// Takes the pending change, or stores the waiter. A second waiter gets nil.
    mutating func wait(_ waiter: Waiter) -> Step {
        guard tables.isEmpty else {
            defer { tables = [] }
            return .resume(StoreChange(tables: tables))
        }
        guard !isFinished, self.waiter == nil else { return .resume(nil) }
        self.waiter = waiter
        return .suspend
    }

    /// Changes the filter, also of the pending change.
    mutating func watch(_ filter: Set<SQLIdentifier>?) {
        self.filter = filter
        if let filter { tables.formIntersection(filter) }
    }

    /// Ends the changes after the pending one.
    /// - Returns: the waiter to resume with nil.
    mutating func finish() -> Waiter? {
        isFinished = true
        return waiter.take()
    }

    /// Ends the changes now.
    /// - Returns: the waiter to resume with nil.
    mutating func cancel() -> Waiter? {
        tables = []
        return finish()
    }
}
