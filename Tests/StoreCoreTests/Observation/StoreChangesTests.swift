import PatchbayTestKit
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LocalStore
@testable import SQLiteStore
@testable import StoreCore

@Suite(.needsSlot) struct StoreChangesTests {
    private func makeStore() throws -> MemoryStore {
        let store = MemoryStore()
        for name in ["a", "b"] { try store.execute("CREATE TABLE \(name) (x)", []) }
        return store
    }

    @Test func `each iterator has its own subscription, which ends with it`() async throws {
        let store = try makeStore()
        let changes = store.changes(of: ["a"])
        #expect(store.subscribers.count == 0)
        do {
            var one = changes.makeAsyncIterator()
            var other = changes.makeAsyncIterator()
            #expect(store.subscribers.count == 2)
            try store.execute("INSERT INTO a VALUES (1)", [])
            try store.execute("INSERT INTO b VALUES (1)", [])
            #expect(await one.next()?.tables == ["a"])
            #expect(await other.next()?.tables == ["a"])
        }
        #expect(store.subscribers.count == 0)
    }

    @Test func `cancellation ends a waiting iterator and its subscription`() async throws {
        let store = try makeStore()
        let executor = ObservedExecutor()
        let task = Task(executorPreference: executor) {
            var changes = store.changes().makeAsyncIterator()
            let first = await changes.next()
            let count = store.subscribers.count
            return (first, count, await changes.next())
        }
        try await executor.waitUntilIdle()
        #expect(store.subscribers.count == 1)
        task.cancel()
        let (first, count, second) = await task.value
        #expect(first == nil && second == nil && count == 0)
        try store.execute("INSERT INTO a VALUES (1)", [])
    }

    @Test func `an iterator of a cancelled task ends at once, also with a pending change`() async throws {
        let store = try makeStore()
        let isCancelled = Gate()
        let task = Task {
            var changes = store.changes().makeAsyncIterator()
            try store.execute("INSERT INTO a VALUES (1)", [])
            try? await isCancelled.wait()
            return await changes.next()
        }
        task.cancel()
        isCancelled.open()
        #expect(try await task.value == nil)
        #expect(store.subscribers.count == 0)
    }

    @Test func `closing the store resumes a waiting iterator`() async throws {
        let store = try makeStore()
        let executor = ObservedExecutor()
        let task = Task(executorPreference: executor) {
            var changes = store.changes().makeAsyncIterator()
            return await changes.next()
        }
        try await executor.waitUntilIdle()
        try store.close()
        #expect(await task.value == nil)
    }

    @Test func `an iterator of a released store ends after the pending change`() async throws {
        var changes: StoreChanges.Iterator
        do {
            let store = try makeStore()
            changes = store.changes().makeAsyncIterator()
            try store.execute("INSERT INTO a VALUES (1)", [])
        }
        #expect(await changes.next()?.tables == ["a"])
        #expect(await changes.next() == nil)
    }

    /// The number of threads that wait for the lock of a store.
    private func waiterCount(_ store: any LocalStore) -> Int {
        switch store {
        case let store as MemoryStore: store.shared.withLock { $0.lock.waiterCount }
        case let store as SQLiteStore: store.writer.waiterCount
        default: 0
        }
    }

    /// Commits a change of `a` while another thread waits in `close()`.
    private func commitBeforeClose(_ store: any LocalStore) throws {
        let hasClosed = try store.transaction {
            try store.execute("INSERT INTO a VALUES (1)")
            let hasClosed = onThread { #expect(throws: Never.self) { try store.close() } }
            #expect(waitUnlessHung { waiterCount(store) > 0 })
            return hasClosed
        }
        #expect(hasClosed())
    }

    /// Many times: the closing thread gets the lock at the commit, and may come first from then on.
    @Test(arguments: [StoreSubject.memory] + StoreSubject.sqlite.prefix(1))
    func `a commit that closing waits for is the last change`(subject: StoreSubject) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for _ in 0..<100 {
            let store = try subject.make(folder)
            try store.execute("CREATE TABLE a (x)")
            var changes = store.changes().makeAsyncIterator()
            try commitBeforeClose(store)
            #expect(await changes.next()?.tables == ["a"])
            #expect(await changes.next() == nil)
        }
    }

    @Test func `the end comes after all publications, delivered or not`() {
        let subscribers = StoreSubscribers()
        let seen = Mutex<[String]>([])
        let token = subscribers.subscribe { change in seen.withLock { $0 += change.tables.map(\.text) } }
        token.storeEnd.onSignal { seen.withLock { $0.append("end") } }
        do {
            var publications = ["a", "b", "c"].map { subscribers.publication(of: [SQLIdentifier($0)]) }
            subscribers.finish()
            #expect(subscribers.publication(of: ["a"]) == nil)
            publications.removeLast()
            for publication in publications { publication?.deliver() }
        }
        withExtendedLifetime(token) { #expect(seen.withLock { $0 } == ["a", "b", "end"]) }
    }

    @Test func `finished subscribers end later subscriptions and publish nothing`() {
        let subscribers = StoreSubscribers()
        let count = Mutex(0)
        let token = subscribers.subscribe { _ in count.withLock { $0 += 1 } }
        subscribers.publish(["a"])
        subscribers.finish()
        subscribers.finish()
        subscribers.publish(["a"])
        let late = subscribers.subscribe { _ in count.withLock { $0 += 1 } }
        subscribers.publish(["a"])
        token.cancel()
        late.cancel()
        #expect(count.withLock { $0 } == 1)
    }
}
