import Connectivity
import DeltaSync
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Outbox

/// Conflicts of edits: what ends them, and what they must not lose.
@Suite(.needsSlot) struct OutboxConflictTests {
    private static let stores: [StoreSubject] = [.memory, .sqliteInMemory]
    private static func edit(_ id: String, _ cells: ColumnValues = [:]) -> RowEdit {
        RowEdit(upserting: cells.merging(["id": .text(id)]) { $1 }, into: "note", versionColumn: "etag")
    }

    @Test(arguments: stores)
    func `two edits of one row in one entry are one, and a conflict loses neither`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open {
            $0.collapsing = { _, _ in .replaceEntry }
            $0.conflicts = OutboxConflicts { $0.mergedByColumn }
        }
        let first = try world.edit(outbox, title: "b")
        let second = try world.edit(outbox, title: "c", text: "y")
        #expect(second.outcome == .replaced && first.id.number == second.id.number)
        let edit = try #require(try outbox.edits(of: second.id).first)
        #expect(try outbox.edits(of: second.id).count == 1)
        #expect(edit.changes == ["title": "c", "text": "y"] && edit.base == ["title": "a", "text": "x"])
        world.notes.change(nil)
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.notes.value["n1"] == .init(title: "c", text: "y", version: 3))
        #expect(try world.row == ["c", "y", "\"3\""] && world.edits().isEmpty)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `a request without the edits of an entry does not replace it`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open { $0.collapsing = { _, _ in .replaceEntry } }
        let first = try world.edit(outbox, title: "b")
        let plain = try outbox.add(OutboxWorld.request(.put, "/notes/n1", "{}"), key: "n1", as: "plain")
        #expect(plain.outcome == .added)
        let other = try outbox.add(
            OutboxWorld.request(.put, "/notes/n2", "{}"), key: "n1", as: "other", editing: [Self.edit("n2")])
        #expect(other.outcome == .replaced && other.id.number == plain.id.number)
        #expect(try outbox.edits(of: first.id).count == 1 && outbox.edits(of: other.id).count == 1)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `an entry of several rows is not done when the server has one of them`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let asked = Watched(0)
        let outbox = try world.open {
            $0.conflicts = OutboxConflicts { _ in
                asked.update { $0 += 1 }
                return .client
            }
        }
        let request = try OutboxWorld.request(.put, "/notes/n1", #"{"title":"b","text":"x"}"#)
        let edits = [Self.edit("n1", ["title": "b"]), Self.edit("n2", ["title": "c"])]
        try outbox.add(request, key: "n1", as: "save notes", editing: edits)
        world.notes.change("b")
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(asked.value == 1 && world.notes.ifMatch.value == ["\"1\"", "\"2\""])
        #expect(try world.base.store.rows("SELECT title FROM note ORDER BY id", []) == [["b"], ["c"]])
        await outbox.close()
    }

    @Test(arguments: stores)
    func `the version of another row is not sent`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open()
        let request = try OutboxWorld.request(.put, "/notes/n2", #"{"title":"new","text":""}"#)
        try outbox.add(
            request, key: "n2", as: "save", editing: [Self.edit("n2", ["title": "new"]), Self.edit("n1")])
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.ifMatch.value == ["none"])
        await outbox.close()
    }

    @Test(arguments: stores)
    func `an edit that its table does not allow any more does not stop the outbox`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open()
        _ = try world.edit(outbox, title: "b")
        try world.base.store.execute("DROP TABLE note", [])
        try world.base.store.execute(
            "CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT, text TEXT, etag TEXT, must TEXT NOT NULL)", [])
        try outbox.add(OutboxWorld.request(.put, "/notes/n2", #"{"title":"z"}"#), key: "n2", as: "other")
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.notes.value["n1"]?.title == "b" && world.notes.notes.value["n2"]?.title == "z")
        #expect(try world.edits().isEmpty && world.notes.keys.value.count == 2)
        await outbox.close()
    }

    /// A server that refuses each request, and the number of requests after which the entry fails.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let status: HTTPStatus
        let isChanged: Bool
        let fetch: HTTPStatus?
        let count: Int
    }

    private static let refusals = [
        Refusal(testDescription: "a rule of the business", status: .conflict, isChanged: false, fetch: nil, count: 1),
        Refusal(testDescription: "always newer", status: .preconditionFailed, isChanged: true, fetch: nil, count: 5),
        Refusal(
            testDescription: "no GET", status: .preconditionFailed, isChanged: true, fetch: .methodNotAllowed, count: 1),
        Refusal(
            testDescription: "no permission", status: .preconditionFailed, isChanged: true, fetch: .forbidden, count: 1),
    ]

    @Test(arguments: stores, refusals)
    func `a conflict that no resolution ends is a failure, and the next row is fetched from the server`(
        subject: StoreSubject, refusal: Refusal
    ) async throws {
        let world = try EditWorld(subject)
        let (notes, sent, directives) = (world.notes, Watched<[String]>([]), Watched<Set<String?>>([]))
        notes.script.withLock {
            $0 = { request in
                if request.method == .get {
                    directives.update { _ = $0.insert(request.fields["Cache-Control"]) }
                    return refusal.fetch.map { request.response($0) }
                }
                sent.update { $0.append(request.fields[.idempotencyKey] ?? "") }
                if refusal.isChanged { notes.change("s") }
                return request.response(refusal.status)
            }
        }
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .client } }
        let id = try world.edit(outbox, title: "b").id
        world.base.network.set(.reachable)
        try await outbox.status { $0.failed == 1 && $0.sending == 0 }
        #expect(sent.value.count == refusal.count && Set(sent.value).count == refusal.count)
        #expect(directives.value == ["no-cache"])
        #expect(try outbox.failures.first?.failure?.status == refusal.status && outbox.edits(of: id).count == 1)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `the app's own If-Match gives way to the version of a resolution`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .client } }
        var request = try OutboxWorld.request(.put, "/notes/n1", #"{"title":"b","text":"x"}"#)
        try request.fields.set(.ifMatch, to: "\"1\"")
        try outbox.add(request, key: "n1", as: "save", editing: [Self.edit("n1", ["title": "b"])])
        world.notes.change("s")
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.ifMatch.value == ["\"1\"", "\"2\""] && world.notes.notes.value["n1"]?.title == "b")
        await outbox.close()
    }

    @Test(arguments: stores)
    func `a sign-out while the app decides leaves the entry waiting`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let gate = Gate()
        var outbox = try world.open {
            $0.conflicts = OutboxConflicts { _ in
                try await gate.wait()
                return .server
            }
        }
        let id = try world.edit(outbox, title: "b").id
        world.notes.change("s")
        world.base.network.set(.reachable)
        try await gate.waitForWaiters(1)
        await outbox.close()
        outbox = try world.open { $0.startsPaused = true }
        let entry = try #require(try outbox.entry(id))
        #expect(entry.state == .waiting && !entry.isOutcomeUnknown)
        #expect(try world.row?.first == "b" && world.edits().count == 1)
        await outbox.close()
    }

    @Test func `a sign-out after the refusal counts for the GET that follows it`() async throws {
        let world = try EditWorld(.memory)
        let signOuts = Watched<[Int]>([])
        world.notes.script.withLock {
            $0 = { request in
                signOuts.update { $0.append(request.options.call?.lastSignOut ?? -1) }
                _ = SignOutClock.tick()
                return nil
            }
        }
        let outbox = try world.open { $0.conflicts = OutboxConflicts { _ in .ask } }
        _ = try world.edit(outbox, title: "b")
        world.notes.change("s")
        world.base.network.set(.reachable)
        try await outbox.status { $0.failed == 1 && $0.sending == 0 }
        #expect(signOuts.value.count == 2 && Set(signOuts.value).count == 1)
        await outbox.close()
    }

    @Test func `the GET for the server's row has the fields of the edit, but none of its body and of the write`()
        async throws
    {
        let world = try EditWorld(.memory)
        let gets = Watched<[HTTPRequest]>([])
        world.notes.script.withLock {
            $0 = { request in
                if request.method == .get { gets.update { $0.append(request) } }
                return nil
            }
        }
        let outbox = try world.open {
            $0.conflicts = OutboxConflicts { _ in .ask }
            // `X-Idempotency-Key` is no secret here.
            $0.redaction = Redaction(words: Redaction.standard.words.subtracting(["key"]))
        }
        var request = try OutboxWorld.request(.put, "/notes/n1", #"{"title":"b","text":"x"}"#)
        let kept = ["X-Tenant": "acme", "Accept": "application/json", "Accept-Language": "de"]
        let dropped = [
            "Content-Type": "application/json", "Content-Language": "de", "Digest": "x",
            "If-Unmodified-Since": "Thu, 01 Jan 2026 00:00:00 GMT", "Prefer": "return=minimal",
            "X-HTTP-Method-Override": "PATCH", "X-Transaction-ID": "t1", "X-Idempotency-Key": "k1",
            "Repeatability-Request-ID": "r1", "Repeatability-Client-ID": "c1",
            "Repeatability-First-Sent": "Thu, 01 Jan 2026 00:00:00 GMT",
        ]
        for (name, value) in kept.merging(dropped, uniquingKeysWith: { $1 }) { try request.fields.set(name, to: value) }
        request.options.priority = .high
        try outbox.add(request, key: "n1", as: "save", editing: [Self.edit("n1", ["title": "b"])])
        world.notes.change("s")
        world.base.network.set(.reachable)
        try await outbox.status { $0.failed == 1 && $0.sending == 0 }
        let get = try #require(gets.value.first)
        for (name, value) in kept { #expect(get.fields[name] == value) }
        for name in [String](dropped.keys) + ["Idempotency-Key", "If-Match"] { #expect(get.fields[name] == nil) }
        #expect(get.fields[.cacheControl] == "no-cache" && get.options.priority == .high)
        await outbox.close()
    }

    @Test(arguments: stores)
    func `edits are those of their user`(subject: StoreSubject) async throws {
        let world = try EditWorld(subject)
        let outbox = try world.open()
        try await outbox.signIn(as: "ada")
        let id = try world.edit(outbox, title: "of ada").id
        #expect(try outbox.edits(of: id).count == 1 && world.edits().isEmpty)
        #expect(try PendingEdits(in: world.base.store, user: "ada").waiting().count == 1)
        try await outbox.signOut()
        try await outbox.signIn(as: "bob")
        #expect(try outbox.edits(of: id).isEmpty)
        await outbox.close()
    }

    @Test func `an outbox of an earlier version gets the missing column`() async throws {
        let world = try EditWorld(.sqliteInMemory)
        await (try world.open()).close()
        try world.base.store.execute("ALTER TABLE patchbay_outbox DROP COLUMN resolutions", [])
        try world.base.store.execute("UPDATE patchbay_outbox_state SET beat = 1 WHERE name = 'format'", [])
        let outbox = try world.open()
        _ = try world.edit(outbox, title: "b")
        world.base.network.set(.reachable)
        try await outbox.drained()
        #expect(world.notes.notes.value["n1"]?.title == "b")
        await outbox.close()
    }

    @Test func `a quoted key keeps its quotes`() {
        let id = OutboxEntry.ID(number: 1, idempotencyKey: "\"k\"")
        #expect(id.sentKey(0) == "\"k\"" && id.sentKey(2) == "\"k.2\"")
    }
}
