import DeltaSync
import Outbox
import Patchbay
import SQLiteStore

/// A note: a row of the table, and the body of its request.
struct Note: Codable, Equatable, Identifiable, Sendable {
    var id: String
    var title: String
    var text: String
    /// The server's version; nil for a note that only this app has.
    var etag: String?
}

/// Notes that can be read, searched and changed without a network.
final class Notebook: Sendable {
    let store: any LocalStore
    let outbox: Outbox
    private let api: APIClient
    private let applier: DeltaApplier
    private let target: DeltaTarget

    /// - Parameters:
    ///   - transport: the network.
    ///   - store: the notes, the requests that were not sent, and the cache.
    init(
        _ server: String, over transport: some StreamingTransport, in store: any LocalStore,
        waitingFor network: some NetworkMonitor
    ) throws {
        self.store = store
        try Self.migrator.migrate(store)
        // The outbox retries by its own rules; what is only read comes from the cache while there is no network.
        let rules = CacheRules { $0.staleIfError = .seconds(7 * 86_400) }
        api = try APIClient(server, over: .standard(over: transport).caching(in: HTTPCache(in: store, rules: rules)))
        outbox = try Outbox(
            in: store, over: transport, waitingFor: network,
            options: OutboxOptions {
                $0.backoff = .constant(.milliseconds(100))
                $0.conflicts = OutboxConflicts { $0.mergedByColumn }
            })
        applier = DeltaApplier(store)
        let columns: [TableSchema.Column] = [
            .init("id", "TEXT", isNotNull: true), .init("title", "TEXT"), .init("text", "TEXT"), .init("etag", "TEXT"),
        ]
        target = try DeltaTarget(
            tables: [TableSchema("note", columns: columns, primaryKey: ["id"])],
            binding: DeltaBinding(server: server, resource: "notes"))
    }

    private static var migrator: StoreMigrator {
        var migrator = StoreMigrator()
        migrator.add("create note") { store in
            try store.execute("CREATE TABLE note (id TEXT NOT NULL PRIMARY KEY, title TEXT, text TEXT)")
        }
        migrator.add("add note.etag, and a pin of the app's own") { store in
            try store.execute("ALTER TABLE note ADD COLUMN etag TEXT")
            try store.execute("ALTER TABLE note ADD COLUMN isPinned INTEGER")
        }
        return migrator
    }

    // MARK: Reading

    func note(_ id: String) throws -> Note? {
        try store.first(as: Note.self, "SELECT * FROM note WHERE id = \(id)")
    }

    func notes(matching word: String = "") throws -> [Note] {
        try store.rows(
            as: Note.self,
            "SELECT * FROM note WHERE title LIKE '%' || \(word) || '%' OR text LIKE '%' || \(word) || '%' ORDER BY id")
    }

    func titles() -> some AsyncSequence<[String], any Error> & Sendable {
        store.observe { reader in try reader.values(of: String.self, "SELECT title FROM note ORDER BY id") }
            .removingDuplicates()
    }

    /// A page that is no row: from the network, or from the cache.
    func help() async throws -> String {
        String(decoding: try await api.get("help").body, as: UTF8.self)
    }

    // MARK: Changing

    func save(_ note: Note) throws {
        let request = try api.request(for: .put("notes/\(note.id)", json: note))
        let edit = try RowEdit(upserting: note, into: "note", versionColumn: "etag")
        try outbox.add(request, key: note.id, as: "save note", editing: [edit])
    }

    func delete(_ note: Note) throws {
        let request = try api.request(for: .delete("notes/\(note.id)"))
        let edit = RowEdit(deleting: ["id": .text(note.id)], from: "note", versionColumn: "etag")
        try outbox.add(request, key: note.id, as: "delete note", editing: [edit])
    }

    func pin(_ note: Note) throws { try store.execute("UPDATE note SET isPinned = 1 WHERE id = \(note.id)") }

    // MARK: Network

    /// Gets what has changed at the server.
    @discardableResult
    func synchronize() async throws -> DeltaOutcome {
        let api = api.with { $0.options.cachePolicy = .noStore }
        return try await applier.update(target) { request in
            switch request {
            case .fullLoad: try await api.stream(.get("changes")).body
            case .changes(let version), .nextPage(let version):
                try await api.stream(.get("changes", query: ["since": version])).body
            }
        }
    }

    /// Waits until all is sent, except what has failed or waits for the next attempt, with what is behind it.
    func waitUntilSettled() async throws {
        for await _ in outbox.status where try isSettled() { return }
    }

    private func isSettled() throws -> Bool {
        let failures = try outbox.failures
        let entries = try outbox.entries()
        // The entries of a note are sent in their order, so one that is refused holds back the others.
        let held = Set((failures + entries.filter { $0.failure?.status != nil }).map(\.key))
        return entries.allSatisfy { held.contains($0.key) }
    }

    /// The notes that were changed here and at the server.
    func conflicts() throws -> [(OutboxEntry, PendingEdit)] {
        try outbox.failures.filter(\.isConflict).flatMap { entry in try outbox.edits(of: entry.id).map { (entry, $0) } }
    }

    /// The requests that the server refuses: the app corrects them, or discards them with their edits.
    func rejections() throws -> [OutboxEntry] { try outbox.failures.filter { !$0.isConflict } }
}

extension OutboxEntry {
    /// The server has another version of the row.
    fileprivate var isConflict: Bool { failure?.status == .preconditionFailed || failure?.status == .conflict }
}
