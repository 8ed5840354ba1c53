import Dispatch
import SystemLibraries

/// What the lock of a ``MemoryStore`` guards.
struct MemoryState {
    var database: MemoryDatabase
    var journal: MemoryJournal?
    var turn = MemoryTurn()
    /// Where in the undo log each transaction under way began, the outermost first.
    var marks: [Int] = []
    /// The database as it was before the transaction under way, once somebody wanted to read that.
    private var committed: MemoryDatabase?
    /// The threads that read an answer, once for each answer.
    var readers: [ThreadIdentity] = []
    /// Those that wait for the readers to end, in order to close the store.
    var closers: [DispatchSemaphore] = []
    var isClosed = false

    /// - Parameter seed: what hashes keys, rowids and statements.
    init(seed: HashSeed = .random()) { database = MemoryDatabase(seed: seed) }

    func checkOpen() throws(StoreError) {
        if isClosed { throw StoreError(.closed, "The store is closed.") }
    }

    /// Reads what is committed, while a thread is in a transaction.
    ///
    /// A copy is made only if the transaction changed something: it shares the tables' columns until what was changed in
    /// them is taken back in it. It serves all who read before the transaction ends.
    mutating func readCommitted<Result>(
        _ body: (inout MemoryDatabase) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        if database.undo.isEmpty { return try body(&database) }
        var copy = committed ?? database.committed()
        // Not kept twice: it would be copied as soon as the reader's plan is noted in it.
        committed = nil
        defer { committed = copy }
        return try body(&copy)
    }

    /// Ends one reading of a thread.
    /// - Returns: those who waited for it.
    mutating func endReading(_ thread: ThreadIdentity) -> [DispatchSemaphore] {
        // Mostly it is the only one.
        if readers.last == thread {
            readers.removeLast()
        } else if let index = readers.lastIndex(of: thread) {
            readers.remove(at: index)
        }
        if closers.isEmpty { return [] }
        defer { closers = [] }
        return closers
    }

    /// Ends what was done since the last commit: writes it to the journal, and forgets how to take it back.
    /// - Returns: the tables that were changed.
    mutating func commit() throws(StoreError) -> Set<SQLIdentifier> {
        committed = nil
        guard !database.undo.isEmpty else { return [] }
        let tables = database.changedTables()
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

    /// Takes back what was done since a mark.
    mutating func rollBack(to mark: Int) {
        if mark == 0 { committed = nil }
        database.rollBack(to: mark)
    }
}
