import Foundation
import LocalStore
import SQLiteStore
import Testing

/// GROUP BY, HAVING, DISTINCT and bare columns, with the rows that SQLite 3.40 gives.
@Suite struct MemoryGroupingTests {
    private static let rows: [[StoreValue]] = [
        [3, "x", 10], [1, "y", 5], [2, "x", nil], [1, "z", 5], [3, "x", 3], [nil, "x", nil], [nil, "q", nil],
    ]

    /// Queries of `t (a, b, c)` with these rows, and their results.
    private static let queries: [(String, [[StoreValue]])] = [
        ("SELECT a, count(*) FROM t GROUP BY a", [[nil, 2], [1, 2], [2, 1], [3, 2]]),
        ("SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*)", [[2, 1], [nil, 2], [1, 2], [3, 2]]),
        // With the same number of terms, the groups are sorted in the directions of ORDER BY.
        ("SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC", [[3, 2], [1, 2], [nil, 2], [2, 1]]),
        ("SELECT a, count(*) FROM t GROUP BY 1 ORDER BY 1 DESC NULLS LAST", [[3, 2], [2, 1], [1, 2], [nil, 2]]),
        ("SELECT b, rowid FROM t GROUP BY b, rowid LIMIT 3", [["x", 1], ["y", 2], ["x", 3]]),
        // A bare column comes from the row of the last min() or max(), else from the first row.
        ("SELECT a, b, max(c) FROM t GROUP BY a", [[nil, "q", nil], [1, "y", 5], [2, "x", nil], [3, "x", 10]]),
        (
            "SELECT a, b, max(DISTINCT c) FROM t GROUP BY a",
            [[nil, "q", nil], [1, "z", 5], [2, "x", nil], [3, "x", 10]]
        ),
        ("SELECT rowid, min(c), max(c) FROM t GROUP BY a", [[7, nil, nil], [2, 5, 5], [3, nil, nil], [1, 3, 10]]),
        ("SELECT rowid, max(c), min(c) FROM t GROUP BY a", [[7, nil, nil], [2, 5, 5], [3, nil, nil], [5, 10, 3]]),
        ("SELECT rowid, min(c), max(c) FILTER (WHERE 0) FROM t", [[5, 3, nil]]),
        ("SELECT max(c) FILTER (WHERE 0), rowid FROM t", [[nil, 1]]),
        ("SELECT b, count(*) FROM t", [["x", 7]]), ("SELECT b, rowid, avg(c) FROM t WHERE 0", [[nil, nil, nil]]),
        ("SELECT b, count(*) FROM t WHERE 0 GROUP BY b", []), ("SELECT count(*) FROM t HAVING count(*) > 9", []),
        (
            "SELECT b, sum(DISTINCT c), count(c) FROM t GROUP BY b HAVING count(c) > 0",
            [["x", 13, 2], ["y", 5, 1], ["z", 5, 1]]
        ),
        ("SELECT count(DISTINCT a), group_concat(DISTINCT a), count(ALL a) FROM t", [[3, "3,1,2", 5]]),
        ("SELECT b, count(*) FILTER (WHERE c > 3) FROM t GROUP BY b", [["q", 0], ["x", 1], ["y", 1], ["z", 1]]),
        ("SELECT b, max(c) FROM t GROUP BY b ORDER BY max(c) LIMIT 1 OFFSET 1", [["y", 5]]),
        ("SELECT DISTINCT count(*) FROM t GROUP BY b ORDER BY 1 DESC", [[4], [1]]),
        ("SELECT DISTINCT b FROM t", [["x"], ["y"], ["z"], ["q"]]),
        ("SELECT DISTINCT b FROM t ORDER BY rowid DESC", [["q"], ["x"], ["z"], ["y"]]),
        ("SELECT DISTINCT b FROM t ORDER BY a DESC LIMIT 2", [["x"], ["y"]]),
        ("SELECT DISTINCT upper(b), c IS NULL FROM t LIMIT 3", [["X", 0], ["Y", 0], ["X", 1]]),
        ("SELECT b, a, count(*) FROM t GROUP BY b, a HAVING b = 'x'", [["x", nil, 1], ["x", 2, 1], ["x", 3, 2]]),
        ("SELECT count(*) FROM t GROUP BY 'a'", [[7]]), ("SELECT 1 GROUP BY 1", [[1]]),
        ("SELECT count(*) HAVING 1", [[1]]),
        ("SELECT sum(c) AS s FROM t GROUP BY b HAVING s > 4 ORDER BY -s, b", [[13], [5], [5]]),
        ("SELECT upper(b), total(c) FROM t GROUP BY upper(b)", [["Q", 0.0], ["X", 13.0], ["Y", 5.0], ["Z", 5.0]]),
        ("SELECT b FROM t WHERE a IN () GROUP BY b", []),
    ]

