import Dispatch
import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

@Suite(.needsSlot) struct MemoryConcurrencyTests {
    /// Runs `body` while another thread is in a transaction that has run `work`.
    private func during(
        _ work: @escaping @Sendable (MemoryStore) throws -> Void, isKept: Bool = true, in store: MemoryStore,
        _ body: () throws -> Void
    ) throws {
        let isInside = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let hasEnded = onThread {
            try? store.transaction {
                defer { isInside.signal() }
                try work(store)
                isInside.signal()
                mayEnd.wait()
                if !isKept { throw Interruption() }
            }
        }
        isInside.wait()
        defer {
            mayEnd.signal()
            #expect(hasEnded())
        }
        try body()
    }

    private func makeStore(busyTimeout: Duration = .milliseconds(50)) throws -> MemoryStore {
        let store = MemoryStore(busyTimeout: busyTimeout)
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        try store.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
        return store
    }

    @Test(arguments: [true, false]) func `readers see the last committed state`(isKept: Bool) throws {
        let store = try makeStore()
        let before: [[StoreValue]] = [[1, "one"], [2, "two"]]
        @Sendable func change(_ store: MemoryStore) throws {
            try store.execute("UPDATE t SET a = 'changed' WHERE id = 1")
            try store.execute("DELETE FROM t WHERE id = 2")
            try store.execute("INSERT INTO t VALUES (3, 'three')")
            try store.execute("ALTER TABLE t ADD b TEXT DEFAULT 'b'")
            try store.execute("ALTER TABLE t RENAME TO u")
            try store.execute("CREATE TABLE t (other)")
        }
        try during({ try change($0) }, isKept: isKept, in: store) { () throws in
            for _ in 0..<3 {
                #expect(try store.rows("SELECT * FROM t") == before)
                #expect(try store.rows("SELECT a FROM t WHERE id = ?", [2]) == [["two"]])
                #expect(try store.json("SELECT id FROM t") == #"[{"id":1},{"id":2}]"#)
                #expect(try store.tableNames() == ["t"])
                #expect(try store.schema(of: "t")?.columns.count == 2)
                #expect(#expect(throws: StoreError.self) { try store.rows("SELECT * FROM u") }?.code == .noSuchTable)
            }
        }
        #expect(try store.tableNames() == (isKept ? ["t", "u"] : ["t"]))
        let after: [[StoreValue]] = [[1, "changed", "b"], [3, "three", "b"]]
        #expect(try store.rows("SELECT * FROM \(isKept ? "u" : "t")", []) == (isKept ? after : before))
    }

    @Test func `readers do not disturb an open transaction`() throws {
        let store = try makeStore()
        let hasRead = DispatchSemaphore(value: 0)
        let mayRead = DispatchSemaphore(value: 0)
        let writer = onThread {
            try? store.transaction {
                for round in 1...3 {
                    try store.execute("INSERT INTO t VALUES (?, 'new')", [.integer(Int64(10 + round))])
                    try store.execute("UPDATE t SET a = a || '!'")
                    mayRead.signal()
                    hasRead.wait()
                }
            }
        }
        for _ in 1...3 {
            mayRead.wait()
            #expect(try store.rows("SELECT a FROM t") == [["one"], ["two"]])
            hasRead.signal()
        }
        #expect(writer())
        #expect(try store.rows("SELECT a FROM t") == [["one!!!"], ["two!!!"], ["new!!!"], ["new!!"], ["new!"]])
    }

    @Test func `writers time out`() throws {
        let store = try makeStore()
        try during({ try $0.execute("DELETE FROM t") }, in: store) { () throws in
            let calls: [(MemoryStore) throws -> Void] = [
                { try $0.execute("DELETE FROM t") }, { _ = try $0.queryJSON("DELETE FROM t") },
                { _ = try $0.rows("DELETE FROM t") }, { try $0.transaction {} }, { try $0.close() },
                { try $0.createTable(TableSchema("u", columns: [.init("a")])) },
            ]
            for call in calls {
                #expect(#expect(throws: StoreError.self) { try call(store) }?.code == .busy)
            }
        }
        #expect(try store.rows("SELECT * FROM t") == [])
        try store.close()
        try store.close()
        #expect(#expect(throws: StoreError.self) { try store.rows("SELECT * FROM t") }?.code == .closed)
    }

    @Test func `transactions in a loop do not starve other threads`() throws {
        let store = try makeStore(busyTimeout: .seconds(3600))
        let order = Mutex<[String]>([])
        let others = Mutex<[@Sendable () -> Bool]>([])
        func waiterCount() -> Int { store.shared.withLock { $0.lock.waiterCount } }
        for round in 0..<5 {
            try store.transaction {
                order.withLock { $0.append("mine") }
                for (place, name) in ["first", "second"].enumerated() where round < 4 {
                    let other = onThread {
                        try? store.transaction { order.withLock { $0.append(name) } }
                    }
                    others.withLock { $0.append(other) }
                    #expect(waitUnlessHung { waiterCount() > place })
                }
            }
        }
        for other in others.withLock({ $0 }) { #expect(other()) }
        let expected = Array(repeatElement(["mine", "first", "second"], count: 4).joined()) + ["mine"]
        #expect(order.withLock { $0 } == expected)
    }

    @Test func `waiting calls fail once the store is closed`() throws {
        let store = try makeStore(busyTimeout: .seconds(3600))
        let results = Mutex<[StoreError.Code?]>([])
        let waiting = Mutex<[@Sendable () -> Bool]>([])
        try store.transaction {
            let calls: [@Sendable () throws -> Void] = [{ try store.close() }, { try store.execute("DELETE FROM t") }]
            for (place, call) in calls.enumerated() {
                let other = onThread {
                    var code: StoreError.Code?
                    do { try call() } catch { code = (error as? StoreError)?.code }
                    results.withLock { $0.append(code) }
                }
                waiting.withLock { $0.append(other) }
                #expect(waitUnlessHung { store.shared.withLock { $0.lock.waiterCount } > place })
            }
        }
        for other in waiting.withLock({ $0 }) { #expect(other()) }
        #expect(results.withLock { Set($0) } == [nil, .closed])
    }
}
