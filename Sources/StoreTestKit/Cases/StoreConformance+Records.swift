import Foundation
import PatchbayTestKit
import StoreCore

extension StoreConformance {
    /// A record with a value of each kind.
    struct Note: Codable, Equatable, Sendable {
        enum Color: String, Codable { case red, green }

        var id: UUID
        var title: String
        var created: Date
        var isPinned: Bool
        var color: Color
        var tags: [String]
        var link: URL?
        var size: Int?
        var weight: Double?
        var image: Data?

        init(_ title: String, number: UInt8 = 1) {
            id = UUID(uuid: (number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0xAB))
            self.title = title
            created = Date(timeIntervalSince1970: 1_700_000_000.25)
            isPinned = true
            color = .green
            tags = ["a", "é \"b\""]
        }
    }

    /// Creates the table of ``Note``.
    static func createNotes(in store: any LocalStore) throws {
        try store.execute(
            """
            CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT NOT NULL, created TEXT, isPinned INTEGER, color TEXT,
            tags TEXT, link TEXT, size INTEGER, weight REAL, image BLOB)
            """)
    }

    /// Writing records.
    static let records: [StoreConformanceCase] = [
        StoreConformanceCase("records are inserted as rows") { store, _ in
            try createNotes(in: store)
            var note = Note("first")
            try expect(store.insert(note, into: "note"), is: 1, "the first rowid")
            try expect(
                store.rows("SELECT * FROM note"),
                is: [
                    [
                        "01020304-0506-0708-090A-0B0C0D0E0FAB", "first", "2023-11-14 22:13:20.250", 1, "green",
                        #"["a","é \"b\""]"#, nil, nil, nil, nil,
                    ]
                ])
            (note.link, note.size, note.weight) = (URL(string: "https://example.com/"), -5, 0.5)
            (note.id, note.image, note.isPinned) = (UUID(), Data([1, 0, 255]), false)
            try expect(store.insert(note, into: "note"), is: 2, "the second rowid")
            try expect(
                store.rows("SELECT isPinned, link, size, weight, image FROM note WHERE rowid = 2"),
                is: [[0, "https://example.com/", -5, 0.5, .blob(Data([1, 0, 255]))]])
        },
        StoreConformanceCase("a column named rowid is not the rowid") { store, _ in
            try store.execute("CREATE TABLE one (RowID TEXT, a)")
            try expect(store.insert(["rowid": "x"], into: "one"), is: 1)
            try expect(store.insert(["a": "x"], into: "one"), is: 2)
            try store.execute("CREATE TABLE two (rowid, _rowid_, a)")
            try expect(store.insert(["rowid": 7, "_rowid_": 8], into: "two"), is: 1)
        },
        StoreConformanceCase("an existing key is a constraint") { store, _ in
            try createNotes(in: store)
            let notes = [Note("a", number: 1), Note("b", number: 2), Note("c", number: 1)]
            try expectError(.constraint) { try store.insert(notes, into: "note") }
            try expect(store.rows("SELECT title FROM note"), is: [])
            try expect(store.insert(notes.prefix(2), into: "note"), is: 2)
            try expectError(.constraint) { try store.insert(notes[2], into: "note") }
            try expect(store.insert([] as [Note], into: "note"), is: 0)
            try expect(store.rows("SELECT title FROM note ORDER BY title"), is: [["a"], ["b"]])
        },
        StoreConformanceCase("records are updated by their key") { store, _ in
            try createNotes(in: store)
            var note = Note("a")
            try store.insert([note, Note("other", number: 2)], into: "note")
            (note.title, note.link) = ("changed", URL(string: "https://example.com/"))
            try expect(store.update(note, in: "note"), is: true)
            try expect(store.update(Note("absent", number: 3), in: "note"), is: false)
            try expect(
                store.rows("SELECT title, link FROM note ORDER BY title"),
                is: [["changed", "https://example.com/"], ["other", nil]])
            // Nil is null, and not a column that is left alone.
            note.link = nil
            try store.update(note, in: "note")
            try expect(store.value("SELECT link FROM note WHERE title = 'changed'"), is: nil)
        },
        StoreConformanceCase("records are inserted or updated, and deleted") { store, _ in
            try createNotes(in: store)
            try store.upsert(Note("a"), into: "note")
            try store.upsert(Note("b"), into: "note")
            try expect(store.rows("SELECT title FROM note"), is: [["b"]])
            try expect(store.upsert((1...3).map { Note("n\($0)", number: $0) }, into: "note"), is: 3)
            try expect(store.rows("SELECT title FROM note ORDER BY title"), is: [["n1"], ["n2"], ["n3"]])
            try expect(store.delete(Note("", number: 2), from: "note"), is: true)
            try expect(store.delete(Note("", number: 2), from: "note"), is: false)
            try expect(store.rows("SELECT title FROM note ORDER BY title"), is: [["n1"], ["n3"]])
        },
        StoreConformanceCase("the store chooses an integer key for nil") { store, _ in
            struct Jack: Encodable { var id: Int?, label: String }
            try store.execute("CREATE TABLE plug (id INTEGER PRIMARY KEY, label TEXT)")
            try expect(store.insert(Jack(id: 7, label: "a"), into: "plug"), is: 7)
            try expect(store.insert(Jack(id: nil, label: "b"), into: "plug"), is: 8)
            let rowid = try store.transaction {
                try store.insert(Jack(id: 1, label: "c"), into: "plug")
                return try store.transaction { try store.insert(Jack(id: nil, label: "d"), into: "plug") }
            }
            try expect(rowid, is: 9)
            try expect(
                store.rows("SELECT id, label FROM plug ORDER BY id"), is: [[1, "c"], [7, "a"], [8, "b"], [9, "d"]])
        },
        StoreConformanceCase("a coding changes names and representations") { store, _ in
            struct Event: Codable { var eventID: UUID, startsAt: Date }
            try store.execute("CREATE TABLE event (event_id BLOB PRIMARY KEY, starts_at)")
            let id = Note("").id
            let event = Event(eventID: id, startsAt: Date(timeIntervalSince1970: 1.5))
            let blob = StoreValue.blob(withUnsafeBytes(of: id.uuid) { Data($0) })
            for (dates, value) in [
                (.unixSeconds, 1.5), (.unixMilliseconds, 1500), (.text, "1970-01-01 00:00:01.500"),
            ] as [(StoreCoding.Dates, StoreValue)] {
                let coding = StoreCoding(dates: dates, uuids: .blob, keys: .snakeCase)
                try store.upsert(event, into: "event", coding: coding)
                try expect(store.rows("SELECT event_id, starts_at FROM event"), is: [[blob, value]])
            }
        },
        StoreConformanceCase("records that do not fit are errors") { store, _ in
            struct Wrong: Encodable { var id = 1, nothing = 2 }
            struct Keyless: Encodable { var label = "hunter2" }
            struct Unsigned: Encodable { var id = UInt64.max }
            try expectError(.noSuchColumn) { try store.insert(Wrong(), into: "jack") }
            try expectError(.noSuchTable) { try store.insert(Wrong(), into: "nowhere") }
            try expectError(.invalidArgument) { try store.update(Keyless(), in: "jack") }
            try expectError(.invalidArgument) { try store.upsert(Keyless(), into: "jack") }
            try expectError(.invalidArgument) { try store.delete(Keyless(), from: "jack") }
            let error = try expectError(.invalidArgument) { try store.insert(Unsigned(), into: "jack") }
            try expect(error.message.contains("id"), "the error does not name the column: \(error.message)")
            try expect(!error.message.contains("\(UInt64.max)"), "the error shows the value")
            try expect(store.jackIDs(), is: [])
        },
        StoreConformanceCase("records are one commit") { store, _ in
            try createNotes(in: store)
            let log = ChangeLog()
            let subscription = store.subscribe(log.note)
            try store.insert((1...20).map { Note("n", number: $0) }, into: "note")
            try expect(log.take(), is: [["note"]])
            try store.update(Note("u"), in: "note")
            try expect(log.take(), is: [["note"]])
            try store.protectedTables.protecting(["note"]) {
                try expectError(.misuse) { try store.insert(Note("x", number: 40), into: "note") }
                try expectError(.misuse) { try store.delete(Note("x"), from: "note") }
            }
            try expect(log.take(), is: [])
            subscription.cancel()
        },
        StoreConformanceCase("batches are inserted without a key") { store, _ in
            try store.execute("CREATE TABLE keyless (a, b)")
            try expect(store.insert(try RowBatch(["a", "B"], [[1, "x"], [1, "x"]]), into: "KEYLESS"), is: 2)
            try expect(store.rows("SELECT * FROM keyless"), is: [[1, "x"], [1, "x"]])
            try expect(store.insert(try RowBatch(["id"], [[1], [2]]), into: "jack"), is: 2)
            try expectError(.constraint) { try store.insert(try RowBatch(["id"], [[3], [1]]), into: "jack") }
            try expectError(.constraint) { try store.insert(try RowBatch(["id"], [[4], [4]]), into: "jack") }
            try expectError(.noSuchTable) { try store.insert(try RowBatch(["id"], [[1]]), into: "nowhere") }
            try expectError(.noSuchColumn) { try store.insert(try RowBatch(["nothing"], [[1]]), into: "jack") }
            try expect(store.insert(try RowBatch(["id"], []), into: "jack"), is: 0)
            try expect(store.jackIDs(), is: [1, 2])
            try store.protectedTables.protecting(["jack"]) {
                _ = try expectError(.misuse) { try store.insert(try RowBatch(["id"], [[3]]), into: "jack") }
            }
        },
    ]
}
