import Testing

@testable import LocalStore

@Suite struct SQLParserTests {
    private static let unsupported = [
        ("SELECT a FROM t JOIN u", "JOIN", 16), ("SELECT a FROM t, u", "JOIN", 15),
        ("SELECT a FROM t LEFT JOIN u ON 1", "JOIN", 16), ("SELECT 1 UNION SELECT 2", "UNION", 9),
        ("SELECT a FROM t GROUP BY a WINDOW w AS ()", "WINDOW", 27),
        ("SELECT (SELECT 1)", "SELECT", 8), ("SELECT a IN (SELECT 1)", "SELECT", 13),
        ("SELECT EXISTS (SELECT 1)", "EXISTS", 7), ("SELECT a IN t", "IN with a table name", 12),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "WITH", 0), ("VALUES (1)", "VALUES", 0),
        ("PRAGMA table_info(t)", "PRAGMA", 0), ("EXPLAIN SELECT 1", "EXPLAIN", 0),
        ("CREATE INDEX i ON t(a)", "INDEX", 7), ("CREATE VIEW v AS SELECT 1", "VIEW", 7),
        ("CREATE TABLE t (a) STRICT", "STRICT", 19), ("CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID", "WITHOUT", 31),
        ("CREATE TABLE t (a CHECK (a > 0))", "CHECK", 18), ("CREATE TABLE t (a COLLATE NOCASE)", "COLLATE", 26),
        ("CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT)", "AUTOINCREMENT", 38),
        ("CREATE TABLE t (a REFERENCES u)", "FOREIGN KEY", 18), ("CREATE TABLE t AS SELECT 1", "AS", 15),
        ("CREATE TABLE t (a, FOREIGN KEY (a) REFERENCES u)", "FOREIGN KEY", 19),
        ("ALTER TABLE t ADD b REFERENCES u", "FOREIGN KEY", 20),
        ("INSERT INTO t VALUES (1) ON CONFLICT (a) WHERE a DO NOTHING", "WHERE in a conflict target", 41),
        ("INSERT INTO t VALUES (1) ON CONFLICT (a COLLATE NOCASE) DO NOTHING", "COLLATE", 40),
        ("INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET (a, b) = (1, 2)", "row value", 51),
        ("INSERT OR FAIL INTO t VALUES (1)", "FAIL", 10),
        ("UPDATE t SET (a, b) = (1, 2)", "row value", 13), ("UPDATE OR IGNORE t SET a = 1", "OR", 7),
        ("UPDATE t SET a = 1 FROM u", "FROM", 19), ("DELETE FROM t LIMIT 1", "LIMIT", 14),
        ("SELECT a COLLATE NOCASE", "COLLATE", 9), ("SELECT a -> 'x'", "->", 9), ("SELECT a REGEXP 'x'", "REGEXP", 9),
        ("SELECT sum(a) OVER () FROM t", "OVER", 14), ("SELECT CURRENT_DATE", "CURRENT_DATE", 7),
        ("SELECT count(*) FILTER (WHERE 1) OVER () FROM t", "OVER", 33), ("PRAGMA cache_size = 1", "PRAGMA", 0),
        ("SELECT * FROM other.t", "database name", 14), ("ATTACH 'x' AS y", "ATTACH", 0),
    ]

    @Test func `unsupported features are named`() {
        for (sql, feature, offset) in Self.unsupported {
            let error = #expect(throws: StoreError.self, "\(sql)") { try SQLParser.statement(sql) }
            #expect(error?.code == .unsupportedSQL, "\(sql)")
            #expect(error?.feature == feature, "\(sql)")
            #expect(error?.offset.map { abs($0 - offset) <= 1 } == true, "\(sql): \(error?.offset ?? -1)")
        }
    }

    @Test(arguments: [
        "SELECT", "SELECT FROM t", "SELECT a,", "SELECT a FROM", "SELECT (a", "SELECT a b c", "SELECT 1 +",
        "SELECT CASE END",
        "SELECT a BETWEEN 1", "SELECT a NOT 1", "SELECT * FROM t WHERE", "SELECT * FROM t ORDER a",
        "INSERT t VALUES (1)",
        "INSERT INTO t VALUES ()", "INSERT INTO t (a VALUES (1)", "UPDATE t a = 1", "UPDATE t SET a", "DELETE t",
        "CREATE TABLE t", "CREATE TABLE t ()", "CREATE TABLE t (a, PRIMARY KEY (a), b)", "DROP t", "ALTER TABLE t", "1",
        "SELECT 1 2 3",
        "CREATE TABLE t (a PRIMARY KEY, b PRIMARY KEY)", "SELECT CAST(1 TEXT)", "SELECT select",
        "SELECT 1 FROM t WHERE a = = 1", "SELECT DISTINCT", "SELECT DISTINCT ALL a FROM t", "SELECT a FROM t GROUP a",
        "SELECT a FROM t GROUP BY", "SELECT a FROM t HAVING", "SELECT a FROM t HAVING 1 GROUP BY a",
        "SELECT count(DISTINCT *) FROM t", "SELECT group_concat(a, DISTINCT b) FROM t",
        "SELECT count(*) FILTER (a) FROM t", "INSERT INTO t VALUES (1) ON CONFLICT",
        "INSERT INTO t VALUES (1) ON CONFLICT DO DELETE", "INSERT INTO t VALUES (1) ON CONFLICT () DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT (a + 1) DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT ('a') DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING WHERE 1",
        "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING ON CONFLICT (a) DO NOTHING",
        "INSERT INTO t DEFAULT VALUES ON CONFLICT DO NOTHING",
        "INSERT INTO t SELECT a FROM u ON CONFLICT DO NOTHING", "DELETE FROM t RETURNING",
        "DELETE FROM t RETURNING t.*",
        "DELETE FROM t RETURNING a WHERE 1", "ALTER TABLE t RENAME COLUMN a b", "ALTER TABLE t RENAME COLUMN TO b",
        "ALTER TABLE t RENAME a TO select", "ALTER TABLE t DROP COLUMN", "PRAGMA user_version = 1 + 1",
        "PRAGMA user_version = ?", "PRAGMA user_version = NULL", "PRAGMA user_version (1",
        "CREATE TABLE t (a INT(1, 2, 3))", "CREATE TABLE t (a INT(1,))", "SELECT CAST(1 AS INT(1, 2, 3))",
    ])
    func `invalid SQL is a syntax error`(sql: String) {
        let error = #expect(throws: StoreError.self) { try SQLParser.statement(sql) }
        #expect(error?.code == .syntax)
    }

    @Test(arguments: [
        ("SELECT 1", 0), ("SELECT ?, ?", 2), ("SELECT ?2, ?", 3), ("SELECT :a, :a, @a", 2), ("SELECT ?1, ?1", 1),
        ("SELECT :a, ?5, ?", 6),
    ])
    func `parameters are numbered as in SQ lite`(sql: String, count: Int) throws {
        #expect(try SQLParser.statement(sql).parameterCount == count)
    }

    @Test func `deep expressions are rejected and long ones accepted`() throws {
        let deep = "SELECT " + String(repeating: "(", count: 5000) + "1" + String(repeating: ")", count: 5000)
        #expect(#expect(throws: StoreError.self) { try SQLParser.statement(deep) }?.code == .unsupportedSQL)
        let minus = "SELECT " + String(repeating: "- ", count: 5000) + "1"
        #expect(#expect(throws: StoreError.self) { try SQLParser.statement(minus) }?.code == .unsupportedSQL)
        _ = try SQLParser.statement("SELECT 1" + String(repeating: " + 1", count: 5000))
        _ = try SQLParser.statement("SELECT a = 1" + String(repeating: " OR a = 1", count: 5000))
        _ = try SQLParser.statement("SELECT a IN (1" + String(repeating: ", -1", count: 5000) + ")")
    }

    @Test(arguments: [
        ("7", 7), ("'9'", 9), ("-3", -3), ("- 5", -5), ("+4", 4), ("1.9", 1), ("1e2", 1), ("0x10", 16), ("-0x5", 0),
        ("'0x11x'", 17), ("' 5'", 0), ("'-7'", -7), ("abc", 0), ("ON", 0), ("[3]", 3), ("2147483647", 2_147_483_647),
        ("2147483648", 0), ("-2147483648", -2_147_483_648), ("-2147483649", 0), ("99999999999", 0), ("0xffffffff", 0),
    ])
    func `a user version is parsed as in SQ lite`(text: String, value: Int32) throws {
        for sql in ["PRAGMA user_version = \(text)", "pragma main.\"user_version\"(\(text));"] {
            guard case .userVersion(value) = try SQLParser.statement(sql).kind else {
                Issue.record("\(sql)")
                continue
            }
        }
    }

    @Test func `table definitions are stored as in SQ lite`() throws {
        let sql = "create  table if not exists main.\"a b\" ( x int  , unique (x) ) ;"
        guard case .createTable(let table, let isLenient) = try SQLParser.statement(sql).kind else {
            Issue.record("It is a CREATE TABLE.")
            return
        }
        #expect(isLenient)
        #expect(table.text == "CREATE TABLE \"a b\" ( x int  , unique (x) )")
        #expect(table.text.prefix(table.columnsEnd) == "CREATE TABLE \"a b\" ( x int  ")
    }
}
