import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Traces of a store's statements.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct StatementTraceTests {
    /// The traces of a store, in order.
    private final class TraceLog: Sendable {
        private let traces = Mutex<[SQLiteStore.StatementTrace]>([])

        var configuration: SQLiteStore.Configuration {
            var configuration = SQLiteStore.Configuration()
            configuration.trace = { trace in self.traces.withLock { $0.append(trace) } }
            return configuration
        }

        func take() -> [SQLiteStore.StatementTrace] {
            traces.withLock { traces in
                defer { traces = [] }
                return traces
            }
        }

        func takeText() -> [String] { take().map(\.sql) }
    }

    @Test(arguments: [true, false]) func `statements are traced without values`(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        let log = TraceLog()
        let store = try SQLiteStore(isFile ? .file(folder.path("a")) : .memory, configuration: log.configuration)
        // Opening is not traced.
        #expect(log.take() == [])
        try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY, label TEXT)")
        _ = log.take()
        try store.execute("INSERT INTO jack VALUES (1, 'hunter2'), (2, ?)", ["hunter2"])
        #expect(log.takeText().contains("INSERT INTO jack VALUES (…, '…'), (…, ?)"))
        _ = try store.rows("SELECT label FROM \"jack\" WHERE label = 'hunter2' AND id < 10")
        let query = try #require(log.take().last)
        #expect(query.sql == "SELECT label FROM \"jack\" WHERE label = '…' AND id < …")
        #expect(query.rowCount == 2)
        #expect(query.duration >= .zero)
        try store.upsert(try RowBatch(["id", "label"], (0..<5).map { [.integer($0), "hunter2"] }), into: "jack")
        let batch = log.take()
        #expect(
            batch.contains {
                $0.sql.hasPrefix("INSERT INTO \"jack\" (\"id\", \"label\") VALUES (?, ?)") && $0.rowCount == 5
            })
        try store.read { reader in _ = try reader.rows("SELECT id FROM jack LIMIT 3") }
        #expect(log.take().contains { $0.sql == "SELECT id FROM jack LIMIT …" && $0.rowCount == 3 })
    }

    @Test func `failed statements and transactions are traced`() throws {
        let log = TraceLog()
        let store = try SQLiteStore(.memory, configuration: log.configuration)
        try store.execute("CREATE TABLE t (a UNIQUE)")
        _ = log.take()
        try? store.transaction {
            try store.execute("INSERT INTO t VALUES (1)")
            try store.execute("INSERT INTO t VALUES (1)")
        }
        #expect(
            log.takeText() == ["BEGIN IMMEDIATE", "INSERT INTO t VALUES (…)", "INSERT INTO t VALUES (…)", "ROLLBACK"])
        try store.transaction { try store.execute("DELETE FROM t") }
        #expect(log.takeText() == ["BEGIN IMMEDIATE", "SAVEPOINT part_1", "DELETE FROM t", "RELEASE part_1", "COMMIT"])
    }

    @Test func `the handler may use the store, and does not trace itself`() throws {
        let folder = try TemporaryFolder()
        for location in [SQLiteStore.Location.memory, .file(folder.path("a"))] {
            let open = Mutex<SQLiteStore?>(nil)
            let counts = Mutex<[StoreValue]>([])
            var configuration = SQLiteStore.Configuration()
            configuration.trace = { trace in
                // No lock is held, so this neither waits nor fails.
                guard trace.sql.hasPrefix("INSERT"), let store = open.withLock({ $0 }) else { return }
                let count = try? store.value("SELECT count(*) FROM t")
                counts.withLock { $0.append(count ?? .null) }
            }
            let store = try SQLiteStore(location, configuration: configuration)
            open.withLock { $0 = store }
            defer { open.withLock { $0 = nil } }
            try store.execute("CREATE TABLE t (a)")
            for _ in 0..<2 { try store.execute("INSERT INTO t VALUES (1)") }
            #expect(counts.withLock { $0 } == [1, 2])
        }
    }

    @Test func `the handler is called after the outermost transaction`() throws {
        let open = Mutex<SQLiteStore?>(nil)
        let held = Mutex<[Bool]>([])
        var configuration = SQLiteStore.Configuration()
        configuration.trace = { _ in
            guard let store = open.withLock({ $0 }) else { return }
            held.withLock { $0.append(store.writer.isHeldByCurrentThread) }
        }
        let store = try SQLiteStore(.memory, configuration: configuration)
        try store.execute("CREATE TABLE t (a)")
        open.withLock { $0 = store }
        defer { open.withLock { $0 = nil } }
        try store.transaction {
            try store.execute("INSERT INTO t VALUES (1)")
            try store.transaction { _ = try store.rows("SELECT a FROM t") }
            #expect(held.withLock { $0 } == [])
        }
        #expect(held.withLock { $0.count } > 3)
        #expect(!held.withLock { $0 }.contains(true))
    }

    @Test func `a backup delivers the traces of both stores`() throws {
        let (log, sourceLog) = (TraceLog(), TraceLog())
        let source = try SQLiteStore(.memory, configuration: sourceLog.configuration)
        let destination = try SQLiteStore(.memory, configuration: log.configuration)
        try source.backup(to: destination)
        // The tables before the backup, under the lock, and after it.
        #expect(log.takeText().count { $0.hasPrefix("SELECT name FROM sqlite_master") } == 3)
        #expect(sourceLog.takeText().last == "COMMIT")
    }

    @Test func `traces reach the handler on the thread of the statement`() throws {
        let seen = Mutex<[String]>([])
        let tracer = StatementTracer({ trace in
            // Not by name: Foundation may lose one that a thread sets for itself as it starts.
            let mark = Thread.current.threadDictionary["mark"] as? String
            seen.withLock { $0.append("\(trace.sql) \(mark ?? "")") }
        })
        let names = SchemaNames(nil, try SQLiteLibrary.system.load())
        let one = TracedStatement("SELECT 1", tracer, names: names)
        let wait = onThread {
            Thread.current.threadDictionary["mark"] = "other"
            one.measure { $0 = 1 }
            // Nothing is delivered by another thread.
            tracer.deliver()
        }
        TracedStatement("SELECT a", tracer, names: names).measure { _ in }
        #expect(wait())
        #expect(seen.withLock { $0 } == ["SELECT … other"])
        tracer.deliver()
        #expect(seen.withLock { $0.count } == 2)
        tracer.deliver()
        #expect(seen.withLock { $0.count } == 2)
    }

    @Test func `durations come from the clock, also for a failed statement`() throws {
        let time = Mutex(Duration.zero)
        let traces = Mutex<[SQLiteStore.StatementTrace]>([])
        let tracer = StatementTracer({ trace in traces.withLock { $0.append(trace) } }, now: { time.withLock { $0 } })
        let names = SchemaNames(nil, try SQLiteLibrary.system.load())
        let statement = TracedStatement("SELECT a", tracer, names: names)
        #expect(throws: Interruption()) {
            try statement.measure { rowCount in
                time.withLock { $0 += .milliseconds(30) }
                rowCount = 2
                throw Interruption()
            }
        }
        tracer.deliver()
        #expect(
            traces.withLock { $0 }
                == [SQLiteStore.StatementTrace(sql: "SELECT a", duration: .milliseconds(30), rowCount: 2)])
    }
}
