import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Online backup between files and memory.
@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteBackupTests: BackupTesting {
    @Test func `memory to file and back to memory`() throws {
        try withFolder { folder throws in
            let source = try makeStore(.memory, rows: 3000)
            try source.execute("PRAGMA user_version = 7")
            var steps: [SQLiteStore.BackupProgress] = []
            try source.backup(toFile: folder.path("copy.sqlite")) {
                steps.append($0)
                return true
            }
            #expect(steps.count > 1)
            #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.completedPages <= $1.completedPages })
            #expect(steps.last.map { $0.completedPages == $0.totalPages } == true)
            #expect(try folder.names == ["copy.sqlite"])

            let file = try SQLiteStore(.file(folder.path("copy.sqlite")))
            let copy = try makeStore(.memory, rows: 1)
            try file.backup(to: copy)
            for store in [file, copy] {
                #expect(try count(store) == 3000)
                #expect(try store.value("PRAGMA user_version") == 7)
                #expect(try store.integrityProblems() == [])
            }
        }
    }

    @Test func `a file is copied while it is written`() throws {
        try withFolder { folder throws in
            let source = try makeStore(.file(folder.path("a")), rows: 3000)
            let destination = try SQLiteStore(.memory)
            var steps = 0
            try source.backup(to: destination) { _ in
                steps += 1
                #expect(throws: Never.self) { try source.execute("DELETE FROM jack WHERE id < 500") }
                return true
            }
            #expect(steps > 2)
            // The snapshot of the beginning.
            #expect(try count(destination) == 3000)
            #expect(try count(source) == 2500)
        }
    }

    @Test func `the destination's statements, readers and subscribers see the new tables`() throws {
        try withFolder { folder throws in
            let source = try SQLiteStore(.memory)
            try source.execute("CREATE TABLE plug (a, b)")
            try source.execute("INSERT INTO plug VALUES (1, 2)")
            let destination = try makeStore(.file(folder.path("a")), rows: 3)
            #expect(try destination.read { try $0.rows("SELECT count(*) FROM jack") } == [[3]])
            let log = ChangeLog()
            let subscription = destination.subscribe(log.note)
            try source.backup(to: destination)
            #expect(log.take() == [["jack", "plug"]])
            #expect(try destination.rows("SELECT * FROM plug") == [[1, 2]])
            #expect(try destination.tableNames() == ["plug"])
            #expect(error { _ = try destination.rows("SELECT count(*) FROM jack") }?.code == .noSuchTable)
            subscription.cancel()
        }
    }

    // MARK: Cancellation

    @Test(arguments: [true, false]) func `a cancelled backup leaves the destination unchanged`(isFile: Bool) throws {
        try withFolder { folder throws in
            let source = try makeStore(.memory, rows: 3000)
            let destination = try makeStore(isFile ? .file(folder.path("a")) : .memory, rows: 3)
            let log = ChangeLog()
            let subscription = destination.subscribe(log.note)
            #expect(error { try source.backup(to: destination) { _ in false } }?.code == .interrupted)
            #expect(try count(destination) == 3)
            #expect(try destination.integrityProblems() == [])
            #expect(log.take() == [])
            subscription.cancel()
            // It can be used and backed up again.
            try destination.execute("DELETE FROM jack WHERE id = 0")
            try source.backup(to: destination)
            #expect(try count(destination) == 3000)
        }
    }

    @Test func `a cancelled backup removes a new file and keeps an existing one`() throws {
        try withFolder { folder throws in
            let source = try makeStore(.memory, rows: 3000)
            #expect(error { try source.backup(toFile: folder.path("new")) { _ in false } }?.code == .interrupted)
            #expect(try folder.names == [])
            try makeStore(.file(folder.path("old")), rows: 3).close()
            #expect(error { try source.backup(toFile: folder.path("old")) { _ in false } }?.code == .interrupted)
            #expect(try folder.names == ["old"])
            #expect(try count(SQLiteStore(.file(folder.path("old")))) == 3)
        }
    }

    @Test func `a cancelled backup into a new file keeps the backup of another caller`() throws {
        try withFolder { folder throws in
            let source = try makeStore(.memory, rows: 3000)
            let copy = folder.path("copy")
            var calls = 0
            let cancelled = error {
                try source.backup(toFile: folder.path("copy")) { _ in
                    calls += 1
                    // The name is now that of another backup.
                    if calls == 1 {
                        try? FileManager.default.removeItem(atPath: copy)
                        try? makeStore(.file(copy), rows: 3).close()
                    }
                    return false
                }
            }
            #expect(cancelled?.code == .interrupted && calls == 1)
            #expect(try count(SQLiteStore(.file(copy))) == 3)
        }
    }

    @Test func `interrupting a store and cancelling its task end a backup`() async throws {
        let source = try makeStore(.memory, rows: 2000)
        let destination = try makeStore(.memory, rows: 3)
        for store in [source, destination] {
            let interrupted = error {
                try source.backup(to: destination) { _ in
                    store.interrupt()
                    return true
                }
            }
            #expect(interrupted?.code == .interrupted)
        }
        let code = await Task { () -> StoreError.Code? in
            do throws(StoreError) {
                try source.backup(to: destination) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return true
                }
                return nil
            } catch { return error.code }
        }.value
        #expect(code == .interrupted)
        #expect(try count(destination) == 3)
    }

    // MARK: Other users

    @Test func `a destination with a transaction elsewhere is busy`() throws {
        try withFolder { folder throws in
            let path = folder.path("a")
            let source = try makeStore(.memory, rows: 10, impatient)
            let other = try makeStore(.file(path), rows: 3)
            let destination = try SQLiteStore(.file(path), configuration: impatient)
            try other.transaction {
                try other.execute("DELETE FROM jack WHERE id = 0")
                let backups: [() throws -> Void] = [
                    { try source.backup(to: destination) }, { try source.backup(toFile: path) },
                ]
                for body in backups {
                    let busy = error(body)
                    #expect(busy?.code == .busy)
                    #expect(busy?.message.contains(path) == true)
                }
            }
            #expect(try count(other) == 2)
            // One that is merely open sees the new contents.
            try source.backup(toFile: path)
            #expect(try count(other) == 10)
            #expect(try count(destination) == 10)
        }
    }

    @Test func `backups need no transaction and no callback of either store`() throws {
        try withFolder { folder throws in
            let source = try makeStore(.file(folder.path("a")), rows: 3)
            let destination = try SQLiteStore(.memory)
            let backup = { try source.backup(to: destination) }
            for store in [source, destination] {
                #expect(error { try store.transaction { try backup() } }?.code == .misuse)
                let inCallback = error {
                    try store.query("SELECT 1") { _ in
                        try backup()
                        return true
                    }
                }
                #expect(inCallback?.code == .misuse)
            }
            #expect(error { try source.transaction { try source.backup(toFile: folder.path("b")) } }?.code == .misuse)
            #expect(try destination.tableNames() == [])
            try backup()
            #expect(try count(destination) == 3)
        }
    }

    @Test func `a database cannot be copied onto itself`() throws {
        try withFolder { folder throws in
            let path = folder.path("a")
            let store = try makeStore(.file(path), rows: 3)
            let other = try SQLiteStore(.file(path))
            let backups: [() throws -> Void] = [
                { try store.backup(to: store) }, { try store.backup(to: other) }, { try store.backup(toFile: path) },
            ]
            for body in backups { #expect(error(body)?.code == .invalidArgument) }
            #expect(try count(store) == 3)
        }
    }

    @Test func `opposite backups of stores in memory do not deadlock`() throws {
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3600)
        let stores = [
            try makeStore(.memory, rows: 5, configuration), try makeStore(.memory, rows: 5, configuration),
        ]
        let failures = Mutex(0)
        let waits = [(0, 1), (1, 0)].map { source, destination in
            onThread {
                for _ in 0..<50 {
                    do { try stores[source].backup(to: stores[destination]) } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
            }
        }
        for wait in waits { #expect(wait()) }
        #expect(failures.withLock { $0 } == 0)
    }

    @Test func `protected tables of the destination are kept`() throws {
        let (source, destination) = (try makeStore(.memory, rows: 5), try makeStore(.memory, rows: 3))
        let refusal = error {
            try destination.protectedTables.protecting(["jack"]) { try source.backup(to: destination) }
        }
        #expect(refusal?.code == .misuse)
        #expect(try count(destination) == 3)
        // Also one that the backup would create.
        let empty = try SQLiteStore(.memory)
        #expect(error { try empty.protectedTables.protecting(["jack"]) { try source.backup(to: empty) } } != nil)
        #expect(try empty.tableNames() == [])
    }
}
