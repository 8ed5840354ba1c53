import Patchbay
import PatchbayTestKit

/// The server of the example: notes with versions, a feed of their changes, and a page that may be cached.
final class NoteService: HTTPService {
    private struct State {
        var notes: [String: Note] = [:]
        /// The version of the last change of each note, also of deleted ones.
        var changes: [String: Int] = [:]
        var version = 0
        var isReachable = true

        mutating func put(_ note: Note?, at id: String) {
            version += 1
            changes[id] = version
            var note = note
            note?.etag = "\"\(version)\""
            notes[id] = note
        }
    }

    private let state = Watched(State())

    init() {
        change("1") { $0 = Note(id: "1", title: "Tea", text: "Darjeeling, two tins") }
        change("2") { $0 = Note(id: "2", title: "Fence", text: "Paint it green") }
    }

    /// False: the tunnel. No request arrives.
    var isReachable: Bool {
        get { state.value.isReachable }
        set { state.update { $0.isReachable = newValue } }
    }

    func note(_ id: String) -> Note? { state.value.notes[id] }

    /// A change by another user.
    func change(_ id: String, _ body: (inout Note?) -> Void) {
        state.update { state in
            var note = state.notes[id]
            body(&note)
            state.put(note, at: id)
        }
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard isReachable else { throw TransportError(.unreachable, "In the tunnel.", request: request) }
        let id = request.url.lastPathComponent
        switch (request.method, request.url.pathComponents.dropFirst().first) {
        case (.get, "changes"):
            return feed(request, since: Query(parsing: request.url.query() ?? "")["since"].flatMap { Int($0) })
        case (.get, "help"):
            var response = request.response(text: "Notes work in a tunnel.")
            response.head.fields[.cacheControl] = "max-age=0"
            return response
        case (.get, "notes"): return response(to: request, note(id))
        case (.put, "notes"):
            let body = try await request.body.collect(upTo: 100_000)
            let note = try JSONDecoder().decode(Note.self, from: body)
            return write(note, at: id, request)
        case (.delete, "notes"): return write(nil, at: id, request)
        default: return request.response(.notFound)
        }
    }

    private func write(_ note: Note?, at id: String, _ request: HTTPRequest) -> HTTPResponse {
        let isWritten = state.update { state in
            if let tag = request.fields[.ifMatch], tag != state.notes[id]?.etag { return false }
            state.put(note, at: id)
            return true
        }
        guard isWritten else { return request.response(.preconditionFailed) }
        return note == nil ? request.response(.noContent) : response(to: request, self.note(id))
    }

    private func response(to request: HTTPRequest, _ note: Note?) -> HTTPResponse {
        guard let note else { return request.response(.notFound) }
        var response = request.response(json: Self.json(note))
        response.head.fields[.etag] = note.etag
        return response
    }

    private func feed(_ request: HTTPRequest, since version: Int?) -> HTTPResponse {
        let state = state.value
        let changed = state.changes.filter { $0.value > version ?? 0 }.keys.sorted()
        var elements: [JSONValue] = [
            ["from": version.map { .string("\($0)") } ?? .null, "to": .string("\(state.version)")],
            ["table": "note"],
        ]
        let rows = changed.compactMap { state.notes[$0] }
        let deleted = version == nil ? [] : changed.filter { state.notes[$0] == nil }
        elements += rows.map { ["upsert": Self.json($0)] } + deleted.map { ["delete": .array([.string($0)])] }
        let counts: JSONValue = ["upserts": .integer(Int64(rows.count)), "deletes": .integer(Int64(deleted.count))]
        return request.response(json: .array(elements + [["end": counts]]))
    }

    private static func json(_ note: Note) -> JSONValue {
        [
            "id": .string(note.id), "title": .string(note.title), "text": .string(note.text),
            "etag": note.etag.map { .string($0) } ?? .null,
        ]
    }
}
