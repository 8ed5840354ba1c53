import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// What is sent while deltas and loads are in progress, for several users, and in tables that change.
@Suite(.needsSlot) struct PendingEditsSettlingTests {
    private static func run(_ kind: StoreSubject, _ body: (inout DeltaFixture, PendingEdits) throws -> Void) throws {
        try DeltaFixture.run(kind) { fixture in
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"a","gain":1}"#, #"+{"id":2,"label":"b","gain":2}"#])
            try body(&fixture, PendingEdits(in: fixture.store))
        }
    }

    private static func edit(_ cells: ColumnValues) -> RowEdit { RowEdit(upserting: cells, into: "socket") }

    /// Applies the responses of an update, whose further requests fail; `body` runs during the first one.
    private static func update(
        _ fixture: DeltaFixture, _ texts: String..., during body: () throws -> Void = {}
    ) throws -> DeltaOutcome {
        var rest = texts[...]
        return try fixture.applier.update(fixture.target) { _ in
            if rest.count == texts.count { try body() }
            guard let text = rest.popFirst() else { throw CancellationError() }
            return DeltaFixture.source(Data(text.utf8), chunkSize: 1000)
        }
    }

    @Test(arguments: StoreSubject.all)
    func `edits of one row and ID are one`(kind: StoreSubject) throws {
        try Self.run(kind) { _, edits in
            try edits.add(Self.edit(["id": 1, "label": "b"]), id: "e")
            try edits.add(Self.edit(["id": 2, "label": "z"]), id: "e")
            try edits.add(Self.edit(["id": 1, "label": "c", "gain": 9]), id: "e")
            let found = try edits.edits(of: "e")
            #expect(found.map(\.key) == [["id": 1], ["id": 2]])
            #expect(found[0].changes == ["label": "c", "gain": 9.0] && found[0].base == ["label": "a", "gain": 1.0])
            try edits.add(RowEdit(deleting: ["id": 1], from: "socket"), id: "e")
            #expect(try edits.edits(of: "e")[0].isDeletion)
            #expect(try edits.edits(of: "e")[0].base == ["id": 1, "label": "a", "gain": 1.0])
            try edits.add(Self.edit(["id": 1, "label": "d"]), id: "e")
            let last = try edits.edits(of: "e")[0]
            #expect(last.changes == ["id": 1, "label": "d", "gain": nil] && last.base["label"] == "a")
            try edits.discard("e")
            #expect(try edits.waiting().isEmpty)
        }
    }

    @Test(arguments: StoreSubject.all, ["2", nil] as [String?])
    func `a delta that was requested after a send removes the edit, also without changes`(
        kind: StoreSubject, from: String?
    ) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            // The send ends while the delta is on its way.
            _ = try Self.update(fixture, DeltaFixture.text("1", "2", [#"+{"id":1,"label":"old"}"#])) {
                try edits.sent("e1")
            }
            #expect(try fixture.rows()[0] == [1, "mine"])
            // Or a full load of the stored version.
            _ = try Self.update(fixture, DeltaFixture.text(from, "2"))
            #expect(try fixture.rows()[0] == [1, "old"])
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]])
            // The first delta after the send.
            try edits.add(Self.edit(["id": 2, "label": "mine"]), id: "e2")
            try edits.sent("e2")
            _ = try Self.update(fixture, DeltaFixture.text("2", "3", ["-[2]"]))
            #expect(try fixture.rows() == [[1, "old"]])
        }
    }

    @Test(arguments: StoreSubject.all, [false, true])
    func `what is sent after the request for the first page of a full load stays until the next delta`(
        kind: StoreSubject, invalidatesAll: Bool
    ) throws {
        try Self.run(kind) { fixture, edits in
            for id in [1, 2] { try edits.add(Self.edit(["id": .integer(Int64(id)), "label": "mine"]), id: "e\(id)") }
            if invalidatesAll {
                try fixture.applier.invalidateAll()
            } else {
                try fixture.applier.invalidate(fixture.target)
            }
            let page = [#"+{"id":1,"label":"old"}"#, #"+{"id":2,"label":"old"}"#]
            _ = try Self.update(
                fixture, DeltaFixture.text(nil, "p1", more: true, page), DeltaFixture.text("p1", "2")
            ) {
                try edits.sent("e1")
                try edits.received(["label": "theirs"], refusing: edits.edits(of: "e2")[0])
                try edits.discard("e2")
            }
            #expect(try fixture.rows() == [[1, "mine"], [2, "theirs"]])
            _ = try Self.update(fixture, DeltaFixture.text("2", "3"))
            #expect(try fixture.rows() == [[1, "old"], [2, "old"]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `an edit that was sent stays until the last page of changes`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            try edits.sent("e1")
            // The second page cannot be fetched.
            #expect(throws: DeltaError.self) {
                try Self.update(fixture, DeltaFixture.text("1", "1.1", more: true, ["-[2]"]))
            }
            #expect(try fixture.rows() == [[1, "mine"]] && fixture.version() == "1.1")
            _ = try Self.update(fixture, DeltaFixture.text("1.1", "2", [#"+{"id":1,"label":"later"}"#]))
            #expect(try fixture.rows() == [[1, "later"]])
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `what is sent during the first load stays`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            let edits = try PendingEdits(in: fixture.store)
            let load = DeltaFixture.text(nil, "1", [#"+{"id":1,"label":"old"}"#])
            _ = try Self.update(fixture, load) {
                try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
                try edits.sent("e1")
                try edits.add(Self.edit(["id": 1, "gain": 4]), id: "e2")
            }
            #expect(try fixture.rows("*") == [[1, "mine", 4.0]])
            try edits.sent("e2")
            _ = try Self.update(fixture, DeltaFixture.text("1", "2", [#"+{"id":1,"label":"mine","gain":4}"#]))
            #expect(try fixture.rows("*") == [[1, "mine", 4.0]])
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edits") == [[0]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a send does not write over a newer row of the server`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            // The response was lost, and another user has changed the row since.
            try fixture.apply("1", "2", [#"+{"id":1,"label":"theirs","gain":5}"#])
            try edits.sent("e1")
            #expect(try fixture.rows("*")[0] == [1, "mine", 5.0])
            _ = try Self.update(fixture, DeltaFixture.text("2", "2"))
            #expect(try fixture.rows("*")[0] == [1, "theirs", 5.0])
        }
    }

    /// What other users have done to a row after a request, which a delta brings before the response to it.
    @Test(arguments: StoreSubject.all)
    func `a late response neither deletes a row that was created again nor creates a deleted one`(
        kind: StoreSubject
    ) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(RowEdit(deleting: ["id": 1], from: "socket"), id: "e1")
            try edits.add(Self.edit(["id": 2, "label": "mine"]), id: "e2")
            try fixture.apply("1", "2", [#"+{"id":1,"label":"again","gain":5}"#, "-[2]"])
            for id in ["e1", "e2"] { try edits.sent(id) }
            #expect(try fixture.rows("*") == [[2, "mine", 2.0]])
            _ = try Self.update(fixture, DeltaFixture.text("2", "3"))
            #expect(try fixture.rows("*") == [[1, "again", 5.0]])
            #expect(try fixture.store.rows("SELECT count(*) FROM patchbay_edited_rows") == [[0]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `what the app has changed of a row since a send is under its next edit`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            let edits = try PendingEdits(in: fixture.store)
            // The first load is in progress.
            try fixture.applier.withExclusiveTables(fixture.target) { [fixture] tables in
                _ = try? fixture.applier.prepare(tables)
            }
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            try edits.sent("e1")
            try fixture.store.execute("UPDATE socket SET gain = 9 WHERE id = 1", [])
            try edits.add(Self.edit(["id": 1, "label": "second"]), id: "e2")
            try edits.discard("e2")
            #expect(try fixture.rows("*") == [[1, "mine", 9.0]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `edits before the first load belong to its rows, and not to later ones with other parameters`(
        kind: StoreSubject
    ) throws {
        try DeltaFixture.run(kind) { fixture in
            let edits = try PendingEdits(in: fixture.store, user: "7")
            try fixture.store.createTable(fixture.target.tables[0])
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"s"}"#])
            #expect(try fixture.rows() == [[1, "mine"]])
            let own = fixture.target
            fixture.target = try DeltaFixture.target(
                binding: DeltaBinding(
                    server: "https://example.com", resource: "sockets", parameters: "shop=2", user: "7"))
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"other shop"}"#])
            #expect(try fixture.rows() == [[1, "other shop"]])
            #expect(try edits.waiting().isEmpty)
            fixture.target = own
            try fixture.apply(nil, "2", [#"+{"id":1,"label":"s"}"#])
            #expect(try fixture.rows() == [[1, "mine"]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `an edit that its table does not allow can be settled`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 3, "gain": 4]), id: "e3")
            try edits.add(Self.edit(["id": 4, "gain": 4]), id: "e4")
            fixture.target = try DeltaFixture.target([
                .init("id", "INTEGER"), .init("label", "TEXT", isNotNull: true), .init("gain", "REAL"),
            ])
            try fixture.apply(nil, "2", [#"+{"id":1,"label":"s"}"#])
            try edits.sent("e3")
            try fixture.apply("2", "3", [#"+{"id":4,"label":"server"}"#])
            #expect(try fixture.rows("*") == [[1, "s", nil], [4, "server", nil]])
            try edits.discard("e4")
            #expect(try fixture.rows("*") == [[1, "s", nil], [4, "server", nil]])
            #expect(try edits.waiting().isEmpty)
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `an edit that takes a unique value can be settled, and shows the server's row`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            try fixture.store.execute("UPDATE socket SET label = 'a' WHERE id = 1", [])
            try fixture.store.execute("CREATE UNIQUE INDEX one_label ON socket (label)", [])
            try fixture.store.execute("UPDATE socket SET label = 'mine' WHERE id = 2", [])
            try edits.sent("e1")
            #expect(try fixture.rows() == [[1, "a"], [2, "mine"]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a full load with another key, or another type of it, changes no other row`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            try edits.add(Self.edit(["id": 1, "label": "mine"]), id: "e1")
            let text: [TableSchema.Column] = [.init("id", "TEXT"), .init("label", "TEXT"), .init("gain", "REAL")]
            fixture.target = try DeltaFixture.target(text)
            try fixture.apply(nil, "2", [#"+{"id":"1","label":"s"}"#])
            #expect(try fixture.rows() == [["1", "mine"]])
            try fixture.apply("2", "3", [#"+{"id":"1","label":"t"}"#])
            #expect(try fixture.rows() == [["1", "mine"]])
            fixture.target = try DeltaFixture.target(text, key: ["id", "label"])
            try fixture.apply(nil, "4", [#"+{"id":"1","label":"s"}"#, #"+{"id":"1","label":"t"}"#])
            try edits.sent("e1")
            #expect(try fixture.rows() == [["1", "s"], ["1", "t"]])
            #expect(try edits.edits(of: "e1").isEmpty)
        }
    }

    @Test(arguments: StoreSubject.all)
    func `edits before the first load are for the rows of their user`(kind: StoreSubject) throws {
        try DeltaFixture.run(kind) { fixture in
            let users = try ["7", "8"].map { try PendingEdits(in: fixture.store, user: $0) }
            try fixture.store.createTable(fixture.target.tables[0])
            try users[0].add(Self.edit(["id": 1, "label": "of 7"]), id: "e7")
            try users[1].add(Self.edit(["id": 1, "label": "of 8"]), id: "e8")
            #expect(try users.map { try $0.waiting().map(\.id) } == [["e7"], ["e8"]])
            let own = fixture.target
            fixture.target = try DeltaFixture.target(
                binding: DeltaBinding(server: "https://example.com", resource: "sockets", user: "8"))
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"s"}"#])
            #expect(try fixture.rows() == [[1, "of 8"]])
            #expect(try users.map { try $0.waiting().map(\.id) } == [[], ["e8"]])
            let error = #expect(throws: StoreError.self) { try users[0].add(Self.edit(["id": 2]), id: "e") }
            #expect(error?.code == .invalidArgument)
            fixture.target = own
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"s"}"#])
            #expect(try fixture.rows() == [[1, "of 7"]])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a fetched row does not replace a newer one, and later edits follow its version`(kind: StoreSubject) throws {
        try Self.run(kind) { fixture, edits in
            func edit(_ cells: ColumnValues) -> RowEdit {
                RowEdit(upserting: cells, into: "socket", versionColumn: "gain")
            }
            try edits.add(edit(["id": 1, "label": "b"]), id: "e1")
            try edits.add(edit(["id": 1, "label": "c"]), id: "e2")
            let refused = try edits.edits(of: "e1")[0]
            try fixture.apply("1", "2", [#"+{"id":1,"label":"newer","gain":3}"#])
            try edits.rebase(refused, onto: ["label": "fetched", "gain": 2])
            #expect(try edits.waiting().first?.rowVersion == 2.0 && edits.waiting().last?.rowVersion != 2.0)
            #expect(try edits.waiting().allSatisfy { $0.server?["label"] == "newer" })
            try edits.sent("e1", rowVersion: 4.0)
            #expect(try edits.waiting().map(\.rowVersion) == [4.0])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a later edit over a newer row that lacks the sent one is refused, also if the response has no version`(
        kind: StoreSubject
    ) throws {
        func edit(_ label: StoreValue) -> RowEdit {
            RowEdit(upserting: ["id": 1, "label": label], into: "socket", versionColumn: "gain")
        }
        for (label, version) in [("theirs", "\"\""), ("b", 2.0)] as [(String, StoreValue)] {
            try Self.run(kind) { fixture, edits in
                try edits.add(edit("b"), id: "e1")
                try fixture.apply("1", "2", ["+{\"id\":1,\"label\":\"\(label)\",\"gain\":2}"])
                try edits.add(edit("c"), id: "e2")
                #expect(try edits.waiting().last?.rowVersion == 2.0)
                try edits.sent("e1")
                #expect(try edits.waiting().map(\.rowVersion) == [version])
            }
        }
    }

    /// Responses that were requested before the send, as full loads and as deltas.
    @Test(arguments: StoreSubject.all, [nil, "1"] as [String?])
    func `an older row does not set back the version that a send has led to`(
        kind: StoreSubject, from: String?
    ) throws {
        func edit(_ label: StoreValue) -> RowEdit {
            RowEdit(upserting: ["id": 1, "label": label], into: "socket", versionColumn: "gain")
        }
        for isWaiting in [false, true] {
            try Self.run(kind) { fixture, edits in
                let older = DeltaFixture.text(from, "2", [#"+{"id":1,"label":"a","gain":1}"#])
                _ = try Self.update(fixture, older) {
                    try edits.add(edit("b"), id: "e1")
                    try edits.sent("e1", rowVersion: 2.0)
                    if isWaiting { try edits.add(edit("c"), id: "e2") }
                }
                #expect(try fixture.rows("*")[0] == [1, isWaiting ? "c" : "b", 2.0])
                if !isWaiting { try edits.add(edit("c"), id: "e2") }
                try edits.add(edit("d"), id: "e3")
                #expect(try edits.waiting().map(\.rowVersion) == [2.0, 2.0])
                try edits.sent("e2", rowVersion: 3.0)
                #expect(try edits.waiting().map(\.rowVersion) == [3.0])
                try edits.add(edit("e"), id: "e4")
                #expect(try edits.waiting().map(\.rowVersion) == [3.0, 3.0])
                try edits.sent("e3", rowVersion: 4.0)
                try edits.sent("e4", rowVersion: 5.0)
                #expect(try fixture.rows("*")[0] == [1, "e", 5.0])
                // A version of another device is not taken for one before the sends.
                _ = try Self.update(fixture, DeltaFixture.text(nil, "3", [#"+{"id":1,"label":"theirs","gain":9}"#])) {
                    try edits.add(edit("f"), id: "e5")
                    try edits.sent("e5", rowVersion: 6.0)
                }
                // With the sent edit on top it is not a row that the server has had, so it has no version of one.
                #expect(try fixture.rows("*")[0] == [1, "f", "\"\""])
            }
        }
    }

    @Test(arguments: StoreSubject.all)
    func `versions of sends before the first load stay, and an insertion after a deletion has none`(
        kind: StoreSubject
    ) throws {
        func edit(_ label: StoreValue) -> RowEdit {
            RowEdit(upserting: ["id": 1, "label": label], into: "socket", versionColumn: "gain")
        }
        try DeltaFixture.run(kind) { fixture in
            let edits = try PendingEdits(in: fixture.store)
            try fixture.applier.withExclusiveTables(fixture.target) { [fixture] tables in
                _ = try? fixture.applier.prepare(tables)
            }
            for (id, version) in [("e1", 1.0), ("e2", 2.0)] {
                try edits.add(edit(.text(id)), id: id)
                try edits.sent(id, rowVersion: .real(version))
            }
            try edits.add(edit("e3"), id: "e3")
            // Requested between the sends.
            try fixture.apply(nil, "1", [#"+{"id":1,"label":"e1","gain":1}"#])
            #expect(try fixture.rows("*") == [[1, "e3", 2.0]])
        }
        try Self.run(kind) { _, edits in
            try edits.add(RowEdit(upserting: ["id": 3], into: "socket", versionColumn: "gain"), id: "e1")
            try edits.add(RowEdit(deleting: ["id": 3], from: "socket", versionColumn: "gain"), id: "e2")
            try edits.add(RowEdit(upserting: ["id": 3], into: "socket", versionColumn: "gain"), id: "e3")
            try edits.sent("e1", rowVersion: 4.0)
            #expect(try edits.waiting().map(\.rowVersion) == [4.0, .null])
        }
    }

    @Test(arguments: StoreSubject.all)
    func `an ID that is used again is that of the new edit`(kind: StoreSubject) throws {
        try Self.run(kind) { _, edits in
            try edits.add(Self.edit(["id": 1, "label": "b"]), id: "e")
            try edits.sent("e")
            try edits.add(RowEdit(upserting: ["id": 2, "label": "c"], into: "socket", versionColumn: "gain"), id: "e")
            #expect(try edits.edits(of: "e").map(\.key) == [["id": 2]])
            try edits.sent("e", rowVersion: 7.0)
            #expect(try edits.store.rows("SELECT gain FROM socket ORDER BY id", []) == [[1.0], [7.0]])
        }
    }

    @Test(
        arguments: [
            ("\"2\"", "\"1\"", "\"2\""), ("\"2\"", "1", "2"), ("\"2\"", 1, 2), ("W/\"2\"", 1, 2),
            ("W/\"2\"", nil, "W/\"2\""),
            ("\"x\"", 1, nil), ("2", "1", "2"), (3, 1, 3),
        ] as [(StoreValue, StoreValue, StoreValue?)])
    func `an entity tag takes the form of the version`(tag: StoreValue, old: StoreValue, new: StoreValue?) {
        #expect(tag.version(like: old) == new)
    }
}
