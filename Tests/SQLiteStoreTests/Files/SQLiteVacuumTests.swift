import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// The file and its log after a vacuum, and compact copies.
@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteVacuumTests {
    private func withFile(_ body: (TemporaryFolder, String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(folder, folder.path("store.sqlite"))
    }

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    private func fill(_ store: SQLiteStore, rows: Int) throws {
        try store.createTable(StoreConformance.jacks)
        let text = String(repeating: "x", count: 1000)
        try store.upsert(
            try RowBatch(["id", "label"], (0..<rows).map { [.integer(Int64($0)), .text(text)] }), into: "jack")
    }

    @Test func `vacuum frees pages, and leaves no bytes of deleted rows`() throws {
        try withFile { _, path throws in
            var configuration = SQLiteStore.Configuration()
            configuration.busyTimeout = .seconds(3600)
            let store = try SQLiteStore(.file(path), configuration: configuration)
            try fill(store, rows: 1000)
            try store.execute("UPDATE jack SET label = ? WHERE id = 500", [.text("deleted label")])
            try store.checkpoint(.truncate)
            try store.execute("DELETE FROM jack WHERE id > 5")
            #expect(try store.value("PRAGMA freelist_count") != 0)
            #expect(error { try store.transaction { try store.vacuum() } }?.code == .misuse)
            try store.vacuum()
            #expect(try store.value("PRAGMA freelist_count") == 0)
            #expect(try store.jackIDs().count == 6)
            for file in [path, path + "-wal"] {
                #expect(try Data(contentsOf: URL(filePath: file)).range(of: Data("deleted label".utf8)) == nil)
            }
        }
    }

    @Test func `vacuum does not wait for a read of its thread`() throws {
        try withFile { _, path throws in
            let checkpoints = Mutex<[String]>([])
            var configuration = SQLiteStore.Configuration()
            configuration.trace = { trace in
                guard trace.sql.contains("wal_checkpoint") else { return }
                checkpoints.withLock { $0.append(trace.sql) }
            }
            let store = try SQLiteStore(.file(path), configuration: configuration)
            try fill(store, rows: 10)
            try store.query("SELECT id FROM jack") { _ in
                try store.vacuum()
                return false
            }
            try store.vacuum()
            let modes = checkpoints.withLock(\.self)
            #expect(modes == ["PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(TRUNCATE)"])
        }
    }

    @Test func `vacuum in the loop of a stream ends before the busy timeout, and leaves the log`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("store.sqlite")
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3600)
        let store = try SQLiteStore(.file(path), configuration: configuration)
        // More than the stream reads ahead.
        try fill(store, rows: 5000)
        for try await _ in store.stream(of: Int.self, "SELECT id FROM jack") {
            let hasEnded = onThread { try? store.vacuum() }
            #expect(hasEnded())
            #expect(try Data(contentsOf: URL(filePath: path + "-wal")).count > 0)
            break
        }
        try store.checkpoint(.truncate)
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")).isEmpty)
    }

    @Test(arguments: [true, false]) func `vacuum into a new file`(isFile: Bool) throws {
        try withFile { folder, path throws in
            let store = try SQLiteStore(isFile ? .file(path) : .memory)
            try fill(store, rows: 100)
            try store.vacuum(into: folder.path("it's a copy"))
            let copy = try SQLiteStore(.file(folder.path("it's a copy")))
            #expect(try copy.rows("SELECT * FROM jack") == store.rows("SELECT * FROM jack"))
            // The connection still attaches nothing for callers, and a reader writes nothing.
            for sql in ["ATTACH '/tmp/patchbay-other.sqlite' AS other", "VACUUM INTO '/tmp/patchbay-other.sqlite'"] {
                #expect(error { try store.execute(sql, []) }?.code == .unsupportedSQL)
                #expect(error { _ = try store.rows(sql, []) }?.code == .unsupportedSQL)
            }
            #expect(!FileManager.default.fileExists(atPath: "/tmp/patchbay-other.sqlite"))
            try store.readers?.use { reader in
                try reader.runInternal("PRAGMA query_only") { #expect($0.int64(at: 0) == 1) }
            }
        }
    }

    @Test func `vacuum into an existing file, or in a transaction, is refused`() throws {
        try withFile { folder, path throws in
            let store = try SQLiteStore(.file(path))
            try fill(store, rows: 3)
            let text = Data("kept".utf8)
            let other = folder.path("other")
            try text.write(to: URL(filePath: other))
            let existing = error { try store.vacuum(into: other) }
            #expect(existing?.code == .invalidArgument)
            #expect(existing?.message.contains(other) == true)
            #expect(try Data(contentsOf: URL(filePath: other)) == text)
            #expect(error { try store.vacuum(into: path) }?.code == .invalidArgument)
            #expect(error { try store.vacuum(into: folder.path("nowhere/a")) }?.code == .io)
            #expect(error { try store.transaction { try store.vacuum(into: folder.path("b")) } }?.code == .misuse)
            let inCallback = error {
                try store.query("SELECT 1") { _ in
                    try store.vacuum(into: folder.path("b"))
                    return true
                }
            }
            #expect(inCallback?.code == .misuse)
            #expect(!FileManager.default.fileExists(atPath: folder.path("b")))
        }
    }

    @Test func `of several vacuums into one new file, one succeeds`() throws {
        try withFile { folder, path throws in
            var configuration = SQLiteStore.Configuration()
            configuration.busyTimeout = .seconds(3600)
            let store = try SQLiteStore(.file(path), configuration: configuration)
            try fill(store, rows: 50)
            for round in 0..<20 {
                let copy = folder.path("copy \(round)")
                let codes = Mutex<[StoreError.Code]>([])
                DispatchQueue.concurrentPerform(iterations: 4) { _ in
                    do throws(StoreError) { try store.vacuum(into: copy) } catch {
                        codes.withLock { $0.append(error.code) }
                    }
                }
                #expect(codes.withLock(\.self) == Array(repeating: .invalidArgument, count: 3))
                let rows = try SQLiteStore(.file(copy)).rows("SELECT count(*) FROM jack", [])
                #expect(rows == [[50]])
            }
        }
    }

    @Test(.needsSmallDisk) func `vacuum into a full disk leaves no file`() throws {
        let disk = try SmallDisk(megabytes: 1)
        let store = try SQLiteStore(.memory)
        try fill(store, rows: 2000)
        #expect(error { try store.vacuum(into: disk.folder.path("copy")) }?.code == .full)
        #expect(try disk.folder.names == [])
    }
}
