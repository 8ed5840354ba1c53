import Foundation
import LocalStore
import PatchbayTestKit
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

/// ON CONFLICT, RETURNING, the counters of changes, and changes of columns, with the results of SQLite 3.40.
@Suite struct MemoryChangeTests {
    private func rows(_ sql: String, _ store: some LocalStore) throws -> [[StoreValue]] {
        var rows: [[StoreValue]] = []
        try store.query(sql, []) { row in
            rows.append(row.values)
            return true
        }
        return rows
    }

    /// Runs statements on both stores; each has the rows that it returns, or nil for an error.
    private func check(
        _ statements: [(String, [[StoreValue]]?)], allowsDoubleQuotedText isAllowed: Bool = false
    ) throws {
        var configuration = SQLiteStore.Configuration()
        configuration.allowsDoubleQuotedText = isAllowed
        let sqlite = SQLiteLibrary.system.isAvailable ? [try SQLiteStore(.memory, configuration: configuration)] : []
        let stores: [any LocalStore] = [MemoryStore(allowsDoubleQuotedText: isAllowed)] + sqlite
        for store in stores {
            for (sql, expected) in statements {
                #expect((try? rows(sql, store)) == expected, "\(sql) in \(type(of: store))")
            }
        }
    }

    @Test func `a default is computed only where it is needed`() throws {
        try check([
            ("CREATE TABLE f (a DEFAULT (abs(-9223372036854775808)), b)", []),
            ("INSERT INTO f VALUES (1, 2)", []), ("INSERT INTO f (b, a) VALUES (3, NULL)", []),
            ("INSERT INTO f (b) VALUES (4)", nil), ("INSERT INTO f DEFAULT VALUES", nil),
            ("SELECT * FROM f", [[1, 2], [.null, 3]]),
            ("CREATE TABLE g (id INTEGER PRIMARY KEY DEFAULT (abs(-9223372036854775808)), b DEFAULT (1 + 1))", []),
            ("INSERT INTO g (b) VALUES (5)", []), ("INSERT INTO g DEFAULT VALUES", []),
            ("SELECT * FROM g", [[1, 5], [2, 2]]),
        ])
    }

    @Test func `conflicts are resolved in SQ lites order`() throws {
        try check([
            ("CREATE TABLE t (a INTEGER PRIMARY KEY, b UNIQUE, c UNIQUE)", []),
            ("INSERT INTO t VALUES (1, 10, 100), (2, 20, 200), (3, 30, 300)", []),
            ("INSERT INTO t VALUES (1, 20, 300) ON CONFLICT DO UPDATE SET a = a RETURNING a", [[1]]),
            // The last key first.
            ("INSERT INTO t VALUES (9, 20, 300) ON CONFLICT DO UPDATE SET a = a RETURNING a", [[3]]),
            ("INSERT INTO t VALUES (1, 20, 300) ON CONFLICT (b) DO UPDATE SET a = a RETURNING a", [[2]]),
            (
                "INSERT INTO t VALUES (1, 20, 300) ON CONFLICT (c) DO NOTHING ON CONFLICT DO UPDATE SET a = a "
                    + "RETURNING a",
                []
            ),
            (
                "INSERT INTO t VALUES (1, 20, 9) ON CONFLICT (c) DO NOTHING ON CONFLICT DO UPDATE SET a = a "
                    + "RETURNING a",
                [[1]]
            ),
            ("INSERT INTO t VALUES (1, 20, 9) ON CONFLICT (c) DO NOTHING", nil),
            ("INSERT INTO t VALUES (4, 20, 9) ON CONFLICT (a) DO UPDATE SET b = 1", nil),
            ("INSERT INTO t VALUES (4, 40, 9) ON CONFLICT (a, b) DO NOTHING", nil),
            ("INSERT INTO t VALUES (4, 40, 9) ON CONFLICT (q) DO NOTHING", nil),
            ("INSERT OR REPLACE INTO t VALUES (1, 20, 9) ON CONFLICT (c) DO NOTHING RETURNING *", [[1, 20, 9]]),
            ("SELECT * FROM t", [[1, 20, 9], [3, 30, 300]]),
            ("INSERT OR IGNORE INTO t VALUES (7, 30, 9) ON CONFLICT (c) DO UPDATE SET b = excluded.b", nil),
            ("INSERT OR IGNORE INTO t VALUES (7, 30, 1) ON CONFLICT (c) DO UPDATE SET b = 0 RETURNING a", []),
            (
                "INSERT INTO t AS x VALUES (1, 2, 3) ON CONFLICT (rowid) DO UPDATE SET b = x.b + excluded.b "
                    + "RETURNING b",
                [[22]]
            ),
            ("INSERT INTO t AS x VALUES (1, 2, 3) ON CONFLICT (a) DO UPDATE SET b = t.b", nil),
            ("INSERT INTO t VALUES (1, 2, 3) ON CONFLICT (a) DO UPDATE SET b = 5 WHERE excluded.c > 3 RETURNING b", []),
            (
                "INSERT INTO t (c) VALUES (9), (9) ON CONFLICT (c) DO UPDATE SET b = b + 1, a = 50 RETURNING a, b",
                [[50, 23], [50, 24]]
            ),
            (
                "INSERT INTO t SELECT a, b, c FROM t WHERE 1 ON CONFLICT DO UPDATE SET b = b * 2 RETURNING b",
                [[60], [48]]
            ),
            ("INSERT INTO t SELECT a, b, c FROM t ON CONFLICT DO NOTHING", nil),
        ])
    }

