import SQLiteStore
import StoreCore
import TestSupport
import Testing

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct TablesReadTests {
    private static let cases: [(String, Set<SQLIdentifier>?)] = [
        ("SELECT 1", []), ("SELECT a FROM t", ["t"]), ("SELECT count(*) FROM t", ["t"]),
        ("SELECT * FROM t JOIN u ON a = b", ["t", "u"]), ("SELECT a FROM t WHERE a IN (SELECT b FROM u)", ["t", "u"]),
        ("WITH c AS (SELECT b FROM u) SELECT * FROM c", ["u"]), ("SELECT exists (SELECT 1 FROM u)", ["u"]),
        ("SELECT name FROM sqlite_schema", nil), ("SELECT name FROM pragma_table_info('t')", nil),
        ("PRAGMA table_info(t)", nil), ("SELECT a FROM t UNION SELECT name FROM sqlite_master", nil),
    ]

    private func makeStore() throws -> SQLiteStore {
        let store = try SQLiteStore(.memory)
        for sql in ["CREATE TABLE t (a)", "CREATE TABLE u (b)", "CREATE VIEW v AS SELECT a, b FROM t, u"] {
            try store.execute(sql, [])
        }
        return store
    }

    @Test(arguments: cases.indices) func `a query names the tables that it reads`(index: Int) throws {
        let store = try makeStore()
        let (sql, tables) = Self.cases[index]
        #expect(try store.read { try $0.prepare(SQL(verbatim: sql)) { $0.tablesRead } } == tables)
    }

    @Test func `a view stands for its tables`() throws {
        let store = try makeStore()
        let tables = try store.read { try $0.prepare("SELECT a FROM v") { $0.tablesRead } }
        #expect(tables?.isSuperset(of: ["t", "u"]) == true)
    }

    @Test func `a view that is replaced stands for its new tables`() throws {
        let store = try makeStore()
        func tables() throws -> Set<SQLIdentifier>? {
            try store.read { try $0.prepare("SELECT a FROM v") { $0.tablesRead } }
        }
        _ = try tables()
        try store.execute("DROP VIEW v", [])
        try store.execute("CREATE VIEW v AS SELECT b AS a FROM u", [])
        #expect(try tables()?.contains("t") == false)
        #expect(try tables()?.contains("u") == true)
    }
}
