import Foundation
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

/// Rows of all stores as values.
@Suite struct StoreDecodingTests {
    static let subjects = StoreSubject.all + [.locked]

    private enum Color: String, Codable { case red, green }
    private struct Size: Codable, Equatable { var width: Int }

    private struct Note: Codable, Equatable {
        var id: Int
        var uuid: UUID
        var title: String
        var created: Date
        var isPinned: Bool
        var weight: Double
        var tags: [String]
        var image: Data
        var price: Decimal
        var color: Color?
        var size: Size?
        var link: URL?
    }

    private static func note(_ id: Int) -> Note {
        Note(
            id: id, uuid: UUID(), title: "note \(id)",
            created: Date(timeIntervalSinceReferenceDate: Double(id) + 0.125),
            isPinned: id.isMultiple(of: 2), weight: Double(id) / 4, tags: ["a", "\(id)"], image: Data([1, UInt8(id)]),
            price: Decimal(id) / 100, color: id == 1 ? .green : nil, size: id == 1 ? Size(width: 3) : nil,
            link: id == 1 ? URL(string: "https://example.com/\(id)") : nil)
    }

    private static let columns = """
        id INTEGER PRIMARY KEY, uuid TEXT, title TEXT, created TEXT, isPinned INTEGER, weight REAL, tags TEXT,
        image BLOB, price TEXT, color TEXT, size TEXT, link TEXT
        """

    /// A store with the table `note`.
    private func makeStore(_ subject: StoreSubject, _ folder: TemporaryFolder, notes: [Note]) throws -> any LocalStore {
        let store = try subject.make(folder)
        try store.execute(SQL(verbatim: "CREATE TABLE note (\(Self.columns))"))
        for note in notes {
            let tags = try String(decoding: JSONEncoder().encode(note.tags), as: UTF8.self)
            let size = try note.size.map { try String(decoding: JSONEncoder().encode($0), as: UTF8.self) }
            try store.execute(
                """
                INSERT INTO note VALUES (\(note.id), \(note.uuid), \(note.title), \(note.created), \(note.isPinned),
                \(note.weight), \(tags), \(note.image), \("\(note.price)"), \(note.color?.rawValue), \(size),
                \(note.link))
                """)
        }
        return store
    }

