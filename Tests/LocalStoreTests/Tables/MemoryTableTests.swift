import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import Testing

@testable import LocalStore

@Suite struct MemoryTableTests {
    private func table(of store: MemoryStore, _ name: SQLIdentifier = "t") throws -> MemoryTable {
        try #require(store.shared.withLock { $0.database.table(name) })
    }

    private func arenaSizes(of store: MemoryStore) throws -> [Int] { try table(of: store).columns.map(\.arena.count) }

    // MARK: Rollback

    @Test func `a rollback frees arena bytes`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT, c TEXT UNIQUE)")
        try store.execute("INSERT INTO t VALUES (1, 'one', 'eins', 'un'), (2, 'two', 'zwei', 'deux')")
        let sizes = try arenaSizes(of: store)
        let large = StoreValue.text(String(repeating: "x", count: 10_000))
        let batch = try RowBatch(
            ["id", "a", "b"], [[1, large, large], [3, large, large], [2, "", large], [4, .null, 1]])
        try store.transaction { () throws in
            for _ in 0..<3 {
                #expect(throws: StoreError.self) { try store.upsert(batch, into: "t") }
                #expect(try arenaSizes(of: store) == sizes)
                #expect(throws: Interruption.self) {
                    try store.transaction {
                        try store.execute("UPDATE t SET a = ?, b = ?, c = id", [large, large])
                        try store.execute("UPDATE t SET a = ?", [.text("short")])
                        try store.execute("DELETE FROM t WHERE id = 2")
                        try store.execute("INSERT INTO t VALUES (2, ?1, ?1, ?1), (5, ?1, '', 5)", [large])
                        throw Interruption()
                    }
                }
                #expect(try arenaSizes(of: store) == sizes)
            }
        }
        #expect(try table(of: store).columns.map(\.deadBytes) == [0, 0, 0, 0])
        #expect(try store.rows("SELECT * FROM t") == [[1, "one", "eins", "un"], [2, "two", "zwei", "deux"]])
    }

    @Test func `shared arena bytes are not freed`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        try store.execute("INSERT INTO t VALUES (1), (2), (3)")
        try store.execute("ALTER TABLE t ADD a TEXT DEFAULT 'shared'")
        #expect(throws: Interruption.self) {
            try store.transaction {
                try store.execute("UPDATE t SET a = 'x' WHERE id = 3")
                try store.execute("INSERT INTO t (id) VALUES (4)")
                throw Interruption()
            }
        }
        #expect(try store.rows("SELECT a FROM t") == [["shared"], ["shared"], ["shared"]])
    }

    @Test func `a compaction keeps bytes shared`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        try store.upsert(try RowBatch(["id"], (1...200).map { [.integer($0)] }), into: "t")
        try store.execute("ALTER TABLE t ADD a TEXT DEFAULT '\(String(repeating: "x", count: 1000))'", [])
        try store.execute("UPDATE t SET a = 'own' WHERE id % 2 = 0")
        // The commit compacts the table because of its many tombstones.
        try store.execute("DELETE FROM t WHERE id <= 150")
        #expect(try table(of: store).physicalRowCount == 50)
        #expect(try arenaSizes(of: store) == [0, 1000 + 25 * 3])
        #expect(try store.rows("SELECT id, length(a) FROM t WHERE id > 197") == [[198, 3], [199, 1000], [200, 3]])
        #expect(try store.value("SELECT count(*) FROM t WHERE a = 'own'") == 25)
    }

    @Test func `overwriting shared bytes frees none, so that it compacts nothing`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        try store.upsert(try RowBatch(["id"], (1...200).map { [.integer($0)] }), into: "t")
        try store.execute("ALTER TABLE t ADD a TEXT DEFAULT '\(String(repeating: "x", count: 1000))'", [])
        try store.execute("UPDATE t SET a = 'own' WHERE id <= 100")
        #expect(try table(of: store).columns[1].deadBytes == 0)
        try store.execute("UPDATE t SET a = NULL WHERE id <= 100")
        #expect(try table(of: store).columns[1].deadBytes == 300)
        #expect(try arenaSizes(of: store) == [0, 1300])
        #expect(try store.value("SELECT sum(length(a)) FROM t") == 100_000)
    }

    @Test func `a list of rowids is a set`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        let list = BoundExpression.List([.value(.integer(5)), .value(.text("7"))], .integer)
        let predicates = try MemoryFilter.predicates(
            .in(.rowid, list, isNegated: false), SQLEvaluator(parameters: []), try table(of: store).definition)
        guard case .rowids(let rowids)? = predicates.first else {
            Issue.record("no set: \(predicates)")
            return
        }
        #expect(rowids == [5, 7])
        try store.execute("INSERT INTO t VALUES (9), (7), (-1), (5)")
        #expect(try store.rows("SELECT id FROM t WHERE id IN (7, 5, 6, 7)") == [[5], [7]])
    }

    // MARK: Order

    @Test func `a table is sorted only if it pays off`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT UNIQUE)")
        try store.upsert(try RowBatch(["id"], (100..<1000).map { [.integer($0)] }), into: "t")
        try store.execute("INSERT INTO t VALUES (7, 'seven')")
        for _ in 0..<20 {
            #expect(try store.rows("SELECT id FROM t WHERE k = 'seven' LIMIT 1") == [[7]])
            #expect(try store.rows("SELECT k FROM t WHERE id = 7 AND k IS NOT NULL LIMIT 1") == [["seven"]])
        }
        #expect(try table(of: store).isOrdered == false)
        // Repeated scans pay for sorting the table.
        for _ in 0..<6 { #expect(try store.rows("SELECT id FROM t LIMIT 2") == [[7], [100]]) }
        #expect(try table(of: store).isOrdered)
        // So do many rows out of order.
        try store.upsert(try RowBatch(["id"], (0..<90).reversed().map { [.integer($0)] }), into: "t")
        #expect(try store.rows("SELECT id FROM t LIMIT 1") == [[0]])
        #expect(try table(of: store).isOrdered)
    }

    /// The next rowid is searched for from the end, past deleted rows.
    @Test(arguments: 1...4) func `the next rowid follows the largest`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        try store.upsert(try RowBatch(["id"], (1...200).map { [.integer($0)] }), into: "t")
        var model = Set<Int64>(1...200)
        for _ in 0..<300 {
            if Int.random(in: 0..<5, using: &random) < 2 {
                let next = (model.max() ?? 0) + 1
                try store.execute("INSERT INTO t (a) VALUES (1)")
                model.insert(next)
                #expect(try store.rows("SELECT a FROM t WHERE id = ?", [.integer(next)]) == [[1]])
            } else {
                let limit = Int64.random(in: 1...3, using: &random)
                let lowest = (model.max() ?? 0) - limit
                if Int.random(in: 0..<20, using: &random) == 0, !model.contains(-lowest) {
                    try store.execute("INSERT INTO t VALUES (?, 0)", [.integer(-lowest)])
                    model.insert(-lowest)
                }
                try store.execute("DELETE FROM t WHERE id > ?", [.integer(lowest)])
                model = model.filter { $0 <= lowest }
            }
        }
        #expect(try store.rows("SELECT id FROM t") == model.sorted().map { [.integer($0)] })
    }

    // MARK: Slots

    @Test func `slots are reused`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (a)")
        for round in 0..<10 {
            try store.transaction {
                try store.execute("CREATE TABLE shadow (a)")
                try store.execute("INSERT INTO shadow VALUES (\(round))", [])
                try store.swapTable("t", for: "shadow")
            }
            try? store.transaction {
                try store.execute("DROP TABLE t")
                try store.execute("CREATE TABLE u (a)")
                try store.execute("CREATE TABLE v (a)")
                throw Interruption()
            }
            #expect(try store.rows("SELECT a FROM t") == [[.integer(Int64(round))]])
        }
        #expect(store.shared.withLock { $0.database.tables.count } <= 4)
    }
}
