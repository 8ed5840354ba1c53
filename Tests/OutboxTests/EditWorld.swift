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
import Transport

/// Notes with versions, as ETags.
final class Notes: HTTPService {
    struct Note: Equatable {
        var title: String
        var text: String
        var version: Int
    }
    let notes: Watched<[String: Note]>
    let ifMatch = Watched<[String]>([])
    let keys = Watched<[String]>([])
    /// The number of next responses to a PUT that are lost, after their effect.
    let lost = Mutex(0)
    /// Responds instead, unless it returns nil.
    let script = Mutex<(@Sendable (HTTPRequest) async throws -> HTTPResponse?)?>(nil)

    init() { notes = Watched(["n1": Note(title: "a", text: "x", version: 1)]) }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        if let response = try await script.withLock(\.self)?(request) { return response }
        let id = request.url.lastPathComponent
        if request.method == .get {
            guard let note = notes.value[id] else { return request.response(.notFound) }
            return response(to: request, note)
        }
        let body = try await request.body.collect()
        ifMatch.update { $0.append(request.fields[.ifMatch] ?? "none") }
        keys.update { $0.append(request.fields[.idempotencyKey] ?? "") }
        let old = notes.value[id]
        if let tag = request.fields[.ifMatch], tag != "\"\(old?.version ?? 0)\"" {
            return request.response(.preconditionFailed)
        }
        if request.method == .delete {
            notes.update { $0[id] = nil }
            return request.response(.noContent)
        }
        let value = try JSONValue(parsing: body)
        let note = Note(
            title: value["title"]?.string ?? "", text: value["text"]?.string ?? "",
            version: (old?.version ?? 0) + 1)
        notes.update { $0[id] = note }
        let isLost = lost.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        return isLost ? request.response(.internalServerError) : response(to: request, note)
    }

    func response(to request: HTTPRequest, _ note: Note) -> HTTPResponse {
        var response = request.response(json: ["title": .string(note.title), "text": .string(note.text)])
        response.head.fields[.etag] = "\"\(note.version)\""
        return response
    }

    /// A change by another user.
    func change(_ title: String? = nil, text: String? = nil) {
        notes.update { notes in
            notes["n1"]?.version += 1
            if let title { notes["n1"]?.title = title }
            if let text { notes["n1"]?.text = text }
        }
    }
}

/// A store with notes, and outboxes over their server.
struct EditWorld {
    let notes = Notes()
    let base: OutboxWorld

    init(_ subject: StoreSubject) throws {
        base = try OutboxWorld(subject)
        try base.store.execute("CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT, text TEXT, etag TEXT)", [])
        try base.store.execute("INSERT INTO note VALUES ('n1', 'a', 'x', '\"1\"')", [])
        base.network.set(.unreachable)
    }

    func open(_ change: (inout OutboxOptions) -> Void = { _ in }) throws -> Outbox {
        try base.open(over: ServiceTransport(notes), change)
    }

    func edit(_ outbox: Outbox, title: String, text: String = "x") throws -> OutboxTicket {
        let request = try OutboxWorld.request(.put, "/notes/n1", #"{"title":"\#(title)","text":"\#(text)"}"#)
        let edit = RowEdit(
            upserting: ["id": "n1", "title": .text(title), "text": .text(text)], into: "note", versionColumn: "etag"
        )
        return try outbox.add(request, key: "n1", as: "save note", editing: [edit])
    }

    var row: [StoreValue]? {
        get throws { try base.store.rows("SELECT title, text, etag FROM note WHERE id = 'n1'", []).first }
    }

    func edits() throws -> [PendingEdit] { try PendingEdits(in: base.store).waiting() }
}