    @Test func `excluded has values before their conversion`() throws {
        try check([
            ("CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b TEXT DEFAULT 5, r REAL, n NOT NULL DEFAULT 4, u)", []),
            ("INSERT INTO t (id) VALUES (1)", []),
            (
                """
                INSERT INTO t (id, a, r) VALUES ('1', '5', 7) ON CONFLICT DO UPDATE SET u = typeof(excluded.a) \
                || typeof(excluded.b) || excluded.r || (excluded.a = '5') || (excluded.a = 5) || excluded.rowid \
                RETURNING u
                """, [["textinteger7.0101"]]
            ),
            (
                "INSERT OR REPLACE INTO t (id, n) VALUES (1, NULL) ON CONFLICT (id) DO UPDATE SET u = excluded.n "
                    + "RETURNING u",
                [[4]]
            ),
            ("INSERT INTO t (id, n) VALUES (1, NULL) ON CONFLICT DO NOTHING", nil),
            ("INSERT INTO t (id) VALUES (1) ON CONFLICT DO UPDATE SET u = count(*)", nil),
        ])
    }

    @Test func `excluded has converted values once a key was checked`() throws {
        let update = "ON CONFLICT DO UPDATE SET c = typeof(excluded.b) RETURNING c"
        try check([
            ("CREATE TABLE u (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c)", []), ("INSERT INTO u VALUES (1, 2.5, 3)", []),
            ("INSERT INTO u VALUES (2, 2.5, 3) \(update)", [["text"]]),
            ("INSERT INTO u VALUES (1, 2.5, 3) \(update)", [["real"]]),
            (
                "INSERT INTO u VALUES (1, 9.5, 3) ON CONFLICT (b) DO NOTHING ON CONFLICT (a) DO UPDATE "
                    + "SET c = typeof(excluded.b) RETURNING c", [["text"]]
            ),
        ])
    }

    @Test func `changed rows are returned`() throws {
        try check([
            ("CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b)", []),
            (
                "INSERT INTO t (a, b) VALUES ('5', 'x'), (6, NULL) RETURNING *, rowid, b || '!'",
                [[1, 5, "x", 1, "x!"], [2, 6, nil, 2, nil]]
            ),
            ("UPDATE t SET a = a + 1, id = id + 10 RETURNING id, t.a", [[11, 6], [12, 7]]),
            ("REPLACE INTO t VALUES (11, 0, 0) RETURNING a", [[0]]),
            ("INSERT OR IGNORE INTO t VALUES (11, 1, 1), (13, 1, 1) RETURNING id", [[13]]),
            ("DELETE FROM t WHERE id > 11 RETURNING id AS x, a", [[12, 7], [13, 1]]),
            ("INSERT INTO t DEFAULT VALUES RETURNING \"zz\"", nil), ("INSERT INTO t DEFAULT VALUES", []),
            ("DELETE FROM t RETURNING count(*)", nil),
            ("INSERT INTO t AS y VALUES (30, 1, 1) RETURNING y.a", nil), ("DELETE FROM t RETURNING q", nil),
        ])
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (A INTEGER PRIMARY KEY, b)", [])
        var names: [String] = []
        try store.query("INSERT INTO t VALUES (1, 2) RETURNING rowid, \"B\", (b), +b, b AS c, b d", []) { row in
            names = row.columnNames
            return true
        }
        #expect(names == ["A", "b", "b", "+b", "c", "d"])
    }

