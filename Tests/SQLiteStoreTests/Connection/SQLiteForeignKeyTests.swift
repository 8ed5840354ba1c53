import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Foreign keys, which SQLite enforces only when told to.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteForeignKeyTests {
    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    /// Runs a test with jacks 1 and 2, a cable at jack 1, and a note of that cable, and a fresh change log.
    private func withStore(
        _ clause: String = "", enforces: Bool = true, _ body: (SQLiteStore, ChangeLog) throws -> Void
    ) throws {
        var configuration = SQLiteStore.Configuration()
        configuration.enforcesForeignKeys = enforces
        let store = try SQLiteStore(.memory, configuration: configuration)
        try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY, label TEXT)")
        try store.execute("CREATE TABLE cable (id INTEGER PRIMARY KEY, jack INTEGER REFERENCES jack \(clause))", [])
        try store.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, cable INTEGER REFERENCES cable \(clause))", [])
        try store.execute("INSERT INTO jack (id) VALUES (1), (2)")
        try store.execute("INSERT INTO cable VALUES (7, 1)")
        try store.execute("INSERT INTO note VALUES (9, 7)")
        let log = ChangeLog()
        let subscription = store.subscribe(log.note)
        try body(store, log)
        subscription.cancel()
    }

    @Test func `foreign keys are enforced after a schema transaction that could not begin`() throws {
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.failingForeignKeysOff()
        let store = try SQLiteStore(.memory, configuration: configuration)
        try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY)")
        try store.execute("CREATE TABLE cable (id INTEGER PRIMARY KEY, jack INTEGER REFERENCES jack)")
        #expect(error { _ = try store.schemaTransaction { Issue.record("Not expected.") } }?.code == .failed)
        #expect(error { try store.execute("INSERT INTO cable VALUES (8, 99)") }?.code == .constraint)
    }

    @Test func `a violation is a constraint error with the table's name`() throws {
        try withStore { store, log throws in
            let batch = try RowBatch(["id", "jack"], [[8, 99]])
            let violations: [(() throws -> Void, String)] = [
                ({ try store.execute("INSERT INTO cable VALUES (8, 99)") }, "cable"),
                ({ try store.execute("UPDATE cable SET jack = 99") }, "cable"),
                ({ try store.execute("DELETE FROM jack WHERE id = 1") }, "jack"),
                ({ try store.upsert(batch, into: "cable") }, "cable"),
                ({ try store.delete(try RowBatch(["id"], [[1]]), from: "jack") }, "jack"),
            ]
            for (body, table) in violations {
                let violation = error(body)
                #expect(violation?.code == .constraint)
                #expect(violation?.message == "FOREIGN KEY constraint failed: \(table)")
            }
            #expect(log.take() == [])
            #expect(try store.rows("SELECT * FROM cable") == [[7, 1]])
        }
    }

    @Test func `foreign keys can be switched off`() throws {
        try withStore(enforces: false) { store, _ throws in
            try store.execute("DELETE FROM jack")
            #expect(try store.rows("SELECT \"table\" FROM pragma_foreign_key_check") == [["cable"]])
        }
    }

    @Test func `deferred violations fail the commit`() throws {
        try withStore("DEFERRABLE INITIALLY DEFERRED") { store, log throws in
            let atCommit = error {
                try store.transaction {
                    try store.execute("INSERT INTO cable VALUES (8, 99)")
                    try store.transaction { try store.execute("INSERT INTO note VALUES (10, 8)") }
                }
            }
            #expect(atCommit?.code == .constraint)
            #expect(atCommit?.message.contains("a row of cable refers to a missing row of jack") == true)
            #expect(log.take() == [])
            #expect(try store.rows("SELECT id FROM cable") == [[7]])
            #expect(try store.rows("SELECT id FROM note") == [[9]])
            // A statement of its own commits at its end.
            #expect(error { try store.execute("INSERT INTO cable VALUES (8, 99)") }?.code == .constraint)
            // The order within a transaction does not matter.
            try store.transaction {
                try store.execute("INSERT INTO cable VALUES (8, 99)")
                try store.execute("INSERT INTO jack (id) VALUES (99)")
            }
            #expect(try store.rows("SELECT id FROM cable") == [[7], [8]])
        }
    }

    // MARK: Cascades

    static let cascades: [(sql: String, tables: Set<SQLIdentifier>)] = [
        ("DELETE FROM jack WHERE id = 1", ["jack", "cable", "note"]),
        ("UPDATE jack SET id = 3 WHERE id = 1", ["jack", "cable"]),
        ("INSERT OR REPLACE INTO jack (id) VALUES (1)", ["jack", "cable", "note"]),
        ("DELETE FROM cable", ["cable", "note"]),
        ("DROP TABLE jack", ["jack", "cable", "note"]),
    ]

    @Test(arguments: cascades) func `cascaded changes are reported`(sql: String, tables: Set<SQLIdentifier>) throws {
        try withStore("ON DELETE CASCADE ON UPDATE CASCADE") { store, log throws in
            try store.execute(sql, [])
            #expect(log.take() == [tables])
        }
    }

    @Test func `cascades of batches are reported`() throws {
        try withStore("ON DELETE SET NULL") { store, log throws in
            #expect(try store.delete(try RowBatch(["id"], [[1]]), from: "jack") == 1)
            #expect(log.take().first?.isSuperset(of: ["jack", "cable"]) == true)
            #expect(try store.rows("SELECT * FROM cable") == [[7, nil]])
        }
    }

    @Test func `cascades do not write protected tables`() throws {
        try withStore("ON DELETE CASCADE") { store, log throws in
            let writes: [() throws -> Void] = [
                { try store.execute("DELETE FROM jack WHERE id = 1") },
                { try store.delete(try RowBatch(["id"], [[1]]), from: "jack") },
            ]
            for write in writes {
                let refusal = error { try store.protectedTables.protecting(["note"]) { try write() } }
                #expect(refusal?.code == .misuse)
            }
            #expect(try store.rows("SELECT id FROM note") == [[9]])
            #expect(try store.jackIDs() == [1, 2])
            #expect(log.take() == [])
        }
    }

    // MARK: Swapping tables

    @Test func `a referenced table is not swapped`() throws {
        try withStore("ON DELETE CASCADE") { store, log throws in
            try store.execute("CREATE TABLE fresh (id INTEGER PRIMARY KEY, label TEXT)")
            try store.execute("INSERT INTO fresh (id) VALUES (1), (5)")
            _ = log.take()
            for swap in [
                { try store.swapTable("jack", for: "fresh") },
                { try store.transaction { try store.swapTable("JACK", for: "fresh") } },
            ] as [() throws -> Void] {
                let refusal = error(swap)
                #expect(refusal?.code == .constraint)
                #expect(refusal?.message.contains("foreign key of table cable references it") == true)
            }
            // The rows that reference it were not deleted with it.
            #expect(try store.rows("SELECT id FROM note") == [[9]])
            #expect(log.take() == [])
            try store.schemaTransaction { try store.swapTable("jack", for: "fresh") }
            #expect(try store.jackIDs() == [1, 5])
            #expect(try store.rows("SELECT * FROM cable") == [[7, 1]])
            // The foreign key refers to the new table.
            #expect(error { try store.execute("INSERT INTO cable VALUES (8, 2)") }?.code == .constraint)
            try store.execute("INSERT INTO cable VALUES (8, 5)")
        }
    }

    @Test func `a swap that leaves rows without their parents is rolled back`() throws {
        try withStore { store, _ throws in
            try store.execute("CREATE TABLE fresh (id INTEGER PRIMARY KEY, label TEXT)")
            let violation = error { try store.schemaTransaction { try store.swapTable("jack", for: "fresh") } }
            #expect(violation?.code == .constraint)
            #expect(violation?.message.contains("cable") == true)
            #expect(try store.jackIDs() == [1, 2])
            // Enforced again.
            #expect(error { try store.execute("DELETE FROM jack") }?.code == .constraint)
        }
    }

    @Test func `tables that reference themselves or others are swapped`() throws {
        try withStore { store, _ throws in
            try store.execute("CREATE TABLE fresh (id INTEGER PRIMARY KEY, cable INTEGER REFERENCES cable)")
            try store.execute("INSERT INTO fresh VALUES (1, 7)")
            try store.swapTable("note", for: "fresh")
            #expect(error { try store.execute("INSERT INTO note VALUES (2, 99)") }?.code == .constraint)
            try store.execute("CREATE TABLE tree (id INTEGER PRIMARY KEY, up INTEGER REFERENCES tree)")
            try store.execute("INSERT INTO tree VALUES (1, NULL), (2, 1)")
            try store.execute("CREATE TABLE new (id INTEGER PRIMARY KEY, up INTEGER REFERENCES new)")
            try store.execute("INSERT INTO new VALUES (5, NULL), (6, 5)")
            try store.swapTable("tree", for: "new")
            #expect(try store.rows("SELECT id FROM tree ORDER BY id") == [[5], [6]])
            #expect(error { try store.execute("INSERT INTO tree VALUES (7, 1)") }?.code == .constraint)
            try store.execute("INSERT INTO tree VALUES (7, 6)")
        }
    }
}
