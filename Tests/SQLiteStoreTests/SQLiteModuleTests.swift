import Foundation
import SQLiteStore
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

/// Virtual tables and functions of optional SQLite modules.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteModuleTests {
    struct Module: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let definition: String
        let insertion: String
        let query: String

        var isAvailable: Bool {
            (try? SQLiteStore(.memory).execute("CREATE VIRTUAL TABLE note USING \(definition)", [])) != nil
        }
    }

    static let fts5 = Module(
        testDescription: "fts5", definition: "fts5(a, b)", insertion: "INSERT INTO note (rowid, a, b) VALUES (?, ?, ?)",
        query: "SELECT rowid FROM note WHERE note MATCH 'red OR 1' ORDER BY rowid")
    static let all: [Module] = [
        fts5,
        Module(
            testDescription: "fts4", definition: "fts4(a, b)",
            insertion: "INSERT INTO note (docid, a, b) VALUES (?, ?, ?)",
            query: "SELECT docid FROM note WHERE note MATCH 'red OR 1' ORDER BY docid"),
        Module(
            testDescription: "rtree", definition: "rtree(id, low, high)",
            insertion: "INSERT INTO note VALUES (?, ?, ?)",
            query: "SELECT id FROM note WHERE low <= 10 AND high >= 1 ORDER BY id"),
    ]
    static let available = all.filter(\.isAvailable)

    private func keys(_ rows: [[StoreValue]]) -> [StoreValue] { rows.map { $0[0] } }

    private func use(_ module: Module, of store: SQLiteStore, from first: Int64) throws {
        for key in first..<(first + 2) {
            #expect(try store.execute(module.insertion, [.integer(key), 1, 2]) == 1)
        }
    }

    @Test(arguments: available) func `virtual tables work in memory`(module: Module) throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE VIRTUAL TABLE note USING \(module.definition)", [])
        try use(module, of: store, from: 1)
        #expect(try keys(store.rows(module.query, [])) == [1, 2])
        #expect(try store.read { try keys($0.rows(module.query, [])) } == [1, 2])
    }

    enum First: CaseIterable { case query, read, insertion, transaction, change }

    /// The first use of the table by a connection, in which the module prepares its own statements.
    @Test(arguments: available, First.allCases)
    func `virtual tables work in a file, also after reopening`(module: Module, first: First) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("store.sqlite")
        let new = try SQLiteStore(.file(path))
        try new.execute("CREATE VIRTUAL TABLE note USING \(module.definition)", [])
        try use(module, of: new, from: 1)
        #expect(try keys(new.rows(module.query, [])) == [1, 2])
        try new.close()

        let store = try SQLiteStore(.file(path))
        let log = ChangeLog()
        let subscription = store.subscribe(log.note)
        switch first {
        case .query: #expect(try keys(store.rows(module.query, [])) == [1, 2])
        case .read: #expect(try store.read { try keys($0.rows(module.query, [])) } == [1, 2])
        case .insertion: break
        case .transaction:
            try store.transaction { () throws in #expect(try keys(store.rows(module.query, [])) == [1, 2]) }
        case .change:
            #expect(try store.execute("DELETE FROM note WHERE rowid = 2") == 1)
            // The module's shadow tables are not reported.
            #expect(log.take() == [["note"]])
            try store.execute(module.insertion, [2, 1, 2])
            _ = log.take()
        }
        try use(module, of: store, from: 3)
        #expect(log.take() == [["note"], ["note"]])
        #expect(try keys(store.rows(module.query, [])) == [1, 2, 3, 4])
        // Another connection changes the schema, so all statements are recompiled.
        let other = try SQLiteStore(.file(path))
        try other.execute("CREATE TABLE plug (a)")
        try use(module, of: store, from: 5)
        #expect(log.take() == [["note"], ["note"]])
        #expect(try store.read { try keys($0.rows(module.query, [])) } == [1, 2, 3, 4, 5, 6])
        #expect(try store.execute("DROP TABLE note") == 0)
        #expect(try store.tableNames() == ["plug"])
        #expect(try store.integrityProblems() == [])
        subscription.cancel()
        try other.close()
        try store.close()
        #expect(try folder.names == ["store.sqlite"])
    }

    @Test(.enabled(if: fts5.isAvailable, "SQLite has no fts5 here."))
    func `triggers keep an index of another table`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for round in 0..<2 {
            let store = try SQLiteStore(.file(folder.path("store.sqlite")))
            if round == 0 {
                try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY, label TEXT)")
                try store.execute(
                    "CREATE VIRTUAL TABLE found USING fts5(label, content = 'jack', content_rowid = 'id')")
                try store.execute(
                    """
                    CREATE TRIGGER added AFTER INSERT ON jack BEGIN \
                    INSERT INTO found (rowid, label) VALUES (new.id, new.label); END
                    """)
            }
            let batch = try RowBatch(["id", "label"], [[.integer(Int64(round)), "red plug"]])
            do { try store.upsert(batch, into: "jack") } catch {
                // `trusted_schema` is off, and older versions do not mark fts5 as innocuous.
                #expect(error.code == .unsupportedSQL)
                #expect(error.message.hasPrefix("unsafe use of virtual table \"found\"; "))
                #expect(
                    error.message.contains("`Configuration.trustsSchema`") && !error.message.contains("isInnocuous"))
                #expect(try store.jackIDs() == [])
                return
            }
            let rows = try store.rows("SELECT rowid FROM found WHERE found MATCH 'plug' ORDER BY rowid")
            #expect(rows.count == round + 1)
            try store.close()
        }
    }

    private static var hasJSON: Bool { (try? SQLiteStore(.memory).rows("SELECT json('1')")) != nil }

    @Test(.enabled(if: hasJSON, "SQLite has no JSON functions here."), arguments: [true, false])
    func `JSON functions and table functions work`(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for _ in 0..<2 {
            let store = try SQLiteStore(isFile ? .file(folder.path("store.sqlite")) : .memory)
            let sql = "SELECT value FROM json_each(?) WHERE value > 1"
            #expect(try store.rows(sql, ["[1, 2, 3]"]) == [[2], [3]])
            #expect(try store.read { try $0.rows(sql, ["[1, 2, 3]"]) } == [[2], [3]])
            #expect(try store.value("SELECT json_extract(?, '$.a')", [#"{"a": "b"}"#]) == "b")
            try store.close()
        }
    }

    // MARK: Rejected statements

    @Test(arguments: [true, false]) func `rejected pragmas change nothing`(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try SQLiteStore(isFile ? .file(folder.path("store.sqlite")) : .memory)
        try store.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
        try store.execute("CREATE TABLE child (parent INTEGER REFERENCES parent)")
        let pragmas = [
            "PRAGMA foreign_keys = OFF", "PRAGMA case_sensitive_like = ON", "PRAGMA writable_schema = ON",
            "PRAGMA query_only = ON", "PRAGMA data_version", "PRAGMA main.data_version",
        ]
        for pragma in pragmas {
            for run in [{ _ = try store.execute(pragma, []) }, { _ = try store.rows(pragma, []) }] {
                let error = #expect(throws: StoreError.self, performing: run)
                #expect(error?.code == .unsupportedSQL)
                #expect(error?.feature == "PRAGMA")
            }
        }
        // None took effect on the writer or a reader.
        let violation = #expect(throws: StoreError.self) { try store.execute("INSERT INTO child VALUES (1)") }
        #expect(violation?.code == .constraint)
        #expect(try store.value("SELECT 'a' LIKE 'A'") == 1)
        try store.transaction { () throws in #expect(try store.value("SELECT 'a' LIKE 'A'") == 1) }
        let error = #expect(throws: StoreError.self) { try store.execute("DELETE FROM sqlite_master") }
        #expect(error?.code == .readOnly)
        try store.close()
    }
}
