import Foundation
import SQLiteStore
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

/// Text in double quotes in old files, and in old libraries.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteQuotesTests {
    private var lenient: SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.allowsDoubleQuotedText = true
        return configuration
    }

    @Test func `an old file is read, and its views and triggers need the setting`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let location = SQLiteStore.Location.file(folder.path("old.sqlite"))
        let old = try SQLiteStore(location, configuration: lenient)
        try old.executeScript(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT DEFAULT "none", kind TEXT CHECK (kind <> "bad"));
            CREATE INDEX item_title ON item (title) WHERE kind = "good";
            CREATE VIEW good AS SELECT id FROM item WHERE kind = "good";
            INSERT INTO item (kind) VALUES ("good");
            CREATE TRIGGER added AFTER INSERT ON item BEGIN UPDATE item SET title = "new" WHERE id = new.id; END;
            """)
        try old.close()

        let store = try SQLiteStore(location)
        #expect(try store.rows("SELECT * FROM item") == [[1, "none", "good"]])
        try store.execute("UPDATE item SET title = 'x' WHERE id = 1")
        #expect(try store.integrityProblems() == [])
        for sql in [
            "SELECT * FROM good", "INSERT INTO item (kind) VALUES ('good')", "UPDATE item SET title = \"titel\"",
        ] {
            #expect(#expect(throws: StoreError.self) { try store.rows(sql, []) }?.code == .noSuchColumn, "\(sql)")
        }
        let renaming = #expect(throws: StoreError.self) { try store.execute("ALTER TABLE item RENAME TO thing") }
        #expect(renaming?.code == .noSuchColumn)
        try store.close()

        let allowing = try SQLiteStore(location, configuration: lenient)
        try allowing.execute("INSERT INTO item (kind) VALUES (\"good\")")
        #expect(try allowing.rows("SELECT title FROM item WHERE id IN (SELECT id FROM good)") == [["x"], ["new"]])
        #expect(try allowing.read { try $0.rows("SELECT \"nothing\"") } == [["nothing"]])
        try allowing.execute("ALTER TABLE item ADD COLUMN note TEXT DEFAULT \"more\"")
        try allowing.execute("ALTER TABLE item RENAME TO thing")
        try allowing.close()
    }

    @Test func `the error says how text is written`() throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE TABLE item (title TEXT)")
        let statements = [
            "UPDATE item SET title = \"titel\"", "CREATE TABLE other (a DEFAULT /* text */ \"titel\")",
            "ALTER TABLE item ADD a NOT NULL DEFAULT \"titel\"",
        ]
        for sql in statements {
            let error = #expect(throws: StoreError.self) { try store.execute(sql, []) }
            #expect(error?.message.hasPrefix("no such column: ") == true)
            if SQLiteLibrary.system.versionNumber ?? 0 >= 3_038_000 {
                #expect(error?.message.contains("titel") == false)
                #expect(error?.message.replacing("-", with: " ").contains("single quotes") == true)
                #expect(
                    error?.offset
                        == sql.utf8.firstIndex(of: UInt8(ascii: "\"")).map {
                            sql.utf8.distance(from: sql.utf8.startIndex, to: $0)
                        })
            }
        }
        let unknown = #expect(throws: StoreError.self) { try store.execute("UPDATE item SET title = titel") }
        #expect(unknown?.message == "no such column: titel")
        #expect(try store.rows("SELECT * FROM item") == [])
    }

    @Test func `a library that does not know the difference works`() throws {
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.without(["sqlite3_db_config"])
        let store = try SQLiteStore(.memory, configuration: configuration)
        try store.execute("CREATE TABLE item (title TEXT DEFAULT 'none')")
        #expect(try store.rows("SELECT \"title\" FROM item") == [])
        let error = #expect(throws: StoreError.self) { try store.execute("CREATE TABLE other (a DEFAULT \"titel\")") }
        #expect(error?.code == .noSuchColumn)
    }

    /// Definitions that use functions of SQLite or virtual tables; some versions do not call them innocuous.
    private static let uses: [[String]] = [
        ["CREATE VIEW v AS SELECT json_extract(body, '$.a') FROM doc", "SELECT * FROM v"],
        ["CREATE INDEX i ON doc (json_extract(body, '$.a'))"],
        ["CREATE TABLE t (body TEXT, a AS (json_extract(body, '$.a')))"],
        ["CREATE TABLE t (body TEXT CHECK (json_valid(body)))"],
        ["CREATE TABLE t (body TEXT DEFAULT (json_object('a', 1)), b)", "INSERT INTO t (b) VALUES (1)"],
        ["ALTER TABLE doc ADD COLUMN a AS (json_extract(body, '$.a'))"],
        [
            "CREATE VIRTUAL TABLE found USING fts5(body)",
            "CREATE TRIGGER r AFTER INSERT ON doc BEGIN INSERT INTO found VALUES (new.body); END",
            "INSERT INTO doc VALUES ('{}')",
        ],
    ]
    private static let hasModules =
        SQLiteModuleTests.fts5.isAvailable && (try? SQLiteStore(.memory).rows("SELECT json('1')")) != nil

    @Test(.enabled(if: hasModules, "SQLite has no JSON or fts5 here."), arguments: uses)
    func `a refused use names the setting, and works with it`(statements: [String]) throws {
        var trusting = SQLiteStore.Configuration()
        trusting.trustsSchema = true
        var refusals = 0
        for configuration in [SQLiteStore.Configuration(), trusting] {
            let store = try SQLiteStore(.memory, configuration: configuration)
            try store.execute("CREATE TABLE doc (body TEXT)")
            do {
                for sql in statements { _ = try store.rows(sql, []) }
            } catch let error as StoreError {
                refusals += 1
                #expect(!configuration.trustsSchema, "\(error)")
                #expect(error.code == .unsupportedSQL, "\(error)")
                #expect(error.feature?.contains("unsafe use of") == true)
                #expect(error.message.contains("; if only your app writes the file, set `Configuration.trustsSchema`"))
            }
        }
        if SQLiteLibrary.system.versionNumber.map({ $0 / 1000 }) == 3040 { #expect(refusals == 1) }
    }
}
