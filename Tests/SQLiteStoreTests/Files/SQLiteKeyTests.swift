import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Changing the key of a store.
@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteKeyTests {
    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    private func cipher() throws -> SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.cipher { 3_045_000 }
        return configuration
    }

    @Test func `new connections use the new key`() throws {
        let folder = try TemporaryFolder()
        let (old, new) = ("old-\(UUID().uuidString)", "it's-\(UUID().uuidString)")
        let escaped = new.replacingOccurrences(of: "'", with: "''")
        let traced = Mutex<[String]>([])
        var configuration = try cipher()
        configuration.trace = { trace in traced.withLock { $0.append(trace.sql) } }
        let store = try SQLiteStore(
            .file(folder.path("a")), key: EncryptionKey(old), configuration: configuration)
        try store.execute("CREATE TABLE jack (id)")
        // A reader with the old key is idle now.
        #expect(try store.rows("SELECT * FROM jack") == [])
        #expect(FakeSQLite.keyStatements(with: old).allSatisfy { $0 == "PRAGMA key = '\(old)'" })
        let before = FakeSQLite.keyStatements(with: old).count
        try store.changeKey(to: EncryptionKey(new))
        #expect(
            FakeSQLite.keyStatements(with: escaped) == ["PRAGMA rekey = '\(escaped)'", "PRAGMA key = '\(escaped)'"])
        #expect(try store.rows("SELECT * FROM jack") == [])
        #expect(FakeSQLite.keyStatements(with: escaped).last == "PRAGMA key = '\(escaped)'")
        #expect(FakeSQLite.keyStatements(with: old).count == before)
        #expect(traced.withLock { $0 }.allSatisfy { !$0.contains(old) && !$0.contains(new.dropFirst(5)) })
    }

    @Test func `temporary files of an encrypted store are refused, and kept in memory by default`() throws {
        let folder = try TemporaryFolder()
        var configuration = try cipher()
        configuration.temporaryStorage = .file
        let refusal = error {
            _ = try SQLiteStore(.file(folder.path("a")), key: "secret", configuration: configuration)
        }
        #expect(refusal?.code == .invalidArgument && refusal?.message.contains("temporaryStorage") == true)
        #expect(try folder.names == [])
        for (name, storage) in [("b", nil), ("c", SQLiteStore.TemporaryStorage.memory)] {
            configuration.temporaryStorage = storage
            let store = try SQLiteStore(.file(folder.path(name)), key: "secret", configuration: configuration)
            var value: Int64?
            try store.writer.use { try $0.runInternal("PRAGMA temp_store") { value = $0.int64(at: 0) } }
            #expect(value == 2)
            try store.close()
        }
    }

    @Test func `a change of the key is refused`() throws {
        let folder = try TemporaryFolder()
        let plain = try SQLiteStore(.memory)
        #expect(error { try plain.changeKey(to: "secret") }?.code == .encryptionUnavailable)
        let unencrypted = try SQLiteStore(.file(folder.path("a")), configuration: cipher())
        #expect(error { try unencrypted.changeKey(to: "secret") }?.code == .wrongKey)
        let store = try SQLiteStore(.file(folder.path("b")), key: "old", configuration: cipher())
        for key in [EncryptionKey.unencrypted, "a\0b"] {
            #expect(error { try store.changeKey(to: key) }?.code == .invalidArgument)
        }
        let inTransaction = error { try store.transaction { try store.changeKey(to: "hunter2") } }
        #expect(inTransaction?.code == .misuse)
        #expect(inTransaction?.description.contains("hunter2") == false)
        let inCallback = error {
            try store.query("SELECT 1") { _ in
                try store.changeKey(to: "hunter2")
                return true
            }
        }
        #expect(inCallback?.code == .misuse)
    }

    @Test func `a failed change keeps the old key, and the store opens its file again`() throws {
        let folder = try TemporaryFolder()
        let (old, new) = ("old-\(UUID().uuidString)", "rekeyfails-\(UUID().uuidString)")
        let store = try SQLiteStore(.file(folder.path("a")), key: EncryptionKey(old), configuration: cipher())
        try store.execute("CREATE TABLE jack (id)")
        let before = FakeSQLite.keyStatements(with: old).count
        let failure = error { try store.changeKey(to: EncryptionKey(new)) }
        #expect(failure?.code == .failed)
        #expect(failure?.description.contains(new) == false)
        #expect(FakeSQLite.keyStatements(with: new).allSatisfy { $0 == "PRAGMA rekey = '\(new)'" })
        // The writer was opened again, since it might write with the new key.
        #expect(FakeSQLite.keyStatements(with: old).count == before + 1)
        try store.execute("INSERT INTO jack VALUES (1)")
        #expect(try store.rows("SELECT id FROM jack") == [[1]])
    }

    @Test func `a change of the key that the library does not report as failed is found`() throws {
        let folder = try TemporaryFolder()
        let (old, new) = ("old-\(UUID().uuidString)", "keyfails-\(UUID().uuidString)")
        let store = try SQLiteStore(.file(folder.path("a")), key: EncryptionKey(old), configuration: cipher())
        try store.execute("CREATE TABLE jack (id)")
        let failure = error { try store.changeKey(to: EncryptionKey(new)) }
        #expect(failure?.description.contains(new) == false)
        try store.execute("INSERT INTO jack VALUES (1)")
        #expect(try store.rows("SELECT id FROM jack") == [[1]])
        #expect(FakeSQLite.keyStatements(with: old).last == "PRAGMA key = '\(old)'")
    }

    @Test func `a change of the key counts when only its proof failed`() throws {
        let folder = try TemporaryFolder()
        let (old, new) = ("old-\(UUID().uuidString)", "prooffails-\(UUID().uuidString)")
        let store = try SQLiteStore(.file(folder.path("a")), key: EncryptionKey(old), configuration: cipher())
        try store.execute("CREATE TABLE jack (id)")
        try store.changeKey(to: EncryptionKey(new))
        // The proof failed, and the old key was wrong.
        let count = FakeSQLite.keyStatements(with: new).count
        #expect(count > 1 && FakeSQLite.keyStatements(with: old).count == 2)
        // The writer continues with the new key; readers use it too.
        try store.execute("INSERT INTO jack VALUES (1)")
        #expect(try store.rows("SELECT id FROM jack") == [[1]])
        #expect(FakeSQLite.keyStatements(with: new).count == count + 1)
        #expect(FakeSQLite.keyStatements(with: old).count == 2)
        #expect(
            error { _ = try SQLiteStore(.file(folder.path("a")), key: EncryptionKey(old), configuration: cipher()) }?
                .code == .wrongKey)
    }

    @Test func `a change of the key waits for other stores that write`() throws {
        let folder = try TemporaryFolder()
        var configuration = try cipher()
        configuration.busyTimeout = .zero
        let (old, new) = ("old-\(UUID().uuidString)", "new-\(UUID().uuidString)")
        let store = try SQLiteStore(.file(folder.path("a")), key: EncryptionKey(old), configuration: configuration)
        // Without a key, since the fake does not encrypt.
        let writer = try SQLiteStore(.file(folder.path("a")))
        try writer.transaction {
            #expect(error { try store.changeKey(to: EncryptionKey(new)) }?.code == .busy)
        }
        #expect(FakeSQLite.keyStatements(with: new) == [])
        try store.changeKey(to: EncryptionKey(new))
        #expect(FakeSQLite.keyStatements(with: new).first == "PRAGMA rekey = '\(new)'")
    }

    @Test func `a change of the key waits for readers`() throws {
        let folder = try TemporaryFolder()
        var configuration = try cipher()
        configuration.busyTimeout = .milliseconds(1)
        let key = "old-\(UUID().uuidString)"
        let store = try SQLiteStore(.file(folder.path("a")), key: EncryptionKey(key), configuration: configuration)
        let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let wait = onThread {
            try? store.query("SELECT 1") { _ in
                isReading.signal()
                mayEnd.wait()
                return true
            }
        }
        isReading.wait()
        let other = "new-\(UUID().uuidString)"
        #expect(error { try store.changeKey(to: EncryptionKey(other)) }?.code == .busy)
        #expect(FakeSQLite.keyStatements(with: other) == [])
        mayEnd.signal()
        #expect(wait())
        try store.changeKey(to: EncryptionKey(other))
        #expect(FakeSQLite.keyStatements(with: other).first == "PRAGMA rekey = '\(other)'")
        #expect(try store.rows("SELECT 1") == [[1]])
    }
}
