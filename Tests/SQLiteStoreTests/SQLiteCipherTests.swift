import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore
@testable import SystemLibraries

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteCipherTests {
    private func withFile(_ content: Data?, _ body: (String, SQLiteStore.Configuration) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("store.sqlite")
        if let content { try content.write(to: URL(fileURLWithPath: path)) }
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.cipher { 3_045_000 }
        configuration.corruptionPolicy = .quarantine
        try body(path, configuration)
    }

    @Test func `sqlcipher accepts the key`() throws {
        try withFile(nil) { path, configuration throws in
            let store = try SQLiteStore(.file(path), key: "it's secret", configuration: configuration)
            try store.execute("CREATE TABLE jack (id)")
            #expect(try store.tableNames() == ["jack"])
        }
    }

    @Test func `wrong key leaves the file unchanged`() throws {
        let content = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        try withFile(content) { path, configuration throws in
            let error = #expect(throws: StoreError.self) {
                try SQLiteStore(.file(path), key: "hunter2", configuration: configuration)
            }
            #expect(error?.code == .wrongKey)
            #expect(error?.description.contains("hunter2") == false)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
            let left = try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent)
            #expect(left == ["store.sqlite"])
        }
    }

    @Test func `key for an unencrypted file is rejected`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try SQLiteStore(.file(folder.path("plain")))
        try store.execute("CREATE TABLE jack (id)")
        try store.close()
        let content = try Data(contentsOf: URL(fileURLWithPath: folder.path("plain")))
        try withFile(content) { path, configuration throws in
            let error = #expect(throws: StoreError.self) {
                try SQLiteStore(.file(path), key: "hunter2", configuration: configuration)
            }
            #expect(error?.code == .wrongKey)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
        }
    }

    @Test func `old SQ lite versions are rejected`() throws {
        let old = try FakeSQLite.cipher { 3_015_002 }
        #expect(!old.isAvailable)
        #expect(old.versionNumber == 3_015_002)
        var configuration = SQLiteStore.Configuration()
        configuration.library = old
        let error = #expect(throws: StoreError.self) { try SQLiteStore(.memory, configuration: configuration) }
        #expect(error?.code == .libraryMissing)
        #expect(error?.message.contains("3.24") == true)
    }

    @Test func `keys with NUL are rejected`() throws {
        let error = #expect(throws: StoreError.self) { try SQLiteStore(.memory, key: "a\0b") }
        #expect(error?.code == .invalidArgument)
    }
}
