import Foundation
import SQLiteStore
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

/// Full-text search and JSON functions.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteSearchTests {
    private func withNotes(_ body: (SQLiteStore) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(.file(folder.path("a")))
        try store.execute(
            "CREATE VIRTUAL TABLE note USING fts5(title, body, tokenize = 'unicode61 remove_diacritics 2')")
        let notes: [(String, String)] = [
            ("Red plug", "a red plug and a red cable"),
            ("Cable", "one red cable among many other long words that make this text much longer than the first"),
            ("Blue", "nothing here"), ("Café", "crème brûlée"),
        ]
        for (title, text) in notes {
            try store.execute("INSERT INTO note VALUES (?, ?)", [.text(title), .text(text)])
        }
        try body(store)
        try store.close()
    }

    @Test(.enabled(if: SQLiteModuleTests.fts5.isAvailable, "SQLite has no fts5 here."))
    func `search ranks, highlights and cuts snippets`() throws {
        try withNotes { store throws in
            let byRank = "SELECT rowid, bm25(note) < 0 FROM note WHERE note MATCH ? ORDER BY rank"
            #expect(try store.rows(byRank, ["red"]) == [[1, 1], [2, 1]])
            // The title weighs more, so the note about cables is first.
            let weighted = "SELECT rowid FROM note WHERE note MATCH ? ORDER BY bm25(note, 10.0, 1.0)"
            #expect(try store.rows(weighted, ["cable"]) == [[2], [1]])
            let shown = """
                SELECT snippet(note, 1, '[', ']', '...', 4), highlight(note, 0, '<b>', '</b>') FROM note \
                WHERE note MATCH ? ORDER BY rank
                """
            #expect(
                try store.rows(shown, ["red"])
                    == [["a [red] plug and...", "<b>Red</b> plug"], ["one [red] cable among...", "Cable"]])
            #expect(try store.read { try $0.rows(shown, ["\"long words\""]).count } == 1)
        }
    }

    @Test(.enabled(if: SQLiteModuleTests.fts5.isAvailable, "SQLite has no fts5 here."))
    func `search matches prefixes, columns, phrases and letters without accents`() throws {
        try withNotes { store throws in
            let find = "SELECT rowid FROM note WHERE note MATCH ? ORDER BY rowid"
            #expect(try store.rows(find, ["title:pl*"]) == [[1]])
            #expect(try store.rows(find, ["\"red cable\" NOT plug"]) == [[2]])
            #expect(try store.rows(find, ["cafe AND creme"]) == [[4]])
            try store.execute("UPDATE note SET body = 'green' WHERE rowid = 1")
            #expect(try store.rows(find, ["green"]) == [[1]])
            try store.execute("DELETE FROM note WHERE rowid = 1")
            #expect(try store.rows(find, ["green"]) == [])
            try store.execute("INSERT INTO note (note) VALUES ('optimize')")
            try store.execute("INSERT INTO note (note) VALUES ('integrity-check')")
        }
    }

    /// The pattern of the guide `SQLiteStore.md`.
    private func pattern(_ typed: String) -> String {
        let words = typed.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\"" || $0 == "\0" }
        return words.isEmpty ? "\"\"" : words.map { "\"\(String($0))\"" }.joined(separator: " ") + "*"
    }

    @Test(.enabled(if: SQLiteModuleTests.fts5.isAvailable, "SQLite has no fts5 here."))
    func `a typed text is never syntax`() throws {
        try withNotes { store throws in
            let find = "SELECT rowid FROM note WHERE note MATCH ? ORDER BY rowid"
            for (typed, rows) in [
                ("red pl", [[1]]), ("\"red\" \"cable\"", [[1], [2]]), ("red\0cable", [[1], [2]]), ("cafe", [[4]]),
                ("red\"\u{301}cable", []), ("", []), (" \t", []), ("\"", []), ("\"\u{301}", []), ("\0", []), ("*", []),
                ("red OR blue", []), ("title:red", []), ("NEAR(", []), ("red\" OR \"blue", []), ("red* - ^ + )", []),
            ] as [(String, [[StoreValue]])] {
                #expect(throws: Never.self, "\(typed.debugDescription)") {
                    let found = try store.rows(find, [.text(pattern(typed))])
                    if !rows.isEmpty { #expect(found == rows, "\(typed.debugDescription)") }
                }
            }
        }
    }

    private static var hasJSON: Bool { (try? SQLiteStore(.memory).rows("SELECT '{\"a\":1}' -> 'a'")) != nil }

    @Test(.enabled(if: hasJSON, "SQLite has no JSON operators here."))
    func `JSON is read, changed and aggregated`() throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT)")
        try store.execute("INSERT INTO doc VALUES (1, ?), (2, ?)", [#"{"a":[1,{"b":"x"}]}"#, #"{"a":[]}"#])
        #expect(
            try store.rows("SELECT body ->> '$.a[1].b', json_array_length(body, '$.a') FROM doc")
                == [["x", 2], [.null, 0]])
        try store.execute("UPDATE doc SET body = json_set(body, '$.c', json('[true]')) WHERE id = 2")
        #expect(try store.value("SELECT body FROM doc WHERE id = 2") == #"{"a":[],"c":[true]}"#)
        #expect(try store.value("SELECT json_group_array(id) FROM doc") == "[1,2]")
        #expect(try store.value("SELECT json_group_object(id, id * 2) FROM doc") == #"{"1":2,"2":4}"#)
        let tree = "SELECT fullkey FROM doc, json_tree(doc.body) WHERE doc.id = 1 AND atom IS NOT NULL ORDER BY fullkey"
        #expect(try store.rows(tree, []) == [["$.a[0]"], ["$.a[1].b"]])
        #expect(try store.value("SELECT json_valid('{')") == 0)
    }

    @Test(.enabled(if: hasJSON, "SQLite has no JSON operators here."))
    func `an index on a JSON member is used in a trusted schema`() throws {
        var configuration = SQLiteStore.Configuration()
        configuration.trustsSchema = true
        let store = try SQLiteStore(.memory, configuration: configuration)
        try store.execute(
            "CREATE TABLE doc (body TEXT, name TEXT GENERATED ALWAYS AS (json_extract(body, '$.name')) VIRTUAL)")
        try store.execute("CREATE INDEX doc_name ON doc (name)")
        try store.execute("INSERT INTO doc (body) VALUES (?), (?)", [#"{"name":"x"}"#, #"{"name":"y"}"#])
        #expect(try store.value("SELECT body FROM doc WHERE name = 'y'") == #"{"name":"y"}"#)
        let plan = try store.rows("EXPLAIN QUERY PLAN SELECT body FROM doc WHERE name = 'y'")
        #expect(plan.contains { row in row.contains { "\($0)".contains("doc_name") } })
    }
}
