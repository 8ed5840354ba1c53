import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import LocalStore

@Suite struct MemoryJournalTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(folder.path("a.journal"))
    }

    private func open(_ path: String, rotationSize: Int = 1 << 30) throws -> MemoryStore {
        try MemoryStore(
            journal: MemoryJournalConfiguration(path: path, isSynchronous: true, rotationSize: rotationSize))
    }

    /// All that a store holds.
    private func state(_ store: MemoryStore) throws -> [String] {
        var state = try store.rows("SELECT rowid, type, name, tbl_name, sql FROM sqlite_master").map { "\($0)" }
        for name in try store.tables() {
            state += try store.rows("SELECT rowid, * FROM \(SQLIdentifier(name).quoted)").map { "\(name) \($0)" }
        }
        return state
    }

    /// Transactions of every kind.
    private static let steps: [@Sendable (MemoryStore) throws -> Void] = [
        { try $0.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, label TEXT UNIQUE, x)") },
        { try $0.execute("INSERT INTO a VALUES (1, 'one', 1.5), (2, 'two', x'00ff'), (-3, NULL, '')") },
        { try $0.execute("UPDATE a SET id = 10, label = 'ten' WHERE id = 2") },
        { try $0.upsert(try RowBatch(["id", "label"], [[1, "uno"], [7, "seven"]]), into: "a") },
        { try $0.execute("ALTER TABLE a ADD COLUMN y TEXT DEFAULT 'd'") },
        { try $0.execute("DELETE FROM a WHERE id < 0") },
        { store in
            try store.transaction {
                try store.execute("CREATE TABLE b (k TEXT PRIMARY KEY, n)")
                try store.execute("INSERT INTO b VALUES ('x', 1), ('y', 2)")
                try store.execute("DELETE FROM b WHERE k = 'x'")
                try store.execute("INSERT OR REPLACE INTO b VALUES ('y', 3)")
                try? store.transaction {
                    try store.execute("INSERT INTO b VALUES ('z', 9)")
                    throw Interruption()
                }
            }
        },
        { try $0.replace("a", with: "b") },
        { try $0.execute("INSERT INTO a VALUES ('after', 4)") },
    ]

    @Test func aStoreIsAsItWasWhenItIsOpenedAgain() throws {
        try inFolder { path in
            var store = try open(path)
            for step in Self.steps {
                try step(store)
                let before = try state(store)
                try store.close()
                store = try open(path)
                #expect(try state(store) == before)
            }
        }
    }

    @Test func aTornJournalGivesTheLastCommitWhereverItIsCut() throws {
        try inFolder { path in
            let store = try open(path)
            var states = [try state(store)]
            var sizes = [try Data(contentsOf: URL(filePath: path)).count]
            for step in Self.steps {
                try step(store)
                states.append(try state(store))
                sizes.append(try Data(contentsOf: URL(filePath: path)).count)
            }
            try store.close()
            let whole = try Data(contentsOf: URL(filePath: path))
            #expect(whole.count == sizes.last)
            for length in 0...whole.count {
                try whole.prefix(length).write(to: URL(filePath: path))
                let store = try open(path)
                let place = sizes.lastIndex { $0 <= length } ?? 0
                #expect(try state(store) == states[place], "cut at \(length)")
                // It goes on from there.
                try store.execute("CREATE TABLE more (a)")
                try store.close()
                let again = try open(path)
                #expect(try again.tables().contains("more"))
                try again.close()
            }
        }
    }

    @Test func aBrokenByteBeforeTheEndIsNoTornJournal() throws {
        try inFolder { path in
            let store = try open(path)
            for step in Self.steps { try step(store) }
            try store.close()
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[30] ^= 1
            try bytes.write(to: URL(filePath: path))
            #expect(#expect(throws: StoreError.self) { _ = try open(path) }?.code == .corrupt)
            #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        }
    }

    @Test(arguments: ["not a journal at all", "PBMEMJ99", "x"])
    func anotherFileIsNotTouched(text: String) throws {
        try inFolder { path in
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(#expect(throws: StoreError.self) { _ = try open(path) }?.code == .corrupt)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(text.utf8))
        }
    }

    @Test func aJournalThatIsMostlyPastIsWrittenAnew() throws {
        try inFolder { path in
            let store = try open(path, rotationSize: 2000)
            try store.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, n)")
            for number in 0..<500 {
                try store.execute(
                    "INSERT OR REPLACE INTO a VALUES (?, ?)", [.integer(Int64(number % 5)), .integer(Int64(number))])
            }
            let before = try state(store)
            try store.close()
            #expect(try Data(contentsOf: URL(filePath: path)).count < 5000)
            #expect(!FileManager.default.fileExists(atPath: path + ".new"))
            let again = try open(path)
            #expect(try state(again) == before)
            #expect(try again.value("SELECT sum(n) FROM a") == 2485)
            try again.close()
        }
    }

    @Test func aTransactionOfManyFramesIsOne() throws {
        try inFolder { path in
            let store = try open(path)
            try store.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT)")
            let sizeBefore = try Data(contentsOf: URL(filePath: path)).count
            let text = String(repeating: "x", count: 1000)
            let rows: [[StoreValue]] = (0..<3000).map { [.integer($0), .text(text)] }
            try store.upsert(try RowBatch(["id", "t"], rows), into: "a")
            try store.close()
            let whole = try Data(contentsOf: URL(filePath: path))
            for length in [whole.count - 1, whole.count - 2_000_000, sizeBefore + 1_100_000] {
                try whole.prefix(length).write(to: URL(filePath: path))
                let store = try open(path)
                #expect(try store.value("SELECT count(*) FROM a") == 0)
                try store.close()
            }
            try whole.write(to: URL(filePath: path))
            let again = try open(path)
            #expect(try again.value("SELECT count(*) FROM a") == 3000)
            try again.close()
        }
    }

    @Test func aFolderThatIsNotThereIsAnError() throws {
        #expect(#expect(throws: StoreError.self) { _ = try open("/nowhere/at/all.journal") }?.code == .io)
    }

    @Test func aFullDiskIsToldFromOtherFailures() {
        #expect(JournalFile.failure(POSIXError(.ENOSPC), "written").code == .full)
        #expect(JournalFile.failure(CocoaError(.fileWriteOutOfSpace), "written").code == .full)
        #expect(JournalFile.failure(POSIXError(.EIO), "written").code == .io)
    }
}
