import Dispatch
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LocalStore
@testable import StoreCore

/// Behavior beyond the conformance suite: on `MemoryStore`, whose internals show subscriptions and reads.
@Suite(.needsSlot) struct StoreObservationTests {
    private struct Failure: Error, Equatable {}

    private func makeStore() throws -> MemoryStore {
        let store = MemoryStore()
        for name in ["a", "b"] {
            try store.execute("CREATE TABLE \(name) (x)", [])
            try store.execute("INSERT INTO \(name) VALUES (1)", [])
        }
        return store
    }

    /// Counts the rows of a table; which one, depends on the rows of `a`.
    private func observation(_ store: MemoryStore, _ reads: Watched<Int>) -> StoreObservation<Int64> {
        store.observe { reader in
            reads.update { $0 += 1 }
            let count = try reader.rows("SELECT count(*) FROM a")[0][0]
            guard count == 2 else { return -1 }
            guard case .integer(let other) = try reader.rows("SELECT count(*) FROM b")[0][0] else { return -1 }
            return other
        }
    }

    @Test func `only tables of the last read cause a read`() async throws {
        let store = try makeStore()
        let reads = Watched(0)
        let executor = ObservedExecutor()
        let values = Watched<[Int64]>([])
        let task = Task(executorPreference: executor) {
            for try await value in observation(store, reads) { values.update { $0.append(value) } }
        }
        try await values.wait { $0 == [-1] }
        // Not read yet: a change of `b` has no effect. It comes before the one of `a`, whose value shows the order.
        try store.execute("INSERT INTO b VALUES (2)", [])
        try store.execute("INSERT INTO a VALUES (2)", [])
        try await values.wait { $0 == [-1, 2] }
        #expect(reads.value == 2)
        // Now it is read.
        try store.execute("INSERT INTO b VALUES (3)", [])
        try await values.wait { $0 == [-1, 2, 3] }
        try store.execute("DELETE FROM a WHERE x = 1", [])
        try await values.wait { $0 == [-1, 2, 3, -1] }
        try store.execute("DELETE FROM b", [])
        task.cancel()
        try await task.value
        #expect(reads.value == 4 && store.subscribers.count == 0)
    }

    @Test func `a value that does not come from the reader is read after each change`() async throws {
        let store = try makeStore()
        let counts = store.observe { _ in try store.rows("SELECT count(*) FROM a") }
        var values = counts.makeAsyncIterator()
        #expect(try await values.next() == [[1]])
        try store.execute("INSERT INTO a VALUES (2)", [])
        #expect(try await values.next() == [[2]])
    }

