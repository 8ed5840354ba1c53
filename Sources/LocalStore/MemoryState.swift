import Dispatch
import StoreCore
import SystemLibraries

/// The state of a ``MemoryStore``, guarded by its mutex.
struct MemoryState {
    var database: MemoryDatabase
    var journal: MemoryJournal?
    var lock = FairLock()
    /// Savepoints in the undo log of the nested transactions, the outermost first.
    var savepoints: [Int] = []
    /// The database before the current transaction; set by the first read of another thread.
    private var committedSnapshot: MemoryDatabase?
    /// Threads that are reading a result set or a snapshot, once for each.
    var readers: [ThreadIdentity] = []
    /// Semaphores of threads in `close()` that wait or have waited for the readers.
    var closers: [DispatchSemaphore] = []
    /// Semaphores of threads that want to read, waiting for the outcome of `close()`.
    var waitingReads: [DispatchSemaphore] = []
    var isClosed = false

    /// - Parameters:
    ///   - seed: seed of the hashes of keys, rowids and statements.
    ///   - allowsDoubleQuotedText: true if text may be in double quotes; default false.
    ///   - interrupts: the interrupts of the store.
    init(seed: HashSeed = .random(), allowsDoubleQuotedText: Bool = false, _ interrupts: InterruptCounter) {
        database = MemoryDatabase(seed: seed, allowsDoubleQuotedText: allowsDoubleQuotedText)
        database.interruption = StatementInterruption(interrupts)
    }

    /// - Parameters:
    ///   - interruptCount: the number of interrupts at the beginning of the call.
    ///   - isOutsideTransaction: true for a read of the committed state; default: whether a transaction is open.
    mutating func beginStatement(_ interruptCount: Int, isOutsideTransaction: Bool? = nil) {
        database.interruption.begin(interruptCount, isOutsideTransaction: isOutsideTransaction ?? savepoints.isEmpty)
    }

    func checkOpen() throws(StoreError) {
        if isClosed { throw .closed }
    }

    /// Reads the committed state while another thread is in a transaction.
    ///
    /// If the transaction has changed anything, the first read makes a copy with the changes rolled back (copy on
    /// write: only changed columns are copied). Later reads during the transaction reuse it.
    mutating func readCommitted<Result>(
        _ body: (inout MemoryDatabase) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        if database.undo.isEmpty { return try body(&database) }
        var copy = committedSnapshot ?? database.committedCopy()
        copy.interruption = database.interruption
        // Held only once: a second reference would copy it when the reader caches a plan.
        committedSnapshot = nil
        defer { committedSnapshot = copy }
        return try body(&copy)
    }

    /// True if a read of a thread has to wait for the outcome of `close()`.
    ///
    /// `close()` waits for the reads and for the lock, so a nested read and the owner must not wait for it (deadlock).
    func mustWaitForClose(_ thread: ThreadIdentity) -> Bool {
        !closers.isEmpty && !isClosed && lock.owner != thread && !readers.contains(thread)
    }

    /// Removes the waiting reads.
    /// - Returns: semaphores to signal.
    mutating func takeWaitingReads() -> [DispatchSemaphore] {
        defer { waitingReads = [] }
        return waitingReads
    }

    /// Unregisters one read of a thread.
    /// - Returns: semaphores to signal.
    mutating func endReading(_ thread: ThreadIdentity) -> [DispatchSemaphore] {
        // Usually the last entry.
        if readers.last == thread {
            readers.removeLast()
        } else if let index = readers.lastIndex(of: thread) {
            readers.remove(at: index)
        }
        return readers.isEmpty ? closers : []
    }

    /// Commits: writes the changes to the journal and clears the undo log.
    /// - Returns: names of the changed tables.
    mutating func commit() throws(StoreError) -> Set<SQLIdentifier> {
        committedSnapshot = nil
        guard !database.undo.isEmpty else { return [] }
        let tables = database.changedTables()
        do {
            try journal?.write(database)
        } catch {
            database.rollBack(to: 0)
            throw error
        }
        database.didCommit()
        // The transaction is committed already; if the rewrite fails, the journal is only longer.
        try? journal?.rewriteIfWorthwhile(database)
        return tables
    }

    /// Undoes all changes since a savepoint.
    mutating func rollBack(to savepoint: Int) {
        if savepoint == 0 { committedSnapshot = nil }
        database.rollBack(to: savepoint)
    }
}
