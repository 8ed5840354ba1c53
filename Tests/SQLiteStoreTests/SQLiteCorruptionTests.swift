import Foundation
import SQLiteStore
import StoreCore
import StoreTestSupport
import TestSupport
import Testing

/// Corrupt, encrypted and other files, and full disks.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteCorruptionTests {
    private func withFile(_ content: Data?, _ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("store.sqlite")
        if let content { try content.write(to: URL(fileURLWithPath: path)) }
        try body(path)
    }

    /// Contents of a valid database with a table of several pages.
    private func soundFile() throws -> Data {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try SQLiteStore(.file(folder.path("a")))
        try store.createTable(StoreConformance.jacks)
        let text = String(repeating: "x", count: 500)
        try store.upsert(try RowBatch(["id", "label"], (0..<200).map { [.integer($0), .text(text)] }), into: "jack")
        try store.close()
        return try Data(contentsOf: URL(fileURLWithPath: folder.path("a")))
    }

    private func openingCode(
        _ path: String, key: EncryptionKey = .unencrypted,
        _ change: (inout SQLiteStore.Configuration) -> Void = { _ in }
    ) -> StoreError.Code? {
        var configuration = SQLiteStore.Configuration()
        change(&configuration)
        return #expect(throws: StoreError.self) {
            try SQLiteStore(.file(path), key: key, configuration: configuration)
        }?.code
    }

    @Test func `other files are left unchanged`() throws {
        let contents = [Data("just a text".utf8), Data(repeating: 0, count: 4096)]
        for content in contents {
            try withFile(content) { path throws in
                #expect(openingCode(path) == .corrupt)
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
            }
        }
    }

    @Test func `empty files are empty stores`() throws {
        try withFile(Data()) { path throws in #expect(try SQLiteStore(.file(path)).tableNames() == []) }
    }

    @Test func `corrupt files are quarantined`() throws {
        var damaged = try soundFile()
        damaged.replaceSubrange(100..<4096, with: Data(repeating: 0xA5, count: 3996))
        try withFile(damaged) { path throws in
            #expect(openingCode(path) == .corrupt)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
            var configuration = SQLiteStore.Configuration()
            configuration.corruptionPolicy = .quarantine
            try Data("taken".utf8).write(to: URL(fileURLWithPath: path + ".corrupt-1"))
            let store = try SQLiteStore(.file(path), configuration: configuration)
            #expect(store.quarantinedFile == path + ".corrupt-2")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".corrupt-2")) == damaged)
            try store.createTable(StoreConformance.jacks)
            try store.close()
            let again = try SQLiteStore(.file(path), configuration: configuration)
            #expect(again.quarantinedFile == nil)
            #expect(try again.tableNames() == ["jack"])
        }
    }

    @Test func `integrity check finds corrupt pages`() throws {
        var damaged = try soundFile()
        damaged.replaceSubrange(16_384..<20_480, with: Data(repeating: 0xA5, count: 4096))
        try withFile(damaged) { path throws in
            let store = try SQLiteStore(.file(path))
            #expect(try !store.integrityProblems().isEmpty)
            let error = #expect(throws: StoreError.self) { try store.rows("SELECT label FROM jack") }
            #expect(error?.code == .corrupt)
            try store.close()
            #expect(openingCode(path) { $0.verifiesIntegrityOnOpen = true } == .corrupt)
        }
    }

    @Test func `failed integrity check leaves the file unchanged`() throws {
        var damaged = try soundFile()
        damaged.replaceSubrange(16_384..<20_480, with: Data(repeating: 0xA5, count: 4096))
        // Sets the rollback journal mode (sqlite.org/fileformat2.html, section 1.3.3).
        damaged.replaceSubrange(18..<20, with: [1, 1])
        try withFile(damaged) { path throws in
            #expect(openingCode(path) { $0.verifiesIntegrityOnOpen = true } == .corrupt)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
        }
    }

    @Test func `missing folders throw IO`() throws {
        #expect(openingCode("/nowhere/at/all/store.sqlite") == .io)
        for path in ["", "a\0b"] { #expect(openingCode(path) == .invalidArgument) }
        try withFile(nil) { path throws in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            #expect(openingCode(path) == .io)
        }
    }

    @Test func `special SQ lite names are ordinary files`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for name in [":memory:", "file:x?mode=memory", "a%20b"] {
            let store = try SQLiteStore(.file(folder.path(name)))
            try store.createTable(StoreConformance.jacks)
            #expect(FileManager.default.fileExists(atPath: folder.path(name)))
            try store.close()
        }
    }

    // MARK: Keys

    @Test func `key without encryption creates no file`() throws {
        try withFile(nil) { path throws in
            #expect(openingCode(path, key: "secret") == .encryptionUnavailable)
            let left = try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent)
            #expect(left == [])
        }
        #expect(
            #expect(throws: StoreError.self) { try SQLiteStore(.memory, key: "secret") }?.code
                == .encryptionUnavailable)
    }

    @Test func `key without encryption leaves the file unchanged`() throws {
        let content = try soundFile()
        try withFile(content) { path throws in
            #expect(openingCode(path, key: "secret") == .encryptionUnavailable)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
        }
    }

    @Test func `possibly encrypted files are never quarantined`() throws {
        let content = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        try withFile(content) { path throws in
            #expect(openingCode(path) { $0.corruptionPolicy = .quarantine } == .keyRequired)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
        }
    }

    // MARK: A full disk

    @Test(.needsSmallDisk) func `full disk rolls back`() throws {
        let disk = try SmallDisk(megabytes: 1)
        let store = try SQLiteStore(.file(disk.folder.path("store.sqlite")))
        try store.createTable(StoreConformance.jacks)
        try store.upsert(try RowBatch(["id", "label"], [[1, "kept"]]), into: "jack")
        let text = String(repeating: "x", count: 1000)
        let large = try RowBatch(["id", "label"], (0..<2000).map { [.integer($0), .text(text)] })
        #expect(#expect(throws: StoreError.self) { try store.upsert(large, into: "jack") }?.code == .full)
        #expect(try store.rows("SELECT id, label FROM jack") == [[1, "kept"]])
        let inTransaction = #expect(throws: StoreError.self) {
            try store.transaction {
                try store.execute("UPDATE jack SET label = 'changed'")
                try store.upsert(large, into: "jack")
            }
        }
        #expect(inTransaction?.code == .full)
        #expect(try store.rows("SELECT id, label FROM jack") == [[1, "kept"]])
        #expect(try store.integrityProblems() == [])
        try store.upsert(try RowBatch(["id", "label"], [[2, "fits"]]), into: "jack")
        #expect(try store.jackIDs() == [1, 2])
        try store.close()
    }
}
