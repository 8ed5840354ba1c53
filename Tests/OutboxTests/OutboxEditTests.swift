import Connectivity
import DeltaSync
import Foundation
import HTTPMessages
import JSON
import Outbox
import PatchbayTestKit
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import Transport

/// Edits of rows that entries send: `If-Match`, their settling, and conflicts.
@Suite(.needsSlot) struct OutboxEditTests {
    private static let stores: [StoreSubject] = [.memory, .sqliteInMemory]

    @Test(arguments: stores)
    func `each edit is sent with the version that the one before has led to`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open()
        for title in ["b", "c"] { _ = try world.edit(outbox, title: title) }
        #expect(try world.row == ["c", "x", "\"1\""] && world.edits().count == 2)
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.ifMatch.value == ["\"1\"", "\"2\""])
        #expect(world.notes.notes.value["n1"] == .init(title: "c", text: "x", version: 3))
        #expect(try world.row == ["c", "x", "\"3\""] && world.edits().isEmpty)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `an edit stays over a relaunch, and a rolled back one leaves nothing`(subject: StoreSubject) async throws {
        struct Refused: Error {}
        let world = try EditWorld(subject)
        var outbox = try world.open()
        _ = try world.edit(outbox, title: "b")
        #expect(throws: Refused.self) {
            try world.base.transact {
                _ = try world.edit(outbox, title: "never")
                throw Refused()
            }
        }
        await outbox.close()
        #expect(try world.row?.first == "b" && world.edits().count == 1)
        outbox = try world.open()
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.notes.value["n1"]?.title == "b")
        #expect(try world.edits().isEmpty)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `discarding an entry, or the entries of a user, shows the server's row`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open {
            $0.collapsing = { _, request in request.method == .delete ? .dropBoth : .keepBoth }
        }
        try outbox.discard(world.edit(outbox, title: "b").id)
        #expect(try world.row?.first == "a")
        try await outbox.signIn(as: "ada")
        _ = try world.edit(outbox, title: "of ada")
        #expect(try world.row?.first == "of ada")
        try await outbox.signOut(removingEntries: true)
        #expect(try world.row?.first == "a" && world.edits().isEmpty)
        // Created and deleted before anything was sent.
        let create = try OutboxWorld.request(.post, "/notes", "{}")
        try outbox.add(create, key: "n2", as: "new", editing: [RowEdit(upserting: ["id": "n2"], into: "note")])
        let delete = try OutboxWorld.request(.delete, "/notes/n2")
        let ticket = try outbox.add(
            delete, key: "n2", as: "delete", editing: [RowEdit(deleting: ["id": "n2"], from: "note")])
        #expect(ticket.outcome == .dropped)
        #expect(try world.base.store.rows("SELECT id FROM note", []) == [["n1"]])
        #expect(try world.edits().isEmpty)
        await outbox.close()
    }

    /// What another user changes, what the app decides, and what comes of it.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let title: String?
        let text: String?
        let resolve: @Sendable (OutboxConflict) -> OutboxResolution
        let server: [String]
        let ifMatch: [String]
    }

    private static let cases = [
        Case(
            testDescription: "server wins", title: "s", text: nil, resolve: { _ in .server }, server: ["s", "x"],
            ifMatch: ["\"1\""]),
        Case(
            testDescription: "client wins", title: "s", text: "t", resolve: { _ in .client }, server: ["b", "t"],
            ifMatch: ["\"1\"", "\"2\""]),
        Case(
            testDescription: "merged by column", title: nil, text: "t", resolve: { $0.mergedByColumn },
            server: ["b", "t"], ifMatch: ["\"1\"", "\"2\""]),
        Case(
            testDescription: "merged by the app", title: "s", text: nil,
            resolve: { conflict in
                guard case .text(let other)? = conflict.edit.server?["title"] else { return .ask }
                return .merged(["title": .text("b+" + other)])
            }, server: ["b+s", "x"], ifMatch: ["\"1\"", "\"2\""]),
    ]

    @Test(arguments: stores, cases)
    func `a refused edit ends as the app decides`(subject: StoreSubject, case: Case) async throws {
        let world = try EditWorld(subject)
        let asked = Watched<[Set<SQLIdentifier>?]>([])
        let resolve = `case`.resolve
        let outbox = try world.open {
            $0.conflicts = OutboxConflicts { conflict in
                asked.update { $0.append(conflict.edit.conflictingColumns) }
                return resolve(conflict)
            }
        }
        _ = try world.edit(outbox, title: "b")
        world.notes.change(`case`.title, text: `case`.text)
        world.base.network.set(.reachable)
        try await outbox.drained()
        let note = try #require(world.notes.notes.value["n1"])
        #expect([note.title, note.text] == `case`.server && world.notes.ifMatch.value == `case`.ifMatch)
        #expect(try world.row == [.text(note.title), .text(note.text), .text("\"\(note.version)\"")])
        #expect(try asked.value == [`case`.title == nil ? [] : ["title"]] && world.edits().isEmpty)
        // A server may have stored its refusal under the key.
        #expect(Set(world.notes.keys.value).count == `case`.ifMatch.count)
        await outbox.close()
    }

    @Test(arguments: stores, [OutboxResolution.client, .server, .merged(["title": "both"])])
    func `a conflict that the user decides waits, also over a relaunch`(
        subject: StoreSubject, resolution: OutboxResolution
    ) async throws {
        let world = try EditWorld(subject)
        var outbox = try world.open { $0.conflicts = OutboxConflicts { $0.mergedByColumn } }
        let id = try world.edit(outbox, title: "b").id
        world.notes.change("s")
        world.base.network.set(.reachable)
        try await outbox.status { $0.failed == 1 }
        await outbox.close()
        outbox = try world.open { $0.conflicts = OutboxConflicts { $0.mergedByColumn } }
        let failure = try #require(outbox.failures.first)
        let edit = try #require(outbox.edits(of: failure.id).first)
        #expect(failure.id == id && failure.failure?.status == .preconditionFailed)
        #expect(edit.server?["title"] == "s" && edit.local?["title"] == "b" && edit.changes == ["title": "b"])
        #expect(try world.row?.first == "b")
        try outbox.resolve(id, with: resolution)
        try await outbox.drained()
        let expected: StoreValue = resolution == .client ? "b" : resolution == .server ? "s" : "both"
        #expect(try world.row?.first == expected)
        #expect(world.notes.notes.value["n1"].map { .text($0.title) } == expected)
        #expect(try outbox.failures.isEmpty && world.edits().isEmpty)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `removing the entries of a user removes what was sent too, and shows the server's row`(
        subject: StoreSubject
    ) async throws {
        let world = try EditWorld(subject)
        let (outbox, store) = (try world.open(), world.base.store)
        try await outbox.signIn(as: "ada")
        try store.execute("DELETE FROM note", [])
        let columns = ["id", "title", "text", "etag"].map { TableSchema.Column(SQLIdentifier($0), "TEXT") }
        let target = try DeltaTarget(
            tables: [TableSchema("note", columns: columns, primaryKey: ["id"])],
            binding: DeltaBinding(server: "s", resource: "notes", user: "ada"))
        let text = #"""
            [{"from":null,"to":"1"},{"table":"note"},
            {"upsert":{"id":"n1","title":"a","text":"x","etag":"\"1\""}},{"end":{"upserts":1,"deletes":0}}]
            """#
        var source = JSONDeltaSource(Data(text.utf8))
        try DeltaApplier(store).apply(&source, to: target)
        _ = try world.edit(outbox, title: "b")
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(try world.row == ["b", "x", "\"2\""])
        try await outbox.signOut(removingEntries: true)
        for table in ["patchbay_edits", "patchbay_edited_rows"] {
            #expect(try store.rows("SELECT number FROM \(table)", []).isEmpty)
        }
        #expect(try world.row == ["a", "x", "\"1\""])
        await outbox.close()
    }

    @Test(arguments: stores)
    func `an edit is sent with the version that it was made from, also after a newer one came`(
        subject: StoreSubject
    ) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open { $0.conflicts = OutboxConflicts { $0.mergedByColumn } }
        let store = world.base.store
        try store.execute("DELETE FROM note", [])
        let columns = ["id", "title", "text", "etag"].map { TableSchema.Column(SQLIdentifier($0), "TEXT") }
        let target = try DeltaTarget(
            tables: [TableSchema("note", columns: columns, primaryKey: ["id"])],
            binding: DeltaBinding(server: "s", resource: "notes"))
        func apply(_ from: String, _ version: Int, _ row: String) throws {
            let text = """
                [{"from":\(from),"to":"\(version)"},{"table":"note"},
                {"upsert":{"id":"n1",\(row),"etag":"\\"\(version)\\""}},{"end":{"upserts":1,"deletes":0}}]
                """
            var source = JSONDeltaSource(Data(text.utf8))
            try DeltaApplier(store).apply(&source, to: target)
        }
        try apply("null", 1, #""title":"a","text":"x""#)
        _ = try world.edit(outbox, title: "b")
        world.notes.change(text: "t")
        try apply("\"1\"", 2, #""title":"a","text":"t""#)
        #expect(try world.row == ["b", "t", "\"2\""])
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.ifMatch.value == ["\"1\"", "\"2\""])
        #expect(world.notes.notes.value["n1"] == .init(title: "b", text: "t", version: 3))
        #expect(try world.row == ["b", "t", "\"3\""])
        await outbox.close()
    }

    @Test(arguments: stores)
    func `an edit whose response was lost is done, without a question`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        world.notes.lost.withLock { $0 = 1 }
        let outbox = try world.open {
            $0.conflicts = OutboxConflicts { _ in
                Issue.record("asked")
                return .ask
            }
        }
        _ = try world.edit(outbox, title: "b")
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.ifMatch.value == ["\"1\"", "\"1\""])
        #expect(try world.row == ["b", "x", "\"2\""] && world.edits().isEmpty)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `a lost response is no question if the server has a date and a list in other forms`(
        subject: StoreSubject
    ) async throws {
        let world = try EditWorld(subject)
        world.notes.lost.withLock { $0 = 1 }
        let outbox = try world.open {
            $0.conflicts = OutboxConflicts { _ in
                Issue.record("asked")
                return .ask
            }
        }
        let cells: ColumnValues = ["id": "n1", "title": "2027-01-15 08:00:00.000", "text": #"["a","b"]"#]
        let body = #"{"title":"2027-01-15T08:00:00Z","text":"[\"a\", \"b\"]"}"#
        try outbox.add(
            OutboxWorld.request(.put, "/notes/n1", body), key: "n1", as: "save note",
            editing: [RowEdit(upserting: cells, into: "note", versionColumn: "etag")])
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.ifMatch.value == ["\"1\"", "\"1\""])
        #expect(try world.row?.last == "\"2\"" && world.edits().isEmpty && outbox.failures.isEmpty)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `a conflict of one row leaves the other rows of its entry`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .client } }
        try world.base.store.execute("INSERT INTO note VALUES ('n2', 'second', 'y', NULL)", [])
        let request = try OutboxWorld.request(.put, "/notes/n1", #"{"title":"b","text":"x"}"#)
        let edits = [("n1", "b"), ("n2", "c")].map { id, title in
            RowEdit(upserting: ["id": .text(id), "title": .text(title)], into: "note", versionColumn: "etag")
        }
        try outbox.add(request, key: "n1", as: "save notes", editing: edits)
        world.notes.change("s")
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.notes.value["n1"]?.title == "b" && world.notes.ifMatch.value == ["\"1\"", "\"2\""])
        let rows = try world.base.store.rows("SELECT title, text, etag FROM note ORDER BY id", [])
        #expect(rows == [["b", "x", "\"3\""], ["c", "y", nil]])
        await outbox.close()
    }

    @Test(arguments: stores)
    func `without rules a refused edit fails and stays, and an error of the rules too`(
        subject: StoreSubject
    ) async throws {
        struct Broken: Error {}
        for conflicts in [nil, OutboxConflicts { _ in throw Broken() }] {
            let world = try EditWorld(subject)
            let outbox = try world.open { $0.conflicts = conflicts }
            _ = try world.edit(outbox, title: "b")
            world.notes.change("s")
            world.base.network.set(.reachable)
            try await outbox.status { $0.failed == 1 }
            #expect(try world.row?.first == "b" && world.edits().count == 1)
            await outbox.close()
        }
    }
}
