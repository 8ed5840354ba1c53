import Foundation
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable)) struct SQLiteInsertTests {
    private struct Jack: Encodable { var id: Int }

    private func withStore(_ body: (any LocalStore) throws -> Void) throws {
        let store = try SQLiteStore(.memory)
        try store.executeScript("CREATE TABLE jack (id INTEGER PRIMARY KEY); CREATE TABLE log (id UNIQUE)")
        try body(store)
        try store.close()
    }

    @Test func `a trigger's changes belong to the insertion`() throws {
        try withStore { store throws in
            try store.execute(
                "CREATE TRIGGER t AFTER INSERT ON jack BEGIN INSERT OR FAIL INTO log VALUES (new.id % 5); END")
            #expect(try store.insert(Jack(id: 7), into: "jack") == 7)
            #expect(try store.rows("SELECT id FROM log") == [[2]])
            let error = #expect(throws: StoreError.self) { try store.insert(Jack(id: 2), into: "jack") }
            #expect(error?.code == .constraint)
            #expect(throws: StoreError.self) { try store.insert([Jack(id: 1), Jack(id: 12)], into: "jack") }
            #expect(try store.rows("SELECT id FROM jack") == [[7]])
            #expect(try store.rows("SELECT id FROM log") == [[2]])
            store.protectedTables.protecting(["log"]) {
                let error = #expect(throws: StoreError.self) { try store.insert(Jack(id: 3), into: "jack") }
                #expect(error?.code == .misuse)
            }
        }
    }

    @Test func `a failed insertion keeps the last rowid`() throws {
        try withStore { store throws in
            try store.insert(Jack(id: 7), into: "jack")
            #expect(throws: StoreError.self) { try store.insert(Jack(id: 7), into: "jack") }
            #expect(try store.rows("SELECT last_insert_rowid()") == [[7]])
        }
    }

    @Test func `a table without rowid keeps the last rowid`() throws {
        try withStore { store throws in
            try store.execute("CREATE TABLE plain (id INTEGER PRIMARY KEY) WITHOUT ROWID")
            try store.insert(Jack(id: 7), into: "jack")
            for id in [1, .min, .max, 0] { #expect(try store.insert(Jack(id: id), into: "plain") == 0) }
            #expect(try store.rows("SELECT last_insert_rowid()") == [[7]])
        }
    }

    @Test(arguments: [0, -1, .min, .max] as [Int64])
    func `any rowid is returned`(id: Int64) throws {
        try withStore { store throws in
            #expect(try store.insert(Jack(id: Int(id)), into: "jack") == id)
            #expect(try store.rows("SELECT last_insert_rowid()") == [[.integer(id)]])
        }
    }

    @Test func `a view with a trigger accepts records`() throws {
        try withStore { store throws in
            try store.executeScript(
                """
                CREATE VIEW plug AS SELECT id FROM jack;
                CREATE TRIGGER t INSTEAD OF INSERT ON plug BEGIN INSERT INTO jack VALUES (new.id); END
                """)
            #expect(try store.insert([Jack(id: 1), Jack(id: 2)], into: "plug") == 2)
            #expect(try store.rows("SELECT id FROM jack") == [[1], [2]])
        }
    }

    @Test(arguments: ["sqlite_master", "", "a\u{0}b"])
    func `an invalid table is refused`(table: String) throws {
        try withStore { store throws in
            let error = #expect(throws: StoreError.self) { try store.insert(["name": "a"], into: SQLIdentifier(table)) }
            #expect(error?.code == (table == "sqlite_master" ? .readOnly : .noSuchTable))
        }
    }
}
