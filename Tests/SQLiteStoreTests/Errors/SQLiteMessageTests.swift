import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Redaction of SQLite's messages.
@Suite struct SQLiteMessageTests {
    private let names: Set<String> = ["jack", "my table"]

    @Test(arguments: [
        ("no such table: main.nowhere", "no such table: main.nowhere"), ("no such column: a b", "no such column: …"),
        ("no such table: my table", "no such table: my table"), ("no such table: a 'b'", "no such table: …"),
        ("no such table: viewed", "no such table: …"),
        ("error in view v: no such table: a b", "error in view v: no such table: …"),
        ("no such column: ann o'hara o'x", "no such column: …"),
        ("no such index: my index", "no such index: my index"), ("no such function: f", "no such function: f"),
        ("table jack has no column named a b", "table jack has no column named …"),
        ("table jack has no column named a", "table jack has no column named a"),
        ("near \"FROM\": syntax error", "near \"FROM\": syntax error"),
        ("near \"offset\": syntax error", "near \"offset\": syntax error"),
        ("near \"jack\": syntax error", "near \"jack\": syntax error"),
        ("near \"hunter2\": syntax error", "near \"…\": syntax error"),
        ("near \"\u{301}hunter2\": syntax error", "near \"…\": syntax error"),
        ("near \"\"\": syntax error", "near \"…\": syntax error"),
        ("near \"4711\": syntax error", "near \"…\": syntax error"),
        ("near \")\": syntax error", "near \")\": syntax error"),
        ("unrecognized token: \"'hunter2\"", "unrecognized token: \"…\""),
        ("unrecognized token: \"@\"", "unrecognized token: \"@\""),
        ("default value of column [a 2] is not constant", "default value of column [a 2] is not constant"),
        ("'hunter2' is not a function", "'…' is not a function"),
        ("hex literal too big: 0x12345678901234567", "hex literal too big: …"),
        ("hex literal too big: -0x12345678901234567", "hex literal too big: …"),
        (
            "table jack has 3 columns but 12 values were supplied",
            "table jack has 3 columns but 12 values were supplied"
        ),
        ("variable number must be between ?1 and ?250000", "variable number must be between ?1 and ?250000"),
        (
            "1st ORDER BY term out of range - should be between 1 and 3",
            "1st ORDER BY term out of range - should be between 1 and 3"
        ),
        (
            "no such column: \"hunter2\" - should this be a string literal in single-quotes?",
            "no such column: \"…\" - should this be a string literal in single-quotes?"
        ),
        ("foreign key mismatch - \"a\" referencing \"b\"", "foreign key mismatch - \"a\" referencing \"b\""),
    ])
    func `prepare errors keep names`(text: String, shown: String) {
        let statement = "SELECT * FROM main.nowhere, \"my table\", [a 'b'] WHERE a IN (1)"
        #expect(SQLiteMessage.compileError(text, of: statement, isName: names.contains) == shown)
    }

    @Test(
        arguments: [
            ("integer overflow", "integer overflow"), ("JSON path error near 'hunter2'", "JSON path error near …"),
            ("malformed MATCH expression: [hunter2]", "malformed MATCH expression: …"),
            ("no such column: hunter2", nil),
            ("hunter2", nil), ("integer overflow of hunter2", nil), ("", nil),
            ("UNIQUE constraint failed: jack.id, jack.a", "UNIQUE constraint failed: jack.id, jack.a"),
            ("CHECK constraint failed: positive", "CHECK constraint failed: positive"),
            ("CHECK constraint failed: a <> 'hunter2'", "CHECK constraint failed"),
            ("cannot store TEXT value in INT column t.a", "cannot store TEXT value in INT column t.a"),
            (
                "error in view v after rename: near \"hunter2\": syntax error",
                "error in view v after rename: near \"…\": syntax error"
            ),
        ] as [(String, String?)])
    func `runtime errors are redacted`(text: String, shown: String?) {
        #expect(SQLiteMessage.runtimeError(text, isName: names.contains) == shown)
    }

