import Connectivity
import DeltaSync
import Foundation
import HTTPMessages
import JSON
import PatchbayTestKit
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Outbox

/// How a conflict is resolved: by the app, with versions, rows and bodies of any form.
@Suite(.needsSlot) struct OutboxResolutionTests {
    private static let stores: [StoreSubject] = [.memory, .sqliteInMemory]
    private static func edit(_ id: String, _ cells: ColumnValues = [:]) -> RowEdit {
        RowEdit(upserting: cells.merging(["id": .text(id)]) { $1 }, into: "note", versionColumn: "etag")
    }

    @Test(arguments: stores)
    func `only a refused entry can be resolved, and it stays the same entry`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .ask } }
        let tickets = try [world.edit(outbox, title: "b"), world.edit(outbox, title: "c")]
        for ticket in tickets {
            for resolution in [OutboxResolution.client, .server, .merged(["title": "m"])] {
                let error = #expect(throws: OutboxError.self) { try outbox.resolve(ticket.id, with: resolution) }
                #expect(error?.code == .noConflict)
            }
        }
        world.notes.change("s")
        world.base.network.set(.reachable)
        try await outbox.status { $0.failed == 1 && $0.sending == 0 }
        world.base.network.set(.unreachable)
        let id = tickets[0].id
        try outbox.resolve(id, with: .client)
        let entry = try #require(try outbox.entry(id))
        #expect(entry.state == .waiting && entry.idempotencyKey == id.idempotencyKey + ".1")
        // The second edit follows once the first one was sent.
        #expect(try world.edits().map(\.rowVersion) == ["\"2\"", "\"1\""])
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(
            world.notes.ifMatch.value == ["\"1\"", "\"2\"", "\"3\""] && world.notes.notes.value["n1"]?.title == "c")
        await outbox.close()
    }

    @Test(arguments: stores)
    func `an unchanged request of unknown outcome keeps its key if no version guards it`(
        subject: StoreSubject
    ) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .ask } }
        for (title, doubt, suffix) in [("b", 0, ".1"), ("c", -1, "")] {
            let edit = RowEdit(upserting: ["id": "n1", "title": .text(title)], into: "note")
            let request = try OutboxWorld.request(.put, "/notes/n1", #"{"title":"\#(title)","text":"x"}"#)
            let id = try outbox.add(request, key: doubt, as: "save", editing: [edit]).id
            try world.base.store.execute(
                "UPDATE patchbay_outbox SET phase = 3, doubt = ?, failure = 'response', failureStatus = 409 WHERE number = ?",
                [.integer(Int64(doubt)), .integer(id.number)])
            try outbox.resolve(id, with: .client)
            #expect(try outbox.entry(id)?.idempotencyKey == id.idempotencyKey + suffix)
        }
        await outbox.close()
    }

    @Test(arguments: stores)
    func `after the last resolution by rules the app decides on the server's row of then`(
        subject: StoreSubject
    ) async throws {
        let world = try EditWorld(subject)
        let notes = world.notes
        notes.script.withLock {
            $0 = { request in
                if request.method == .put { notes.change("s") }
                return nil
            }
        }
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .client } }
        let id = try world.edit(outbox, title: "b").id
        world.base.network.set(.reachable)
        try await outbox.status { $0.failed == 1 && $0.sending == 0 }
        #expect(notes.keys.value.count == 5 && notes.notes.value["n1"]?.version == 6)
        #expect(try outbox.edits(of: id).first?.server?["etag"] == "\"6\"")
        notes.script.withLock { $0 = nil }
        try outbox.resolve(id, with: .client)
        try await outbox.drained()
        #expect(notes.notes.value["n1"]?.title == "b" && notes.ifMatch.value.last == "\"6\"")
        #expect(try world.edits().isEmpty && outbox.failures.isEmpty)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `what a delta brings while the app decides is not overwritten`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let pending = try PendingEdits(in: world.base.store)
        let gate = (arrived: Gate(), open: Gate())
        let outbox = try world.open {
            $0.conflicts = OutboxConflicts { _ in
                gate.arrived.open()
                try await gate.open.wait()
                return .ask
            }
        }
        _ = try world.edit(outbox, title: "b")
        world.notes.change("s", text: "old")
        world.base.network.set(.reachable)
        try await gate.arrived.wait()
        // As a delta does.
        let edit = try #require(try pending.waiting().first)
        try pending.received(["title": "newer", "text": "newer"], refusing: edit)
        gate.open.open()
        try await outbox.status { $0.failed == 1 }
        #expect(try pending.waiting().first?.server?["title"] == "newer")
        #expect(try world.row == ["b", "newer", "\"1\""])
        await outbox.close()
    }

    @Test(arguments: stores)
    func `a version that is a number stays one`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open { $0.conflicts = OutboxConflicts { $0.mergedByColumn } }
        let store = world.base.store
        try store.execute("DROP TABLE note", [])
        try store.execute("CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT, text TEXT, etag INTEGER)", [])
        try store.execute("INSERT INTO note VALUES ('n1', 'a', 'x', 1)", [])
        for title in ["b", "c"] { _ = try world.edit(outbox, title: title) }
        world.notes.change(text: "t")
        world.base.network.set(.reachable)
        try await outbox.drained()
        // The second edit was made on a row without the text of the merged one, and is merged too.
        #expect(world.notes.ifMatch.value == ["\"1\"", "\"2\"", "\"1\"", "\"3\""])
        #expect(try world.row == ["c", "t", 4])
        await outbox.close()
    }

    @Test(arguments: stores)
    func `a row or a body that is nested fails, and nothing is overwritten`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        world.notes.script.withLock {
            $0 = { request in
                request.method == .get ? request.response(json: ["d": ["title": "s", "text": "t"]]) : nil
            }
        }
        let outbox = try world.open { $0.conflicts = OutboxConflicts { $0.mergedByColumn } }
        let request = try OutboxWorld.request(.put, "/notes/n1", #"{"d":{"title":"b","text":"x"}}"#)
        let id = try outbox.add(request, key: "n1", as: "save", editing: [Self.edit("n1", ["title": "b"])]).id
        world.notes.change("s")
        world.base.network.set(.reachable)
        try await outbox.status { $0.failed == 1 && $0.sending == 0 }
        #expect(world.notes.notes.value["n1"]?.title == "s")
        let error = #expect(throws: OutboxError.self) { try outbox.resolve(id, with: .merged(["title": "m"])) }
        #expect(error?.code == .unmergeable)
        #expect(try world.edits().map(\.changes) == [["title": "b"]])
        await outbox.close()
    }

    /// A request with what its edit changes, and the body that is sent after the conflict.
    struct Omission: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var method = HTTPMethod.put
        let cells: ColumnValues
        let body: String
        let resolved: JSONValue
    }

    private static let omissions = [
        Omission(
            testDescription: "nil", cells: ["title": "b"], body: #"{"title":"b","text":"x"}"#,
            resolved: [
                "title": "b", "text": "x", "dueAt": "2027-01-15T08:00:00Z", "tags": ["t"], "isPaid": true,
                "memo": "[1]",
            ]),
        Omission(
            testDescription: "null", cells: ["title": "b"], body: #"{"title":"b","text":"x","tags":null}"#,
            resolved: [
                "title": "b", "text": "x", "dueAt": "2027-01-15T08:00:00Z", "tags": ["t"], "isPaid": true,
                "memo": "[1]",
            ]),
        Omission(
            testDescription: "a text too", cells: ["title": "b"], body: #"{"title":"b"}"#,
            resolved: ["title": "b", "dueAt": "2027-01-15T08:00:00Z", "tags": ["t"], "isPaid": true, "memo": "[1]"]),
        Omission(
            testDescription: "the only change, to nil", cells: ["text": nil], body: #"{"title":"a"}"#,
            resolved: ["title": "a", "dueAt": "2027-01-15T08:00:00Z", "tags": ["t"], "isPaid": true, "memo": "[1]"]),
        Omission(
            testDescription: "PATCH", method: .patch, cells: ["title": "b"], body: #"{"title":"b"}"#,
            resolved: ["title": "b"]),
    ]

    @Test(arguments: stores, omissions)
    func `the body of a PUT gets the server's values of what it has left out as null`(
        subject: StoreSubject, omission: Omission
    ) async throws {
        for isMerged in [true, false] {
            let world = try EditWorld(subject)
            for column in ["dueAt TEXT", "tags TEXT", "isPaid INTEGER", "memo TEXT"] {
                try world.base.store.execute("ALTER TABLE note ADD COLUMN \(column)", [])
            }
            let bodies = Watched<[JSONValue]>([])
            world.notes.script.withLock {
                $0 = { request in
                    guard request.method == .get else {
                        let body = try await JSONValue(parsing: request.body.collect())
                        bodies.update { $0.append(body) }
                        return nil
                    }
                    var response = request.response(
                        json: [
                            "title": "a", "text": "x", "dueAt": "2027-01-15T08:00:00Z", "tags": ["t"], "isPaid": true,
                            "memo": "[1]",
                        ])
                    response.head.fields[.etag] = "\"2\""
                    return response
                }
            }
            let outbox = try world.open {
                $0.conflicts = OutboxConflicts { isMerged ? $0.mergedByColumn : .client }
            }
            let request = try OutboxWorld.request(omission.method, "/notes/n1", omission.body)
            try outbox.add(request, key: "n1", as: "save", editing: [Self.edit("n1", omission.cells)])
            world.notes.change()
            world.base.network.set(.reachable)
            try await outbox.drained()
            #expect(bodies.value.count == 2 && bodies.value.last == omission.resolved)
            #expect(try world.edits().isEmpty && outbox.failures.isEmpty)
            await outbox.close()
        }
    }

    @Test(arguments: stores)
    func `the body of a PUT gets no column that only the app has`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let (notes, store, bodies) = (world.notes, world.base.store, Watched<[JSONValue]>([]))
        try store.execute("ALTER TABLE note ADD COLUMN mine TEXT", [])
        try store.execute("UPDATE note SET mine = 'x'", [])
        notes.script.withLock {
            $0 = { request in
                guard request.method == .put else { return nil }
                let body = try await JSONValue(parsing: request.body.collect())
                let count = bodies.update { bodies in
                    bodies.append(body)
                    return bodies.count
                }
                // Each edit is refused once.
                if !count.isMultiple(of: 2) { notes.change("s") }
                return nil
            }
        }
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .client } }
        for title in ["b", "c"] {
            _ = try world.edit(outbox, title: title)
            try store.execute("UPDATE note SET mine = NULL", [])
        }
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(bodies.value.map { $0["title"]?.string } == ["b", "b", "c", "c"])
        #expect(try outbox.failures.isEmpty && bodies.value.allSatisfy { $0["mine"] == nil })
        await outbox.close()
    }

    @Test(arguments: stores)
    func `no copy of a body is left after a merge`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let folder = world.base.folder.url.appending(path: "bodies")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = world.base.folder.url.appending(path: "body.json")
        try Data(#"{"title":"b","text":"x"}"#.utf8).write(to: file)
        let outbox = try world.open {
            $0.files = .copied(to: folder)
            $0.conflicts = OutboxConflicts { $0.mergedByColumn }
            $0.conflicts?.write = { _, request in try request.setBody(.file(at: file)) }
        }
        let request = try HTTPRequest(.put, "http://shop.example/notes/n1", body: .file(at: file))
        try outbox.add(request, key: "n1", as: "save", editing: [Self.edit("n1", ["title": "b"])])
        world.notes.change(text: "t")
        world.base.network.set(.reachable)
        try await outbox.drained()
        await outbox.close()
        #expect(world.notes.ifMatch.value == ["\"1\"", "\"2\""])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: stores)
    func `cells of the server's row are compared as the table stores them`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let store = world.base.store
        try store.execute("DROP TABLE note", [])
        try store.execute("CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT, text INTEGER, etag TEXT)", [])
        try store.execute("INSERT INTO note VALUES ('n1', 'a', 4, '\"1\"')", [])
        world.notes.lost.withLock { $0 = 1 }
        let outbox = try world.open {
            $0.conflicts = OutboxConflicts { _ in
                Issue.record("asked")
                return .ask
            }
        }
        _ = try world.edit(outbox, title: "b", text: "5")
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(try world.row == ["b", 5, "\"2\""] && world.edits().isEmpty)
        await outbox.close()
    }
}
