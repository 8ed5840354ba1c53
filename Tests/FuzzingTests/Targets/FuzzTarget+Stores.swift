import Foundation

@testable import LocalStore
@testable import StoreCore

extension FuzzTarget {
    /// Statements of local stores.
    static let stores = [
        FuzzTarget(
            text: "sql",
            [
                "SELECT a, count(*) AS n FROM t WHERE b LIKE 'x%' AND a BETWEEN ?1 AND :top GROUP BY a HAVING n > 1 ORDER BY n DESC LIMIT 5 OFFSET 1",
                "INSERT INTO t (a, b) VALUES (1, 'it''s'), (x'00ff', NULL) ON CONFLICT (a) DO UPDATE SET b = excluded.b",
                "UPDATE t SET b = CASE WHEN a IS NULL THEN 0 ELSE a + 1.5e2 END WHERE a IN (1, 2, (SELECT max(a) FROM t))",
                "CREATE TABLE \"u v\" (id INTEGER PRIMARY KEY, [x] TEXT NOT NULL DEFAULT 'y', UNIQUE (x) ); -- c",
                "DELETE FROM t WHERE a || b = 'q' OR NOT a % 2 = -9223372036854775808",
                "ALTER TABLE t ADD COLUMN c REAL /* x */", "PRAGMA table_info(t)",
                "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END; SELECT 2",
                "SELECT t.a FROM t LEFT JOIN t AS s ON s.a = t.b WHERE cast(t.a AS TEXT) GLOB '[a-c]*' UNION ALL SELECT 1",
            ],
            words: [
                "SELECT ", " FROM t", " WHERE ", "''", "\"\"", "(", ")", "--", "/*", "*/", "?1", ":a", "x'", "1e999",
                "9223372036854775808", " LIKE ", " IN (", "CASE ", " END", " NOT ", "abs(", "round(", "substr(",
                "printf(",
                "datetime(", " COLLATE NOCASE", " ESCAPE ", " AS ", "*", "||",
            ]
        ) { text in
            if let statement = try parsed({ try SQLParser.statement(text) }) {
                try promise(statement.parameterCount >= 0, "a negative number of parameters")
            }
            let script = SQLScript(text)
            for statement in script.statements {
                let start = text.utf8.dropFirst(statement.offset)
                try promise(start.starts(with: statement.text.utf8), "a statement that is not in the script")
            }
            _ = ParameterNames(of: text)
            let store = MemoryStore()
            try store.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b)", [])
            try store.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL)", [])
            for parameters in [[], [.integer(1)], [.text("x"), .null]] as [[StoreValue]] {
                _ = try parsed { try store.execute(text, parameters) }
                _ = try parsed { try store.query(text, parameters) { _ in true } }
            }
        }
    ]
}
