import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreCore

@Suite(.needsSlot) struct SQLScriptTests {
    @Test(arguments: [
        ("", []), (" ;; -- a\n;", []), ("a", ["a"]), ("a; b;\n c ;", ["a", "b", "c"]),
        ("a ';' \";\" /* ; */ b; -- ;\n c", ["a ';' \";\" /* ; */ b", "c"]),
        (
            "CREATE TRIGGER t BEGIN a; b; END; c", ["CREATE TRIGGER t BEGIN a; b; END", "c"]
        ),
        (
            "create temp trigger t BEGIN SELECT CASE WHEN 1 THEN 2 END; END ; c",
            ["create temp trigger t BEGIN SELECT CASE WHEN 1 THEN 2 END; END", "c"]
        ),
        (
            "EXPLAIN QUERY PLAN CREATE TEMPORARY TRIGGER t a;;END;c",
            ["EXPLAIN QUERY PLAN CREATE TEMPORARY TRIGGER t a;;END", "c"]
        ),
        ("CREATE TABLE trigger (a); END; c", ["CREATE TABLE trigger (a)", "END", "c"]),
        ("CREATE TRIGGER t BEGIN a; \"END\"; b; END; c", ["CREATE TRIGGER t BEGIN a; \"END\"; b; END", "c"]),
    ])
    func `a script is split into statements`(text: String, expected: [String]) {
        let statements = SQLScript(text).statements
        #expect(statements.map(\.text) == expected)
        for statement in statements {
            #expect(text.utf8.dropFirst(statement.offset).starts(with: statement.text.utf8))
        }
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `a script runs in one transaction`(subject: StoreSubject) throws {
        let folder = try TemporaryFolder()
        let store = try subject.make(folder)
        let title = "a;'b"
        try store.executeScript(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT); -- notes; of an app
            INSERT INTO note VALUES (\(1), \(title)), (2, ';');
            DELETE FROM note WHERE id = \(2);
            """)
        #expect(try store.rows("SELECT * FROM note") == [[1, .text(title)]])
        let failing = "DELETE FROM note; INSERT INTO note VALUES (1, 'ä'); SELECT absent FROM note"
        let error = #expect(throws: StoreError.self) { try store.executeScript(SQL(verbatim: failing)) }
        #expect(error?.code == .noSuchColumn)
        let start = try #require(failing.range(of: "SELECT")).lowerBound
        let offset = try #require(error?.offset)
        #expect(offset >= failing.utf8.distance(from: failing.startIndex, to: start))
        #expect(try store.rows("SELECT * FROM note") == [[1, .text(title)]])
        for script: SQL in ["DELETE FROM note WHERE id = ?", "DELETE FROM note; COMMIT", "BEGIN; DELETE FROM note"] {
            #expect(throws: StoreError.self) { try store.executeScript(script) }
        }
        #expect(try store.rows("SELECT count(*) FROM note") == [[1]])
        try store.close()
    }

    @Test(.enabled(if: !StoreSubject.sqlite.isEmpty))
    func `a trigger is one statement`() throws {
        let folder = try TemporaryFolder()
        let store = try StoreSubject.sqliteInMemory.make(folder)
        try store.executeScript(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY); CREATE TABLE log (id);
            CREATE TRIGGER copy AFTER INSERT ON note BEGIN
                INSERT INTO log VALUES (CASE WHEN new.id > 0 THEN new.id END); DELETE FROM log WHERE id < 2;
            END;
            INSERT INTO note VALUES (1), (2);
            """)
        #expect(try store.rows("SELECT id FROM log") == [[2]])
        try store.close()
    }
}