    @Test(arguments: subjects) func `rows are decoded by store, reader and prepared query`(subject: StoreSubject) throws
    {
        let folder = try TemporaryFolder()
        let notes = (1...3).map(Self.note)
        let store = try makeStore(subject, folder, notes: notes)
        #expect(try store.rows(as: Note.self, "SELECT * FROM note ORDER BY id") == notes)
        #expect(try store.first(as: Note.self, "SELECT * FROM note WHERE id = \(2)") == notes[1])
        #expect(try store.value(of: Date.self, "SELECT created FROM note WHERE id = \(3)") == notes[2].created)
        #expect(
            try store.values(of: String.self, "SELECT title FROM note ORDER BY id DESC") == [
                "note 3", "note 2", "note 1",
            ])
        #expect(try store.values(of: Color?.self, "SELECT color FROM note ORDER BY id") == [.green, nil, nil])
        try store.read { reader in
            let all = try reader.rows(as: Note.self, "SELECT * FROM note ORDER BY id")
            let first = try reader.first(as: Note.self, "SELECT * FROM note WHERE id = \(2)")
            let count = try reader.value(of: Int.self, "SELECT count(*) FROM note")
            let titles = try reader.values(of: String.self, "SELECT title FROM note WHERE id > \(2)")
            #expect(all == notes)
            #expect(first == notes[1])
            #expect(count == 3)
            #expect(titles == ["note 3"])
            try reader.prepare("SELECT * FROM note WHERE id >= ? ORDER BY id") { query in
                for id in 1...3 {
                    let rest = try query.rows(as: Note.self, [id])
                    let first = try query.first(as: Note.self, [id])
                    let key = try query.value(of: Int.self, [id])
                    let keys = try query.values(of: Int.self, [id])
                    #expect(rest == Array(notes[(id - 1)...]))
                    #expect(first == notes[id - 1])
                    #expect(key == id)
                    #expect(keys == Array(id...3))
                }
                let none = try query.rows(as: Note.self, [4])
                #expect(none == [])
            }
        }
        try store.close()
    }

    @Test(arguments: subjects) func `no rows give nothing`(subject: StoreSubject) throws {
        let folder = try TemporaryFolder()
        let store = try makeStore(subject, folder, notes: [])
        #expect(try store.rows(as: Note.self, "SELECT * FROM note") == [])
        #expect(try store.first(as: Note.self, "SELECT * FROM note") == nil)
        #expect(try store.value(of: Int.self, "SELECT id FROM note") == nil)
        #expect(try store.value(of: Int.self, "SELECT max(id) FROM note") == nil)
        #expect(try store.value(of: Int.self, "SELECT count(*) FROM note") == 0)
        #expect(try store.values(of: Int.self, "SELECT id FROM note") == [])
        try store.close()
    }

    @Test(arguments: subjects) func `errors name the row and the column`(subject: StoreSubject) throws {
        let folder = try TemporaryFolder()
        let store = try makeStore(subject, folder, notes: (1...3).map(Self.note))
        try store.execute("UPDATE note SET created = 'secret' WHERE id = 2")
        let notes: SQL = "SELECT * FROM note ORDER BY id"
        let error = StoreError(
            .undecodable,
            "Cannot decode Date from row 2, column \"created\": found TEXT that does not have the format of Date.")
        #expect(throws: error) { try store.rows(as: Note.self, notes) }
        #expect(throws: error) { try store.values(of: Date.self, "SELECT created FROM note ORDER BY id") }
        // The first row is fine, and no other is read.
        #expect(try store.first(as: Note.self, notes)?.id == 1)
        #expect(try store.value(of: Date.self, "SELECT created FROM note ORDER BY id") == Self.note(1).created)
        // The store is of use afterwards.
        #expect(try store.values(of: Int.self, "SELECT id FROM note ORDER BY id") == [1, 2, 3])
        try store.close()
    }

    @Test(arguments: subjects) func `cells are read by name`(subject: StoreSubject) throws {
        let folder = try TemporaryFolder()
        let store = try makeStore(subject, folder, notes: [Self.note(1)])
        var count = 0
        try store.query("SELECT id, title AS Name, title AS name, color FROM note") { row in
            count += 1
            let indexes = [row.index(of: "ID"), row.index(of: "name"), row.index(of: "title"), row.index(of: "")]
            #expect(indexes == [0, 1, nil, nil])
            let values = [row["id"], row["NAME"], row["title"]]
            #expect(values == [1, "note 1", nil])
            let id = try row.value(of: Int.self, at: "id")
            let color = try row.value(of: Color?.self, at: "color")
            let third = try row.value(of: String.self, at: 2)
            #expect(id == 1)
            #expect(color == .green)
            #expect(third == "note 1")
            var errors: [StoreError] = []
            do { _ = try row.value(of: Int.self, at: "title") } catch let error as StoreError { errors.append(error) }
            do { _ = try row.value(of: Int.self, at: "name") } catch let error as StoreError { errors.append(error) }
            do { _ = try row.value(of: Int.self, at: -1) } catch let error as StoreError { errors.append(error) }
            #expect(
                errors == [
                    StoreError(.noSuchColumn, "Row has no column \"title\"; select it."),
                    StoreError(.undecodable, "Cannot decode Int from the row, column \"Name\": found TEXT."),
                    StoreError(.undecodable, "Cannot decode Int from the row: it has no column 0; select a value."),
                ])
            return true
        }
        #expect(count == 1)
        try store.close()
    }

    @Test(arguments: subjects) func `a record that was inserted is read back`(subject: StoreSubject) throws {
        let notes = (1...3).map(Self.note)
        for dates: StoreCoding.Dates in [.text, .unixSeconds, .unixMilliseconds] {
            for uuids: StoreCoding.UUIDs in [.text, .lowercaseText, .blob] {
                for keys: StoreCoding.Keys in [.asWritten, .snakeCase] {
                    let folder = try TemporaryFolder()
                    let store = try subject.make(folder)
                    let columns = ["id", "uuid", "title", "created", "isPinned", "weight", "tags", "image"]
                    let names = columns + ["price", "color", "size", "link"]
                    let list = names.map { keys == .snakeCase && $0 == "isPinned" ? "is_pinned" : $0 }
                    try store.execute(SQL(verbatim: "CREATE TABLE note (\(list.joined(separator: ", ")))"))
                    let coding = StoreCoding(dates: dates, uuids: uuids, keys: keys)
                    try store.insert(notes, into: "note", coding: coding)
                    #expect(try store.rows(as: Note.self, "SELECT * FROM note", coding: coding) == notes)
                    try store.close()
                }
            }
        }
    }

    @Test(arguments: subjects) func `a query of its own runs while a row is decoded`(subject: StoreSubject) throws {
        let folder = try TemporaryFolder()
        let store = try makeStore(subject, folder, notes: (1...3).map(Self.note))
        guard subject.readsConcurrently else { return try store.close() }
        try store.query("SELECT id FROM note ORDER BY id") { row in
            let id = try row.value(of: Int.self, at: 0)
            let title = try store.value(of: String.self, "SELECT title FROM note WHERE id = \(id)")
            #expect(title == "note \(id)")
            return true
        }
        try store.close()
    }
}
