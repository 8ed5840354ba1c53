import LocalStore
import SQLiteStore
import Testing

/// The smallest integer and the REAL that equals it.
@Suite struct SmallestIntegerTests {
    private static let conditions = [
        "= -9223372036854775808.0", "<= -9223372036854775808.0", "IN (-9223372036854775808.0)",
        "BETWEEN -9223372036854775808.0 AND -9e18",
    ]

    private func fill(_ store: some LocalStore) throws {
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)")
        try store.execute("INSERT INTO t VALUES (-9223372036854775808, -9223372036854775808), (1, 1)")
    }

    @Test func `a rowid is found by an equal REAL, as any other column is`() throws {
        let store = MemoryStore()
        try fill(store)
        for condition in Self.conditions {
            for column in ["id", "+id", "n"] {
                let sql = SQL(verbatim: "SELECT count(*) FROM t WHERE \(column) \(condition)")
                #expect(try store.rows(sql) == [[1]], "\(column) \(condition)")
            }
        }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable)) func `SQLite finds it in any other column`() throws {
        let store = try SQLiteStore(.memory)
        try fill(store)
        for condition in Self.conditions {
            for column in ["+id", "n"] {
                let sql = SQL(verbatim: "SELECT count(*) FROM t WHERE \(column) \(condition)")
                #expect(try store.rows(sql) == [[1]], "\(column) \(condition)")
            }
        }
    }
}
