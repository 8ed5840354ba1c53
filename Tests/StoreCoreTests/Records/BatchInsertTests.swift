import Foundation
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

@Suite(.needsSlot) struct BatchInsertTests {
    /// A table, the columns of a batch, and its rows.
    struct Case: Sendable, CustomTestStringConvertible {
        let columns: String
        let names: [SQLIdentifier]
        let rows: [[StoreValue]]
        var testDescription: String { "\(columns): \(rows.count) rows" }

        init(_ columns: String, _ names: [SQLIdentifier], _ rows: [[StoreValue]]) {
            self.columns = columns
            self.names = names
            self.rows = rows
        }
    }

    static let cases = [
        Case(
            "a INTEGER, b REAL, c TEXT, d BLOB, e NUMERIC", ["a", "b", "c", "d", "e"],
            [
                ["1", "2", 3, 4, "5.0"], [1.5, 2, 3.5, "4", "x"], [nil, nil, nil, nil, nil],
                [2.0, "x", .blob(Data([1])), .blob(Data()), 1e300], ["", "", "", "", ""],
                [.integer(.min), -0.0, "é", "é", "1e2"],
            ]),
        Case(
            "id INTEGER PRIMARY KEY, a", ["a", "id"],
            [["x", 5], ["y", nil], ["z", -1], ["w", "9"], ["v", 7.0], ["u", nil]]),
        Case("id INTEGER PRIMARY KEY, a", ["a"], [["x"], ["y"], [nil]]),
        Case("id INTEGER PRIMARY KEY, a", ["id"], [[1], [2], [1]]),
        Case("id INTEGER PRIMARY KEY, a", ["id"], [[1], ["no number"]]),
        Case("id INTEGER PRIMARY KEY NOT NULL, a NOT NULL DEFAULT 7", ["id"], [[nil], [nil]]),
        Case("id INTEGER PRIMARY KEY, a NOT NULL", ["id"], [[1]]),
        Case("id INTEGER PRIMARY KEY, a NOT NULL", ["a"], [[1], [nil]]),
        Case("id TEXT PRIMARY KEY, a TEXT DEFAULT 'b', c DEFAULT (1 + 1)", ["id"], [["1"], [2], [nil], [nil]]),
        Case("id TEXT PRIMARY KEY, a", ["id", "a"], [["1", 1], [1, 2]]),
        Case(
            "a TEXT, b INTEGER, PRIMARY KEY (b, a)", ["a", "b"],
            [["x", 1], ["y", 1], ["x", 2], [nil, 1], [nil, 1]]),
        Case("a TEXT, b INTEGER, PRIMARY KEY (b, a)", ["a", "b"], [["x", 1], ["x", "1"]]),
        Case(
            "id INTEGER PRIMARY KEY, a UNIQUE, b INTEGER UNIQUE", ["a", "b"],
            [[1, 1], [nil, nil], [nil, 2], [2, nil]]),
        Case("id INTEGER PRIMARY KEY, a UNIQUE, b INTEGER UNIQUE", ["a", "b"], [[1, 1], [2, 1.0]]),
        Case("a, b", ["nothing"], [[1]]), Case("a, b", ["b", "A"], [[1, 2]]), Case("a, b", ["b"], []),
    ]

    private func rows(of subject: StoreSubject, _ test: Case, _ insert: (any LocalStore) throws -> Void) throws
        -> String
    {
        let folder = try TemporaryFolder()
        let store = try subject.make(folder)
        try store.execute("CREATE TABLE t (\(test.columns))", [])
        var result = "ok"
        do { try insert(store) } catch let error as StoreError { result = "\(error.code)" }
        let rows = try store.rows("SELECT rowid, * FROM t ORDER BY rowid")
        try store.close()
        return "\(result) \(rows)"
    }

    @Test(arguments: StoreSubject.all + [.locked], cases)
    func `a batch inserts what INSERT statements insert`(subject: StoreSubject, test: Case) throws {
        let names = test.names.map(\.quoted).joined(separator: ", ")
        let statement = "INSERT INTO t (\(names)) VALUES (\(test.names.map { _ in "?" }.joined(separator: ", ")))"
        let expected = try rows(of: subject, test) { store throws in
            try store.transaction { for row in test.rows { try store.execute(statement, row) } }
        }
        let batched = try rows(of: subject, test) { store throws in
            var batch = try RowBatch(columns: test.names)
            for row in test.rows { try batch.append(row) }
            #expect(try store.insert(batch, into: "T") == test.rows.count)
        }
        #expect(batched == expected)
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `one row is inserted with its rowid`(subject: StoreSubject) throws {
        let folder = try TemporaryFolder()
        let store = try subject.make(folder)
        try store.execute("CREATE TABLE t (a TEXT PRIMARY KEY)")
        var batch = try RowBatch(columns: ["a"])
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try store.insertRow(batch, into: "t") }
            #expect(error?.code == .invalidArgument)
            batch.removeAll()
            try batch.append(["x"])
            try batch.append(["y"])
        }
        batch.removeLastRow()
        #expect(try store.insertRow(batch, into: "t") == 1)
        let error = #expect(throws: StoreError.self) { try store.insertRow(batch, into: "t") }
        #expect(error?.code == .constraint)
        #expect(try store.rows("SELECT a, rowid FROM t") == [["x", 1]])
        try store.close()
    }
}
