import Foundation
import LocalStore
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import HyperHive

@Suite struct DatabaseRegistryTests {
    private func code(_ body: () throws -> some Any) -> StoreError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `HyperHive 5: a database opens once, and again after it was closed`() throws {
        let registry = DatabaseRegistry(documents: "/nowhere/Documents") { _, _ in MemoryStore() }
        #expect(code { try registry.database(at: "x") } == .closed)
        let database = try registry.open("x")
        #expect(code { try registry.open("/Documents/x") } == .misuse)
        #expect(code { try registry.open("/nowhere/Documents/x") } == .misuse)
        #expect(try registry.database(at: "/Documents/x") === database)
        #expect(try registry.open("y") !== database)
        try registry.close("/Documents/x")
        #expect(code { try registry.close("x") } == .closed)
        #expect(code { try database.store.execute("SELECT 1", []) } == .closed)
        #expect(try registry.open("x") !== database)
        registry.closeAll()
        #expect(code { try registry.database(at: "y") } == .closed)
    }

    @Test func `HyperHive 5: a failed opening leaves the path free`() throws {
        let failures = Mutex(1)
        let registry = DatabaseRegistry(documents: "/nowhere") { _, key in
            guard
                failures.withLock({
                    $0 -= 1; return $0 < 0
                })
            else { throw StoreError(.wrongKey, "Wrong key.") }
            #expect(key == "secret")
            return MemoryStore()
        }
        #expect(code { try registry.open("x", key: "secret") } == .wrongKey)
        #expect(code { try registry.open("x", key: "secret") } == nil)
    }

    @Test func `HyperHive 5: a database that cannot be closed stays open`() throws {
        let registry = DatabaseRegistry(documents: "/nowhere") { _, _ in MemoryStore() }
        let database = try registry.open("x")
        // A store does not close from within its transaction.
        try database.store.transaction { #expect(code { try registry.close("x") } == .misuse) }
        #expect(try registry.database(at: "x") === database)
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `HyperHive 4: the spellings reach one file, also through a symbolic link`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("real"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("real"))
        let registry = DatabaseRegistry(documents: folder.path("link"))
        let database = try registry.open("x.sqlite")
        #expect(code { try registry.open(folder.path("real") + "/x.sqlite") } == .misuse)
        #expect(try registry.database(at: "/Documents/x.sqlite") === database)
        #expect(FileManager.default.fileExists(atPath: folder.path("real") + "/x.sqlite"))
        try registry.close("x.sqlite")
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `HyperHive 5: a key without SQLCipher creates no file`() throws {
        let folder = try TemporaryFolder()
        let registry = DatabaseRegistry(documents: folder.url.path)
        #expect(code { try registry.open("x.sqlite", key: "secret") } == .encryptionUnavailable)
        #expect(try folder.names == [])
        #expect(code { try registry.open("x.sqlite") } == nil)
    }

    @Test func `saved parameters`() throws {
        let registry = DatabaseRegistry(documents: "/nowhere")
        let parameters = try registry.open(":memory:").parameters
        #expect(try parameters.value(forKey: "a") == nil)
        try parameters.save(nil, forKey: "a")
        try parameters.save("1", forKey: "a")
        try parameters.save("", forKey: "b")
        try parameters.save("2", forKey: "a")
        #expect(try parameters.value(forKey: "a") == "2")
        #expect(try parameters.value(forKey: "b") == "")
        try parameters.save(nil, forKey: "a")
        #expect(try parameters.value(forKey: "a") == nil)
    }
}
