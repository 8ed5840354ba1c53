import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Rows that were edited locally, through deltas and full loads, on every store.
@Suite(.needsSlot) struct PendingEditsTests {
    private static func run(_ kind: StoreSubject, _ body: (inout DeltaFixture, PendingEdits) throws -> Void) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a","gain":1}"#, #"+{"id":2,"label":"b","gain":2}"#])
            try body(&fixture, PendingEdits(in: fixture.store))
        }
    }

    private static func edit(_ cells: ColumnValues) -> RowEdit { RowEdit(upserting: cells, into: "socket") }
    private static let remove = RowEdit(deleting: ["id": 1], from: "socket")

    /// What a server sends, and what the app sees then.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let from: String?
        let operations: [String]
        let rows: [[StoreValue]]
    }

    private static let cases = [
        Case(
            testDescription: "the edited row in a delta", from: "1", operations: [#"+{"id":1,"label":"s","gain":9}"#],
            rows: [[1, "mine", 9.0], [3, "new", nil]]),
        Case(
            testDescription: "the edited row is deleted", from: "1", operations: ["-[1]"],
            rows: [[1, "mine", 1.0], [3, "new", nil]]),
        Case(
            testDescription: "the deleted row again", from: "1", operations: [#"+{"id":2,"label":"s"}"#],
            rows: [[1, "mine", 1.0], [3, "new", nil]]),
        Case(
            testDescription: "another row between", from: "1",
            operations: [#"+{"id":0,"label":"z"}"#, #"+{"id":"1","label":"s"}"#, #"+{"id":4,"label":"y"}"#],
            rows: [[0, "z", nil], [1, "mine", nil], [3, "new", nil], [4, "y", nil]]),
        Case(
            testDescription: "a full load with other values", from: nil,
            operations: [#"+{"id":1,"label":"s","gain":7}"#, #"+{"id":2,"label":"s"}"#, #"+{"id":5}"#],
            rows: [[1, "mine", 7.0], [3, "new", nil], [5, nil, nil]]),
        Case(
            testDescription: "an empty full load", from: nil, operations: [],
            rows: [[1, "mine", 1.0], [3, "new", nil]]),
    ]

    @Test(arguments: StoreSubject.all, cases)
    func `an edit that was not sent stays, and so do the server's other columns`(kind: StoreSubject, case: Case) throws
    {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            try edits.add(RowEdit(deleting: ["id": 2], from: "socket"), id: "e2")
            try edits.add(Self.edit(["id": 3, "label": "new"]), id: "e3")
            #expect(try fixture.rows("*") == [[1, "mine", 1.0], [3, "new", nil]])
            try fixture.apply(`case`.from, "2", `case`.operations)
            #expect(try fixture.rows("*") == `case`.rows)
            #expect(try edits.waiting().map(\.id).sorted() == ["e1", "e2", "e3"])
            #expect(try fixture.version() == "2")
        }
    }

    /// JSON values of a column, with its type.
    private static let values: [(String, String)] = [
        ("1e16", "TEXT"), ("0.30000000000000004", "TEXT"), ("12345678901234567890", "TEXT"), ("1e-7", "TEXT"),
        ("7", "TEXT"), ("2.50", "TEXT"), (#""5\n""#, "INTEGER"), (#"" 0x10""#, "INTEGER"), (#""1e2""#, "INTEGER"),
        (#""12345678901234567890""#, "NUMERIC"), ("-9223372036854775808.0", "NUMERIC"), ("3.0", "INTEGER"),
        ("-0.0", "REAL"), (#""-0""#, "REAL"), (#""+.5e1""#, "REAL"), (#""5 5""#, "REAL"), (#""\u000B8""#, "REAL"),
        (#""1.""#, ""), ("1e16", ""),
    ]

    @Test(arguments: StoreSubject.all, values.indices)
    func `the server's cells of a row with edits are those that the store would store`(
        kind: StoreSubject, index: Int
    ) throws {
        let (value, type) = Self.values[index]
        try DeltaFixture.run(kind) { fixture in
            fixture.target = try DeltaFixture.target(Array(DeltaFixture.columns.prefix(2)) + [.init("code", type)])
            try fixture.apply(nil, "1", [#"+{"id":1}"#, #"+{"id":2}"#])
            try PendingEdits(in: fixture.store).add(Self.edit(["id": 1, "label": "mine"]), id: "e")
            try fixture.apply("1", "2", [1, 2].map { "+{\"id\":\($0),\"code\":\(value)}" })
            let rows = try fixture.store.rows("SELECT typeof(code), code, hex(code) FROM socket ORDER BY id")
            #expect(rows.count == 2 && rows[0] == rows[1], "\(value): \(rows)")
            #expect(try fixture.rows() == [[1, "mine"], [2, nil]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a number as the key of a TEXT column is the key of the edit`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            fixture.target = try DeltaFixture.target(key: ["label"])
            try fixture.apply(nil, "1", [#"+{"label":1e16,"gain":1}"#])
            #expect(try fixture.rows("label, gain") == [["1.0e+16", 1.0]])
            try PendingEdits(in: fixture.store).add(Self.edit(["label": "1.0e+16", "gain": 5]), id: "e")
            try fixture.apply("1", "2", [#"+{"label":1e16,"gain":2}"#])
            #expect(try fixture.rows("label, gain") == [["1.0e+16", 5.0]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `what is discarded shows the server's row of now`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            try edits.add(RowEdit(deleting: ["id": 2], from: "socket"), id: "e2")
            try edits.add(Self.edit(["id": 3, "label": "new"]), id: "e3")
            try fixture.apply("1", "2", [#"+{"id":1,"label":"s","gain":9}"#])
            for id in ["e1", "e2", "e3"] { try edits.discard(id) }
            #expect(try fixture.rows("*") == [[1, "s", 9.0], [2, "b", 2.0]])
            #expect(try edits.waiting().isEmpty)
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `what was sent stays until a delta that was requested later`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            try edits.add(Self.edit(["id": 3, "label": "new"]), id: "e3")
            try edits.sent("e1")
            try edits.sent("e3")
            #expect(try edits.waiting().isEmpty)
            // Requested before: from the same version.
            try fixture.apply("1", "2", [#"+{"id":1,"label":"old","gain":5}"#])
            #expect(try fixture.rows("*") == [[1, "mine", 5.0], [2, "b", 2.0], [3, "new", nil]])
            // Requested after, with what another user has made of it since.
            try fixture.apply("2", "3", [#"+{"id":1,"label":"other","gain":5}"#])
            // The server has no row 3 in version 3 either: it was deleted there since.
            #expect(try fixture.rows("*") == [[1, "other", 5.0], [2, "b", 2.0]])
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edits") == [[0]])
            try fixture.apply(nil, "4", [])
            #expect(try fixture.rows().isEmpty)
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a later edit of a row stays when an earlier one is sent, refused or rolled back`(kind: StoreSubject) throws {
        struct Refused: Error {}
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "one"]), id: "e1")
            try edits.add(Self.edit(["id": 1, "gain": 8]), id: "e2")
            #expect(throws: Refused.self) {
                try fixture.store.transaction {
                    try edits.add(Self.remove, id: "e3")
                    throw Refused()
                }
            }
            #expect(try fixture.rows("*")[0] == [1, "one", 8.0])
            try edits.sent("e1")
            try fixture.apply("1", "2", [#"+{"id":1,"label":"x","gain":0}"#])
            #expect(try fixture.rows("*")[0] == [1, "one", 8.0])
            try edits.discard("e2")
            #expect(try fixture.rows("*")[0] == [1, "one", 0.0])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a delta that fails leaves edits and the server's rows`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            let before = try edits.waiting()
            try fixture.refuse(DeltaFixture.text("1", "2", [#"+{"id":1,"label":"s"}"#], counts: (2, 0)), .wrongCount)
            try fixture.refuse(DeltaFixture.text(nil, "2", [#"+{"id":1,"label":"s"}"#], counts: (2, 0)), .wrongCount)
            #expect(try edits.waiting() == before)
            #expect(before[0].server == ["id": 1, "label": "a", "gain": 1.0] && before[0].base == ["label": "a"])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `the rows of another user do not show edits, and those of the same user do again`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            let own = fixture.target
            fixture.target = try DeltaFixture.target(
                binding: DeltaBinding(server: "https://example.com", resource: "sockets", user: "8"))
            try fixture.apply(nil, "7", [#"+{"id":1,"label":"theirs"}"#])
            #expect(try fixture.rows() == [[1, "theirs"]])
            try edits.add(Self.edit(["id": 1, "label": "of 8"]), id: "e8")
            #expect(try edits.edits(of: "e1").count == 1 && edits.edits(of: "e8").count == 1)
            try edits.sent("e8")
            #expect(try fixture.rows() == [[1, "of 8"]])
            fixture.target = own
            try fixture.apply(nil, "2", [#"+{"id":1,"label":"a"}"#])
            #expect(try fixture.rows() == [[1, "mine"]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `the app's columns belong to no edit, and stay`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try fixture.store.execute("ALTER TABLE socket ADD COLUMN note TEXT", [])
            try edits.add(Self.edit(["id": 1, "label": "mine", "note": "n1"]), id: "e1")
            #expect(try edits.waiting()[0].changes == ["label": "mine"])
            try fixture.store.execute("UPDATE socket SET note = 'n2' WHERE id = 1", [])
            try fixture.apply("1", "2", [#"+{"id":1,"label":"s"}"#])
            #expect(try fixture.rows("id, label, note")[0] == [1, "mine", "n2"])
            try fixture.apply(nil, "3", [#"+{"id":1,"label":"s"}"#])
            #expect(try fixture.rows("id, label, note")[0] == [1, "mine", "n2"])
            try edits.discard("e1")
            #expect(try fixture.rows("id, label, note")[0] == [1, "s", "n2"])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a full load without an edited row keeps the value of the app's column, also null`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try fixture.store.execute("ALTER TABLE socket ADD COLUMN note TEXT", [])
            for id in 2...4 as ClosedRange<Int64> {
                try edits.add(Self.edit(["id": .integer(id), "label": "mine", "note": "n1"]), id: "e\(id)")
            }
            try fixture.store.execute("UPDATE socket SET note = NULL WHERE id < 4", [])
            try fixture.apply(nil, "2", [#"+{"id":1,"label":"s"}"#])
            #expect(
                try fixture.rows("id, label, note") == [
                    [1, "s", nil], [2, "mine", nil], [3, "mine", nil], [4, "mine", "n1"],
                ])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a decimal number of a record that its column would round is refused`(kind: StoreSubject) throws {
        struct Socket: Encodable { var id = 1, label: Decimal?, gain: Decimal? }
        let long = try #require(Decimal(string: "12345678901234567890.12"))
        try Self.run(kind) { fixture, edits in
            let edit = try RowEdit(upserting: Socket(gain: long), into: "socket")
            for write in [{ try edits.add(edit, id: "e") }, { try edits.write(edit) }] {
                let error = #expect(throws: StoreError.self) { try write() }
                #expect(error?.code == .invalidArgument && error?.message.contains("declare it as TEXT") == true)
            }
            #expect(try fixture.rows("*")[0] == [1, "a", 1.0] && edits.waiting().isEmpty)
            try edits.add(RowEdit(upserting: Socket(label: long, gain: 0.5), into: "socket"), id: "e")
            #expect(try fixture.rows("*")[0] == [1, "12345678901234567890.12", 0.5])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a cell that a record has not changed keeps the server's form`(kind: StoreSubject) throws {
        struct Order: Codable { var id: Int, title: String, due: Date?, tags: [String] }
        try DeltaFixture.run(kind) { fixture in
            let texts = ["title", "due", "tags"].map { TableSchema.Column(SQLIdentifier($0), "TEXT") }
            fixture.target = try DeltaFixture.target([.init("id", "INTEGER")] + texts)
            func row(_ due: String, _ tags: String) -> String {
                #"+{"id":1,"title":"a","due":"\#(due)","tags":\#(tags)}"#
            }
            try fixture.apply(nil, "1", [row("2026-11-28T08:00:00Z", #"["a", "b"]"#)])
            let edits = try PendingEdits(in: fixture.store)
            var order = try #require(try fixture.store.first(as: Order.self, "SELECT * FROM socket"))
            order.title = "mine"
            try edits.add(RowEdit(upserting: order, into: "socket"), id: "e1")
            #expect(try edits.waiting().map(\.changes) == [["title": "mine"]])
            try fixture.apply("1", "2", [row("2026-12-24T08:00:00Z", #"["x"]"#)])
            #expect(try fixture.rows("title, due, tags") == [["mine", "2026-12-24T08:00:00Z", #"["x"]"#]])
            order = try #require(try fixture.store.first(as: Order.self, "SELECT * FROM socket"))
            (order.due, order.tags) = (nil, ["x", "y"])
            try edits.add(RowEdit(upserting: order, into: "socket"), id: "e2")
            #expect(try edits.edits(of: "e2").map(\.changes) == [["due": nil, "tags": #"["x","y"]"#]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `the server's date in another form is no conflict, and its version is known`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"2027-01-15T08:00:00Z","gain":1}"#])
            let edits = try PendingEdits(in: fixture.store)
            let cells: ColumnValues = ["id": 1, "label": "2027-02-01 08:00:00.000"]
            try edits.add(RowEdit(upserting: cells, into: "socket", versionColumn: "gain"), id: "e")
            let there: ColumnValues = ["label": "2027-02-01T09:00:00+01:00", "gain": 2.0]
            try edits.received(there, refusing: edits.edits(of: "e")[0])
            let edit = try edits.edits(of: "e")[0]
            #expect(edit.isAtServer && edit.leads(to: edit.server) && edit.conflictingColumns == [])
            try edits.sent("e", rowVersion: 2.0)
            #expect(try fixture.rows("label, gain") == [["2027-02-01 08:00:00.000", 2.0]])
        }
    }

    @Test(
        arguments: StoreSubject.all,
        [
            ("2027-01-15T08:00:00+01:00", "2027-01-15T07:00:00Z"), ("[12345678901234567890]", "[12345678901234567891]"),
        ])
    func `an edit of the form alone is not at the server that has the old one`(
        kind: StoreSubject, texts: (old: String, new: String)
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"\#(texts.old)","gain":1}"#])
            let edits = try PendingEdits(in: fixture.store)
            let cells: ColumnValues = ["id": 1, "label": .text(texts.new)]
            try edits.add(RowEdit(upserting: cells, into: "socket", versionColumn: "gain"), id: "e")
            try edits.received(["label": .text(texts.old), "gain": 2.0], refusing: edits.edits(of: "e")[0])
            let edit = try edits.edits(of: "e")[0]
            #expect(!edit.isAtServer && edit.conflictingColumns == [])
            try edits.received(["label": .text(texts.new), "gain": 2.0], refusing: edit)
            #expect(try edits.edits(of: "e")[0].isAtServer)
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a UUID in lower case is the key of a record with that coding`(kind: StoreSubject) throws {
        struct Order: Codable { var id: UUID, label: String }
        try DeltaFixture.run(kind) { fixture in
            fixture.target = try DeltaFixture.target([.init("id", "TEXT"), .init("label", "TEXT")])
            let id = "6f1c2a9e-0b7d-4c58-9a41-1d2e3f4a5b6c"
            try fixture.apply(nil, "1", [#"+{"id":"\#(id)","label":"a"}"#])
            var order = try #require(try fixture.store.first(as: Order.self, "SELECT * FROM socket"))
            order.label = "mine"
            let edit = try RowEdit(upserting: order, into: "socket", coding: StoreCoding(uuids: .lowercaseText))
            try PendingEdits(in: fixture.store).add(edit, id: "e")
            #expect(try fixture.rows() == [[.text(id), "mine"]])
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `rows that refer to a row that was created here are not deleted by a delta`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            let store = fixture.store
            try store.execute(
                "CREATE TABLE photo (id INTEGER, socket INTEGER REFERENCES socket(id) ON DELETE CASCADE)", [])
            try edits.add(Self.edit(["id": 3, "label": "new"]), id: "e3")
            try store.execute("INSERT INTO photo VALUES (1, 3)", [])
            try fixture.apply("1", "2", ["-[3]", #"+{"id":1,"label":"s"}"#])
            try fixture.apply("2", "3", [#"+{"id":3,"label":"t"}"#])
            try fixture.apply(nil, "4", [])
            #expect(try store.rows("SELECT * FROM photo") == [[1, 3]])
            #expect(try fixture.rows() == [[3, "new"]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `an edit whose row the new table does not allow waits without being seen`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 3, "gain": 4]), id: "e3")
            fixture.target = try DeltaFixture.target([
                .init("id", "INTEGER"), .init("label", "TEXT", isNotNull: true), .init("gain", "REAL"),
            ])
            try fixture.apply(nil, "2", [#"+{"id":1,"label":"s"}"#])
            #expect(try fixture.rows() == [[1, "s"]])
            #expect(try edits.waiting().map(\.id) == ["e3"])
        }
    }

    @Test(arguments: StoreSubject.all) func `bad edits are refused`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try fixture.store.execute("CREATE TABLE bare (id INTEGER)", [])
            for (edit, code) in [
                (Self.edit(["label": "no key"]), StoreError.Code.invalidArgument),
                (Self.edit(["id": nil, "label": "x"]), .invalidArgument),
                (Self.edit(["id": 1, "shade": "x"]), .noSuchColumn),
                (RowEdit(upserting: ["id": 1, "label": "x"], into: "socket", versionColumn: "etag"), .noSuchColumn),
                (RowEdit(deleting: ["id": 1], from: "socket", versionColumn: "etag"), .noSuchColumn),
                (RowEdit(upserting: ["id": 1], into: "bare"), .invalidArgument),
                (RowEdit(upserting: ["id": 1], into: "missing"), .noSuchTable),
            ] {
                let error = #expect(throws: StoreError.self) { try edits.add(edit, id: "e") }
                #expect(error?.code == code)
            }
            #expect(try edits.waiting().isEmpty)
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]])
            // Nothing to settle.
            try edits.sent("unknown")
            try edits.discard("unknown")
        }
    }

    @Test func `cells are the same after they were stored as text`() throws {
        let cells: ColumnValues = [
            "a": nil, "B": .integer(.min), "c": 0.1, "d": "\u{301}t:3", "e": .blob(Data([0, 255])), "f": "",
            "g": "n\0l",
        ]
        #expect(ColumnValues(text: cells.text) == cells)
        for text in ["x", "1:a", "1:a1:x", "1:a2:ix"] { #expect(ColumnValues(text: text) == nil) }
    }
}
