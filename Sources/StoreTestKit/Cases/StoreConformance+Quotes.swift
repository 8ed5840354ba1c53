import PatchbayTestKit
import StoreCore

extension StoreConformance {
    /// Statements that have a text in double quotes at `?`.
    private static let quotingStatements = [
        "SELECT ?", "SELECT ? FROM jack", "SELECT id FROM jack WHERE label = ?",
        "SELECT id FROM jack WHERE label LIKE ?",
        "SELECT id FROM jack WHERE label IN ('a', ?)", "SELECT lower(?)", "SELECT CAST(? AS TEXT)",
        "SELECT CASE WHEN ? THEN 1 END", "SELECT count(*) FILTER (WHERE label = ?) FROM jack",
        "SELECT count(*) FROM jack GROUP BY ?", "SELECT count(*) FROM jack GROUP BY id HAVING ?",
        "SELECT id FROM jack ORDER BY ?", "SELECT id FROM jack LIMIT ?",
        "INSERT INTO jack (id, label) VALUES (2, ?)", "INSERT INTO jack (id, label) VALUES (2, 'b'), (3, ?)",
        "INSERT INTO jack (label) SELECT ? FROM jack", "INSERT INTO jack (?) VALUES (2)",
        "INSERT INTO jack (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET label = ?",
        "INSERT INTO jack (id) VALUES (1) ON CONFLICT (?) DO NOTHING", "INSERT INTO jack (id) VALUES (2) RETURNING ?",
        "UPDATE jack SET label = ?", "UPDATE jack SET label = 'b' || ?", "UPDATE jack SET label = 'b' WHERE label = ?",
        "UPDATE jack SET ? = 1", "DELETE FROM jack WHERE label = ?", "DELETE FROM jack RETURNING ?",
        "CREATE TABLE plug (a TEXT DEFAULT ?)", "CREATE TABLE plug (a TEXT NOT NULL DEFAULT ? UNIQUE, b)",
        "CREATE TABLE plug (a TEXT, UNIQUE (?))", "ALTER TABLE jack ADD COLUMN note TEXT DEFAULT ?",
    ]

    /// Quotes: text is in single ones, and names are in double ones.
    static let quotes: [StoreConformanceCase] = [
        StoreConformanceCase("text in double quotes is an unknown column") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a')")
            for text in ["word", "two words", ""] {
                for statement in quotingStatements {
                    let sql = statement.replacing("?", with: "\"\(text)\"")
                    let error = try expectError(.noSuchColumn, sql) { try store.rows(sql, []) }
                    try expect(!error.description.contains("two words"), "the error of \(sql) shows the text")
                }
            }
            try expect(store.rows("SELECT id, label FROM jack"), is: [[1, "a"]])
            try expect(store.tableNames(), is: ["jack"])
            try store.read { reader throws in
                _ = try expectError(.noSuchColumn) { try reader.rows("SELECT id FROM jack WHERE label = \"word\"") }
            }
        },
        StoreConformanceCase("names in double quotes are columns and aliases") { store, _ in
            try store.execute("CREATE TABLE \"plug\" (\"a b\" TEXT DEFAULT 'x', \"c\"\"d\" INT, UNIQUE (\"a b\"))")
            try store.execute("INSERT INTO \"plug\" (\"c\"\"d\") VALUES (1)")
            try store.execute("UPDATE plug SET \"C\"\"D\" = \"c\"\"d\" + 1 WHERE \"plug\".\"a b\" = 'x'")
            let sql = "SELECT \"a b\" AS \"my name\" FROM plug WHERE \"c\"\"d\" = 2 ORDER BY \"my name\""
            try expect(store.rows(SQL(verbatim: sql)), is: [["x"]])
            try store.execute("ALTER TABLE plug RENAME COLUMN \"a b\" TO \"e\"")
            try expect(store.json("SELECT \"e\" FROM plug"), is: #"[{"e":"x"}]"#)
        },
        StoreConformanceCase("a value within quotes is not a parameter") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a?b'), (2, 'a hunter2')")
            let word = "hunter2"
            let calls: [() throws -> Void] = [
                { _ = try store.rows("SELECT id FROM jack WHERE label LIKE '%\(word)%'") },
                { _ = try store.rows("SELECT id FROM jack WHERE label LIKE '%\(word)%' AND id < \(5)") },
                { _ = try store.execute("UPDATE jack SET label = '\(word)'") },
                { try store.executeScript("UPDATE jack SET label = 'it''s \(word)'") },
                { _ = try store.read { try $0.rows("SELECT id FROM jack WHERE label LIKE '\(word)%'") } },
            ]
            for (number, call) in calls.enumerated() {
                let error = try expectError(.invalidArgument, "call \(number)", of: call)
                try expect(error.message.contains("within quotes"), "call \(number): \(error.message)")
                try expect(!error.message.contains(word), "call \(number) shows the value: \(error.message)")
            }
            let few = try expectError(.invalidArgument) { try store.rows("SELECT '?' WHERE 1 = ?", []) }
            try expect(!few.message.contains("within quotes"), few.message)
            let many = try expectError(.invalidArgument) { try store.rows("SELECT ?", [1, 2]) }
            try expect(!many.message.contains("within quotes"), many.message)
            let named = try expectError(.invalidArgument) {
                try store.execute("UPDATE jack SET label = ':a'", ["a": 1])
            }
            try expect(named.message.contains("outside of quotes"), named.message)
            try expect(store.rows("SELECT label FROM jack ORDER BY id"), is: [["a?b"], ["a hunter2"]])
            try expect(store.rows("SELECT id FROM jack WHERE label LIKE '%' || \(word) || '%'"), is: [[2]])
            try expect(store.rows("SELECT id FROM jack WHERE label LIKE \("%\(word)%")"), is: [[2]])
        },
    ]
}
