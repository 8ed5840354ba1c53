import DeltaSync
import ExampleSupport
import Outbox
import Patchbay
import PatchbayTestKit
import SQLiteStore

@main struct OfflineNotes: Example {
    static let name = "offline-notes"
    static let summary = "Notes that can be read, searched and changed in a tunnel. Notebook.swift is the app."
    static let requirements = """
        The server has notes with the ids 1 and 2: /notes/ID (GET, PUT with If-Match, DELETE), with id, title, text and etag;
        GET /changes{?since}, the rows of the table note that have changed, as JSONDeltaSource reads them; and GET /help,
        a text that may be cached.
        """

    static func startServer() throws -> LoopbackServer { try LoopbackServer(service: RowService.notes()) }

    static func run(at server: String) async throws {
        // The tunnel is on this side, so that it is there with any server.
        let tunnel = Tunnel(over: URLSessionTransport.shared)
        let store = try SQLiteStore(.memory)
        var notebook = try Notebook(server, over: tunnel, in: store, waitingFor: tunnel.network)
        let other = try APIClient(server)
        print("First load: \(try await notebook.synchronize().counts.upserts) notes; \(try await notebook.help())")

        print("Into the tunnel.")
        tunnel.enter()
        try await edit(notebook)

        print("The app is killed, and started again.")
        await notebook.outbox.close()
        notebook = try Notebook(server, over: tunnel, in: store, waitingFor: tunnel.network)

        print("Meanwhile another user changes both notes.")
        try await rename("1", to: "Tea for two", at: other)
        try await rename("2", to: "Red fence", at: other)

        print("Out of the tunnel.")
        tunnel.seeLight()
        // A delta comes before the requests are sent, and keeps the edits.
        try await notebook.synchronize()
        print("  after the delta: \(try notebook.notes().map { "\($0.title): \($0.text)" })")
        tunnel.leave()
        try await settle(notebook)
        try await notebook.synchronize()
        var notes: [Note] = []
        for id in ["1", "2", "3"] { notes.append(try await other.get("notes/\(id)")) }
        print("  at the server: \(notes.map { "\($0.title): \($0.text)" })")
        print("  here: \(try notebook.notes().map { "\($0.title): \($0.text)" })")
        await notebook.outbox.close()
    }

    /// Reads, searches and writes without a network.
    private static func edit(_ notebook: Notebook) async throws {
        print("  from the cache: \(try await notebook.help())")
        print("  a search: \(try notebook.notes(matching: "green").map(\.title))")
        if var tea = try notebook.note("1") {
            tea.text = "Assam, one tin"
            try notebook.save(tea)
            try notebook.pin(tea)
        }
        if var fence = try notebook.note("2") {
            fence.title = "Garden fence"
            try notebook.save(fence)
        }
        try notebook.save(Note(id: "3", title: "Tunnel", text: "It is dark"))
        for try await titles in notebook.titles() {
            print("  on screen: \(titles)")
            break
        }
        print("  waiting: \(try await notebook.outbox.currentStatus().waiting) requests")
    }

    private static func rename(_ id: String, to title: String, at server: APIClient) async throws {
        var note: Note = try await server.get("notes/\(id)")
        note.title = title
        try await server.put("notes/\(id)", json: note)
    }

    /// Waits until all is sent, and keeps the app's side of what was changed on both.
    private static func settle(_ notebook: Notebook) async throws {
        await waitUntilSent(notebook)
        for (entry, edit) in try notebook.conflicts() {
            print("  changed on both sides: \(edit.conflictingColumns ?? []); this app's side is kept")
            try notebook.outbox.resolve(entry.id, with: .client)
        }
        await waitUntilSent(notebook)
    }

    /// Waits until nothing is left to send but what the user must decide.
    private static func waitUntilSent(_ notebook: Notebook) async {
        for await status in notebook.outbox.status where status.waiting == 0 && status.sending == 0 { return }
    }
}