    @Test func `changes during a read cause one more read`() async throws {
        let store = try makeStore()
        let (hasBegun, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        let reads = Mutex(0)
        var counts = store.observe { reader in
            let count = try reader.rows("SELECT count(*) FROM a")[0][0]
            let isFirst = reads.withLock { reads in
                reads += 1
                return reads == 1
            }
            if isFirst {
                hasBegun.open()
                #expect(mayEnd.waitUnlessHung())
            }
            return count
        }.makeAsyncIterator()
        let writer = Task {
            try await hasBegun.wait()
            for number in 2...4 { try store.execute("INSERT INTO a VALUES (?)", [.integer(Int64(number))]) }
            mayEnd.signal()
        }
        #expect(try await counts.next() == 1)
        #expect(try await counts.next() == 4)
        try await writer.value
        #expect(reads.withLock { $0 } == 2)
    }

    @Test func `cancellation during a read ends the observation without a value`() async throws {
        let store = try makeStore()
        let (hasBegun, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        let task = Task {
            var values = store.observe { reader in
                hasBegun.open()
                #expect(mayEnd.waitUnlessHung())
                return try reader.rows("SELECT x FROM a")
            }.makeAsyncIterator()
            return (try await values.next(), try await values.next())
        }
        try await hasBegun.wait()
        task.cancel()
        mayEnd.signal()
        let (first, second) = try await task.value
        #expect(first == nil && second == nil)
        #expect(store.subscribers.count == 0)
    }

    @Test func `an error ends the observation once`() async throws {
        let store = try makeStore()
        var values = store.observe { reader -> Int in
            guard try reader.rows("SELECT x FROM a").count == 1 else { throw Failure() }
            return 1
        }.makeAsyncIterator()
        #expect(try await values.next() == 1)
        try store.execute("DELETE FROM a", [])
        await #expect(throws: Failure()) { try await values.next() }
        #expect(store.subscribers.count == 0)
        #expect(try await values.next() == nil)
    }

    @Test func `closing the store ends the observation with closed`() async throws {
        let store = try makeStore()
        let executor = ObservedExecutor()
        let values = Watched(0)
        let task = Task(executorPreference: executor) {
            for try await _ in store.observe({ try $0.rows("SELECT x FROM a") }) { values.update { $0 += 1 } }
        }
        try await values.wait { $0 == 1 }
        try store.close()
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.code == .closed && values.value == 1)
    }

    @Test func `an iterator that is dropped unsubscribes`() async throws {
        let store = try makeStore()
        let values = store.observe { try $0.rows("SELECT x FROM a") }
        do {
            var one = values.makeAsyncIterator()
            var other = values.makeAsyncIterator()
            #expect(store.subscribers.count == 0)
            _ = try await one.next()
            _ = try await other.next()
            #expect(store.subscribers.count == 2)
        }
        #expect(store.subscribers.count == 0)
    }

    @Test func `an observation that starts within a transaction sees its commit`() async throws {
        let store = try makeStore()
        let values = Watched<[Int]>([])
        let task = try observeInTransaction(store, values)
        // Either the first read came after the commit, or the commit caused another one.
        try await values.wait { $0.last == 2 }
        task.cancel()
    }

    /// Inserts a row into `a`, and starts to observe its rows before the commit.
    private func observeInTransaction(
        _ store: MemoryStore, _ values: Watched<[Int]>
    ) throws -> Task<Void, any Error> {
        try store.transaction {
            try store.execute("INSERT INTO a VALUES (2)", [])
            return Task {
                for try await rows in store.observe({ try $0.rows("SELECT x FROM a") }) {
                    values.update { $0.append(rows.count) }
                }
            }
        }
    }

    @Test func `duplicates are compared with the last value`() async throws {
        let store = try makeStore()
        var counts = store.observe { try $0.rows("SELECT count(*) FROM a") }.removingDuplicates().makeAsyncIterator()
        #expect(try await counts.next() == [[1]])
        for number in 2...3 { try store.execute("INSERT INTO a VALUES (?)", [.integer(Int64(number))]) }
        #expect(try await counts.next() == [[3]])
        try store.execute("UPDATE a SET x = 7", [])
        let next = Task { [counts] in
            var counts = counts
            return try await counts.next()
        }
        try store.execute("DELETE FROM a WHERE x = 7", [])
        #expect(try await next.value == [[0]])
    }

    @Test(arguments: StoreSubject.all + [.locked])
    func `queries name the tables that they read`(subject: StoreSubject) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try subject.make(folder)
        try store.execute("CREATE TABLE Jack (id INTEGER PRIMARY KEY, a)", [])
        let expected: [(String, Set<SQLIdentifier>?)] = [
            ("SELECT 1", []), ("SELECT a FROM jack", ["jack"]), ("SELECT count(*) FROM jack WHERE id = 1", ["jack"]),
            ("SELECT name FROM sqlite_master", nil),
        ]
        for (sql, tables) in expected {
            let read = try store.read { try $0.prepare(SQL(verbatim: sql)) { $0.tablesRead } }
            #expect(read == (subject.name == StoreSubject.locked.name ? nil : tables), "\(sql)")
        }
        try store.close()
    }
}
