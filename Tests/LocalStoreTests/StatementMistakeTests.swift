import LocalStore
import SQLiteStore
import Testing

/// Both stores report a mistake with the same code, and with a message that contains no values.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable)) struct StatementMistakeTests {
    private static let mistakes: [(String, StoreError.Code)] = [
        ("SELEC 1", .syntax), ("SELECT a FORM t", .syntax), ("SELECT 'secret", .syntax), ("SELECT \"secret", .syntax),
        ("SELECT [secret", .syntax), ("SELECT x'1'", .syntax), ("SELECT 1secret", .syntax), ("SELECT #", .syntax),
        ("SELECT a FROM t WHERE a = = 'secret'", .syntax), ("SELECT a FROM t WHERE a = 'o'secret'", .syntax),
        ("SELECT 1; SELECT 2", .syntax), ("", .syntax), ("INSERT INTO t VALUES ()", .syntax),
        ("INSERT INTO t VALUES ('secret')", .syntax), ("INSERT INTO t VALUES (1, 2), ('secret')", .syntax),
        ("INSERT INTO t (a) VALUES (1, 'secret')", .syntax), ("SELECT abs()", .syntax), ("SELECT abs(1, 2)", .syntax),
        ("SELECT count(1, 2) FROM t", .syntax), ("SELECT count(ALL *) FROM t", .syntax),
        ("SELECT * FROM u", .noSuchTable), ("DELETE FROM u", .noSuchTable), ("SELECT u.* FROM t", .noSuchTable),
        ("DROP TABLE u", .noSuchTable), ("ALTER TABLE u RENAME TO v", .noSuchTable), ("SELECT q FROM t", .noSuchColumn),
        ("UPDATE t SET a = \"secret \"", .noSuchColumn), ("SELECT a FROM t ORDER BY \"secret \"", .noSuchColumn),
        ("CREATE TABLE x (a DEFAULT \"secret \")", .noSuchColumn), ("UPDATE t SET q = 1", .noSuchColumn),
        ("INSERT INTO t (q) VALUES (1)", .noSuchColumn),
        ("CREATE TABLE x (a, PRIMARY KEY (q))", .noSuchColumn), ("CREATE TABLE t (a)", .tableExists),
        ("CREATE TABLE x (a, A)", .invalidArgument), ("INSERT INTO t VALUES (NULL, 'secret')", .constraint),
        ("SELECT abs(-9223372036854775808)", .failed), ("SELECT sum(9223372036854775807) FROM t", .failed),
        ("SELECT 'secret' LIKE 'a' ESCAPE 'ab'", .failed), ("SELECT 1 LIMIT 'secret'", .failed),
        ("BEGIN", .misuse), ("COMMIT", .misuse),
    ]
    /// SQLite has a single code for these; where `SQLiteStore` does not recognize its text, the code is `failed`.
    private static let others: [(String, StoreError.Code)] = [
        ("SELECT sum(count(*)) FROM t", .syntax), ("SELECT a FROM t WHERE count(*) > 1", .syntax),
        ("SELECT a FROM t ORDER BY 5", .syntax), ("SELECT *", .syntax), ("SELECT 0x11111111111111111", .syntax),
        ("SELECT -0x8000000000000000", .syntax), ("SELECT ?0", .syntax),
        ("CREATE TABLE x (a PRIMARY KEY, b PRIMARY KEY)", .syntax), ("CREATE TABLE x (a DEFAULT (b))", .syntax),
        ("CREATE TABLE x (a DEFAULT (\"secret \"))", .syntax),
        ("ALTER TABLE t ADD COLUMN z PRIMARY KEY", .syntax), ("ALTER TABLE t ADD COLUMN z UNIQUE", .syntax),
        ("CREATE TABLE sqlite_x (a)", .invalidArgument), ("DELETE FROM sqlite_master", .readOnly),
        ("CREATE TABLE x (\((0..<2001).map { "c\($0)" }.joined(separator: ", ")))", .tooLarge),
    ]

    @Test func `both stores report the same codes`() throws {
        for store in [MemoryStore(), try SQLiteStore(.memory)] as [any LocalStore] {
            try store.execute("CREATE TABLE t (a INT NOT NULL, b)")
            try store.execute("INSERT INTO t VALUES (1, 1), (2, 2)")
            for (sql, code) in Self.mistakes + Self.others {
                let error = #expect(throws: StoreError.self, "\(sql)") { _ = try store.rows(sql, []) }
                let isVague = store is SQLiteStore && error?.code == .failed && Self.others.contains { $0.0 == sql }
                #expect(
                    error?.code == code || isVague,
                    "\(sql.prefix(60)): \(error?.description ?? "") in \(type(of: store))")
                #expect(error?.message.contains("secret") == false, "\(error?.description ?? "")")
            }
        }
    }

    @Test func `a default with a parameter is not constant`() throws {
        let memory = MemoryStore()
        let sqlite = try SQLiteStore(.memory)
        for sql in ["CREATE TABLE x (a DEFAULT (?))", "CREATE TABLE x (b, a DEFAULT (abs(1 + :secret)))"] {
            let error = #expect(throws: StoreError.self) { try memory.execute(sql, [1]) }
            #expect(error?.code == .syntax)
            #expect(error?.message == "default value of column a is not constant")
            #expect(throws: StoreError.self) { try sqlite.execute(sql, [1]) }
        }
        try memory.execute("CREATE TABLE x (b)")
        let error = #expect(throws: StoreError.self) { try memory.execute("ALTER TABLE x ADD a DEFAULT (?)", [1]) }
        #expect(error?.code == .unsupportedSQL)
    }

    /// An operand fails only where SQLite evaluates it.
    @Test func `failing operands are evaluated where SQ lite does`() throws {
        let memory = MemoryStore()
        let sqlite = try SQLiteStore(.memory)
        for store in [memory, sqlite] as [any LocalStore] {
            try store.execute("CREATE TABLE t (a, b)")
            try store.execute("INSERT INTO t VALUES (1, 2)")
            try store.execute("CREATE TABLE e (a, b)")
        }
        for form in [
            "SELECT (1 = 2) AND !", "SELECT (1 = 1) OR !", "SELECT a FROM t WHERE (a = 1) OR !",
            "SELECT CASE WHEN a = 2 AND ! THEN 1 ELSE 2 END FROM t", "SELECT iif(a = 2 AND !, 1, 2) FROM t",
            "SELECT a BETWEEN 5 AND ! FROM t", "SELECT a FROM t WHERE a BETWEEN 5 AND !", "SELECT 1 IN (1, !)",
            "SELECT a IN (a, !) FROM t", "SELECT a IN (1, !) FROM t", "SELECT a IN (1, 2, !) FROM t",
            "SELECT a IN (a, 2, !) FROM t", "SELECT NULL IN (a, !) FROM t", "SELECT NULL IN (!)",
            "SELECT a FROM e WHERE a IN (1, 2, !)", "SELECT a FROM e WHERE a = !", "SELECT a FROM e WHERE !",
            "SELECT a FROM e WHERE rowid IN (1, !)", "SELECT a FROM e WHERE a LIKE !",
            "SELECT count(*) FROM e WHERE a = !",
            "SELECT NOT ((1 = 2) AND !)", "SELECT ((1 = 2) AND !) IS TRUE",
            "SELECT a FROM t WHERE ((1 = 2) AND !) IS TRUE", "SELECT a FROM t WHERE NOT ((a = 1) OR !)",
            "SELECT coalesce(1, !)", "SELECT nullif(NULL, !)", "SELECT NULL || !", "SELECT NULL + !",
            "SELECT a FROM t WHERE rowid IN (1, !)", "SELECT a FROM t WHERE a IN (1, !)",
        ] {
            let sql = form.replacing("!", with: "abs(-9223372036854775808)")
            let mine = MemoryStoreDifferentialTests.outcome(sql, in: memory)
            #expect(mine == MemoryStoreDifferentialTests.outcome(sql, in: sqlite), "\(form)")
        }
    }

    @Test func `of several mistakes both stores report the same, and none in a clause that no conflict can reach`()
        throws
    {
        let memory = MemoryStore()
        let sqlite = try SQLiteStore(.memory)
        for store in [memory, sqlite] as [any LocalStore] {
            try store.execute("CREATE TABLE t (a, b)")
            try store.execute("CREATE TABLE k (a INTEGER PRIMARY KEY, b UNIQUE, c UNIQUE)")
        }
        var statements = [
            "SELECT a FROM t ORDER BY 3, q", "SELECT a FROM t ORDER BY 0, q", "SELECT a FROM t ORDER BY 65536, q",
            "SELECT a FROM t ORDER BY q, 65536", "SELECT a FROM t ORDER BY 65535, q", "SELECT a FROM t ORDER BY 3",
            "SELECT a FROM t GROUP BY 3, q", "SELECT a FROM t GROUP BY 3 ORDER BY q", "SELECT a FROM t GROUP BY 3",
            "SELECT a FROM t GROUP BY q ORDER BY 3",
        ]
        for mistake in ["a = abs()", "a = q", "q = 1", "a = 1 WHERE abs()", "a = excluded.q"] {
            let update = "DO UPDATE SET \(mistake)"
            statements += [
                "INSERT INTO t VALUES (1, 2) ON CONFLICT \(update)",
                "INSERT INTO t (rowid, b) VALUES (1, 2) ON CONFLICT \(update)",
                "INSERT INTO t (b) VALUES (2) ON CONFLICT (rowid) \(update)",
                "INSERT INTO k VALUES (1, 2, 3) ON CONFLICT \(update)",
                "INSERT INTO k (b) VALUES (4) ON CONFLICT (a) \(update)",
                "INSERT INTO k (a, b) VALUES (5, 5) ON CONFLICT (a) \(update)",
                "INSERT INTO k (b) VALUES (6) ON CONFLICT (b) DO NOTHING ON CONFLICT (b) \(update)",
                "INSERT INTO k (b) VALUES (7) ON CONFLICT (b) DO NOTHING ON CONFLICT (c) \(update)",
                "INSERT INTO k (b) VALUES (8) ON CONFLICT (c) DO NOTHING ON CONFLICT (b) DO NOTHING "
                    + "ON CONFLICT \(update)",
                "INSERT INTO k (b) VALUES (9) ON CONFLICT (b) \(update) ON CONFLICT (z) DO NOTHING",
            ]
        }
        for sql in statements {
            let mine = MemoryStoreDifferentialTests.outcome(sql, in: memory)
            #expect(mine == MemoryStoreDifferentialTests.outcome(sql, in: sqlite), "\(sql)")
        }
        for table in ["t", "k"] {
            let sql = "SELECT rowid, * FROM \(table)"
            #expect(try memory.rows(sql, []) == sqlite.rows(sql, []), "\(table)")
        }
    }

    @Test func `messages use SQ lites wording`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (a INT NOT NULL, b UNIQUE)")
        try store.execute("INSERT INTO t VALUES (1, 1)")
        for (sql, message) in [
            ("SELECT * FROM u", "no such table: u"), ("SELECT q FROM t", "no such column: t.q"),
            ("SELECT a FROM t WHERE SELECT", "near \"SELECT\": syntax error; expected an expression"),
            ("SELECT a FROM", "near the end of the statement: syntax error; expected the name of a table"),
            ("SELECT abs(-9223372036854775808)", "integer overflow: abs(-9223372036854775808)"),
            ("CREATE TABLE t (a)", "table t already exists"),
            ("INSERT INTO t VALUES (NULL, 2)", "NOT NULL constraint failed: t.a"),
            ("INSERT INTO t VALUES (1, 1)", "UNIQUE constraint failed: t.b"),
            ("SELECT abs()", "wrong number of arguments to function abs()"),
        ] {
            let error = #expect(throws: StoreError.self) { _ = try store.rows(sql, []) }
            #expect(error?.message == message)
        }
    }
}
