import StoreCore
import Synchronization

/// Tells a statement of a ``MemoryStore`` whether it has to end.
struct StatementInterruption: Sendable {
    /// Nil for statements that cannot be interrupted.
    private let counter: InterruptCounter?
    private var count: Int
    /// False in a transaction, which `close()` waits for.
    private var isOutsideTransaction = true
    /// True for a statement that only reads.
    var isReadOnly = false

    /// For statements that cannot be interrupted, as while a journal is replayed.
    static let none = StatementInterruption(counter: nil, count: 0)

    private init(counter: InterruptCounter?, count: Int) {
        self.counter = counter
        self.count = count
    }

    /// For a statement that begins now.
    init(_ counter: InterruptCounter) { self.init(counter: counter, count: counter.count) }

    /// Begins the next statement. In place, since a copy would retain the counter for each statement.
    /// - Parameter count: the number of interrupts at the beginning of the call.
    mutating func begin(_ count: Int, isOutsideTransaction: Bool) {
        self.count = count
        self.isOutsideTransaction = isOutsideTransaction
        isReadOnly = false
    }

    /// Begins the next statement on the same snapshot.
    mutating func begin() { count = counter?.count ?? 0 }

    /// True after `interrupt()`.
    var isInterrupted: Bool {
        guard let counter else { return false }
        return counter.count != count
    }

    /// Ends an interrupted statement.
    /// - Throws: `StoreError` (`interrupted`).
    @inline(__always)
    func check() throws(StoreError) { if isInterrupted { throw .interrupted } }

    /// Ends a statement that was interrupted, whose task is cancelled, or that only reads while the store is closed.
    ///
    /// Call it once per block of about a thousand rows, or more often where each row is expensive, and not before the
    /// first block: short statements must succeed in a cancelled task.
    /// - Throws: `StoreError` (`interrupted`).
    @inline(never)
    func checkAfterBlock() throws(StoreError) {
        guard let counter else { return }
        let isEndedByClose = isReadOnly && isOutsideTransaction && counter.isClosing
        if counter.count != count || Task.isCancelled || isEndedByClose { throw .interrupted }
    }

    /// Calls ``checkAfterBlock()`` for the last row of each block.
    /// - Parameter index: number of rows before this one.
    @inline(__always)
    func check(afterRow index: Int) throws(StoreError) {
        if index & (Self.blockSize - 1) == Self.blockSize - 1 { try checkAfterBlock() }
    }

    /// Checks every 32 rows, for rows that may be expensive: a block of them would take too long to end. In a cancelled
    /// task the first block succeeds.
    /// - Parameter index: number of rows before this one.
    @inline(__always)
    func check(afterExpensiveRow index: Int) throws(StoreError) {
        guard index & 31 == 31 else { return }
        if index < Self.blockSize - 1 { try check() } else { try checkAfterBlock() }
    }

    /// Calls ``checkAfterBlock()`` for about as many comparisons of a sort as a block of rows takes.
    /// - Parameter count: number of comparisons so far.
    @inline(__always)
    func check(afterComparison count: Int) throws(StoreError) {
        if count & 0x3FFF == 0 { try checkAfterBlock() }
    }

    /// Rows between two checks; a power of two.
    static let blockSize = 1024
}
