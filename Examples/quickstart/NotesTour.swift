import Foundation
import LocalStore
import SQLiteStore

private struct Note: Codable, Sendable {
    var id: UUID
    var title: String
    var text: String
    var created: Date
    var isPinned: Bool
    var tags: [String]
}

/// Shows a local store as a notes app uses it. Needs no network; without the system's SQLite it runs in memory.
func notesTour() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quickstart-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let transcript = Transcript(server: nil)
    if SQLiteLibrary.system.isAvailable {
        print("\nA local store: notes in the file notes.sqlite.")
        let store = try SQLiteStore(.file(folder.appending(path: "notes.sqlite").path))
        try await keepNotes(in: store, transcript)
        try search(store, transcript)
        try backUp(store, to: folder, transcript)
        try store.close()
    } else {
        print("\nA local store: notes in memory, since this machine has no SQLite.")
        try await keepNotes(in: MemoryStore(), transcript)
    }
}

private func keepNotes(in store: some LocalStore, _ transcript: Transcript) async throws {
    try createTables(in: store, transcript)
    try writeNotes(to: store, transcript)
    try readNotes(of: store, transcript)
    try await observe(store, transcript)
    try export(store, transcript)
}

/// Creates the table in a migration step.
private func createTables(in store: some LocalStore, _ transcript: Transcript) throws {
    transcript.section("Create the tables; each step runs once in the life of the file")
    // show
    var migrator = StoreMigrator()
    migrator.add("create note") { store in
        try store.execute(
            """
            CREATE TABLE note (
                id TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT, created TEXT, isPinned INTEGER, tags TEXT)
            """)
    }
    let steps = try migrator.migrate(store)
    // end
    transcript.showResult("ran \(steps), and the next time \(try migrator.migrate(store))")
}

/// Inserts structs, and changes rows in SQL.
private func writeNotes(to store: some LocalStore, _ transcript: Transcript) throws {
    transcript.section("Insert structs; change them in SQL, where each value is a parameter")
    let now = Date(timeIntervalSince1970: 1_767_254_400)
    let notes = [
        Note(
            id: UUID(), title: "Fence", text: "mend the fence behind the shed", created: now, isPinned: true,
            tags: ["garden"]),
        Note(
            id: UUID(), title: "Ada", text: "call Ada about the shed", created: now + 60, isPinned: false,
            tags: ["phone", "garden"]),
        Note(id: UUID(), title: "Tea", text: "buy tea", created: now + 120, isPinned: false, tags: []),
    ]
    // show
    try store.insert(notes, into: "note")
    let title = "Call Ada's sister"
    try store.execute("UPDATE note SET title = \(title) WHERE title = \("Ada")")
    // end
    let stored = try store.queryJSON("SELECT created, isPinned, tags FROM note WHERE title = \(title)")
    transcript.showResult("\(notes.count) notes; this one is stored as \(String(decoding: stored, as: UTF8.self))")
}

/// Reads rows as structs and as single values.
private func readNotes(of store: some LocalStore, _ transcript: Transcript) throws {
    transcript.section("Read structs and values")
    // show
    let notes = try store.rows(as: Note.self, "SELECT * FROM note ORDER BY created DESC")
    let pinned = try store.value(of: Int.self, "SELECT count(*) FROM note WHERE isPinned = \(true)")
    // end
    for note in notes { transcript.showResult("\(note.title): \(note.text) \(note.tags)") }
    transcript.showResult("\(pinned ?? 0) of \(notes.count) pinned")
}

/// Observes a query while its table is changed.
private func observe(_ store: some LocalStore, _ transcript: Transcript) async throws {
    transcript.section("Observe a query: its value now, and after each commit that changes it")
    // show
    let pinned = store.observe { reader in
        try reader.values(of: String.self, "SELECT title FROM note WHERE isPinned ORDER BY title")
    }
    for try await titles in pinned {
        transcript.showResult("pinned: \(titles)")
        if titles.count > 1 { break }
        try store.execute("UPDATE note SET isPinned = \(true) WHERE title = \("Tea")")
    }
    // end
}

/// Writes the notes as JSON.
private func export(_ store: some LocalStore, _ transcript: Transcript) throws {
    transcript.section("Export as JSON, written straight from the cells")
    // show
    let json = try store.queryJSON("SELECT title, isPinned FROM note ORDER BY title")
    // end
    transcript.showResult(String(decoding: json, as: UTF8.self))
}

/// Searches texts with SQLite's FTS5, where the library has it.
private func search(_ store: SQLiteStore, _ transcript: Transcript) throws {
    transcript.section("Search texts with SQLite's FTS5: the best first, with an excerpt")
    struct Hit: Decodable { let title: String, excerpt: String }
    do {
        // show
        try store.executeScript(
            """
            CREATE VIRTUAL TABLE noteSearch USING fts5(title, text);
            INSERT INTO noteSearch SELECT title, text FROM note;
            """)
        let hits = try store.rows(
            as: Hit.self,
            """
            SELECT title, snippet(noteSearch, 1, '[', ']', '...', 4) AS excerpt
            FROM noteSearch WHERE noteSearch MATCH \("shed") ORDER BY rank
            """)
        // end
        for hit in hits { transcript.showResult("\(hit.title): \(hit.excerpt)") }
    } catch let error as StoreError where error.code == .unsupportedSQL {
        transcript.showResult("This SQLite has no FTS5: \(error.message)")
    }
}

/// Copies the file while it is open, and opens the copy.
private func backUp(_ store: SQLiteStore, to folder: URL, _ transcript: Transcript) throws {
    transcript.section("Back up the file while it is in use")
    // show
    let path = folder.appending(path: "backup.sqlite").path
    try store.backup(toFile: path)
    let copy = try SQLiteStore(.file(path))
    let count = try copy.value(of: Int.self, "SELECT count(*) FROM note")
    // end
    transcript.showResult("the copy has \(count ?? 0) notes")
    try copy.close()
}