    // MARK: Through a store

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    static let faults: [(sql: String, code: StoreError.Code, message: String, offset: Int?)] = [
        ("SELECT id FRM jack", .syntax, "near \"jack\": syntax error", 14),
        ("SELECT * FROM jack WHERE WHERE", .syntax, "near \"WHERE\": syntax error", 25),
        ("SELECT 1 +", .syntax, "incomplete input", nil),
        (" ; SELECT (1", .syntax, "incomplete input", nil),
        ("SELECT * FROM nowhere", .noSuchTable, "no such table: nowhere", nil),
        ("SELECT * FROM main.\"nowhere\" WHERE id IN (1)", .noSuchTable, "no such table: main.nowhere", nil),
        ("; SELECT absent FROM jack", .noSuchColumn, "no such column: absent", 9),
        ("SELECT 'x' LIKE 'x' ESCAPE 'ab'", .failed, "ESCAPE expression must be a single character", nil),
        ("SELECT sum(a) FROM (SELECT 9223372036854775807 AS a UNION ALL SELECT 1)", .failed, "integer overflow", nil),
        ("SELECT no_function(1)", .unsupportedSQL, "no such function: no_function", nil),
        ("SELECT label FROM jack LIMIT 'x'", .failed, "datatype mismatch: LIMIT and OFFSET take integers", nil),
        ("INSERT INTO jack (id, label) VALUES (1, 'x')", .constraint, "UNIQUE constraint failed: jack.id", nil),
        ("INSERT INTO jack (id, gain) VALUES (3, -1)", .constraint, "CHECK constraint failed: gain_is_positive", nil),
        ("SELECT zeroblob(99999999999)", .tooLarge, "string or blob too big", nil),
        (
            "SELECT " + String(repeating: "1+", count: 2000) + "1", .tooLarge,
            "Expression tree is too large (maximum depth 1000)", nil
        ),
        ("INSERT INTO v VALUES (1)", .readOnly, "cannot modify v because it is a view", nil),
        ("CREATE INDEX i ON jack (label)", .tableExists, "index i already exists", nil),
        (
            "ATTACH 'hunter2' AS a", .unsupportedSQL, "Unsupported SQL: a store does not allow this ATTACH statement.",
            nil
        ),
    ]

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."), arguments: faults.indices)
    func `errors use SQ lite messages`(index: Int) throws {
        let fault = Self.faults[index]
        let store = try SQLiteStore(.memory)
        try store.execute(
            "CREATE TABLE jack (id INTEGER PRIMARY KEY, label, gain CONSTRAINT gain_is_positive CHECK (gain > 0))")
        try store.execute("CREATE VIEW v AS SELECT id FROM jack")
        try store.execute("CREATE INDEX i ON jack (gain)")
        try store.execute("INSERT INTO jack VALUES (1, 'x', 1)")
        let error = error { _ = try store.rows(fault.sql, []) }
        #expect(error?.code == fault.code, "\(fault.sql)")
        // Newer versions append details to some messages.
        #expect(error?.message.hasPrefix(fault.message) == true, "\(fault.sql): \(error?.message ?? "")")
        if SQLiteLibrary.system.versionNumber ?? 0 >= 3_038_000, let offset = fault.offset {
            #expect(error?.offset == offset)
            #expect(error?.description.contains("at byte \(offset)") == true)
        }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
    func `sqlite errors contain no values`() throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE TABLE jack (word CHECK (word <> 'hunter2'), other UNIQUE)")
        try store.execute("INSERT INTO jack VALUES ('x', 'hunter2')")
        try store.execute(
            "CREATE TRIGGER t AFTER UPDATE ON jack BEGIN SELECT RAISE(ABORT, 'hunter2 is not allowed'); END")
        try store.execute("CREATE VIEW w AS SELECT * FROM jack WHERE word IN 'hunter2'")
        if SQLiteModuleTests.fts5.isAvailable { try store.execute("CREATE VIRTUAL TABLE note USING fts5(a)") }
        let statements: [(String, [StoreValue])] = [
            ("INSERT INTO jack (word) VALUES ('hunter2')", []), ("INSERT INTO jack (word) VALUES (?)", ["hunter2"]),
            ("INSERT INTO jack (other) VALUES (?)", ["hunter2"]), ("UPDATE jack SET word = 'y'", []),
            ("SELECT json_extract('{}', ?)", ["hunter2"]), ("SELECT json(?)", ["hunter2"]),
            ("SELECT * FROM note WHERE note MATCH ?", ["hunter2:x"]),
            ("SELECT * FROM note WHERE note MATCH ?", ["\"hunter2"]),
            ("SELECT * FROM note WHERE note MATCH ?", ["(hunter2"]),
            ("SELECT * FROM note WHERE note MATCH ?", ["a NEAR(hunter2"]),
            ("INSERT INTO note (note) VALUES (?)", ["hunter2"]), ("SELECT load_extension(?)", ["hunter2"]),
            ("CREATE VIRTUAL TABLE n USING fts5(a, hunter2 = 1)", []),
            ("CREATE VIRTUAL TABLE n USING fts5(a, tokenize = 'hunter2')", []),
            ("CREATE VIRTUAL TABLE n USING fts4(a, tokenize = hunter2)", []), ("SELECT 'hunter2", []),
            ("SELECT * FROM jack WHERE word = 'x' hunter2 y", []), ("SELECT 1 'a' 'hunter2'", []),
            ("SELECT [hunter2 is secret] FROM jack", []), ("VACUUM INTO 'hunter2'", []), ("SELECT x'hunter2'", []),
            ("SELECT * FROM jack WHERE word IN 'hunter2'", []), ("SELECT * FROM jack WHERE word IN 'a hunter2'", []),
            ("SELECT * FROM jack WHERE word NOT IN/**/\"hunter2\"", []), ("DELETE FROM jack WHERE 1 in [hunter2]", []),
            ("SELECT * FROM jack WHERE word IN main.'hunter2'", []), ("SELECT * FROM w", []),
            ("SELECT [it's hunter2 o'x] FROM jack", []),
        ]
        for (sql, parameters) in statements {
            let error = error { _ = try store.rows(sql, parameters) }
            #expect(error?.description.contains("hunter2") == false, "\(sql): \(error?.description ?? "")")
        }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
    func `tables dropped elsewhere are named`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try SQLiteStore(.file(folder.path("store.sqlite")))
        try store.createTable(StoreConformance.jacks)
        let other = try SQLiteStore(.file(folder.path("store.sqlite")))
        let statements = ["SELECT label FROM jack", "DELETE FROM jack WHERE id = 1", "SELECT gain FROM jack"]
        for sql in statements { _ = try store.rows(sql, []) }
        try other.execute("ALTER TABLE jack RENAME COLUMN gain TO level")
        let column = error { _ = try store.rows("SELECT gain FROM jack") }
        #expect(column?.code == .noSuchColumn)
        #expect(column?.message == "no such column: gain")
        try other.execute("DROP TABLE jack")
        for sql in statements {
            let error = error { _ = try store.rows(sql, []) }
            #expect(error?.code == .noSuchTable)
            #expect(error?.message == "no such table: jack", "\(sql)")
        }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
    func `file errors name the file`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("store.sqlite")
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .zero
        let store = try SQLiteStore(.file(path))
        try store.execute("CREATE TABLE jack (id)")
        let other = try SQLiteStore(.file(path), configuration: configuration)
        try store.transaction {
            let busy = error { try other.execute("INSERT INTO jack VALUES (1)") }
            #expect(busy?.code == .busy)
            #expect(busy?.message.contains("database is locked: ") == true)
            #expect(busy?.message.contains("store.sqlite; ") == true)
        }
        let missing = folder.path("nowhere/store.sqlite")
        let absent = error { _ = try SQLiteStore(.file(missing)) }
        #expect(absent?.code == .io)
        #expect(absent?.message.contains("unable to open database file: \(missing)") == true)
        try Data("text".utf8).write(to: URL(filePath: folder.path("text")))
        let text = error { _ = try SQLiteStore(.file(folder.path("text"))) }
        #expect(text?.message.contains(folder.path("text")) == true)
    }
}
