import Foundation
import SQLiteStore
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// Behavior of SQLiteStore beyond the conformance suite.
@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteStoreTests {
    /// Runs a test with its own file.
    private func withFile(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(folder.path("store.sqlite"))
    }

    private var impatient: SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .milliseconds(20)
        return configuration
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        #expect(throws: StoreError.self, performing: body)?.code
    }

    @Test func `files are reopened`() throws {
        try withFile { path throws in
            let first = try SQLiteStore(.file(path))
            try first.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY)")
            try first.execute("INSERT INTO jack VALUES (7)")
            // Creates an idle reader connection, which must be closed before the log can be removed.
            #expect(try first.jackIDs() == [7])
            try first.close()
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            let second = try SQLiteStore(.file(path))
            #expect(second.location == .file(path))
            #expect(try second.jackIDs() == [7])
        }
    }

    @Test func `files use WAL`() throws {
        try withFile { path throws in
            let store = try SQLiteStore(.file(path))
            #expect(try store.value("PRAGMA journal_mode") == "wal")
            #expect(try SQLiteStore(.memory).value("PRAGMA journal_mode") == "memory")
        }
    }

    @Test(arguments: [true, false]) func `read is isolated from other connections`(hasLog: Bool) throws {
        try withFile { path throws in
            var configuration = impatient
            if !hasLog { configuration.library = try FakeSQLite.withoutWAL() }
            let store = try SQLiteStore(.file(path), configuration: configuration)
            try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY)")
            let other = try SQLiteStore(.file(path), configuration: configuration)
            try store.read { reader throws in
                // Without WAL the writer must wait for the reader, and times out.
                if hasLog {
                    try other.execute("INSERT INTO jack VALUES (1)")
                } else {
                    #expect(code { try other.execute("INSERT INTO jack VALUES (1)") } == .busy)
                }
                #expect(try reader.rows("SELECT id FROM jack").isEmpty)
            }
            if !hasLog { try other.execute("INSERT INTO jack VALUES (1)") }
            #expect(try store.jackIDs() == [1])
        }
    }

    @Test func `readers do not wait for a pending writer`() throws {
        try withFile { path throws in
            var configuration = impatient
            configuration.library = try FakeSQLite.withoutWAL()
            let store = try SQLiteStore(.file(path), configuration: configuration)
            try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY)")
            let other = try SQLiteStore(.file(path), configuration: configuration)
            try store.transaction { () throws in
                // The writer has not yet changed the file.
                #expect(try other.read { try $0.rows("SELECT id FROM jack") }.isEmpty)
            }
        }
    }

    @Test func `write counters come from the writer`() throws {
        try withFile { path throws in
            for store in [try SQLiteStore(.file(path)), try SQLiteStore(.memory)] {
                try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY, label TEXT)")
                try store.execute("INSERT INTO jack VALUES (41, 'a'), (42, 'b')")
                #expect(try store.value("SELECT last_insert_rowid()") == 42)
                #expect(try store.value("SELECT Changes() + 1") == 3)
                #expect(try store.value("SELECT total_changes()") == 2)
                #expect(try store.value("SELECT label FROM jack WHERE id = last_insert_rowid()") == "b")
                #expect(try store.value("SELECT max(id) FROM jack") == 42)
                try store.transaction { () throws in
                    try store.execute("INSERT INTO jack (label) VALUES ('c')")
                    #expect(try store.value("SELECT last_insert_rowid()") == 43)
                }
                #expect(code { try store.read { _ = try $0.rows("SELECT last_insert_rowid()") } } == .misuse)
            }
        }
    }

    @Test func `readers do not see uncommitted data`() throws {
        try withFile { path throws in
            let store = try SQLiteStore(.file(path), configuration: impatient)
            try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY)")
            try store.transaction {
                try store.execute("INSERT INTO jack VALUES (1)")
                let seen = Mutex<[StoreValue]?>(nil)
                let wait = onThread {
                    let ids = try? store.jackIDs()
                    seen.withLock { $0 = ids }
                }
                #expect(wait())
                #expect(seen.withLock { $0 } == [])
            }
            #expect(try store.jackIDs() == [1])
        }
    }

    @Test func `running queries keep their snapshot`() throws {
        try withFile { path throws in
            let store = try SQLiteStore(.file(path))
            try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY)")
            try store.execute("INSERT INTO jack VALUES (1), (2), (3)")
            var seen: [Int64?] = []
            try store.query("SELECT id FROM jack ORDER BY id") { row in
                seen.append(row.int64(at: 0))
                // Allowed, since the query has its own connection.
                try store.execute("DELETE FROM jack WHERE id = 3")
                #expect(try store.jackIDs() == [1, 2])
                return true
            }
            #expect(seen == [1, 2, 3])
        }
    }

    @Test func `waiting writers time out`() throws {
        let store = try SQLiteStore(.memory, configuration: impatient)
        try store.transaction {
            let codes = Mutex<[StoreError.Code?]>([])
            let wait = onThread {
                do { try store.execute("CREATE TABLE a (b)") } catch let error as StoreError {
                    codes.withLock { $0.append(error.code) }
                } catch {}
            }
            #expect(wait())
            #expect(codes.withLock { $0 } == [.busy])
        }
        try store.execute("CREATE TABLE a (b)")
    }

    @Test func `waiting for another connection times out`() throws {
        try withFile { path throws in
            let one = try SQLiteStore(.file(path))
            let other = try SQLiteStore(.file(path), configuration: impatient)
            try one.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY)")
            try one.transaction {
                try one.execute("INSERT INTO jack VALUES (1)")
                #expect(code { try other.execute("INSERT INTO jack VALUES (2)") } == .busy)
                #expect(code { try other.transaction {} } == .busy)
                #expect(try other.jackIDs() == [])
            }
            try other.execute("INSERT INTO jack VALUES (2)")
            #expect(try one.jackIDs() == [1, 2])
        }
    }

    @Test func `close times out waiting for readers`() throws {
        try withFile { path throws in
            let store = try SQLiteStore(.file(path), configuration: impatient)
            let isReading = DispatchSemaphore(value: 0)
            let mayEnd = DispatchSemaphore(value: 0)
            let wait = onThread {
                try? store.query("SELECT 1") { _ in
                    isReading.signal()
                    mayEnd.wait()
                    return true
                }
            }
            isReading.wait()
            #expect(code { try store.close() } == .busy)
            #expect(try store.rows("SELECT 1") == [[1]])
            mayEnd.signal()
            #expect(wait())
            try store.close()
            #expect(code { _ = try store.rows("SELECT 1") } == .closed)
        }
    }

    @Test(arguments: [
        "ATTACH '/tmp/other.sqlite' AS other", "DETACH main", "VACUUM INTO '/tmp/other.sqlite'",
        "CREATE TEMP TABLE a (b)", "CREATE TEMP VIEW a AS SELECT 1", "PRAGMA journal_mode = DELETE",
        "PRAGMA writable_schema = ON", "PRAGMA synchronous = OFF", "PRAGMA key = 'x'", "PRAGMA query_only = OFF",
    ])
    func `unsafe statements are rejected`(sql: String) throws {
        try withFile { path throws in
            let store = try SQLiteStore(.file(path))
            // SQLite itself rejects some of these.
            let refusals: Set<StoreError.Code?> = [.unsupportedSQL, .failed]
            #expect(refusals.contains(code { try store.execute(sql, []) }))
            #expect(refusals.contains(code { _ = try store.rows(sql, []) }))
            #expect(!FileManager.default.fileExists(atPath: "/tmp/other.sqlite"))
        }
    }

    @Test func `read only pragmas and maintenance are allowed`() throws {
        try withFile { path throws in
            let store = try SQLiteStore(.file(path))
            try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY, label TEXT)")
            #expect(try store.rows("PRAGMA table_info(jack)").map { $0[1] } == ["id", "label"])
            try store.execute("PRAGMA user_version = 5")
            #expect(try store.rows("PRAGMA user_version") == [[5]])
            try store.execute("VACUUM")
            try store.execute("ANALYZE")
            #expect(try store.integrityProblems() == [])
        }
    }

    @Test func `transactions rolled back by SQ lite cannot continue`() throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE TABLE t (a UNIQUE ON CONFLICT ROLLBACK)")
        try store.execute("INSERT INTO t VALUES (1)")
        let log = ChangeLog()
        let subscription = store.subscribe(log.note)
        let outer = code {
            try store.transaction {
                try store.execute("INSERT INTO t VALUES (2)")
                #expect(code { try store.execute("INSERT INTO t VALUES (1)") } == .constraint)
                // Later statements must not autocommit.
                #expect(code { try store.execute("INSERT INTO t VALUES (3)") } == .failed)
                #expect(code { _ = try store.transaction { try store.execute("INSERT INTO t VALUES (4)") } } == .failed)
            }
        }
        #expect(outer == .failed)
        #expect(try store.rows("SELECT a FROM t") == [[1]])
        #expect(log.take() == [])
        subscription.cancel()
        try store.transaction { try store.execute("INSERT INTO t VALUES (5)") }
        #expect(try store.rows("SELECT a FROM t") == [[1], [5]])
    }

    @Test(.enabled(if: SQLiteLibrary.system.versionNumber ?? 0 >= 3_035_000, "SQLite has no RETURNING here."))
    func `interrupted writing queries roll back`() throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE TABLE t (a)")
        #expect(throws: Interruption()) {
            try store.query("INSERT INTO t VALUES (1), (2) RETURNING a") { _ in throw Interruption() }
        }
        #expect(try store.rows("SELECT a FROM t") == [])
        try store.query("INSERT INTO t VALUES (1), (2) RETURNING a") { _ in false }
        #expect(try store.rows("SELECT a FROM t") == [[1], [2]])
    }

    @Test func `renames report both names`() throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE TABLE old (a)")
        let log = ChangeLog()
        let subscription = store.subscribe(log.note)
        try store.execute("ALTER TABLE old RENAME TO new")
        #expect(log.take() == [["old", "new"]])
        subscription.cancel()
    }

    @Test func `many readers run concurrently`() throws {
        try withFile { path throws in
            var configuration = SQLiteStore.Configuration()
            configuration.busyTimeout = .seconds(3600)
            let store = try SQLiteStore(.file(path), configuration: configuration)
            try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY)")
            let faults = Mutex(0)
            let waits = (0..<8).map { thread in
                onThread {
                    for step in 0..<50 {
                        let id = StoreValue.integer(Int64(thread * 50 + step))
                        do {
                            try store.execute("INSERT INTO jack VALUES (?)", [id])
                            guard try store.rows("SELECT id FROM jack WHERE id = ?", [id]) == [[id]] else {
                                throw Interruption()
                            }
                        } catch { faults.withLock { $0 += 1 } }
                    }
                }
            }
            for wait in waits { #expect(wait()) }
            #expect(faults.withLock { $0 } == 0)
            #expect(try store.jackIDs().count == 400)
        }
    }
}
