import Foundation
import StoreCore
import Synchronization
import SystemLibraries

/// Ends the statement that a connection runs.
///
/// ```
/// idle             -begin->     reading, writing
/// reading, writing -interrupt-> interrupted      the statement ends
/// reading, writing, interrupted -end-> idle
/// idle             -shield->    shielded         the store's own statements, which must not fail
/// shielded         -unshield->  idle
/// ```
///
/// A statement that begins in another phase is part of the one that runs. Only the thread that uses the connection
/// enters and leaves `idle`; an interrupt changes the phase of a running statement, and nothing else, so it cannot
/// reach a later one. SQLite itself forgets an interrupt when no statement is running.
final class StatementInterrupter: Sendable {
    private enum Phase: UInt8, AtomicRepresentable { case idle, reading, writing, interrupted, shielded }

    /// Virtual machine steps between two checks, some tens of microseconds.
    static let stepsPerCheck: CInt = 4000

    private let phase = Atomic(Phase.idle)
    /// Checks since the statement began.
    private let checks = Atomic(0)
    /// True in a transaction that may write: `close()` waits for it.
    private let isInTransaction = Atomic(false)
    /// Held while `sqlite3_interrupt` is called; the end of the statement waits for that.
    private let interrupting = Mutex(())
    /// True after a call of `sqlite3_interrupt`, which SQLite forgets when the next statement begins.
    private let hasInterrupted = Atomic(false)
    private let interrupts: StoreInterrupts
    private let functions: SQLiteFunctions
    private let address: UInt
    let wait: BusyWait

    init(
        _ database: OpaquePointer?, _ functions: SQLiteFunctions, busyTimeout: Duration, _ interrupts: StoreInterrupts
    ) {
        self.functions = functions
        self.interrupts = interrupts
        address = UInt(bitPattern: database)
        wait = BusyWait(timeout: busyTimeout)
    }

