import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Checkpoints, statistics, and settings that tune.
@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteMaintenanceTests {
    private func withFile(_ body: (TemporaryFolder, String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(folder, folder.path("store.sqlite"))
    }

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    private func size(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private func fill(_ store: SQLiteStore, rows: Int) throws {
        try store.createTable(StoreConformance.jacks)
        let text = String(repeating: "x", count: 1000)
        try store.upsert(
            try RowBatch(["id", "label"], (0..<rows).map { [.integer(Int64($0)), .text(text)] }), into: "jack")
    }

    // MARK: Checkpoints

    @Test func `a log that grows is copied in the background, and begins again`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("log.sqlite")
        var configuration = SQLiteStore.Configuration()
        configuration.checkpointPages = 50
        let store = try SQLiteStore(.file(path), configuration: configuration)
        try fill(store, rows: 1000)
        let last = StoreValue.integer(10_000)
        try await eventually("the rows are in the file") { (try? self.size(path)) ?? 0 > 200 * 4096 }
        for number in 0..<2000 {
            try await store.transaction {
                try store.execute("UPDATE jack SET id = id WHERE id = ?", [.integer(Int64(number % 1000))])
            }
        }
        #expect(try size(path + "-wal") < 2000 * 4096)
        try await store.transaction { try store.execute("INSERT INTO jack (id) VALUES (?)", [last]) }
        try store.close()
        let copy = try SQLiteStore(.file(path))
        #expect(try copy.value("SELECT max(id) FROM jack") == 10_000)
        #expect(try copy.integrityProblems().isEmpty)
    }

    @Test func `the log is copied once for each growth, one copy at a time`() throws {
        let checkpointer = LogCheckpointer(growth: 10, try SQLiteLibrary.system.load())
        func committed(_ pages: Int) -> LogCheckpointer.Step { checkpointer.committed(pages) }
        func copied(_ pages: Int, of log: Int) { checkpointer.copied(.init(logPages: log, copiedPages: pages)) }
        #expect(committed(9) == .nothing)
        #expect(committed(12) == .copyInBackground)
        // It is being copied.
        #expect(committed(30) == .nothing)
        copied(12, of: 30)
        #expect(committed(31) == .copyInBackground)
        copied(31, of: 31)
        #expect(committed(40) == .nothing && committed(41) == .copyInBackground)
        // All of a long log: the next commit begins it again.
        copied(41, of: 41)
        #expect(committed(41) == .nothing && committed(51) == .copyInBackground)
        copied(39, of: 39)
        #expect(committed(2) == .nothing && committed(9) == .nothing)
        checkpointer.pausing { #expect(committed(11) == .nothing) }
        #expect(committed(11) == .copyInBackground)
        // The commits do not copy in place of what was interrupted.
        checkpointer.copy { () throws(StoreError) in throw .interrupted }
        #expect(committed(11) == .copyInBackground)
        // Without a connection they do.
        checkpointer.copy { () throws(StoreError) in throw .closed }
        #expect(committed(11) == .copy && committed(12) == .copy)
        #expect(committed(3) == .nothing)
        checkpointer.stop {}
        #expect(committed(99) == .nothing)
    }

    @Test(.needsSlot) func `a closed store is not opened again by a copy that waits for its end`() throws {
        for _ in 0..<200 {
            let checkpointer = LogCheckpointer(growth: 10, try SQLiteLibrary.system.load())
            let isClosed = Atomic(false)
            let isOver = Atomic(false)
            let isLate = Atomic(false)
            let hasEnded = onThread {
                while !isOver.load(ordering: .acquiring) {
                    checkpointer.copy { () throws(StoreError) in
                        if isClosed.load(ordering: .acquiring) { isLate.store(true, ordering: .releasing) }
                        throw .interrupted
                    }
                }
            }
            checkpointer.stop { isClosed.store(true, ordering: .releasing) }
            isOver.store(true, ordering: .releasing)
            #expect(hasEnded())
            let wasLate = isLate.load(ordering: .acquiring)
            #expect(!wasLate)
        }
    }

    @Test func `a close that fails lets the copies go on`() throws {
        let checkpointer = LogCheckpointer(growth: 10, try SQLiteLibrary.system.load())
        #expect(throws: Interruption.self) { try checkpointer.stop { throw Interruption() } }
        #expect(checkpointer.committed(10) == .copyInBackground)
    }

    @Test func `a long log is copied to its end by the commits, until it begins again`() throws {
        let checkpointer = LogCheckpointer(growth: 10, try SQLiteLibrary.system.load())
        #expect(checkpointer.committed(40) == .copyInBackground)
        // Committed meanwhile.
        #expect(checkpointer.committed(45) == .nothing)
        checkpointer.copied(.init(logPages: 40, copiedPages: 40))
        #expect(checkpointer.committed(46) == .copy && checkpointer.committed(47) == .copy)
        #expect(checkpointer.committed(1) == .nothing)
    }

    @Test func `a released store closes its file at once, though its log is being copied`() throws {
        try withFile { _, path throws in
            var configuration = SQLiteStore.Configuration()
            configuration.checkpointPages = 10
            for _ in 0..<30 {
                do {
                    let store = try SQLiteStore(.file(path), configuration: configuration)
                    try store.execute("DROP TABLE IF EXISTS jack")
                    try store.transaction { try fill(store, rows: 2000) }
                }
                #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            }
        }
    }

    @Test func `a checkpoint waits for that of another store`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("shared.sqlite")
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3600)
        let first = try SQLiteStore(.file(path), configuration: configuration)
        let reader = try SQLiteStore(.file(path))
        configuration.busyTimeout = .milliseconds(50)
        let second = try SQLiteStore(.file(path), configuration: configuration)
        try fill(first, rows: 100)
        let checkpoint = Mutex<Result<SQLiteStore.CheckpointResult, StoreError>?>(nil)
        var wait: () -> Bool = { false }
        try reader.query("SELECT id FROM jack") { _ in
            // It has the lock of checkpoints, and waits for the reader.
            wait = onThread {
                let result = Result { () throws(StoreError) in try first.checkpoint(.restart) }
                checkpoint.withLock { $0 = result }
            }
            #expect(waitUnlessHung { (try? second.checkpoint().logPages) == 0 })
            let start = ContinuousClock.now
            #expect(error { try second.checkpoint(.truncate) }?.code == .busy)
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            return false
        }
        #expect(wait())
        #expect(try checkpoint.withLock(\.self)?.get().logPages ?? 0 > 0)
        #expect(try second.checkpoint(.truncate) == .init(logPages: 0, copiedPages: 0))
    }

    @Test func `a store is closed at once, though its log is being copied`() throws {
        try withFile { _, path throws in
            var configuration = SQLiteStore.Configuration()
            configuration.checkpointPages = 10
            configuration.busyTimeout = .zero
            for round in 0..<30 {
                let store = try SQLiteStore(.file(path), configuration: configuration)
                if round == 0 { try store.createTable(StoreConformance.jacks) }
                try store.transaction {
                    for number in 0..<500 {
                        try store.execute(
                            "INSERT INTO jack (label) VALUES (?)", [.text(String(repeating: "\(number)", count: 800))])
                    }
                }
                try store.execute("DELETE FROM jack WHERE id % 2 = 0")
                try store.checkpoint(.truncate)
                try store.execute("DELETE FROM jack WHERE id % 3 = 0")
                try store.close()
                #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            }
        }
    }

    @Test func `a trace handler may start a checkpoint`() throws {
        try withFile { _, path throws in
            let box = Mutex<SQLiteStore?>(nil)
            var configuration = SQLiteStore.Configuration()
            configuration.trace = { _ in _ = try? box.withLock(\.self)?.checkpoint() }
            let store = try SQLiteStore(.file(path), configuration: configuration)
            box.withLock { $0 = store }
            try fill(store, rows: 10)
            #expect(try store.checkpoint().copiedPages > 0)
            box.withLock { $0 = nil }
        }
    }

    @Test func `a checkpoint moves the log into the file`() throws {
        try withFile { _, path throws in
            var configuration = SQLiteStore.Configuration()
            configuration.checkpointPages = 0
            configuration.busyTimeout = .zero
            let store = try SQLiteStore(.file(path), configuration: configuration)
            try fill(store, rows: 6000)
            // More than the 1000 pages after which SQLite would have done it.
            #expect(try size(path + "-wal") > 1000 * 4096)
            try store.query("SELECT id FROM jack") { _ in
                try store.execute("INSERT INTO jack (id) VALUES (9000)")
                let partial = try store.checkpoint()
                #expect(partial.logPages > partial.copiedPages && partial.copiedPages > 1000)
                #expect(error { try store.checkpoint(.truncate) }?.code == .busy)
                try store.vacuum()
                return false
            }
            #expect(try store.checkpoint(.full).copiedPages > 1000)
            #expect(try size(path + "-wal") > 1000 * 4096)
            #expect(try store.checkpoint(.truncate) == .init(logPages: 0, copiedPages: 0))
            #expect(try size(path + "-wal") == 0)
            #expect(try store.value("SELECT count(*) FROM jack") == 6001)
            #expect(error { _ = try store.transaction { try store.checkpoint() } }?.code == .misuse)
        }
    }

    @Test func `a store without a log has nothing to check`() throws {
        let store = try SQLiteStore(.memory)
        #expect(try store.checkpoint(.truncate) == .init(logPages: 0, copiedPages: 0))
    }

    // MARK: Settings

    @Test func `optimize updates the statistics`() throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE TABLE t (a, b)")
        try store.execute("CREATE INDEX i ON t (a)")
        try store.execute("CREATE INDEX j ON t (b)")
        for number in 0..<100 {
            try store.execute("INSERT INTO t VALUES (?, ?)", [.integer(Int64(number % 10)), .integer(Int64(number))])
        }
        _ = try store.rows("SELECT * FROM t WHERE a = 3 AND b > 5")
        try store.optimize()
        #expect(try store.value("SELECT count(*) > 0 FROM sqlite_stat1 WHERE tbl = 't'") == 1)
    }

    @Test func `application ID and user version are transactional`() throws {
        try withFile { _, path throws in
            let store = try SQLiteStore(.file(path))
            try store.execute("PRAGMA application_id = 1234")
            try? store.transaction {
                try store.execute("PRAGMA application_id = 5")
                try store.execute("PRAGMA user_version = 5")
                throw Interruption()
            }
            try store.close()
            let again = try SQLiteStore(.file(path))
            #expect(try again.value("PRAGMA application_id") == 1234)
            #expect(try again.value("PRAGMA user_version") == 0)
        }
    }

    @Test func `sizes apply to every connection`() throws {
        try withFile { _, path throws in
            var configuration = SQLiteStore.Configuration()
            configuration.cacheBytes = 4 << 20
            configuration.memoryMapBytes = 1 << 20
            configuration.temporaryStorage = .memory
            configuration.checkpointPages = 77
            let factory = try SQLiteConnectionFactory(.file(path), key: .unencrypted, configuration)
            var writer = try factory.makeConnection(.writer)
            var reader = try factory.makeConnection(.reader)
            var values: [[Int64]] = [[], []]
            for pragma in ["cache_size", "mmap_size", "temp_store", "wal_autocheckpoint"] {
                try writer.runInternal("PRAGMA \(pragma)") { values[0].append($0.int64(at: 0) ?? -1) }
                try reader.runInternal("PRAGMA \(pragma)") { values[1].append($0.int64(at: 0) ?? -1) }
            }
            // The writer's commits leave the log to the store.
            #expect(values == [[-4096, 1 << 20, 2, 0], [-4096, 1 << 20, 2, 77]])
        }
    }

    @Test func `negative sizes are refused`() {
        let changes: [(inout SQLiteStore.Configuration) -> Void] = [
            { $0.cacheBytes = -1 }, { $0.memoryMapBytes = -1 }, { $0.checkpointPages = -1 },
        ]
        for change in changes {
            var configuration = SQLiteStore.Configuration()
            change(&configuration)
            let refusal = error { _ = try SQLiteStore(.memory, configuration: configuration) }
            #expect(refusal?.code == .invalidArgument)
            #expect(refusal?.message.contains("-1") == true)
        }
    }
}
