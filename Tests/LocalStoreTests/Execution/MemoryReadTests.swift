import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

/// A reader's cached plans and sorted tables become the store's afterwards, unless its rows changed meanwhile.
@Suite(.needsSlot) struct MemoryReadTests {
    private let scan = "SELECT id FROM t WHERE a = 'x'"

    /// A store whose rows are out of order.
    private func makeStore() throws -> MemoryStore {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        try store.execute("INSERT INTO t VALUES (3, 'x'), (1, 'x'), (2, 'y')")
        return store
    }

    private func isOrdered(_ store: MemoryStore) -> Bool {
        store.shared.withLock { $0.database.table("t")?.isOrdered == true }
    }

    private func hasPlan(_ sql: String, in store: MemoryStore) -> Bool {
        store.shared.withLock { state in
            var sql = sql
            return state.database.plans.plan(&sql, version: state.database.schemaVersion) != nil
        }
    }

    @Test func `cached plans and sorted tables outlive a read`() throws {
        let store = try makeStore()
        #expect(!isOrdered(store))
        #expect(try store.read { try $0.rows(scan, []) } == [[1], [3]])
        #expect(hasPlan(scan, in: store))
        #expect(isOrdered(store))
    }

    @Test func `concurrent writes are kept`() throws {
        let changes: [(MemoryStore) throws -> Void] = [
            { try $0.execute("INSERT INTO t VALUES (4, 'x')") },
            { store in try store.transaction { _ = try store.execute("INSERT INTO t VALUES (4, 'x')") } },
            { store in
                _ = onThread { _ = try? store.execute("INSERT INTO t VALUES (4, 'x')") }()
            },
        ]
        for change in changes {
            let store = try makeStore()
            try store.read { reader throws in
                #expect(try reader.rows(scan, []) == [[1], [3]])
                try change(store)
                #expect(try reader.rows(scan, []) == [[1], [3]])
            }
            #expect(try store.rows(scan, []) == [[1], [3], [4]])
        }
    }

    @Test func `uncommitted changes survive a read`() throws {
        let store = try makeStore()
        try store.transaction {
            try store.execute("DELETE FROM t WHERE id = 1")
            #expect(try store.read { try $0.rows(scan, []) } == [[3]])
            try store.execute("ALTER TABLE t ADD b")
            #expect(try store.read { try $0.rows("SELECT * FROM t WHERE id = 3") } == [[3, "x", nil]])
        }
        #expect(try store.rows("SELECT * FROM t ORDER BY id") == [[2, "y", nil], [3, "x", nil]])
    }

    @Test func `changes of the transaction during a read are kept`() throws {
        let store = try makeStore()
        try store.transaction {
            try store.execute("DELETE FROM t WHERE id = 1")
            try store.read { reader throws in
                try store.execute("INSERT INTO t VALUES (4, 'x')")
                #expect(try reader.rows("SELECT count(*) FROM t") == [[2]])
            }
        }
        #expect(try store.rows(scan, []) == [[3], [4]])
    }

    @Test func `changes of another threads transaction are kept`() throws {
        let store = try makeStore()
        let (hasWritten, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var isCommitted = { false }
        try store.read { reader throws in
            isCommitted = onThread {
                try? store.transaction {
                    try store.execute("INSERT INTO t VALUES (4, 'x')")
                    hasWritten.signal()
                    mayEnd.wait()
                }
            }
            hasWritten.wait()
            #expect(try reader.rows(scan, []) == [[1], [3]])
        }
        mayEnd.signal()
        #expect(isCommitted())
        #expect(try store.rows(scan, []) == [[1], [3], [4]])
    }

    @Test func `changes rolled back during a read are undone`() throws {
        let store = try makeStore()
        try store.read { reader throws in
            #expect(try reader.rows(scan, []) == [[1], [3]])
            #expect(throws: Interruption()) {
                try store.transaction {
                    try store.execute("ALTER TABLE t ADD b")
                    try store.execute("INSERT INTO t VALUES (4, 'x', 'b')")
                    throw Interruption()
                }
            }
            #expect(try reader.rows("SELECT * FROM t WHERE id = 1") == [[1, "x"]])
        }
        #expect(try store.rows("SELECT * FROM t") == [[1, "x"], [2, "y"], [3, "x"]])
        try store.execute("ALTER TABLE t ADD c TEXT DEFAULT 'c'")
        #expect(try store.rows("SELECT * FROM t WHERE id = 1") == [[1, "x", "c"]])
    }

    @Test func `nested reads are independent`() throws {
        let store = try makeStore()
        try store.read { outer throws in
            #expect(try store.read { try $0.rows(scan, []) } == [[1], [3]])
            #expect(try outer.rows("SELECT count(*) FROM t") == [[3]])
        }
        #expect(hasPlan(scan, in: store))
        #expect(isOrdered(store))
    }

    @Test func `a write after a read copies nothing`() throws {
        let store = try makeStore()
        _ = try store.read { try $0.rows(scan, []) }
        func address() -> UInt? {
            store.shared.withLock { state in
                state.database.table("t")?.rowids.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }
        }
        try store.execute("UPDATE t SET a = 'z' WHERE id = 2")
        let before = address()
        _ = try store.read { try $0.rows("SELECT id FROM t WHERE a = 'z'") }
        try store.execute("UPDATE t SET a = 'y' WHERE id = 2")
        #expect(address() == before)
    }
}
