import Dispatch
import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteInterruptionTests {
    /// A store in memory, with one connection, and one in a file, with concurrent readers.
    enum Place: CaseIterable { case memory, file }

    /// Gives one row, then runs without end.
    private static let endless = """
        WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c WHERE n = 1 OR n < 0
        """
    /// Writes without end; the file of a test is never full before its interruption.
    private static let endlessWrite = """
        INSERT INTO t SELECT n FROM (WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)
        SELECT n FROM c WHERE n = 1 OR n < 0)
        """

    private func withStore(_ place: Place, _ body: (SQLiteStore) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3600)
        let location: SQLiteStore.Location = place == .memory ? .memory : .file(folder.path("a"))
        let store = try SQLiteStore(location, configuration: configuration)
        try store.execute("CREATE TABLE t (a)", [])
        try body(store)
        try store.close()
    }

    /// Runs a call on another thread.
    /// - Returns: waits for its end, and returns its error's code.
    private func run(_ call: @escaping @Sendable () throws -> Void) -> @Sendable () -> StoreError.Code? {
        let code = Mutex<StoreError.Code?>(nil)
        let wait = onThread {
            do { try call() } catch { code.withLock { $0 = (error as? StoreError)?.code } }
        }
        return {
            #expect(wait())
            return code.withLock { $0 }
        }
    }

    /// Starts the endless query on another thread, and returns once it runs.
    private func startEndless(_ store: SQLiteStore) -> @Sendable () -> StoreError.Code? {
        let isRunning = DispatchSemaphore(value: 0)
        let end = run {
            try store.query(Self.endless, []) { _ in
                isRunning.signal()
                return true
            }
        }
        #expect(isRunning.waitUnlessHung())
        return end
    }

    @Test(arguments: Place.allCases) func `an interrupt ends a runaway query`(place: Place) throws {
        try withStore(place) { store throws in
            let end = startEndless(store)
            store.interrupt()
            #expect(end() == .interrupted)
            #expect(try store.rows("SELECT 1") == [[1]])
        }
    }

    @Test(arguments: Place.allCases) func `interrupts in a row reach no other connection's calls`(place: Place) throws {
        try withStore(place) { store throws in
            for _ in 0..<20 {
                let end = startEndless(store)
                store.interrupt()
                #expect(end() == .interrupted)
                try store.execute("INSERT INTO t VALUES (1)", [])
                #expect(try store.rows("SELECT count(*) FROM t").count == 1)
            }
        }
    }

    @Test(arguments: Place.allCases) func `an interrupt without a call has no effect`(place: Place) throws {
        try withStore(place) { store throws in
            store.interrupt()
            try store.execute("INSERT INTO t VALUES (1)", [])
            try store.transaction { () throws in
                store.interrupt()
                try store.execute("INSERT INTO t VALUES (2)", [])
                store.interrupt()
            }
            try store.read { reader throws in
                store.interrupt()
                #expect(try reader.rows("SELECT count(*) FROM t") == [[2]])
            }
        }
    }

    @Test(arguments: Place.allCases) func `an interrupted write changes nothing`(place: Place) throws {
        try withStore(place) { store throws in
            let hasEnded = Mutex(false)
            let end = run {
                defer { hasEnded.withLock { $0 = true } }
                try store.execute(Self.endlessWrite, [])
            }
            #expect(
                waitUnlessHung {
                    store.interrupt()
                    return hasEnded.withLock { $0 }
                })
            #expect(end() == .interrupted)
            #expect(try store.rows("SELECT count(*) FROM t") == [[0]])
            try store.execute("INSERT INTO t VALUES (1)", [])
        }
    }

    @Test func `after an interrupted write, closing still copies the log to the file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let store = try SQLiteStore(.file(path))
        try store.execute("CREATE TABLE t (id)")
        let hasEnded = Mutex(false)
        let end = run {
            defer { hasEnded.withLock { $0 = true } }
            try store.execute(Self.endlessWrite, [])
        }
        #expect(
            waitUnlessHung {
                store.interrupt()
                return hasEnded.withLock { $0 }
            })
        #expect(end() == .interrupted)
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test(arguments: Place.allCases) func `a read in a transaction is interrupted alone`(place: Place) throws {
        try withStore(place) { store throws in
            let isRunning = DispatchSemaphore(value: 0)
            let end = run {
                try store.transaction { () throws in
                    try store.execute("INSERT INTO t VALUES (1)", [])
                    let error = #expect(throws: StoreError.self) {
                        try store.query(Self.endless, []) { _ in
                            isRunning.signal()
                            return true
                        }
                    }
                    #expect(error?.code == .interrupted)
                    try store.execute("INSERT INTO t VALUES (2)", [])
                }
            }
            #expect(isRunning.waitUnlessHung())
            store.interrupt()
            #expect(end() == nil)
            #expect(try store.rows("SELECT a FROM t") == [[1], [2]])
        }
    }

    @Test(arguments: Place.allCases)
    func `a transaction with an interrupted write is rolled back, also if the error is swallowed`(place: Place) throws {
        try withStore(place) { store throws in
            let hasEnded = Mutex(false)
            let end = run {
                defer { hasEnded.withLock { $0 = true } }
                try store.transaction { () throws in
                    try store.execute("INSERT INTO t VALUES (1)", [])
                    do { try store.execute(Self.endlessWrite, []) } catch let error as StoreError {
                        #expect(error.code == .interrupted)
                    }
                }
            }
            #expect(
                waitUnlessHung {
                    store.interrupt()
                    return hasEnded.withLock { $0 }
                })
            // The interrupt may also have ended an earlier statement.
            let code = end()
            #expect(code == .failed || code == .interrupted)
            #expect(try store.rows("SELECT count(*) FROM t") == [[0]])
        }
    }

    @Test(arguments: Place.allCases) func `nested queries of an interrupted one end too`(place: Place) throws {
        try withStore(place) { store throws in
            var codes: [StoreError.Code] = []
            try store.read { reader throws in
                do {
                    try reader.query("SELECT 1 UNION ALL SELECT 2", []) { _ in
                        store.interrupt()
                        do { _ = try reader.rows("SELECT 3") } catch let error as StoreError {
                            codes.append(error.code)
                        }
                        return true
                    }
                } catch let error as StoreError { codes.append(error.code) }
                // The outer query has ended, and the interrupt with it.
                #expect(try reader.rows("SELECT 4") == [[4]])
            }
            #expect(codes == [.interrupted, .interrupted])
        }
    }

    @Test(arguments: Place.allCases) func `waiting writers are interrupted`(place: Place) throws {
        try withStore(place) { store throws in
            let ends = Mutex<[@Sendable () -> StoreError.Code?]>([])
            try store.transaction { () throws in
                for place in 1...2 {
                    let end = run { try store.execute("INSERT INTO t VALUES (7)", []) }
                    ends.withLock { $0.append(end) }
                    #expect(waitUnlessHung { store.writer.waiterCount == place })
                }
                store.interrupt()
                for end in ends.withLock({ $0 }) { #expect(end() == .interrupted) }
                try store.execute("INSERT INTO t VALUES (1)", [])
            }
            #expect(try store.rows("SELECT a FROM t") == [[1]])
        }
    }

    @Test(arguments: Place.allCases) func `a cancelled task ends its runaway query`(place: Place) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try SQLiteStore(place == .memory ? .memory : .file(folder.path("a")))
        let isRunning = Gate()
        let task = Task {
            try await store.read { reader in
                try reader.query(Self.endless, []) { _ in
                    isRunning.open()
                    return true
                }
            }
        }
        try await isRunning.wait()
        task.cancel()
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.code == .interrupted)
        try store.close()
    }

    @Test func `many short calls of a cancelled task succeed`() async throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE TABLE t (a)", [])
        let isCancelled = Gate()
        let task = Task {
            try? await isCancelled.wait()
            #expect(Task.isCancelled)
            // SQLite counts the steps over all runs of a statement, far beyond the interval of its checks.
            for number in 0..<3000 as Range<Int64> { try store.execute("INSERT INTO t VALUES (?)", [.integer(number)]) }
            for _ in 0..<3000 { _ = try store.rows("SELECT a FROM t WHERE rowid = 7") }
        }
        task.cancel()
        isCancelled.open()
        try await task.value
        #expect(try store.rows("SELECT count(*) FROM t") == [[3000]])
    }

    @Test func `a long batch of a cancelled task is rolled back`() async throws {
        let store = try SQLiteStore(.memory)
        try store.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)", [])
        let batch = try RowBatch(["a"], (0..<5000).map { [.integer($0)] })
        let isCancelled = Gate()
        let task = Task {
            try? await isCancelled.wait()
            try store.upsert(batch, into: "t")
        }
        task.cancel()
        isCancelled.open()
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.code == .interrupted)
        #expect(try store.rows("SELECT count(*) FROM t") == [[0]])
    }

    @Test(arguments: Place.allCases) func `closing ends a runaway query`(place: Place) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3600)
        let store = try SQLiteStore(place == .memory ? .memory : .file(folder.path("a")), configuration: configuration)
        let end = startEndless(store)
        try store.close()
        #expect(end() == .interrupted)
        #expect(#expect(throws: StoreError.self) { try store.rows("SELECT 1") }?.code == .closed)
        store.interrupt()
    }

    @Test(arguments: Place.allCases) func `closing waits for a transaction and its long reads`(place: Place) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3600)
        let store = try SQLiteStore(place == .memory ? .memory : .file(folder.path("a")), configuration: configuration)
        let closer = Mutex<@Sendable () -> StoreError.Code?>({ .busy })
        try store.transaction { () throws in
            try store.execute("CREATE TABLE t (a)", [])
            let end = run { try store.close() }
            closer.withLock { $0 = end }
            #expect(waitUnlessHung { store.factory.interrupts.isClosing || store.writer.waiterCount > 0 })
            let count = """
                WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000) SELECT count(*) FROM c
                """
            #expect(try store.rows(SQL(verbatim: count)) == [[100_000]])
        }
        #expect(closer.withLock { $0 }() == nil)
    }

    @Test func `a wait for another program's lock is interrupted`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3600)
        // Another store of the file stands for another program.
        let (other, store) = (
            try SQLiteStore(.file(folder.path("a")), configuration: configuration),
            try SQLiteStore(.file(folder.path("a")), configuration: configuration)
        )
        try other.execute("CREATE TABLE t (a)", [])
        let codes = Mutex<[StoreError.Code?]>([])
        try other.transaction { () throws in
            try other.execute("INSERT INTO t VALUES (1)", [])
            for call in [
                { try store.transaction {} }, { _ = try store.execute("INSERT INTO t VALUES (2)", []) },
            ] as [@Sendable () throws -> Void] {
                let hasEnded = Mutex(false)
                let end = run {
                    defer { hasEnded.withLock { $0 = true } }
                    try call()
                }
                #expect(
                    waitUnlessHung {
                        store.interrupt()
                        return hasEnded.withLock { $0 }
                    })
                codes.withLock { $0.append(end()) }
            }
        }
        #expect(codes.withLock { $0 } == [.interrupted, .interrupted])
        try store.execute("INSERT INTO t VALUES (3)", [])
        #expect(try other.rows("SELECT a FROM t") == [[1], [3]])
    }

    @Test func `interrupts and short calls of many threads do not disturb each other`() throws {
        try withStore(.file) { store throws in
            let isDone = Mutex(false)
            let interrupter = onThread { while !isDone.withLock({ $0 }) { store.interrupt() } }
            let threads = (0..<4).map { number in
                onThread {
                    for index in 0..<300 {
                        do {
                            if number == 0 {
                                try store.transaction { () throws in
                                    try store.execute("INSERT INTO t VALUES (?)", [.integer(Int64(index))])
                                }
                            } else {
                                _ = try store.rows("SELECT count(*), sum(a) FROM t")
                            }
                        } catch {
                            #expect((error as? StoreError)?.code == .interrupted)
                        }
                    }
                }
            }
            for thread in threads { #expect(thread()) }
            isDone.withLock { $0 = true }
            #expect(interrupter())
            try store.execute("INSERT INTO t VALUES (-1)", [])
            #expect(try store.integrityProblems() == [])
        }
    }
}
