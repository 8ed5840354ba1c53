import Foundation
import PatchbayTestKit
import StoreCore

extension StoreConformance {
    private static let faults: [(sql: String, parameters: [StoreValue], code: StoreError.Code)] = [
        ("", [], .syntax), ("   ;; ", [], .syntax), ("-- nothing", [], .syntax), ("SELEKT 1", [], .syntax),
        ("SELECT 1; SELECT 2", [], .syntax), ("SELECT 1\0", [], .syntax), ("SELECT (1", [], .syntax),
        ("SELECT * FROM nowhere", [], .noSuchTable), ("INSERT INTO nowhere VALUES (1)", [], .noSuchTable),
        ("SELECT absent FROM jack", [], .noSuchColumn), ("INSERT INTO jack (absent) VALUES (1)", [], .noSuchColumn),
        ("SELECT ?", [], .invalidArgument), ("SELECT ?", [1, 2], .invalidArgument),
        ("SELECT 1", [1], .invalidArgument), ("CREATE TABLE jack (a)", [], .tableExists),
        ("BEGIN", [], .misuse), ("COMMIT", [], .misuse), ("ROLLBACK", [], .misuse), ("SAVEPOINT a", [], .misuse),
        ("RELEASE a", [], .misuse),
    ]
    private static let refusals: [(sql: String, code: StoreError.Code)] = [
        ("ALTER TABLE jack RENAME TO plug", .tableExists), ("CREATE TABLE plug (a)", .tableExists),
        ("CREATE TABLE t (a, A)", .invalidArgument), ("ALTER TABLE plug ADD COLUMN a", .invalidArgument),
        ("INSERT INTO plug VALUES (1, 2)", .syntax), ("INSERT INTO plug (a) VALUES (1, 2)", .syntax),
        ("INSERT INTO plug VALUES (1), (2, 3)", .syntax), ("SELECT abs(1, 2)", .syntax),
        ("SELECT 1 LIMIT NULL", .failed), ("SELECT a FROM plug LIMIT 'x'", .failed),
        ("ALTER TABLE plug ADD COLUMN b NOT NULL", .constraint),
        ("INSERT INTO jack (id) VALUES ('x')", .constraint),
        ("SELECT a FROM plug ORDER BY 2", .syntax), ("SELECT a FROM plug WHERE count(*) > 1", .syntax),
        ("SELECT *", .syntax), ("SELECT 0x12345678901234567", .syntax), ("SELECT ?9999999", .syntax),
        ("CREATE TABLE t (a PRIMARY KEY, b PRIMARY KEY)", .syntax),
        ("CREATE TABLE t (a, PRIMARY KEY (b))", .noSuchColumn),
        ("ALTER TABLE plug ADD COLUMN b PRIMARY KEY", .syntax), ("CREATE TABLE sqlite_t (a)", .invalidArgument),
        ("DELETE FROM sqlite_master", .readOnly), ("SELECT nowhere_known(1)", .unsupportedSQL),
        ("SELECT 'a' LIKE 'b' ESCAPE 'cc'", .failed), ("SELECT abs(-9223372036854775808)", .failed),
    ]

    /// Statements and their errors.
    static let statements: [StoreConformanceCase] = [
        StoreConformanceCase("execute returns the number of changed rows") { store, _ in
            try expect(store.execute("INSERT INTO jack (id) VALUES (1), (2), (3)"), is: 3)
            try expect(store.execute("UPDATE jack SET label = 'x' WHERE id > ?", [1]), is: 2)
            try expect(store.execute("UPDATE jack SET label = 'x' WHERE id > 100"), is: 0)
            try expect(store.execute("SELECT * FROM jack"), is: 0)
            try expect(store.execute("CREATE TABLE other (a)"), is: 0)
            try expect(store.execute("DELETE FROM jack"), is: 3)
        },
        StoreConformanceCase("parameters can be numbered") { store, _ in
            try expect(store.rows("SELECT ?2, ?1, ?2", ["a", "b"]), is: [["b", "a", "b"]])
        },
        StoreConformanceCase("faulty statements throw typed errors") { store, _ in
            for (sql, parameters, code) in faults {
                try expectError(code, "\(sql)") { try store.execute(sql, parameters) }
                try expectError(code, "\(sql)") { try store.rows(sql, parameters) }
                try expectError(code, "\(sql)") { try store.queryJSON(sql, parameters) }
                // The store stays usable.
                try expect(store.value("SELECT count(*) FROM jack"), is: 0, "\(sql)")
            }
        },
        StoreConformanceCase("error codes are equal in all stores") { store, _ in
            try store.execute("CREATE TABLE plug (a)")
            try store.execute("INSERT INTO plug VALUES (1)")
            for refusal in refusals {
                try expectError(refusal.code, "\(refusal.sql)") { try store.execute(refusal.sql, []) }
            }
            try expect(store.rows("SELECT * FROM plug"), is: [[1]])
        },
        StoreConformanceCase("trailing comments and semicolons are ignored") { store, _ in
            try expect(store.rows("SELECT 1;"), is: [[1]])
            try expect(store.rows(" SELECT 1 ; ; -- and so on"), is: [[1]])
            try expect(store.rows("/* first */ SELECT 1"), is: [[1]])
        },
        StoreConformanceCase("failed statements change nothing") { store, _ in
            try store.execute("INSERT INTO jack (id) VALUES (3)")
            try expectError(.constraint) { try store.execute("INSERT INTO jack (id) VALUES (1), (3)") }
            try expect(store.jackIDs(), is: [3])
        },
        StoreConformanceCase("errors contain no values") { store, _ in
            try store.execute("CREATE TABLE secret (word TEXT PRIMARY KEY, n INTEGER NOT NULL)")
            try store.execute("INSERT INTO secret VALUES ('hunter2', 1)")
            let faults: [(String, [StoreValue])] = [
                ("INSERT INTO secret VALUES (?, 1)", ["hunter2"]), ("INSERT INTO secret VALUES ('hunter2', 1)", []),
                ("INSERT INTO secret VALUES ('hunter2', NULL)", []), ("SELECT 'hunter2' 'hunter2' FROM", []),
                ("SELECT 'hunter2", []), ("SELECT * FROM secret WHERE word = 'hunter2' hunter2 2", []),
            ]
            for (sql, parameters) in faults {
                let error = try expectError { try store.execute(sql, parameters) }
                try expect(!error.description.contains("hunter2"))
                try expect(!String(reflecting: error).contains("hunter2"))
            }
        },
        StoreConformanceCase("canonically equivalent statements are distinct") { store, _ in
            // Equal as Swift strings, but not as SQL text: the angstrom sign, and A with a ring.
            try expect(store.value("SELECT hex('\u{212B}')"), is: "E284AB")
            try expect(store.value("SELECT hex('A\u{030A}')"), is: "41CC8A")
            try expect(store.value("SELECT hex('\u{212B}')"), is: "E284AB")
        },
        StoreConformanceCase("cached statements see schema changes") { store, _ in
            try store.execute("CREATE TABLE t (a)")
            try store.execute("INSERT INTO t VALUES (1)")
            try expect(store.json("SELECT * FROM t"), is: #"[{"a":1}]"#)
            try store.execute("ALTER TABLE t ADD COLUMN b")
            try expect(store.json("SELECT * FROM t"), is: #"[{"a":1,"b":null}]"#)
            try store.execute("DROP TABLE t")
            try expectError(.noSuchTable) { try store.rows("SELECT * FROM t") }
            try store.execute("CREATE TABLE t (c)")
            try expect(store.json("SELECT * FROM t"), is: "[]")
        },
    ]
}
