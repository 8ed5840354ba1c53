import Foundation
package import LocalStore
import Synchronization

/// A store made with the public API alone: one thread at a time uses a `MemoryStore`, and rows are made from values.
///
/// A thread owns the store during a call, including its callbacks, and during a transaction. A call from within one of
/// its own callbacks throws `misuse`.
package final class LockedStore: LocalStore {
    private struct State {
        var isInCallback = false
        /// The number of calls of `interrupt()`, which end the callbacks of rows too.
        var interruptionCount = 0
        /// Tables of the last commit, not yet published.
        var changedTables: Set<SQLIdentifier> = []
        /// Keeps ``changedTables`` up to date.
        var subscription: StoreSubscription?
    }

    /// By default that of the base, which checks all writes.
    package let protectedTables: ProtectedTables
    package var threads: StoreThreads { base.threads }
    private let base: MemoryStore
    private let lock = NSRecursiveLock()
    private let state = Mutex(State())
    private let subscribers = StoreSubscribers()
    private let busyTimeout: TimeInterval

    package init(busyTimeout: Duration = .seconds(3600), protectedTables: ProtectedTables? = nil) {
        let base = MemoryStore(busyTimeout: busyTimeout)
        self.base = base
        self.protectedTables = protectedTables ?? base.protectedTables
        self.busyTimeout = busyTimeout / .seconds(1)
        let subscription = base.subscribe { [weak self] change in
            self?.state.withLock { $0.changedTables.formUnion(change.tables) }
        }
        state.withLock { $0.subscription = subscription }
    }

    // MARK: Statements

    package func execute(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Int {
        try call { () throws(StoreError) in try base.execute(sql, parameters) }
    }

    package func query(
        _ sql: String, _ parameters: [StoreValue], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        try exclusively {
            let (names, rows) = try result(sql, parameters)
            try inCallback { try pass(rows, names, to: each) }
        }
    }

    package func read<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result {
        try exclusively {
            _ = try base.tableNames(like: nil)
            let reader = StoreReader { sql throws(StoreError) in
                try self.checkReadOnly(sql)
                return PreparedQuery { parameters, each in
                    let (names, rows) = try self.result(sql, parameters)
                    try self.pass(rows, names, to: each)
                }
            }
            return try inCallback { try body(reader) }
        }
    }

    /// All rows of a statement, with the names of their columns.
    private func result(
        _ sql: String, _ parameters: [StoreValue]
    ) throws -> (names: [String], rows: [[StoreValue]]) {
        var names: [String] = []
        var rows: [[StoreValue]] = []
        try base.query(sql, parameters) { row in
            names = row.columnNames
            rows.append(row.values)
            return true
        }
        return (names, rows)
    }

    private func pass(
        _ rows: [[StoreValue]], _ names: [String], to each: (borrowing StoreRow) throws -> Bool
    ) throws {
        let interruptionCount = state.withLock(\.interruptionCount)
        for values in rows {
            guard state.withLock(\.interruptionCount) == interruptionCount else {
                throw StoreError(.interrupted, "Query interrupted.")
            }
            let row = StoreRow(columnNames: names, values: values)
            if try !each(row) { return }
        }
    }

    private func checkReadOnly(_ sql: String) throws(StoreError) {
        do {
            try base.read { try $0.prepare(SQL(verbatim: sql)) { _ in } }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.failed, "Unexpected error.")
        }
    }

    // MARK: Tables

    package func schema(of table: SQLIdentifier) throws(StoreError) -> TableSchema? {
        try call { () throws(StoreError) in try base.schema(of: table) }
    }

    package func swapTable(_ table: SQLIdentifier, for replacement: SQLIdentifier) throws(StoreError) {
        try call { () throws(StoreError) in try base.swapTable(table, for: replacement) }
    }

    package func insert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int {
        try call { () throws(StoreError) in try base.insert(batch, into: table) }
    }

    package func upsert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int {
        try call { () throws(StoreError) in try base.upsert(batch, into: table) }
    }

    package func delete(_ keys: RowBatch, from table: SQLIdentifier) throws(StoreError) -> Int {
        try call { () throws(StoreError) in try base.delete(keys, from: table) }
    }

    // MARK: Transactions

    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try exclusively { try base.transaction(body) }
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreReader) throws -> Result
    ) async throws -> Result {
        try await threads.read(self, body)
    }

    package func transaction<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await threads.transaction(self, body)
    }

    package func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
        subscribers.subscribe(handler)
    }

    package func interrupt() {
        state.withLock { $0.interruptionCount += 1 }
        base.interrupt()
    }

    package func close() throws(StoreError) {
        try call { () throws(StoreError) in try base.close() }
        subscribers.finish()
    }

    // MARK: Locking

    /// Runs a call once no other thread uses the store, then publishes what it committed.
    private func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
        guard lock.lock(before: Date(timeIntervalSinceNow: busyTimeout)) else {
            throw StoreError(.busy, "Timed out waiting for another thread; retry later.")
        }
        let outcome: Result<Value, any Error> = Result {
            guard !state.withLock(\.isInCallback) else {
                throw StoreError(.misuse, "Store called from within its own callback; call it afterwards.")
            }
            return try body()
        }
        let changedTables = state.withLock { state in
            defer { state.changedTables = [] }
            return state.changedTables
        }
        lock.unlock()
        subscribers.publish(changedTables)
        return try outcome.get()
    }

    private func call<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        do {
            return try exclusively(body)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.failed, "Unexpected error.")
        }
    }

    private func inCallback<Value>(_ body: () throws -> Value) rethrows -> Value {
        state.withLock { $0.isInCallback = true }
        defer { state.withLock { $0.isInCallback = false } }
        return try body()
    }
}
