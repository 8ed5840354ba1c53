import Dispatch
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Interrupts at the moments where a statement has just ended or has not yet begun, and the end of connections.
@Suite(.needsSlot, .serialized, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteLateInterruptTests {
    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    private func observe(_ observer: (@Sendable (FakeSQLite.Call) -> Void)?) {
        FakeSQLite.observer.withLock { $0 = observer }
    }

    @Test func `an insertion that is committed succeeds`() throws {
        let open = Mutex<SQLiteStore?>(nil)
        var configuration = SQLiteStore.Configuration()
        configuration.functions = [
            .init("interrupting", argumentCount: 1, isInnocuous: true) { _ in
                open.withLock { $0 }?.interrupt()
                return 1
            }
        ]
        let store = try SQLiteStore(.memory, configuration: configuration)
        try store.execute("CREATE TABLE t (a, CHECK (interrupting(a)))")
        open.withLock { $0 = store }
        defer { open.withLock { $0 = nil } }
        #expect(try store.insertRow(RowBatch(["a"], [[7]]), into: "t") == 1)
        #expect(try store.rows("SELECT a FROM t") == [[7]])
        // Between two rows it is in time.
        #expect(error { try store.insert(RowBatch(["a"], [[8], [9]]), into: "t") }?.code == .interrupted)
        #expect(try store.rows("SELECT a FROM t") == [[7]])
    }

    @Test func `an interrupt ends a call that gets the file's lock at that moment`() throws {
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.observed()
        let store = try SQLiteStore(.memory, configuration: configuration)
        try store.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)")
        observe { if $0 == .step(sql: "BEGIN IMMEDIATE") { store.interrupt() } }
        let interrupted = error { try store.upsert(RowBatch(["a"], [[1]]), into: "t") }
        let inTransaction = error { _ = try store.transaction { Issue.record("Not expected.") } }
        observe(nil)
        #expect(interrupted?.code == .interrupted)
        #expect(inTransaction?.code == .interrupted)
        #expect(try store.rows("SELECT a FROM t") == [])
        try store.upsert(RowBatch(["a"], [[1]]), into: "t")
        #expect(try store.rows("SELECT a FROM t") == [[1]])
    }

    @Test func `an interrupt ends the wait of a checkpoint for that of another store`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("shared.sqlite")
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.observed()
        configuration.busyTimeout = .seconds(3600)
        let first = try SQLiteStore(.file(path), configuration: configuration)
        let second = try SQLiteStore(.file(path), configuration: configuration)
        let reader = try SQLiteStore(.file(path), configuration: configuration)
        try first.execute("CREATE TABLE t (a)")
        try first.execute("INSERT INTO t VALUES (1), (2)")
        let hasTried = DispatchSemaphore(value: 0)
        observe { if $0 == .step(sql: "PRAGMA wal_checkpoint(TRUNCATE)") { hasTried.signal() } }
        defer { observe(nil) }
        let codes = Mutex<[StoreError.Code?]>([])
        @Sendable func checkpoint(_ store: SQLiteStore, _ mode: SQLiteStore.CheckpointMode) {
            var code: StoreError.Code?
            do throws(StoreError) { try store.checkpoint(mode) } catch { code = error.code }
            codes.withLock { $0.append(code) }
        }
        var ends: [() -> Bool] = []
        try reader.query("SELECT a FROM t") { _ in
            // It has the lock of checkpoints, and waits for the reader.
            ends.append(onThread { checkpoint(first, .restart) })
            #expect(waitUnlessHung { (try? second.checkpoint().logPages) == 0 })
            ends.append(onThread { checkpoint(second, .truncate) })
            // An interrupt in the moment between an attempt and the wait has no effect.
            for _ in 0..<10 where codes.withLock(\.isEmpty) {
                #expect(waitUnlessHung { hasTried.wait(timeout: .now()) == .success || !codes.withLock(\.isEmpty) })
                // Of the attempts before this one.
                while hasTried.wait(timeout: .now()) == .success {}
                second.interrupt()
            }
            #expect(waitUnlessHung { !codes.withLock(\.isEmpty) })
            return false
        }
        for hasEnded in ends { #expect(hasEnded()) }
        #expect(codes.withLock(\.self) == [.interrupted, nil])
    }

    @Test func `opening waits for a connection that writes a file without WAL`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.withoutWAL()
        let first = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
        try first.execute("CREATE TABLE t (a)")
        let (isWriting, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasEnded = onThread {
            try? first.transaction {
                try first.execute("INSERT INTO t VALUES (1)")
                isWriting.signal()
                _ = mayEnd.waitUnlessHung()
            }
        }
        #expect(isWriting.waitUnlessHung())
        configuration.library = try FakeSQLite.observed()
        configuration.busyTimeout = .zero
        #expect(error { _ = try SQLiteStore(.file(folder.path("a")), configuration: configuration) }?.code == .busy)
        // Once it has failed for the first time.
        observe { if $0 == .step(sql: "PRAGMA journal_mode = WAL") { mayEnd.signal() } }
        defer { observe(nil) }
        configuration.busyTimeout = .seconds(3600)
        let second = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
        #expect(hasEnded())
        try first.close()
        #expect(try second.rows("SELECT a FROM t") == [[1]])
        #expect(try second.rows("PRAGMA journal_mode") == [["wal"]])
        try second.close()
    }

    @Test func `a read ends after its connection is closed, so close waits for that`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.library = try FakeSQLite.observed()
        configuration.maximumIdleReaders = 0
        let store = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
        let isReading = Mutex<[Bool?]>([])
        observe { call in
            guard call == .close else { return }
            isReading.withLock { $0.append(store.readers?.isReadingOnCurrentThread) }
        }
        #expect(try store.rows("SELECT 1") == [[1]])
        observe(nil)
        #expect(isReading.withLock { $0 } == [true])
        try store.close()
    }

    @Test func `an interrupted checkpoint says so`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3600)
        let store = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
        try store.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let other = try SQLiteStore(.file(folder.path("a")))
        try other.query("SELECT a FROM t", []) { _ in
            try store.execute("INSERT INTO t VALUES (2)")
            let code = Mutex<StoreError.Code?>(nil)
            let hasEnded = Mutex(false)
            let wait = onThread {
                do throws(StoreError) { try store.checkpoint(.truncate) } catch { code.withLock { $0 = error.code } }
                hasEnded.withLock { $0 = true }
            }
            #expect(
                waitUnlessHung {
                    store.interrupt()
                    return hasEnded.withLock { $0 }
                })
            #expect(wait())
            #expect(code.withLock { $0 } == .interrupted)
            return true
        }
        try other.close()
        try store.close()
    }
}
