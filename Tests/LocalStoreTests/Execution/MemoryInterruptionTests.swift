import Dispatch
import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

@Suite(.needsSlot) struct MemoryInterruptionTests {
    private static let rowCount = 20_000

    private func makeStore(rows: Int = rowCount) throws -> MemoryStore {
        let store = MemoryStore(busyTimeout: .seconds(3600))
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, n INTEGER)", [])
        var batch = try RowBatch(columns: ["id", "a", "n"])
        for id in 0..<rows {
            batch.beginRow()
            try batch.set(integer: Int64(id), at: 0)
            try batch.set(text: "a text that is not short, number \(id)", at: 1)
            try batch.set(integer: Int64(rows - id), at: 2)
        }
        try store.upsert(batch, into: "t")
        return store
    }

    /// Calls that read or write many rows.
    private static let longCalls: [(String, @Sendable (MemoryStore) throws -> Void)] = [
        ("filter", { _ = try $0.rows("SELECT count(*) FROM t WHERE a LIKE '%not%long%'") }),
        ("sort", { _ = try $0.rows("SELECT id FROM t ORDER BY a || 'x' LIMIT 3") }),
        ("sort a column", { _ = try $0.rows("SELECT id FROM t ORDER BY n") }),
        ("group", { _ = try $0.rows("SELECT n % 7, sum(id) FROM t GROUP BY n % 7") }),
        ("group by a column", { _ = try $0.rows("SELECT n, sum(id) FROM t GROUP BY n") }),
        ("distinct", { _ = try $0.rows("SELECT DISTINCT a FROM t") }),
        ("aggregate", { _ = try $0.rows("SELECT sum(length(a) + n) FROM t") }),
        ("expressions", { _ = try $0.rows("SELECT upper(a) FROM t") }),
        ("rows", { try $0.query("SELECT * FROM t") { _ in true } }),
        ("JSON", { _ = try $0.queryJSON("SELECT * FROM t") }),
        ("reader", { try $0.read { _ = try $0.rows("SELECT * FROM t") } }),
        ("update", { try $0.execute("UPDATE t SET n = n + 1") }),
        ("insert", { try $0.execute("INSERT INTO t (a) SELECT a FROM t") }),
        ("delete", { try $0.execute("DELETE FROM t WHERE length(a) > 3") }),
        ("delete all", { try $0.execute("DELETE FROM t") }),
        ("aggregate of a column", { _ = try $0.rows("SELECT min(a) FROM t") }),
        (
            "batch",
            { store in
                let rows = (0..<5000).map { [StoreValue.integer($0), .integer(0)] }
                try store.upsert(try RowBatch(["id", "n"], rows), into: "t")
            }
        ),
        (
            "deletion of a batch without an index",
            { try $0.delete(try RowBatch(["n"], (0..<10).map { [.integer($0)] }), from: "t") }
        ),
        (
            "deletion of a batch by key",
            { try $0.delete(try RowBatch(["id"], (0..<5000).map { [.integer($0)] }), from: "t") }
        ),
    ]

    /// In a cancelled task every one of them finds that it has to end.
    @Test(arguments: longCalls.indices)
    func `long calls of a cancelled task end and change nothing`(index: Int) async throws {
        let store = try makeStore()
        let (name, call) = Self.longCalls[index]
        let before = try store.rows("SELECT count(*), sum(n), max(id) FROM t")
        let isCancelled = Gate()
        let task = Task {
            try? await isCancelled.wait()
            #expect(Task.isCancelled)
            try call(store)
        }
        task.cancel()
        isCancelled.open()
        let error = await #expect(throws: StoreError.self, "\(name)") { try await task.value }
        #expect(error?.code == .interrupted, "\(name)")
        #expect(try store.rows("SELECT count(*), sum(n), max(id) FROM t") == before)
        try store.close()
    }

    /// The same calls with fewer rows than a block.
    @Test(arguments: longCalls.indices.dropLast(3))
    func `short calls of a cancelled task succeed`(index: Int) async throws {
        let store = try makeStore(rows: 200)
        let call = Self.longCalls[index].1
        let isCancelled = Gate()
        let task = Task {
            try? await isCancelled.wait()
            try call(store)
        }
        task.cancel()
        isCancelled.open()
        try await task.value
    }

    private static var noParameters: UnsafeBufferPointer<StoreValue> { .init(start: nil, count: 0) }

    /// Statements whose rows may be expensive, each in its own way.
    private static let expensiveStatements = [
        "SELECT count(*) FROM t WHERE length(a) > n", "SELECT count(*) FROM t WHERE a LIKE '%y%'",
        "SELECT count(*) FROM t WHERE a LIKE '%_y%'", "SELECT upper(a) FROM t", "SELECT a, n FROM t WHERE n >= 0",
        "SELECT DISTINCT upper(a) FROM t", "SELECT n FROM t ORDER BY length(a)", "SELECT sum(length(a)) FROM t",
        "SELECT group_concat(a, '-') FROM t", "SELECT n + 1, count(*) FROM t GROUP BY n + 1",
        "SELECT n, count(*) FROM t GROUP BY n", "UPDATE t SET n = length(a)", "DELETE FROM t",
        "INSERT INTO t (a) SELECT a FROM t",
    ]

    @Test(arguments: expensiveStatements)
    func `an interrupt ends a statement within a few expensive rows`(sql: String) throws {
        let interrupts = InterruptCounter()
        var database = MemoryDatabase()
        let text = String(repeating: "x", count: 2000)
        _ = try database.run("CREATE TABLE t (a TEXT, n INTEGER)", Self.noParameters)
        for number in 0..<60 {
            _ = try database.run("INSERT INTO t VALUES ('\(text)', \(number))", Self.noParameters)
        }
        database.didCommit()
        database.interruption = StatementInterruption(interrupts)
        interrupts.interrupt()
        let error = #expect(throws: StoreError.self) { _ = try database.run(sql, Self.noParameters) }
        #expect(error?.code == .interrupted)
        database.rollBack(to: 0)
        database.interruption = StatementInterruption(interrupts)
        let rows = try database.run("SELECT a FROM t WHERE n < 60", Self.noParameters)
        #expect(rows.resultSet?.rowCount == 60)
    }

    @Test func `an interrupt ends the sort of a table and leaves it as it is`() throws {
        let interrupts = InterruptCounter()
        var database = MemoryDatabase()
        _ = try database.run("CREATE TABLE t (id INTEGER PRIMARY KEY)", Self.noParameters)
        // The numbers from 0 to 3000 without one, in no order.
        let ids = (0..<3000).map { "(\($0 * 7919 % 3001))" }
        _ = try database.run("INSERT INTO t VALUES \(ids.joined(separator: ", "))", Self.noParameters)
        database.didCommit()
        database.interruption = StatementInterruption(interrupts)
        interrupts.interrupt()
        let error = #expect(throws: StoreError.self) { _ = try database.run("SELECT id FROM t", Self.noParameters) }
        #expect(error?.code == .interrupted)
        #expect(database.table("t")?.isOrdered == false)
        database.interruption = StatementInterruption(interrupts)
        let rows = try #require(try database.run("SELECT id FROM t", Self.noParameters).resultSet)
        #expect(rows.rowCount == 3000 && rows.values(row: 0) == [.integer(0)])
        #expect(database.table("t")?.isOrdered == true)
    }

    @Test func `an interrupt ends a call that runs`() throws {
        let store = try makeStore()
        let code = Mutex<StoreError.Code?>(nil)
        let hasEnded = Mutex(false)
        let wait = onThread {
            do {
                while true { _ = try store.rows("SELECT count(*) FROM t WHERE a LIKE '%not%long%'") }
            } catch { code.withLock { $0 = (error as? StoreError)?.code } }
            hasEnded.withLock { $0 = true }
        }
        #expect(
            waitUnlessHung {
                store.interrupt()
                return hasEnded.withLock { $0 }
            })
        #expect(wait() && code.withLock { $0 } == .interrupted)
        #expect(try store.rows("SELECT count(*) FROM t") == [[.integer(Int64(Self.rowCount))]])
    }

    @Test func `an interrupt ends waiting writers but not the transaction`() throws {
        let store = try makeStore(rows: 3)
        let codes = Mutex<[StoreError.Code?]>([])
        let waits = Mutex<[@Sendable () -> Bool]>([])
        try store.transaction { () throws in
            for place in 1...3 {
                let wait = onThread {
                    do { try store.execute("DELETE FROM t") } catch {
                        codes.withLock { $0.append((error as? StoreError)?.code) }
                    }
                }
                waits.withLock { $0.append(wait) }
                #expect(waitUnlessHung { store.shared.withLock { $0.lock.waiterCount } == place })
            }
            store.interrupt()
            for wait in waits.withLock({ $0 }) { #expect(wait()) }
            try store.execute("INSERT INTO t (n) VALUES (1)")
        }
        #expect(codes.withLock { $0 } == [.interrupted, .interrupted, .interrupted])
        #expect(try store.rows("SELECT count(*) FROM t") == [[4]])
        #expect(store.shared.withLock { $0.lock.owner } == nil)
    }

    @Test func `an interrupt in a row callback ends that query and no other`() throws {
        let store = try makeStore()
        var count = 0
        let error = #expect(throws: StoreError.self) {
            try store.query("SELECT id FROM t") { _ in
                count += 1
                store.interrupt()
                return true
            }
        }
        #expect(error?.code == .interrupted && count == 1)
        try store.read { reader throws in
            var codes: [StoreError.Code?] = []
            do {
                try reader.query("SELECT id FROM t") { _ in
                    store.interrupt()
                    return true
                }
            } catch let error as StoreError { codes.append(error.code) }
            #expect(codes == [.interrupted])
            #expect(try reader.rows("SELECT id FROM t").count == Self.rowCount)
        }
    }

    @Test func `the last row is not interrupted`() throws {
        let store = try makeStore(rows: 1)
        var count = 0
        try store.query("SELECT id FROM t") { _ in
            count += 1
            store.interrupt()
            return true
        }
        #expect(count == 1)
    }

    @Test func `closing ends a long read`() throws {
        let store = try makeStore()
        let code = Mutex<StoreError.Code?>(nil)
        let (isReading, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reader = onThread {
            do {
                var isFirst = true
                try store.query("SELECT id FROM t") { _ in
                    if isFirst {
                        isReading.signal()
                        mayGoOn.wait()
                    }
                    isFirst = false
                    return true
                }
            } catch { code.withLock { $0 = (error as? StoreError)?.code } }
        }
        #expect(isReading.waitUnlessHung())
        let closer = onThread { #expect(throws: Never.self) { try store.close() } }
        #expect(waitUnlessHung { store.interrupts.isClosing })
        mayGoOn.signal()
        #expect(reader() && closer())
        #expect(code.withLock { $0 } == .interrupted)
        #expect(!store.interrupts.isClosing)
    }

    @Test func `closing waits for a transaction and its long reads`() throws {
        let store = try makeStore()
        let closer = Mutex<@Sendable () -> Bool>({ false })
        try store.transaction { () throws in
            let wait = onThread { #expect(throws: Never.self) { try store.close() } }
            closer.withLock { $0 = wait }
            #expect(waitUnlessHung { store.interrupts.isClosing })
            #expect(try store.rows("SELECT id FROM t WHERE a LIKE '%short%'").count == Self.rowCount)
        }
        #expect(closer.withLock { $0 }())
    }
}
