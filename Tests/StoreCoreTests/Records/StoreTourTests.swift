import Foundation
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

/// The calls of a small app, as it writes them.
@Suite(.needsSlot) struct StoreTourTests {
    struct Note: Codable, Equatable {
        var id: UUID
        var title: String
        var created: Date
        var isPinned: Bool
        var tags: [String]
        var link: URL?
    }

    private func notes(_ titles: String...) -> [Note] {
        titles.map {
            Note(
                id: UUID(), title: $0, created: Date(timeIntervalSince1970: 0.25), isPinned: $0 != "c", tags: [$0],
                link: $0 == "a" ? URL(string: "https://example.com/a") : nil)
        }
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `every call of the tour works`(subject: StoreSubject) async throws {
        let folder = try TemporaryFolder()
        let store = try subject.make(folder)
        var migrator = StoreMigrator()
        migrator.add("create note") { store in
            try store.execute(
                """
                CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT NOT NULL, created TEXT, isPinned INTEGER, tags TEXT,
                link TEXT)
                """)
        }
        try migrator.migrate(store)

        var note = notes("a")[0]
        let notes = notes("b", "c")
        try store.insert(note, into: "note")
        try store.insert(notes, into: "note")
        note.isPinned = false
        try store.update(note, in: "note")
        note.isPinned = true
        try store.upsert(note, into: "note")
        try store.upsert(notes, into: "note")
        let (title, id) = ("d", notes[0].id)
        try store.execute("UPDATE note SET title = \(title) WHERE id = \(id)")
        try store.execute("DELETE FROM note WHERE id = :id", ["id": UUID()])
        try store.execute("DELETE FROM note WHERE id = ?", [UUID()])

        let all = try store.rows(as: Note.self, "SELECT * FROM note WHERE isPinned = \(true) ORDER BY title")
        #expect(all.map(\.title) == ["a", "d"] && all.first == note)
        let one = try store.first(as: Note.self, "SELECT * FROM note WHERE id = \(note.id)")
        #expect(one == note)
        let count = try store.value(of: Int.self, "SELECT count(*) FROM note")
        #expect(count == 3)
        let titles = try store.values(of: String.self, "SELECT title FROM note ORDER BY title")
        #expect(titles == ["a", "c", "d"])
        var streamed: [Note] = []
        for try await note in store.stream(of: Note.self, "SELECT * FROM note ORDER BY title") { streamed.append(note) }
        #expect(streamed.map(\.title) == titles)
        for try await notes in store.observe(as: Note.self, "SELECT * FROM note ORDER BY title") {
            #expect(notes == streamed)
            break
        }
        var changes = store.changes(of: ["note"]).makeAsyncIterator()
        try await store.transaction { try store.execute("DELETE FROM note WHERE title = \("c")") }
        #expect(await changes.next()?.tables == ["note"])
        let watching = Task {
            for await _ in store.changes(of: ["note"]) {}
        }
        watching.cancel()
        await watching.value
        let left = try await store.read { reader in try reader.value(of: Int.self, "SELECT count(*) FROM note") }
        #expect(left == 2)
        #expect(try store.delete(note, from: "note"))
        store.interrupt()
        try store.close()
    }
}
