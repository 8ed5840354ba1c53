import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
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
        { try $0.swapTable("a", for: "b") },
        { try $0.execute("INSERT INTO a VALUES ('after', 4)") },
    ]

    @Test func `a store is as it was when it is opened again`() throws {
        try inFolder { path in
            var store = try open(path)
            for step in Self.steps {
                try step(store)
                let before = try store.everything()
                try store.close()
                store = try open(path)
                #expect(try store.everything() == before)
            }
        }
    }

    @Test func `a torn journal gives the last commit wherever it is cut`() throws {
        try inFolder { path in
            let store = try open(path)
            var states = [try store.everything()]
            var sizes = [try Data(contentsOf: URL(filePath: path)).count]
            for step in Self.steps {
                try step(store)
                states.append(try store.everything())
                sizes.append(try Data(contentsOf: URL(filePath: path)).count)
            }
            try store.close()
            let whole = try Data(contentsOf: URL(filePath: path))
            #expect(whole.count == sizes.last)
            for length in 0...whole.count {
                try whole.prefix(length).write(to: URL(filePath: path))
                let store = try open(path)
                let place = sizes.lastIndex { $0 <= length } ?? 0
                #expect(try store.everything() == states[place], "cut at \(length)")
                // It goes on from there.
                try store.execute("CREATE TABLE more (a)")
                try store.close()
                let again = try open(path)
                #expect(try again.tableNames().contains("more"))
                try again.close()
            }
        }
    }

    @Test func `a broken byte before the end is no torn journal`() throws {
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
    func `another file is not touched`(text: String) throws {
        try inFolder { path in
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(#expect(throws: StoreError.self) { _ = try open(path) }?.code == .corrupt)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(text.utf8))
        }
    }

    @Test func `a journal of mostly superseded records is rewritten`() throws {
        try inFolder { path in
            let store = try open(path, rotationSize: 2000)
            try store.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, n)")
            for number in 0..<500 {
                try store.execute(
                    "INSERT OR REPLACE INTO a VALUES (?, ?)", [.integer(Int64(number % 5)), .integer(Int64(number))])
            }
            let before = try store.everything()
            try store.close()
            #expect(try Data(contentsOf: URL(filePath: path)).count < 5000)
            #expect(!FileManager.default.fileExists(atPath: path + ".new"))
            let again = try open(path)
            #expect(try again.everything() == before)
            #expect(try again.value("SELECT sum(n) FROM a") == 2485)
            try again.close()
        }
    }

    @Test(arguments: [0o600, 0o664]) func `a rewritten journal keeps its permissions`(mode: Int) throws {
        try inFolder { path in
            let store = try open(path, rotationSize: 2000)
            try store.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, n)")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            for number in 0..<500 as Range<Int64> {
                try store.execute("INSERT OR REPLACE INTO a VALUES (1, ?)", [.integer(number)])
            }
            #expect(try Data(contentsOf: URL(filePath: path)).count < 5000)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
            try store.close()
        }
    }

    /// Otherwise the superseded rows of the whole history would be in memory at once.
    @Test func `a replay compacts tables where the commits did`() throws {
        func physicalRows(_ store: MemoryStore) -> Int? {
            store.shared.withLock { $0.database.table("t")?.physicalRowCount }
        }
        try inFolder { path in
            let store = try open(path)
            try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
            try store.upsert(try RowBatch(["id"], (1...200).map { [.integer($0)] }), into: "t")
            try store.execute("DELETE FROM t WHERE id <= 150")
            try store.upsert(try RowBatch(["id"], (201...400).map { [.integer($0)] }), into: "t")
            #expect(physicalRows(store) == 250)
            try store.close()
            let again = try open(path)
            #expect(physicalRows(again) == 250)
            #expect(try again.value("SELECT sum(id) FROM t") == 68_875)
            try again.close()
        }
    }

    /// Also when no process lives long enough to double it.
    @Test func `short lives do not make it grow`() throws {
        try inFolder { path in
            for number in 0..<150 as Range<Int64> {
                let store = try open(path, rotationSize: 1000)
                try store.execute("CREATE TABLE IF NOT EXISTS a (id INTEGER PRIMARY KEY, n)")
                try store.execute("INSERT OR REPLACE INTO a VALUES (1, ?)", [.integer(number)])
                try store.close()
                #expect(try Data(contentsOf: URL(filePath: path)).count < 1100)
            }
            let again = try open(path)
            #expect(try again.rows("SELECT * FROM a") == [[1, 149]])
            try again.close()
        }
    }

    @Test func `random transactions are done again`() throws {
        try inFolder { path in
            for seed in 1...20 as ClosedRange<UInt64> {
                try? FileManager.default.removeItem(atPath: path)
                var generator = SeededGenerator(seed: seed)
                var store = try open(path, rotationSize: 3000)
                try store.makeTables()
                for step in 0..<30 {
                    try store.change(&generator)
                    guard step % 5 == 0 else { continue }
                    let before = try store.everything()
                    try store.close()
                    store = try open(path, rotationSize: 3000)
                    #expect(try store.everything() == before, "seed \(seed), step \(step)")
                }
                try store.close()
            }
        }
    }

    @Test func `a transaction of many frames is one`() throws {
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

    @Test func `a folder that is not there is an error`() throws {
        #expect(#expect(throws: StoreError.self) { _ = try open("/nowhere/at/all.journal") }?.code == .io)
    }
}
