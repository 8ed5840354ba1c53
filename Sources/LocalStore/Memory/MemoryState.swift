import Dispatch
import SystemLibraries

/// What the lock of a ``MemoryStore`` guards.
struct MemoryState {
    var database = MemoryDatabase()
    var journal: MemoryJournal?
    /// The thread whose transaction is under way, and where in the undo log each transaction within it began.
    var owner: ThreadIdentity?
    var marks: [Int] = []
    /// The threads that read an answer, once for each answer.
    var readers: [ThreadIdentity] = []
    /// Those that wait for the transaction, or for the readers, to end.
    var waiters: [DispatchSemaphore] = []
    var isClosed = false
    /// True when somebody waits for the readers in order to close the store.
    var isClosing = false

    /// True when a thread may use the database now.
    func isFree(for thread: ThreadIdentity) -> Bool { owner == nil || owner == thread }

    mutating func takeWaiters() -> [DispatchSemaphore] {
        defer { waiters = [] }
        return waiters
    }

    /// Ends what was done since the last commit: writes it to the journal, and forgets how to take it back.
    /// - Returns: the tables that were changed.
    mutating func commit() throws(StoreError) -> Set<SQLIdentifier> {
        guard !database.undo.isEmpty else { return [] }
        let tables = database.changedTables
        do {
            try journal?.write(database)
        } catch {
            database.rollBack(to: 0)
            throw error
        }
        database.didCommit()
        // Committed it is; when there is no room to rewrite the journal it is only longer.
        try? journal?.rewriteIfWorthwhile(database)
        return tables
    }
}