    /// Registers this object with SQLite and with the store. The connection keeps it alive, and calls ``uninstall()``
    /// before it closes the database.
    func install() {
        let database = OpaquePointer(bitPattern: address)
        let context = Unmanaged.passUnretained(self).toOpaque()
        functions.setProgressHandler(
            database, Self.stepsPerCheck,
            { context in
                guard let context else { return 0 }
                return Unmanaged<StatementInterrupter>.fromOpaque(context).takeUnretainedValue().mustEnd() ? 1 : 0
            }, context)
        _ = functions.setBusyHandler(
            database,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<StatementInterrupter>.fromOpaque(context).takeUnretainedValue().mayWait(count) ? 1 : 0
            }, context)
        interrupts.add(self)
    }

    /// Removes this object from the store's. The connection closes the database then.
    func uninstall() {
        interrupts.remove(self)
        guard hasInterrupted.load(ordering: .relaxed) else { return }
        // The last connection copies the log to the file as it closes, but not if SQLite remembers an interrupt.
        var (statement, tail): (OpaquePointer?, UnsafePointer<CChar>?)
        if functions.prepare(OpaquePointer(bitPattern: address), "SELECT 1", -1, 0, &statement, &tail) == 0 {
            _ = functions.step(statement)
            _ = functions.finalize(statement)
        }
    }

    // MARK: Calls of the thread that uses the connection

    /// Begins a statement.
    /// - Parameter isReadOnly: true if the statement only reads.
    /// - Returns: true if ``end()`` has to be called; false for a part of another statement.
    @inline(__always)
    func begin(isReadOnly: Bool) -> Bool {
        guard phase.load(ordering: .relaxed) == .idle else { return false }
        checks.store(0, ordering: .relaxed)
        if !isReadOnly { wait.reset() }
        let isReading = isReadOnly && !isInTransaction.load(ordering: .relaxed)
        phase.store(isReading ? .reading : .writing, ordering: .relaxed)
        return true
    }

    /// Ends a statement, after SQLite's last call for it.
    @inline(__always)
    func end() {
        let running = phase.load(ordering: .relaxed)
        guard running != .interrupted,
            phase.compareExchange(expected: running, desired: .idle, ordering: .acquiringAndReleasing).exchanged
        else { return endInterrupted() }
    }

    private func endInterrupted() {
        // `sqlite3_interrupt` must not be called later, for another statement or for a closed database.
        interrupting.withLock { _ in }
        phase.store(.idle, ordering: .relaxed)
    }

    /// Protects the store's own statements from interrupts until ``unshield()``.
    func shield() { phase.store(.shielded, ordering: .relaxed) }
    func unshield() { phase.store(.idle, ordering: .relaxed) }

    /// Tells whether the connection is in a transaction that may write.
    func setInTransaction(_ isInTransaction: Bool) { self.isInTransaction.store(isInTransaction, ordering: .relaxed) }

    /// True when the running statement was interrupted.
    var isInterrupted: Bool { phase.load(ordering: .relaxed) == .interrupted }

    /// True when the running statement has to end. Called by SQLite every ``stepsPerCheck`` steps, and by batches.
    ///
    /// The first check ends nothing but an interrupted statement: SQLite counts the steps over all runs of a prepared
    /// statement, and short runs must succeed in a cancelled task.
    func mustEnd() -> Bool {
        let phase = phase.load(ordering: .relaxed)
        guard phase == .reading || phase == .writing else { return phase == .interrupted }
        let earlier = checks.load(ordering: .relaxed)
        checks.store(earlier + 1, ordering: .relaxed)
        guard earlier > 0 else { return false }
        return Task.isCancelled || phase == .reading && interrupts.isClosing
    }

    /// Waits for another connection, in the middle of a statement.
    /// - Returns: false to give up.
    private func mayWait(_ count: CInt) -> Bool { wait.next(count, isInterrupted: isInterrupted) }

    /// Waits for another connection, between two statements of one call.
    /// - Parameter count: number of earlier waits of the call.
    /// - Returns: false to give up.
    func waitBetweenStatements(_ count: CInt) -> Bool {
        let isOutermost = begin(isReadOnly: false)
        defer { if isOutermost { end() } }
        guard wait.next(count, isInterrupted: false) else { return false }
        guard isInterrupted else { return true }
        wait.end()
        return false
    }

    // MARK: Calls of other threads

    /// Interrupts the running statement, if there is one.
    func interrupt() {
        interrupting.withLock { _ in
            let running = phase.load(ordering: .relaxed)
            guard running == .reading || running == .writing,
                phase.compareExchange(expected: running, desired: .interrupted, ordering: .acquiringAndReleasing)
                    .exchanged
            else { return }
            // The statement cannot end before the lock is released, so the database is open. This also ends loops
            // within one step, such as that of `count(*)`.
            hasInterrupted.store(true, ordering: .relaxed)
            functions.interrupt(OpaquePointer(bitPattern: address))
        }
    }
}

/// The connections of a store, for `interrupt()` and `close()`.
final class StoreInterrupts: Sendable {
    private let connections = Mutex<[StatementInterrupter]>([])
    /// The number of threads in `close()`.
    private let closers = Atomic(0)

    init() {}

    func add(_ connection: StatementInterrupter) { connections.withLock { $0.append(connection) } }

    func remove(_ connection: StatementInterrupter) {
        connections.withLock { $0.removeAll { $0 === connection } }
    }

    /// Interrupts the statements that run now.
    func interrupt() { for connection in connections.withLock({ $0 }) { connection.interrupt() } }

    /// True while a thread is in `close()`: reads that run long end.
    var isClosing: Bool { closers.load(ordering: .relaxed) > 0 }

    /// Runs `body`, during which reads that run long end.
    func closing<Result>(_ body: () throws -> Result) rethrows -> Result {
        closers.add(1, ordering: .relaxed)
        defer { closers.subtract(1, ordering: .relaxed) }
        return try body()
    }
}
