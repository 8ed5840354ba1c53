import Foundation
import PatchbayTestKit
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

@Suite(.needsSlot) struct RecordTests {
    struct Note: Codable, Equatable {
        var id: UUID
        var title: String
        var created: Date
        var isPinned: Bool
        var tags: [String]
        var link: URL?
    }

    private struct Jack: Encodable {
        var id: Int64?
        var label: String?
    }

    private struct Interruption: Error {}

    private static let note = Note(
        id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), title: "plate",
        created: Date(timeIntervalSince1970: 1.25), isPinned: true, tags: ["a", "b"], link: nil)
    private static let noteRow: [StoreValue] = [
        "01020304-0506-0708-090A-0B0C0D0E0F10", "plate", "1970-01-01 00:00:01.250", 1, #"["a","b"]"#, nil,
    ]

    private func withStore(_ subject: StoreSubject, _ body: (any LocalStore) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let store = try subject.make(folder)
        try store.executeScript(
            """
            CREATE TABLE note (
                id TEXT PRIMARY KEY, title TEXT NOT NULL, created TEXT, isPinned INTEGER, tags TEXT, link TEXT);
            CREATE TABLE jack (id INTEGER PRIMARY KEY, label TEXT DEFAULT 'none', gain REAL DEFAULT 0.5);
            """)
        try body(store)
        try store.close()
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `a record is inserted, updated, upserted and deleted`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            var note = Self.note
            #expect(try store.insert(note, into: "note") == 1)
            #expect(try store.rows("SELECT * FROM note") == [Self.noteRow])
            let error = #expect(throws: StoreError.self) { try store.insert(note, into: "note") }
            #expect(error?.code == .constraint)
            note.title = "changed"
            note.link = URL(string: "https://example.com")
            #expect(try store.update(note, in: "Note"))
            #expect(try store.rows("SELECT title, link FROM note") == [["changed", "https://example.com"]])
            note.link = nil
            try store.upsert(note, into: "note")
            #expect(try store.rows("SELECT title, link FROM note") == [["changed", nil]])
            var other = note
            other.id = UUID()
            #expect(try !store.update(other, in: "note"))
            #expect(try !store.delete(other, from: "note"))
            #expect(try store.upsert([other, note], into: "note") == 2)
            #expect(try store.delete(note, from: "note"))
            #expect(try store.rows("SELECT id FROM note") == [[.text(other.id.uuidString)]])
        }
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `an insertion returns the rowid`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            #expect(try store.insert(Jack(id: 7), into: "jack") == 7)
            #expect(try store.insert(Jack(label: "a"), into: "jack") == 8)
            try store.transaction { () throws in
                #expect(try store.insert(Jack(id: -3), into: "jack") == -3)
                try? store.transaction {
                    #expect(try store.insert(Jack(), into: "jack") == 9)
                    throw Interruption()
                }
                #expect(try store.insert(Jack(label: "b"), into: "jack") == 9)
            }
            #expect(
                try store.rows("SELECT * FROM jack ORDER BY id")
                    == [[-3, nil, 0.5], [7, nil, 0.5], [8, "a", 0.5], [9, "b", 0.5]])
            #expect(try store.insert(["label": "c"], into: "jack") == 10)
        }
    }

    @Test(arguments: StoreSubject.sqlite)
    func `a table without rowid returns zero`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            try store.execute("CREATE TABLE plain (id INTEGER PRIMARY KEY, label TEXT) WITHOUT ROWID")
            try store.insert(Jack(id: 7), into: "jack")
            #expect(try store.insert(Jack(id: 9), into: "plain") == 0)
            #expect(try store.insert(Jack(id: 8), into: "jack") == 8)
        }
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `many records are inserted in one commit, or none`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            let commits = Watched(0)
            let subscription = store.subscribe { _ in commits.update { $0 += 1 } }
            // More than one batch.
            let jacks = (Int64(1)...30_000).map { Jack(id: $0, label: "label of a jack with number \($0)") }
            #expect(try store.insert(jacks, into: "jack") == 30_000)
            #expect(commits.value == 1)
            #expect(
                try store.rows("SELECT count(*), min(id), max(id), sum(length(label)) FROM jack")
                    == [[30_000, 1, 30_000, .integer(Int64(jacks.reduce(0) { $0 + ($1.label?.count ?? 0) }))]])
            #expect(throws: StoreError.self) {
                try store.insert((Int64(30_001)...60_000).map { Jack(id: $0) } + [Jack(id: 5)], into: "jack")
            }
            #expect(try store.rows("SELECT count(*) FROM jack") == [[30_000]])
            #expect(try store.insert([Jack](), into: "jack") == 0)
            #expect(try store.upsert(jacks.prefix(3).map { Jack(id: $0.id, label: "x") }, into: "jack") == 3)
            #expect(try store.rows("SELECT id FROM jack WHERE label = 'x'") == [[1], [2], [3]])
            subscription.cancel()
        }
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `columns without a key get their default value`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            let records: [[String: Int]] = [
                ["id": 1, "gain": 2], ["id": 2], ["label": 3], ["label": 4], ["id": 9, "label": 5],
            ]
            #expect(try store.insert(records, into: "jack") == 5)
            #expect(
                try store.rows("SELECT * FROM jack ORDER BY id") == [
                    [1, "none", 2.0], [2, "none", 0.5], [3, "3", 0.5], [4, "4", 0.5], [9, "5", 0.5],
                ])
        }
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `a record that does not fit its table changes nothing`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            try store.execute("CREATE TABLE keyless (id, label)")
            func code(_ body: () throws -> Void) -> StoreError.Code? {
                #expect(throws: StoreError.self, performing: body)?.code
            }
            #expect(code { try store.insert(Self.note, into: "nowhere") } == .noSuchTable)
            #expect(code { try store.insert([Self.note], into: "jack") } == .noSuchColumn)
            #expect(code { try store.insert(["id": "text"], into: "jack") } == .constraint)
            #expect(code { try store.insert(["id": "key"], into: "note") } == .constraint)
            #expect(code { try store.insert(7, into: "jack") } == .invalidArgument)
            #expect(code { try store.update(Jack(id: 1), in: "keyless") } == .invalidArgument)
            #expect(code { try store.update(["label": "a"], in: "jack") } == .invalidArgument)
            #expect(code { try store.update(Jack(id: 1), in: "nowhere") } == .noSuchTable)
            #expect(code { try store.update(["id": 1, "size": 2], in: "jack") } == .noSuchColumn)
            #expect(code { try store.delete(Jack(id: 1), from: "keyless") } == .invalidArgument)
            #expect(code { try store.upsert(Jack(id: 1), into: "keyless") } == .invalidArgument)
            for table: SQLIdentifier in ["jack", "note", "keyless"] {
                #expect(try store.rows("SELECT count(*) FROM \(table)") == [[0]])
            }
            // A record of key columns alone finds its row.
            try store.insert(["id": 3], into: "jack")
            #expect(try store.update(["id": 3], in: "jack"))
            #expect(try !store.update(["id": 4], in: "jack"))
        }
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `protected tables are not written`(subject: StoreSubject) throws {
        try withStore(subject) { store throws in
            var batch = try RowBatch(columns: ["id"])
            try batch.append([1])
            let row = batch
            store.protectedTables.protecting(["jack"]) {
                for write in [
                    { _ = try store.insert(Jack(id: 1), into: "jack") },
                    { _ = try store.insert([Jack(id: 1)], into: "jack") },
                    { _ = try store.insert(row, into: "JACK") }, { _ = try store.insertRow(row, into: "jack") },
                ] as [() throws -> Void] {
                    #expect(#expect(throws: StoreError.self, performing: write)?.code == .misuse)
                }
            }
            #expect(try store.rows("SELECT count(*) FROM jack") == [[0]])
        }
    }
}
