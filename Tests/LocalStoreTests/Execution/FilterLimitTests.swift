import LocalStore
import SQLiteStore
import StoreTestSupport
import Testing

/// A filter examines no more rows than LIMIT needs: later ones may be errors.
@Suite struct FilterLimitTests {
    /// A store whose rows fail in `abs(n)` from row 4 on.
    private func fill(_ store: some LocalStore) throws {
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, label TEXT)")
        try store.execute(
            "INSERT INTO t VALUES (1, 1, 'a'), (2, -2, 'b'), (3, 3, 'ab'), (4, -9223372036854775808, 'ab'), (5, 5, 'ab')"
        )
    }

    private static let statements: [(sql: String, rows: [[StoreValue]]?)] = [
        ("SELECT id FROM t WHERE abs(n) > 0 LIMIT 1", [[1]]),
        ("SELECT id FROM t WHERE abs(n) > 0 LIMIT 3", [[1], [2], [3]]),
        ("SELECT id FROM t WHERE abs(n) > 0 LIMIT 4", nil),
        ("SELECT id FROM t WHERE abs(n) > 0", nil),
        ("SELECT id FROM t WHERE abs(n) > 0 LIMIT 1 OFFSET 2", [[3]]),
        ("SELECT id FROM t WHERE abs(n) > 0 LIMIT 1 OFFSET 3", nil),
        ("SELECT id FROM t WHERE abs(n) = 3 LIMIT 1", [[3]]),
        ("SELECT id FROM t WHERE abs(n) = 5 LIMIT 1", nil),
        ("SELECT id FROM t WHERE label LIKE '%b' AND abs(n) > 0 LIMIT 2", [[2], [3]]),
        ("SELECT id FROM t WHERE label LIKE 'a%' AND abs(n) > 0 LIMIT 3", nil),
        ("SELECT id FROM t WHERE id > 1 AND abs(n) > 0 LIMIT 2", [[2], [3]]),
        ("SELECT id FROM t WHERE id > 4 AND abs(n) > 0 LIMIT 1", [[5]]),
        ("SELECT id FROM t WHERE id > 4 AND abs(n) > 0 ORDER BY id", [[5]]),
        ("SELECT id FROM t WHERE abs(n) > 0 ORDER BY id LIMIT 3", [[1], [2], [3]]),
        ("SELECT id FROM t WHERE abs(n) > 0 ORDER BY rowid, label LIMIT 4", nil),
    ]

    private func check(_ store: some LocalStore) throws {
        try fill(store)
        for (sql, rows) in Self.statements {
            if let rows {
                #expect(try store.rows(SQL(verbatim: sql)) == rows, "\(sql)")
            } else {
                #expect(throws: StoreError.self, "\(sql)") { try store.rows(SQL(verbatim: sql)) }
            }
        }
    }

    @Test func `no row is examined after the last one that LIMIT needs`() throws { try check(MemoryStore()) }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable)) func `SQLite examines the same rows`() throws {
        try check(try SQLiteStore(.memory))
    }

    @Test func `pages by the rowid have all rows, also of a table with deleted rows and out of order`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)")
        let ids = [Int64.min, .min + 1, .max] + (1...5000).map { $0 * 3 }
        try store.upsert(try RowBatch(["id"], ids.sorted().map { [.integer($0)] }), into: "t")
        func check(_ count: Int) throws {
            let all = try store.rows("SELECT id FROM t")
            #expect(all.count == count)
            for comparison in [">", ">="] {
                var pages: [[StoreValue]] = []
                var last = Int64.min
                while true {
                    let page = try store.rows(
                        "SELECT id FROM t WHERE id \(comparison) ? ORDER BY id LIMIT 700", [.integer(last)])
                    pages += page
                    guard case .integer(let end)? = page.last?.first, end < .max else { break }
                    last = comparison == ">" ? end : end + 1
                }
                #expect(pages == (comparison == ">" ? Array(all.dropFirst()) : all))
            }
            for first in [-1, 0, 3, 3070, 3072, 3075, 6144, 15_000, 15_001] as [Int64] {
                let wanted = all.filter { if case .integer(let id) = $0[0] { id > first } else { false } }
                let sql = "SELECT id FROM t WHERE"
                #expect(try store.rows("\(sql) id > ?", [.integer(first)]) == wanted)
                #expect(try store.rows("\(sql) id > ? AND ? <= id AND n IS NULL", [.integer(first), -5]) == wanted)
                #expect(try store.rows("\(sql) id BETWEEN ? AND ?", [.integer(first + 1), .integer(.max)]) == wanted)
            }
        }
        try check(5003)
        try store.transaction {
            try store.execute("DELETE FROM t WHERE id % 7 = 0")
            let count = try store.rows("SELECT id FROM t").count
            try check(count)
            try store.execute("INSERT INTO t (id) VALUES (4)")
            try check(count + 1)
        }
    }

    @Test func `a limit takes the first matches of many blocks`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, label TEXT)")
        try store.transaction {
            for id in 1...5000 as ClosedRange<Int64> {
                try store.execute("INSERT INTO t VALUES (?, ?)", [.integer(id), .text("row \(id)")])
            }
        }
        for condition in ["label LIKE '%7%'", "length(label) = 8", "label LIKE '%7%' AND length(label) = 7"] {
            let all = try store.rows(SQL(verbatim: "SELECT id FROM t WHERE \(condition)"))
            for limit in [0, 1, 2, 31, 32, 33, 100, 1023, 1024, 1025, 5000] {
                let some = try store.rows(SQL(verbatim: "SELECT id FROM t WHERE \(condition) LIMIT \(limit)"))
                #expect(some == Array(all.prefix(limit)), "\(condition) \(limit)")
            }
        }
    }
}
