import Foundation
import LocalStore
import StoreTestSupport
import Testing

@Suite struct StatementConformanceTests {
    @Test(arguments: StoreUnderTest.all)
    func executeReturnsTheNumberOfChangedRows(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(try store.execute("INSERT INTO jack (id) VALUES (1), (2), (3)") == 3)
            #expect(try store.execute("UPDATE jack SET label = 'x' WHERE id > ?", [1]) == 2)
            #expect(try store.execute("UPDATE jack SET label = 'x' WHERE id > 100") == 0)
            #expect(try store.execute("SELECT * FROM jack") == 0)
            #expect(try store.execute("CREATE TABLE other (a)") == 0)
            #expect(try store.execute("DELETE FROM jack") == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func parametersCanBeNumbered(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(try store.rows("SELECT ?2, ?1, ?2", ["a", "b"]) == [["b", "a", "b"]])
        }
    }

    static let faults: [(sql: String, parameters: [StoreValue], code: StoreError.Code)] = [
        ("", [], .syntax), ("   ;; ", [], .syntax), ("-- nothing", [], .syntax), ("SELEKT 1", [], .syntax),
        ("SELECT 1; SELECT 2", [], .syntax), ("SELECT 1\0", [], .syntax), ("SELECT (1", [], .syntax),
        ("SELECT * FROM nowhere", [], .noSuchTable), ("INSERT INTO nowhere VALUES (1)", [], .noSuchTable),
        ("SELECT absent FROM jack", [], .noSuchColumn), ("INSERT INTO jack (absent) VALUES (1)", [], .noSuchColumn),
        ("SELECT ?", [], .invalidArgument), ("SELECT ?", [1, 2], .invalidArgument),
        ("SELECT 1", [1], .invalidArgument), ("CREATE TABLE jack (a)", [], .tableExists),
        ("BEGIN", [], .misuse), ("COMMIT", [], .misuse), ("ROLLBACK", [], .misuse), ("SAVEPOINT a", [], .misuse),
        ("RELEASE a", [], .misuse),
    ]

    @Test(arguments: StoreUnderTest.all) func faultyStatementsThrowTypedErrors(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            for (sql, parameters, code) in Self.faults {
                let executing = #expect(throws: StoreError.self, "\(sql)") { try store.execute(sql, parameters) }
                #expect(executing?.code == code, "\(sql)")
                let querying = #expect(throws: StoreError.self, "\(sql)") { try store.rows(sql, parameters) }
                #expect(querying?.code == code, "\(sql)")
                let writing = #expect(throws: StoreError.self, "\(sql)") { try store.queryJSON(sql, parameters) }
                #expect(writing?.code == code, "\(sql)")
                // The store stays usable.
                #expect(try store.value("SELECT count(*) FROM jack") == 0, "\(sql)")
            }
        }
    }

    static let refusals: [(sql: String, code: StoreError.Code)] = [
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

    @Test(arguments: StoreUnderTest.all)
    func errorCodesAreEqualInAllStores(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("CREATE TABLE plug (a)")
            try store.execute("INSERT INTO plug VALUES (1)")
            for refusal in Self.refusals {
                let error = #expect(throws: StoreError.self, "\(refusal.sql)") { try store.execute(refusal.sql) }
                #expect(error?.code == refusal.code, "\(refusal.sql)")
            }
            #expect(try store.rows("SELECT * FROM plug") == [[1]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func trailingCommentsAndSemicolonsAreIgnored(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            #expect(try store.rows("SELECT 1;") == [[1]])
            #expect(try store.rows(" SELECT 1 ; ; -- and so on") == [[1]])
            #expect(try store.rows("/* first */ SELECT 1") == [[1]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func failedStatementsChangeNothing(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("INSERT INTO jack (id) VALUES (3)")
            let error = #expect(throws: StoreError.self) { try store.execute("INSERT INTO jack (id) VALUES (1), (3)") }
            #expect(error?.code == .constraint)
            #expect(try store.jackIDs() == [3])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func errorsContainNoValues(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("CREATE TABLE secret (word TEXT PRIMARY KEY, n INTEGER NOT NULL)")
            try store.execute("INSERT INTO secret VALUES ('hunter2', 1)")
            let faults: [(String, [StoreValue])] = [
                ("INSERT INTO secret VALUES (?, 1)", ["hunter2"]), ("INSERT INTO secret VALUES ('hunter2', 1)", []),
                ("INSERT INTO secret VALUES ('hunter2', NULL)", []), ("SELECT 'hunter2' 'hunter2' FROM", []),
                ("SELECT 'hunter2", []), ("SELECT * FROM secret WHERE word = 'hunter2' hunter2 2", []),
            ]
            for (sql, parameters) in faults {
                let error = #expect(throws: StoreError.self) { try store.execute(sql, parameters) }
                #expect(error?.description.contains("hunter2") == false, "\(String(describing: error))")
                #expect(!String(reflecting: error).contains("hunter2"))
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func canonicallyEquivalentStatementsAreDistinct(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            // Equal as Swift strings, but not as SQL text: the angstrom sign, and A with a ring.
            #expect(try store.value("SELECT hex('\u{212B}')") == "E284AB")
            #expect(try store.value("SELECT hex('A\u{030A}')") == "41CC8A")
            #expect(try store.value("SELECT hex('\u{212B}')") == "E284AB")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func cachedStatementsSeeSchemaChanges(kind: StoreUnderTest) throws {
        try kind.run { store throws in
            try store.execute("CREATE TABLE t (a)")
            try store.execute("INSERT INTO t VALUES (1)")
            #expect(try store.json("SELECT * FROM t") == #"[{"a":1}]"#)
            try store.execute("ALTER TABLE t ADD COLUMN b")
            #expect(try store.json("SELECT * FROM t") == #"[{"a":1,"b":null}]"#)
            try store.execute("DROP TABLE t")
            #expect(#expect(throws: StoreError.self) { try store.rows("SELECT * FROM t") }?.code == .noSuchTable)
            try store.execute("CREATE TABLE t (c)")
            #expect(try store.json("SELECT * FROM t") == "[]")
        }
    }
}
