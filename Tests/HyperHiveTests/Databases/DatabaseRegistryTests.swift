import Dispatch
import Foundation
import LocalStore
import PatchbayTestKit
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import HyperHive

@Suite struct DatabaseRegistryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func code(_ body: () throws -> some Any) -> StoreError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `HyperHive 5: a database opens once, and again after it was closed`() throws {
        let registry = DatabaseRegistry(documents: folder.path("Documents")) { _, _ in MemoryStore() }
        #expect(code { try registry.database(at: "x") } == .closed)
        let database = try registry.open("x")
        #expect(try registry.open("/Documents/x") === database)
        #expect(try registry.open(folder.path("Documents/x")) === database)
        #expect(code { try registry.open("x", key: "k") } == .misuse)
        #expect(try registry.database(at: "/Documents/x") === database)
        #expect(try registry.open("y") !== database)
        try registry.close("/Documents/x")
        #expect(code { try registry.close("x") } == .closed)
        #expect(code { try database.store.execute("SELECT 1", []) } == .closed)
        #expect(try registry.open("x") !== database)
        try registry.close("y")
        #expect(code { try registry.database(at: "y") } == .closed)
    }

    @Test func `HyperHive 5: names that differ in bytes are two databases where the system has two files`() throws {
        let registry = DatabaseRegistry(documents: folder.url.path) { _, _ in MemoryStore() }
        let composed = try registry.open("Jos\u{E9}.sqlite")
        let decomposed = try registry.open("Jose\u{301}.sqlite")
        #if canImport(Darwin)
            #expect(decomposed === composed)
        #else
            #expect(decomposed !== composed)
        #endif
        try registry.close("Jose\u{301}.sqlite")
        #expect(code { try registry.database(at: "Jose\u{301}.sqlite") } == .closed)
    }

    @Test func `HyperHive 5: a failed opening leaves the path free`() throws {
        let failures = Mutex(1)
        let registry = DatabaseRegistry(documents: folder.url.path) { _, key in
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
        let registry = DatabaseRegistry(documents: folder.url.path) { _, _ in MemoryStore() }
        let database = try registry.open("x")
        // A store does not close from within its transaction.
        try database.store.transaction { #expect(code { try registry.close("x") } == .misuse) }
        #expect(try registry.database(at: "x") === database)
    }

    @Test(.needsSlot)
    func `HyperHive 5: calls wait while another thread opens the database, and find it open`() async throws {
        let (isOpening, mayOpen) = (Gate(), DispatchSemaphore(value: 0))
        let registry = DatabaseRegistry(documents: folder.url.path) { _, _ in
            isOpening.open()
            _ = mayOpen.waitUnlessHung()
            return MemoryStore()
        }
        let first = Task { try await onThread { try registry.open("x") } }
        try await isOpening.wait()
        let others = [
            Task { try await onThread { try registry.open("x") } },
            Task { try await onThread { try registry.database(at: "/Documents/x") } },
        ]
        let second = Task { try await onThread { code { try registry.open("x", key: "k") } } }
        try await eventually("three calls wait") { registry.waiterCount == 3 }
        mayOpen.signal()
        let database = try await first.value
        for other in others { #expect(try await other.value === database) }
        #expect(try await second.value == .misuse && registry.waiterCount == 0)
    }

    @Test(.needsSlot)
    func `HyperHive 5: a call that waits for an opening that fails opens the database itself`() async throws {
        let (isOpening, mayOpen) = (Gate(), DispatchSemaphore(value: 0))
        let failures = Mutex(1)
        let registry = DatabaseRegistry(documents: folder.url.path, automatic: "/Documents/x") { _, _ in
            let fails = failures.withLock { count in
                defer { count -= 1 }
                return count > 0
            }
            guard fails else { return MemoryStore() }
            isOpening.open()
            _ = mayOpen.waitUnlessHung()
            throw StoreError(.io, "Failed.")
        }
        let first = Task { try await onThread { code { try registry.open("x") } } }
        try await isOpening.wait()
        let second = Task { try await onThread { try registry.database(at: "x") } }
        try await eventually("the second call waits") { registry.waiterCount == 1 }
        mayOpen.signal()
        #expect(try await first.value == .io)
        let database = try await second.value
        #expect(try registry.database(at: "x") === database)
    }

    @Test(.needsSlot) func `HyperHive 5: an opening waits for a closing, and opens the database again`() async throws {
        let registry = DatabaseRegistry(documents: folder.url.path) { _, _ in MemoryStore(busyTimeout: .seconds(900)) }
        let database = try registry.open("x")
        let (isInTransaction, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        let transaction = Task {
            try await onThread {
                try database.store.transaction {
                    isInTransaction.open()
                    _ = mayEnd.waitUnlessHung()
                }
            }
        }
        try await isInTransaction.wait()
        let closing = Task { try await onThread { code { try registry.close("x") } } }
        let opening = Task {
            try await onThread {
                // The open one until the closing has begun.
                while true {
                    let opened = try registry.open("x")
                    if opened !== database { return opened }
                    Thread.sleep(forTimeInterval: 0.001)
                }
            }
        }
        try await eventually("the opening waits") { registry.waiterCount == 1 }
        mayEnd.signal()
        try await transaction.value
        #expect(try await closing.value == nil)
        let reopened = try await opening.value
        #expect(reopened !== database && code { try reopened.store.execute("SELECT 1", []) } == nil)
    }

    @Test func `HyperHive 5: an opener that uses its own database is refused instead of waiting for itself`() throws {
        let current = Mutex<DatabaseRegistry?>(nil)
        let registry = DatabaseRegistry(documents: folder.url.path) { _, _ in
            let registry = current.withLock { $0 }
            #expect(code { try registry?.database(at: "x") } == .misuse)
            return MemoryStore()
        }
        current.withLock { $0 = registry }
        #expect(code { try registry.open("x") } == nil)
        current.withLock { $0 = nil }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `HyperHive 4: the spellings reach one file, also through a symbolic link`() throws {
        try FileManager.default.createDirectory(atPath: folder.path("real"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("real"))
        let registry = DatabaseRegistry(documents: folder.path("link"))
        let database = try registry.open("x.sqlite")
        #expect(try registry.open(folder.path("real") + "/x.sqlite") === database)
        #expect(try registry.database(at: "/Documents/x.sqlite") === database)
        #expect(FileManager.default.fileExists(atPath: folder.path("real") + "/x.sqlite"))
        try registry.close("x.sqlite")
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable))
    func `HyperHive 5: a key without SQLCipher creates no file`() throws {
        let registry = DatabaseRegistry(documents: folder.url.path)
        #expect(code { try registry.open("x.sqlite", key: "secret") } == .encryptionUnavailable)
        #expect(try folder.names == [])
        #expect(code { try registry.open("x.sqlite") } == nil)
    }

    @Test func `saved parameters`() throws {
        let registry = DatabaseRegistry(documents: folder.url.path)
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