    /// Queries of `u (a, b)`, where equal values differ.
    private static let representatives: [(String, [[StoreValue]])] = [
        ("SELECT a, count(*) FROM u GROUP BY a", [[0.0, 2], [1, 3], [2, 1], ["1", 1]]),
        ("SELECT DISTINCT a FROM u", [[1], [2], [0.0], ["1"]]),
        ("SELECT a, max(b) FROM u GROUP BY a", [[0, "z"], [1, "s"], [2, "i"], ["1", "t"]]),
        // Terms of GROUP BY in HAVING filter the rows, not the groups.
        ("SELECT a, count(*) FROM u GROUP BY a HAVING typeof(a) = 'real'", [[0.0, 1], [1.0, 1]]),
        ("SELECT a, count(*) FROM u GROUP BY a HAVING typeof(a) = 'real' AND count(*) > 0", [[0.0, 1], [1.0, 1]]),
        ("SELECT a, count(*) FROM u GROUP BY a HAVING typeof(a) = 'real' OR count(*) > 5", [[0.0, 2]]),
        ("SELECT count(DISTINCT a), sum(DISTINCT a) FROM u", [[4, 4.0]]),
    ]

    private func fill(_ store: some LocalStore) throws {
        try store.execute("CREATE TABLE t (a, b, c)", [])
        for row in Self.rows { try store.execute("INSERT INTO t VALUES (?, ?, ?)", row) }
        try store.execute("CREATE TABLE u (a, b)", [])
        try store.execute(
            "INSERT INTO u VALUES (1, 'i'), (1.0, 'r'), (2, 'i'), (0.0, 'y'), ('1', 't'), (0, 'z'), (1, 's')", [])
    }

    private func rows(_ sql: String, _ store: some LocalStore) throws -> [[StoreValue]] {
        var rows: [[StoreValue]] = []
        try store.query(sql, []) { row in
            rows.append(row.values)
            return true
        }
        return rows
    }

    @Test func `groups match SQ lite`() throws {
        let memory = MemoryStore()
        try fill(memory)
        let sqlite = SQLiteLibrary.system.isAvailable ? try SQLiteStore(.memory) : nil
        if let sqlite { try fill(sqlite) }
        for (sql, expected) in Self.queries + Self.representatives {
            do {
                #expect(try rows(sql, memory) == expected, "\(sql)")
                guard let sqlite else { continue }
                #expect(try rows(sql, sqlite) == expected, "\(sql): the table is wrong")
            } catch { Issue.record(error, "\(sql)") }
        }
    }

    /// Many groups of every storage class: the hash table grows, and both ways to group agree.
    @Test func `groups of columns and of expressions agree`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (k, j, v)", [])
        try store.transaction {
            for number in 0..<6000 {
                let key: StoreValue =
                    switch number % 5 {
                    case 0: .integer(Int64(number % 2500))
                    case 1: .real(Double(number % 1700) / 2)
                    case 2: .text("key \(number % 1900)")
                    case 3: number % 3 == 0 ? .null : .blob(.init("key \(number % 300)".utf8))
                    default: .integer(Int64(number) << 40)
                    }
                let value: StoreValue =
                    number % 7 == 0 ? .null : number % 11 == 0 ? .text("\(number)") : .integer(Int64(number))
                try store.execute("INSERT INTO t VALUES (?, ?, ?)", [key, .integer(Int64(number % 3)), value])
            }
            try store.execute("DELETE FROM t WHERE rowid % 13 = 0", [])
        }
        let results = "count(*), count(v), sum(v), min(v), max(v), avg(v), rowid"
        for keys in ["k", "k, j"] {
            let fast = try rows("SELECT \(keys), \(results) FROM t GROUP BY \(keys)", store)
            // An aggregate with FILTER is computed row by row.
            let slow = try rows("SELECT \(keys), \(results), count(*) FILTER (WHERE 1) FROM t GROUP BY \(keys)", store)
            #expect(fast == slow.map { $0.dropLast() })
            #expect(fast.count > 2000)
        }
        let distinct = try rows("SELECT DISTINCT k, j FROM t", store)
        #expect(distinct == (try rows("SELECT DISTINCT k, j + 0 FROM t", store)))
    }

    @Test(arguments: [
        "SELECT sum(count(*)) FROM t", "SELECT count(*) FROM t GROUP BY count(*)",
        "SELECT count(*) AS n FROM t GROUP BY n",
        "SELECT count(*) FROM t GROUP BY 2", "SELECT a FROM t GROUP BY 0", "SELECT a FROM t HAVING 1",
        "SELECT a FROM t ORDER BY count(*)", "SELECT a FROM t WHERE max(a) > 1",
        "SELECT max(a) AS m FROM t WHERE m > 1",
        "SELECT count(DISTINCT a, b) FROM t", "SELECT group_concat(DISTINCT a, '-') FROM t",
        "SELECT count(DISTINCT) FROM t",
        "SELECT abs(a) FILTER (WHERE 1) FROM t", "SELECT max(a, b) FILTER (WHERE 1) FROM t",
    ])
    func `misused aggregates are syntax errors`(sql: String) throws {
        let store = MemoryStore()
        try fill(store)
        #expect(#expect(throws: StoreError.self) { try rows(sql, store) }?.code == .syntax)
    }

    @Test(arguments: [
        ("SELECT a FROM t GROUP BY +a HAVING a > 0", "unary plus in GROUP BY beside HAVING"),
        ("SELECT DISTINCT a FROM t ORDER BY b, rowid DESC", "DISTINCT with a descending rowid within ORDER BY"),
    ])
    func `results that depend on SQ lites planner are refused`(sql: String, feature: String) throws {
        let store = MemoryStore()
        try fill(store)
        let error = #expect(throws: StoreError.self) { try rows(sql, store) }
        #expect(error?.code == .unsupportedSQL && error?.feature == feature)
    }
}
