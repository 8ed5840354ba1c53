import Foundation
import SQLiteStore
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// Statements that SQLite alone would apply partially, and their change notifications.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteConnectionTests {
    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        #expect(throws: StoreError.self, performing: body)?.code
    }

    /// Runs a test with a prepared store and a fresh change log.
    private func withStore(
        _ statements: [String], _ body: (SQLiteStore, ChangeLog) throws -> Void
    ) throws {
        let store = try SQLiteStore(.memory)
        for statement in statements { try store.execute(statement, []) }
        let log = ChangeLog()
        let subscription = store.subscribe(log.note)
        try body(store, log)
        subscription.cancel()
    }

    @Test(.serialized, arguments: [FakeSQLite.SchemaChange.compiling, .running])
    func `a statement succeeds after a series of schema changes by other connections`(
        change: FakeSQLite.SchemaChange
    ) throws {
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.withSchemaChanges(change)
        let store = try SQLiteStore(.memory, configuration: configuration)
        // SQLite repeats neither as often.
        FakeSQLite.remainingSchemaChanges.withLock { $0 = 40 }
        #expect(try store.rows("SELECT ?, 2", [1]) == [[1, 2]])
        #expect(FakeSQLite.remainingSchemaChanges.withLock { $0 } == 0)
        // It gives up when they do not end.
        FakeSQLite.remainingSchemaChanges.withLock { $0 = .max }
        #expect(code { _ = try store.rows("SELECT 3") } == .failed)
        FakeSQLite.remainingSchemaChanges.withLock { $0 = 0 }
        #expect(try store.rows("SELECT 3") == [[3]])
    }

    @Test(arguments: [-1, 0, 1, 2])
    func `any statement cache size works`(capacity: Int) throws {
        var configuration = SQLiteStore.Configuration()
        configuration.statementCacheSize = capacity
        let store = try SQLiteStore(.memory, configuration: configuration)
        try store.createTable(StoreConformance.jacks)
        for number in 0..<4 {
            try store.upsert(try RowBatch(["id", "label"], [[.integer(Int64(number)), "x"]]), into: "jack")
        }
        try store.execute("UPDATE jack SET label = 'y' WHERE id > 1")
        if SQLiteLibrary.system.versionNumber ?? 0 >= 3_035_000 {
            #expect(try store.rows("INSERT INTO jack (id) VALUES (7) RETURNING id") == [[7]])
        }
        #expect(try store.delete(try RowBatch(["id"], [[0], [7]]), from: "jack") >= 1)
        try store.execute("ALTER TABLE jack RENAME TO socket")
        try store.transaction {
            try? store.transaction {
                try store.execute("DELETE FROM socket")
                throw Interruption()
            }
        }
        #expect(try store.rows("SELECT id, label FROM socket") == [[1, "x"], [2, "y"], [3, "y"]])
        #expect(try store.tableNames() == ["socket"])
    }

    // MARK: All or nothing

    static let halves = [
        ["CREATE TABLE t (a UNIQUE)", "INSERT OR FAIL INTO t VALUES (1), (2), (1)"],
        ["CREATE TABLE t (a UNIQUE ON CONFLICT FAIL)", "INSERT INTO t VALUES (1), (2), (1)"],
        ["CREATE TABLE t (id INTEGER PRIMARY KEY)", "INSERT OR IGNORE INTO t VALUES (1), ('x')"],
        ["CREATE TABLE t (id INTEGER PRIMARY KEY)", "INSERT OR REPLACE INTO t VALUES (1), ('x')"],
        ["CREATE TABLE t (id INTEGER PRIMARY KEY)", "REPLACE INTO t SELECT 1 UNION ALL SELECT 'x'"],
        [
            "CREATE TABLE t (a)", "CREATE TABLE log (a)",
            "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); SELECT RAISE(FAIL, 'no'); END",
            "INSERT INTO t VALUES (1)",
        ],
    ]

    @Test(arguments: halves, [false, true])
    func `statements are atomic`(statements: [String], inTransaction: Bool) throws {
        try withStore(statements.dropLast()) { store, log throws in
            let statement = try #require(statements.last)
            if inTransaction {
                try store.transaction { #expect(code { try store.execute(statement, []) } == .constraint) }
            } else {
                #expect(code { try store.execute(statement, []) } == .constraint)
                #expect(code { _ = try store.rows(statement, []) } == .constraint)
            }
            for table in try store.tableNames() { #expect(try store.rows("SELECT * FROM \(table)", []) == []) }
            #expect(log.take() == [])
        }
    }

    @Test func `cached statements honor a new failing trigger`() throws {
        try withStore(["CREATE TABLE t (a)", "CREATE TABLE log (a)"]) { store, log throws in
            let insert = "INSERT INTO t VALUES (1)"
            let trigger = """
                CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); SELECT RAISE(FAIL, 'no'); END
                """
            try store.execute(insert, [])
            try store.execute(trigger, [])
            #expect(code { try store.execute(insert, []) } == .constraint)
            #expect(try store.rows("SELECT * FROM log") == [])
            // Also when a rollback restores the trigger.
            try? store.transaction {
                try store.execute("DROP TRIGGER r")
                try store.execute(insert, [])
                throw Interruption()
            }
            #expect(code { try store.execute(insert, []) } == .constraint)
            #expect(try store.rows("SELECT * FROM log") == [])
            #expect(try store.rows("SELECT * FROM t") == [[1]])
        }
    }

    // MARK: Change notifications

    @Test func `cached batches report tables of a new trigger`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try SQLiteStore(.file(folder.path("a")))
        try store.createTable(StoreConformance.jacks)
        try store.execute("CREATE TABLE log (a)")
        let log = ChangeLog()
        let subscription = store.subscribe(log.note)
        let batch = try RowBatch(["id"], [[1]])
        try store.upsert(batch, into: "jack")
        #expect(log.take() == [["jack"]])
        // By another connection, so this one detects it only when it runs the statement.
        let other = try SQLiteStore(.file(folder.path("a")))
        try other.execute("CREATE TRIGGER r AFTER UPDATE ON jack BEGIN INSERT INTO log VALUES (new.id); END")
        try other.execute("CREATE TRIGGER s AFTER INSERT ON jack BEGIN INSERT INTO log VALUES (new.id); END")
        try store.upsert(try RowBatch(["id"], [[2]]), into: "jack")
        #expect(log.take() == [["jack", "log"]])
        try other.execute("DROP TRIGGER r")
        try other.execute("DROP TRIGGER s")
        try store.upsert(try RowBatch(["id"], [[3]]), into: "jack")
        #expect(log.take() == [["jack"]])
        subscription.cancel()
    }

    @Test func `statements that fail to prepare are not reported`() throws {
        try withStore(["CREATE TABLE u (a)", "CREATE TABLE t (a)", "INSERT INTO u VALUES (1)"]) { store, log throws in
            let idle = "UPDATE u SET a = 2 WHERE 0"
            try store.execute(idle, [])
            try store.execute("CREATE TABLE x (a)")
            _ = log.take()
            #expect(code { try store.execute("CREATE TABLE t (a)") } == .tableExists)
            for _ in 0..<2 { try store.execute(idle, []) }
            #expect(log.take() == [])
            try store.execute("INSERT INTO u VALUES (1)")
            #expect(log.take() == [["u"]])
        }
    }
}
