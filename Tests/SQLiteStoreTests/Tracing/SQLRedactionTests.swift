import Testing

@testable import SQLiteStore

/// Redaction of statements in traces.
@Suite struct SQLRedactionTests {
    @Test(arguments: [
        ("SELECT * FROM jack WHERE label = 'hunter2'", "SELECT * FROM jack WHERE label = '…'"),
        ("SELECT 'it''s', '', x'CAFE', X'00'", "SELECT '…', '…', x'…', x'…'"),
        ("VALUES (1, -2.5e+10, .5, 0xFF, 1_000, 3.)", "VALUES (…, -…, …, …, …, …)"),
        ("SELECT 1+1, 1e-5-2, a1 + t2.b3", "SELECT …+…, …-…, a1 + t2.b3"),
        ("SELECT ?, ?1, :name, @v2, $x1", "SELECT ?, ?1, :name, @v2, $x1"),
        ("SELECT a -- hunter2\n FROM t /* hunter2 ' */ WHERE b", "SELECT a FROM t WHERE b"),
        ("SELECT \"jack\".\"my \"\"t\"\"\", \"hunter2\"", "SELECT \"jack\".\"my \"\"t\"\"\", \"…\""),
        ("SELECT [a 1], `b '2`, `c``d`", "SELECT [a 1], `b '2`, `c``d`"),
        ("  SELECT\n\t a\r\n", "SELECT a"),
        ("SELECT max(x) FROM xs WHERE x IS NOT NULL", "SELECT max(x) FROM xs WHERE x IS NOT NULL"),
        ("SELECT a->'$.hunter2', b->>2, -a", "SELECT a->'…', b->>…, -a"),
        ("SELECT é FROM größe", "SELECT é FROM größe"),
        ("SELECT `a``\u{301}b`, [c]\u{301}d, `e\r\n``\r\n`", "SELECT `a``\u{301}b`, [c]\u{301}d, `e\r\n``\r\n`"),
        // Not closed, as SQLite would refuse.
        ("SELECT 'hunter2", "SELECT '…'"), ("SELECT \"hunter2", "SELECT \"…\""), ("SELECT [hunter2", "SELECT […]"),
        ("SELECT /* hunter2", "SELECT"), ("SELECT 12hunter2", "SELECT …"), ("x'", "x'…'"), ("", ""),
    ])
    func `literals and comments are hidden`(sql: String, shown: String) {
        let names: Set<String> = ["jack", "my \"t\""]
        #expect(SQLRedaction.redact(sql, isName: names.contains) == shown)
    }
}
