import DeltaSync
import ExampleSupport
import Outbox
import Patchbay
import PatchbayTestKit
import SQLiteStore
import VendorServices

@main struct OfflineNotes: Example {
    static let name = "offline-notes"
    static let summary = "Notes that can be read, searched and changed in a tunnel. Notebook.swift is the app."
    static let requirements = """
        The server has notes with the ids 1 and 2: /notes/ID (GET, PUT with If-Match, DELETE), with id, title, text and etag;
        GET /changes{?since}, the rows of the table note that have changed, as JSONDeltaSource reads them; and GET /help,
        a text that may be cached. A run changes both notes, and writes a note 3.
        """

    static func startServer() throws -> LoopbackServer { try LoopbackServer(service: RowService.notes()) }

    static func run(at server: String) async throws {
        // The tunnel is on this side, so that it is there with any server.
        let tunnel = Tunnel(over: URLSessionTransport.shared)
        try await ScratchFolder.with { folder in
            let file = folder.appending(path: "notes.sqlite").path
            let notebook = try open(server, tunnel, file)
            print(
                "First load: \(try await notebook.synchronize().counts.upserts) notes; \(try await notebook.help())")
            print("Into the tunnel.")
            tunnel.enter()
            try await edit(notebook)

            print("The app is closed, and started again.")
            try await close(notebook)
            let later = try open(server, tunnel, file)
            try await leave(tunnel, later, at: APIClient(server))
            try await close(later)
        }
    }

    /// All that has to survive is in the file: the notes, the requests that were not sent, and the cache.
    private static func open(_ server: String, _ tunnel: Tunnel, _ file: String) throws -> Notebook {
        try Notebook(server, over: tunnel, in: SQLiteStore(.file(file)), waitingFor: tunnel.network)
    }

    private static func close(_ notebook: Notebook) async throws {
        await notebook.outbox.close()
        try notebook.store.close()
    }

    /// Sends what was changed in the tunnel, and by others meanwhile.
    private static func leave(_ tunnel: Tunnel, _ notebook: Notebook, at other: APIClient) async throws {
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

    /// Sends all, and decides what an app asks its user: it keeps this side of what was changed on both, and gives up
    /// what the server refuses.
    private static func settle(_ notebook: Notebook) async throws {
        // A decision lets the next request of its note follow, which may need one too.
        for _ in 1...5 {
            try await notebook.waitUntilSettled()
            guard try !notebook.outbox.failures.isEmpty else { break }
            for (entry, edit) in try notebook.conflicts() {
                print("  changed on both sides: \(edit.conflictingColumns ?? []); this app's side is kept")
                try notebook.outbox.resolve(entry.id, with: .client)
            }
            for entry in try notebook.rejections() {
                print("  refused: \(entry.failure?.message ?? entry.name)")
                try notebook.outbox.discard(entry.id)
            }
        }
        let waiting = try notebook.outbox.entries().count
        if waiting > 0 { print("  not sent yet: \(waiting) requests") }
    }
}
