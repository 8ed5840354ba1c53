import Foundation
import StoreTestSupport
import Testing

@testable import LocalStore

/// Journals of earlier versions open, and continue in the current version of the format.
@Suite struct JournalVersionTests {
    private func expectState(_ store: MemoryStore) throws {
        #expect(
            try store.rows("SELECT id, label, gain, raw, note FROM socket ORDER BY id") == [
                [1, "plate é", 1.5, .blob(Data([0, 255])), "none"], [9, "coupler", -0.25, nil, "none"],
            ])
        #expect(try store.rows("SELECT a, b FROM pair ORDER BY b") == [["x", 1], ["x", 2]])
        #expect(try store.tableNames() == ["pair", "socket"])
        try store.execute("INSERT INTO socket (id) VALUES (10)")
        #expect(try store.rows("SELECT label, note FROM socket WHERE id = 10") == [["plain", "none"]])
        #expect(throws: StoreError.self) { try store.execute("INSERT INTO pair VALUES ('x', 1)") }
    }

    private func name(_ journal: Data) -> String { String(decoding: journal.prefix(8), as: UTF8.self) }

    @Test func `the journals have the versions of which they are samples`() {
        #expect(
            EarlierJournals.all.map(name) == [
                "PBMEMJ01", "PBMEMJ01", "PBMEMJ2A", "PBMEMJ2R", "PBMEMJ3A", "PBMEMJ3R",
            ])
    }

    @Test(arguments: EarlierJournals.all) func `a journal of an earlier version opens and continues`(
        journal: Data
    ) throws {
        try JournalWorld.run { world in
            try world.put(journal)
            let store = try world.open()
            try expectState(store)
            let state = try store.everything()
            try store.close()
            #expect(name(try world.content()).hasPrefix("PBMEMJ3"))
            #expect(!FileManager.default.fileExists(atPath: world.path + ".new"))
            let again = try world.open()
            #expect(again.discardedFile == nil)
            #expect(try again.everything() == state)
            try again.close()
        }
    }

    @Test(arguments: [EarlierJournals.first, EarlierJournals.second])
    func `a torn journal of an earlier version gives the last commit, wherever it is cut`(journal: Data) throws {
        var states: [[String]] = []
        for length in JournalVersion.first.headerSize...journal.count {
            let state = try MemoryStore(replaying: journal.prefix(length)).everything()
            if state != states.last { states.append(state) }
        }
        // The empty store, and one state for each transaction.
        #expect(states.count == 12)
        #expect(Set(states).count == states.count)
    }

    @Test(arguments: [EarlierJournals.first, EarlierJournals.second])
    func `a torn journal of an earlier version continues from the last commit`(journal: Data) throws {
        for length in Array(0...10) + Array(stride(from: 11, to: journal.count, by: 97)) {
            try JournalWorld.run { world in
                try world.put(journal.prefix(length))
                let store = try world.open()
                try store.execute("CREATE TABLE more (a)")
                let state = try store.everything()
                try store.close()
                let again = try world.open()
                #expect(try again.everything() == state, "cut at \(length)")
                try again.close()
            }
        }
    }

    @Test(arguments: [EarlierJournals.first, EarlierJournals.second])
    func `damage before the end of a journal of an earlier version is an error`(journal: Data) throws {
        let whole = try MemoryStore(replaying: journal).everything()
        // Within the records of the second frame.
        for place in [160, 170, 180] {
            var damaged = journal
            damaged[place] ^= 0x10
            let error = #expect(throws: StoreError.self) { try MemoryStore(replaying: damaged) }
            #expect(error?.code == .corrupt, "\(place)")
        }
        #expect(try MemoryStore(replaying: journal).everything() == whole)
    }

    @Test func `a journal of an earlier version that cannot be rewritten stays as it is`() throws {
        try JournalWorld.run { world in
            try world.put(EarlierJournals.second)
            let disk = FaultyDisk(journal: world.path)
            for call in [FaultyDisk.Call.write, .synchronize, .rename] {
                disk.fail(with: ENOSPC) { failing, _ in failing == call }
                #expect(throws: StoreError.self) { try world.open(disk: disk.calls) }
                #expect(try world.content() == EarlierJournals.second)
                #expect(!FileManager.default.fileExists(atPath: world.path + ".new"))
            }
            disk.work()
            let store = try world.open(disk: disk.calls)
            try expectState(store)
            try store.close()
        }
    }

    @Test func `a definition that is refused today, and was not once, opens`() throws {
        let columns = (0..<2001).map { "c\($0)" }.joined(separator: ", ")
        for text in ["CREATE TABLE a (b DEFAULT (?), c)", "CREATE TABLE a (\(columns))"] {
            var bytes = JournalHeader(isRewritten: false).bytes
            let salt = try bytes.withUnsafeBytes { try JournalHeader($0).salt }
            var frame = [UInt8](repeating: 0, count: JournalFrame.headerSize)
            frame.append(1)
            JournalRecord.append(UInt32(1), to: &frame)
            JournalRecord.append(Int64(1), to: &frame)
            JournalRecord.append(UInt32(text.utf8.count), to: &frame)
            frame += text.utf8
            JournalFrame.seal(&frame, transaction: 1, isLast: true, at: bytes.count, salt: salt)
            bytes += frame
            let store = try MemoryStore(replaying: Data(bytes))
            #expect(throws: StoreError.self) { try MemoryStore().execute(text, []) }
            let column = text.contains("DEFAULT") ? "c" : "c2000"
            try store.execute("INSERT INTO a (\(column)) VALUES (1)", [])
            #expect(try store.rows(SQL(verbatim: "SELECT \(column) FROM a")) == [[1]])
        }
    }
}
