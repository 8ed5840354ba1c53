import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Rows with edits of several users, and tables that were never loaded.
@Suite(.needsSlot) struct PendingEditsSharedTests {
    private static func edit(_ cells: ColumnValues) -> RowEdit { RowEdit(upserting: cells, into: "socket") }

    private static func users(_ fixture: DeltaFixture) throws -> [PendingEdits] {
        try ["ann", "bob"].map { try PendingEdits(in: fixture.store, user: $0) }
    }

    /// A row for all users, with an edit of each.
    private static func runShared(
        _ kind: StoreSubject, _ body: (inout DeltaFixture, [PendingEdits]) throws -> Void
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            fixture.target = try DeltaFixture.target(
                binding: DeltaBinding(server: "https://example.com", resource: "sockets"))
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a","gain":1}"#])
            let users = try users(fixture)
            try users[0].add(edit(["id": 1, "label": "ann"]), id: "e1")
            try users[1].add(edit(["id": 1, "gain": 5]), id: "e2")
            try body(&fixture, users)
        }
    }

    private static func waiting(_ users: [PendingEdits]) throws -> [[String]] {
        try users.map { try $0.waiting().map(\.id) }
    }

    @Test(arguments: StoreSubject.all)
    func `each user of a row for all users has the edits of that user`(kind: StoreSubject) throws {
        try Self.runShared(kind) { fixture, users in
            #expect(try Self.waiting(users) == [["e1"], ["e2"]])
            try fixture.apply("1", "2", [#"+{"id":1,"label":"s","gain":2}"#])
            #expect(try fixture.rows("*") == [[1, "ann", 5.0]])
            try users[0].discard("e1")
            #expect(try fixture.rows("*") == [[1, "s", 5.0]])
            #expect(try Self.waiting(users) == [[], ["e2"]])
            try users[1].sent("e2")
            for version in [2, 3] { try fixture.apply("\(version)", "\(version + 1)") }
            #expect(try fixture.rows("*") == [[1, "s", 2.0]])
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]])
        }
    }

    /// As an older version has stored it.
    @Test(arguments: StoreSubject.all)
    func `edits of several users in one stored row are those of its user`(kind: StoreSubject) throws {
        try Self.runShared(kind) { fixture, users in
            try fixture.store.execute("UPDATE patchbay_edits SET row = 1", [])
            try fixture.store.execute("DELETE FROM patchbay_edited_rows WHERE number = 2", [])
            #expect(try Self.waiting(users) == [["e1", "e2"], []])
            try users[1].add(Self.edit(["id": 1, "gain": 6]), id: "e3")
            #expect(try Self.waiting(users) == [["e1", "e2"], ["e3"]])
            for id in ["e1", "e2"] { try users[0].discard(id) }
            #expect(try fixture.rows("*") == [[1, "a", 6.0]])
            try users[1].discard("e3")
            #expect(try fixture.rows("*") == [[1, "a", 1.0]])
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]])
        }
    }

    @Test(arguments: StoreSubject.all, [true, false])
    func `a row that was never loaded keeps the edit of one user when that of another is settled`(
        kind: StoreSubject, isSent: Bool
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.store.createTable(fixture.target.tables[0])
            let users = try Self.users(fixture)
            try users[0].add(Self.edit(["id": 1, "label": "ann", "gain": 1]), id: "e1")
            try users[1].add(Self.edit(["id": 1, "label": "bob"]), id: "e2")
            try isSent ? users[0].sent("e1") : users[0].discard("e1")
            #expect(try fixture.rows("*") == [[1, "bob", 1.0]])
            #expect(try Self.waiting(users) == [[], ["e2"]])
            try users[1].discard("e2")
            #expect(try fixture.rows("*") == (isSent ? [[1, "ann", 1.0]] : []))
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]])
        }
    }

    @Test(arguments: StoreSubject.all, [false, true])
    func `a row of a table without deltas keeps one edit that was sent`(kind: StoreSubject, isWaiting: Bool) throws {
        try DeltaFixture.run(kind) { fixture in
            // Another table of the store has deltas.
            try fixture.apply(nil, "1", [])
            try fixture.store.createTable(TableSchema("draft", columns: DeltaFixture.columns, primaryKey: ["id"]))
            let edits = try PendingEdits(in: fixture.store)
            for number in 1...4 {
                try edits.add(
                    RowEdit(upserting: ["id": 1, "label": .text("e\(number)")], into: "draft"), id: "e\(number)")
                if !isWaiting { try edits.sent("e\(number)") }
                if isWaiting, number > 1 { try edits.sent("e\(number - 1)") }
            }
            #expect(try fixture.rows(table: "draft") == [[1, "e4"]])
            #expect(try edits.waiting().map(\.id) == (isWaiting ? ["e4"] : []))
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edits WHERE sent > 0") == [[1]])
        }
    }

    /// The first load, as it was requested before, between and after the sends.
    @Test(
        arguments: StoreSubject.all,
        [[]] + (1...3).map { [#"+{"id":1,"label":"e\#($0)","gain":\#($0)}"#] })
    func `one edit for several sends leads from each row of the server to the last version`(
        kind: StoreSubject, operations: [String]
    ) throws {
        func edit(_ number: Int) -> RowEdit {
            RowEdit(upserting: ["id": 1, "label": .text("e\(number)")], into: "socket", versionColumn: "gain")
        }
        try DeltaFixture.run(kind) { fixture in
            let edits = try PendingEdits(in: fixture.store)
            try fixture.applier.withExclusiveTables(fixture.target) { [fixture] tables in
                _ = try? fixture.applier.prepare(tables)
            }
            for number in 1...3 {
                try edits.add(edit(number), id: "e\(number)")
                try edits.sent("e\(number)", rowVersion: .real(Double(number)))
            }
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edits") == [[1]])
            try edits.add(edit(4), id: "e4")
            try fixture.apply(nil, "1", operations)
            #expect(try fixture.rows("*") == [[1, "e4", 3.0]])
            #expect(try edits.waiting().map(\.rowVersion) == [3.0])
        }
    }

    /// The first load, as it was requested before the sends, or after the first one, which has made the row.
    @Test(arguments: StoreSubject.all, [false, true])
    func `the first load leaves what several users have sent, with the last version`(
        kind: StoreSubject, isNew: Bool
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            fixture.target = try DeltaFixture.target(
                DeltaFixture.columns + [.init("rev", "INTEGER")],
                binding: DeltaBinding(server: "https://example.com", resource: "sockets"))
            try fixture.applier.withExclusiveTables(fixture.target) { [fixture] tables in
                _ = try? fixture.applier.prepare(tables)
            }
            let users = try Self.users(fixture)
            if !isNew { try users[0].write(Self.edit(["id": 1, "label": "s", "gain": 1, "rev": 1])) }
            func add(_ cells: ColumnValues, by user: Int, id: String) throws {
                try users[user].add(RowEdit(upserting: cells, into: "socket", versionColumn: "rev"), id: id)
            }
            let sends: [(user: Int, cells: ColumnValues)] = [
                (0, ["id": 1, "label": "a"]), (0, ["id": 1, "label": "b"]), (1, ["id": 1, "gain": 5]),
            ]
            for (number, send) in sends.enumerated() {
                try add(send.cells, by: send.user, id: "e\(number)")
                try users[send.user].sent("e\(number)", rowVersion: .integer(Int64(number + 2)))
            }
            try add(["id": 1, "gain": 7], by: 1, id: "next")
            let row = isNew ? #""label":"a","gain":null,"rev":2"# : #""label":"s","gain":1,"rev":1"#
            try fixture.apply(nil, "1", [#"+{"id":1,\#(row)}"#])
            #expect(try fixture.rows("*") == [[1, "b", 7.0, 4]])
            #expect(try users[1].waiting().map(\.rowVersion) == [4])
        }
    }
}