    @Test func `a thrown error rolls back what RETURNING has read`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (a)", [])
        try store.transaction {
            try store.execute("INSERT INTO t VALUES (0)", [])
            #expect(throws: Interruption.self) {
                try store.query("INSERT INTO t VALUES (1), (2) RETURNING a", []) { _ in throw Interruption() }
            }
        }
        #expect(throws: Interruption.self) {
            try store.query("DELETE FROM t RETURNING a", []) { _ in throw Interruption() }
        }
        #expect(try rows("SELECT a FROM t", store) == [[0]])
        try store.query("INSERT INTO t VALUES (1), (2) RETURNING a", []) { _ in false }
        #expect(try rows("SELECT a FROM t", store) == [[0], [1], [2]])
    }

    @Test func `counters of changes match SQ lite`() throws {
        let counters = "SELECT last_insert_rowid(), changes()"
        try check([
            ("CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE)", []), ("CREATE TABLE u (a)", []),
            (counters, [[0, 0]]),
            ("INSERT INTO t VALUES (5, 1), (6, 2)", []), (counters, [[6, 2]]),
            ("INSERT INTO u VALUES (last_insert_rowid()), (last_insert_rowid()), (changes())", []),
            ("SELECT * FROM u", [[6], [1], [2]]), ("INSERT INTO t VALUES (9, 9), (10, 1)", nil), (counters, [[9, 0]]),
            ("INSERT OR IGNORE INTO t VALUES (13, 77), (14, 1)", []), (counters, [[13, 1]]),
            ("UPDATE t SET a = a + 100", []), (counters, [[13, 3]]), ("CREATE TABLE z (a)", []), (counters, [[13, 3]]),
            ("UPDATE t SET a = 1", nil), (counters, [[13, 0]]), ("REPLACE INTO t VALUES (13, 55)", []),
            (counters, [[13, 1]]),
            ("INSERT INTO t VALUES (13, 1) ON CONFLICT (id) DO UPDATE SET a = -1", []), (counters, [[13, 1]]),
            ("DELETE FROM u RETURNING last_insert_rowid(), changes()", [[13, 1], [13, 1], [13, 1]]),
            (counters, [[13, 3]]),
            ("INSERT INTO t VALUES (20, 20), (21, 21) RETURNING last_insert_rowid(), changes()", [[20, 3], [21, 3]]),
            ("SELECT id FROM t WHERE id = last_insert_rowid()", [[21]]), ("DELETE FROM t WHERE 0", []),
            (counters, [[21, 0]]),
        ])
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (a)", [])
        for sql in ["SELECT last_insert_rowid()", "SELECT 1 WHERE changes() > 0"] {
            let error = #expect(throws: StoreError.self) { try store.read { try $0.query(sql, []) { _ in true } } }
            #expect(error?.code == .misuse)
        }
        let error = #expect(throws: StoreError.self) {
            try store.execute("INSERT INTO t SELECT last_insert_rowid() FROM t", [])
        }
        #expect(error?.code == .unsupportedSQL)
    }

    /// Definitions, changes of their columns, and the text that follows.
    private static let columnChanges: [(String, [(String, String?)])] = [
        (
            "t(a int, \"b c\" text default 'a', unique(a), unique(\"b c\",a))",
            [
                ("RENAME COLUMN a TO x", "t(x int, \"b c\" text default 'a', unique(x), unique(\"b c\",x))"),
                ("RENAME x TO \"y\"", "t(\"y\" int, \"b c\" text default 'a', unique(\"y\"), unique(\"b c\",\"y\"))"),
                (
                    "RENAME COLUMN \"b c\" TO b",
                    "t(\"y\" int, \"b\" text default 'a', unique(\"y\"), unique(\"b\",\"y\"))"
                ),
                (
                    "RENAME COLUMN y TO 'z z'",
                    "t(\"z z\" int, \"b\" text default 'a', unique(\"z z\"), unique(\"b\",\"z z\"))"
                ),
                ("RENAME COLUMN b TO \"Z z\"", nil), ("RENAME COLUMN rowid TO k", nil), ("RENAME COLUMN q TO k", nil),
            ]
        ),
        (
            "T ( [a]int primary key, `b`, 'c' , d DEFAULT \"a\", unique ( 'c' , b ) )",
            [
                ("RENAME a TO x", "T ( \"x\"int primary key, `b`, 'c' , d DEFAULT \"a\", unique ( 'c' , b ) )"),
                ("RENAME c TO y", "T ( \"x\"int primary key, `b`, \"y\" , d DEFAULT \"a\", unique ( \"y\" , b ) )"),
                (
                    "RENAME B TO bb",
                    "T ( \"x\"int primary key, \"bb\", \"y\" , d DEFAULT \"a\", unique ( \"y\" , bb ) )"
                ),
            ]
        ),
        (
            "t ( a int ,  b text  ,c /* x */ , d  )",
            [
                ("DROP COLUMN d", "t ( a int ,  b text  ,c /* x */ )"), ("DROP c", "t ( a int ,  b text  )"),
                ("DROP COLUMN a", "t ( b text  )"), ("DROP COLUMN b", nil),
            ]
        ),
        (
            "t(a primary key,b unique,c,d,e, unique(c,d))",
            [
                ("DROP COLUMN a", nil), ("DROP COLUMN b", nil), ("DROP COLUMN c", nil), ("DROP COLUMN q", nil),
                ("DROP COLUMN e", "t(a primary key,b unique,c,d, unique(c,d))"),
            ]
        ),
        (
            "t(a,b,c)",
            [
                ("ADD COLUMN z int default 5", "t(a,b,c, z int default 5)"),
                ("DROP COLUMN c", "t(a,b,z int default 5)"),
                ("DROP COLUMN z", "t(a,b)"), ("DROP COLUMN a", "t(b)"), ("RENAME COLUMN b TO B", "t(B)"),
            ]
        ),
    ]

    @Test func `changes of columns rewrite the definition as SQ lite does`() throws {
        for (definition, changes) in Self.columnChanges {
            var statements: [(String, [[StoreValue]]?)] = [("CREATE TABLE \(definition)", [])]
            for (change, text) in changes {
                statements.append(("ALTER TABLE t \(change)", text == nil ? nil : []))
                if let text {
                    statements.append(
                        ("SELECT sql FROM sqlite_master WHERE type = 'table'", [[.text("CREATE TABLE \(text)")]]))
                }
            }
            try check(statements, allowsDoubleQuotedText: true)
        }
    }

    @Test func `dropped columns, renamed columns and the user version are journaled`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let journal = MemoryJournalConfiguration(path: folder.path("store.journal"), rotationSize: 2000)
        var store = try MemoryStore(journal: journal)
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT UNIQUE, c)", [])
        try store.execute(
            "INSERT INTO t VALUES (1, 'a1', 'b1', 'c1'), (2, 'a2', 'b2', 'c2'), (3, 'a3', 'b3', 'c3')", [])
        let steps: [(MemoryStore) throws -> Void] = [
            { store in
                // A column dropped and added again must not keep its values.
                try store.transaction {
                    try store.execute("UPDATE t SET c = 'x', id = 9 WHERE id = 3", [])
                    try store.execute("ALTER TABLE t DROP COLUMN a", [])
                    try store.execute("DELETE FROM t WHERE id = 2", [])
                    try store.execute("ALTER TABLE t ADD COLUMN a", [])
                    try store.execute("ALTER TABLE t RENAME COLUMN b TO \"b b\"", [])
                    try store.execute("INSERT INTO t VALUES (3, 'new', 'c', 'a')", [])
                }
            },
            { store in
                try? store.transaction {
                    try store.execute("PRAGMA user_version = 99", [])
                    try store.execute("ALTER TABLE t DROP COLUMN c", [])
                    try store.execute("INSERT INTO t VALUES (50, 'fifty', 5)", [])
                    throw Interruption()
                }
            },
            { try $0.execute("PRAGMA user_version = -7", []) },
            { try $0.execute("ALTER TABLE t DROP COLUMN a", []) },
            { store in
                for number in 0..<80 as Range<Int64> {
                    try store.execute("INSERT INTO t (c) VALUES (?)", [.integer(number)])
                }
            },
        ]
        for (index, step) in steps.enumerated() {
            try step(store)
            let before = try rows("SELECT * FROM t", store) + rows("SELECT sql FROM sqlite_master", store)
            let version = try rows("PRAGMA user_version", store)
            #expect(version == [[index < 2 ? 0 : -7]])
            if index == 0 {
                #expect(before.prefix(3) == [[1, "b1", "c1", nil], [3, "new", "c", "a"], [9, "b3", "x", nil]])
            }
            #expect(throws: StoreError.self) { try store.execute("INSERT INTO t (\"b b\") VALUES ('b1')", []) }
            try store.close()
            store = try MemoryStore(journal: journal)
            #expect(try rows("SELECT * FROM t", store) + rows("SELECT sql FROM sqlite_master", store) == before)
            #expect(try rows("PRAGMA user_version", store) == version)
            #expect(throws: StoreError.self) { try store.execute("INSERT INTO t (\"b b\") VALUES ('b1')", []) }
        }
        #expect(try store.read { try $0.rows("PRAGMA user_version") } == [[-7]])
        try store.close()
    }

    @Test func `foreign keys are refused`() throws {
        let error = #expect(throws: StoreError.self) {
            try MemoryStore().execute("CREATE TABLE t (a, b REFERENCES u (id))", [])
        }
        #expect(error?.code == .unsupportedSQL && error?.feature == "FOREIGN KEY")
    }
}
