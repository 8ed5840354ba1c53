import Dispatch
import LocalStore
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Coordination
@testable import StoreCore

@Suite(.needsSlot) struct StoreRowsTests {
    private struct Failure: Error, Equatable {}

    /// A stream of integers that counts what it produced.
    private func stream(_ produced: Watched<Int>, _ thread: WorkerThreads, failsAt end: Int? = nil) -> RowStream<Int> {
        RowStream(on: thread) { add in
            var number = 0
            while add(number) {
                number += 1
                produced.update { $0 = number }
                if number == end { throw Failure() }
            }
        }
    }

    private func makeThread() -> WorkerThreads { StoreThreads().makeStreamThread() }

    @Test func `a producer stops two batches ahead and continues when one is taken`() async throws {
        let produced = Watched(0)
        let thread = makeThread()
        let size = RowStream<Int>.batchSize
        let stream = stream(produced, thread)
        // The producer has added its second batch, and blocks.
        try await produced.wait { $0 == 2 * size - 1 }
        #expect(try await stream.next(isolation: nil) == Array(0..<size))
        try await produced.wait { $0 == 3 * size - 1 }
        #expect(try await stream.next(isolation: nil) == Array(size..<2 * size))
        #expect(try await stream.next(isolation: nil)?.first == 2 * size)
        stream.cancel()
        #expect(try await stream.next(isolation: nil) == nil)
    }

    @Test func `a stream that is dropped ends its producer and its thread`() async throws {
        let produced = Watched(0)
        let queue: JobQueue
        do {
            let thread = makeThread()
            queue = thread.queue
            let stream = stream(produced, thread)
            _ = try await stream.next(isolation: nil)
        }
        try await eventually("the thread has exited") { queue.threadCount == 0 }
    }

    @Test func `cancellation ends a waiting consumer`() async throws {
        let thread = makeThread()
        let mayEnd = DispatchSemaphore(value: 0)
        let hasEnded = Gate()
        let executor = ObservedExecutor()
        let task = Task(executorPreference: executor) {
            let stream = RowStream<Int>(on: thread) { add in
                _ = mayEnd.waitUnlessHung()
                #expect(Task.isCancelled)
                _ = add(1)
                hasEnded.open()
            }
            return (try await stream.next(isolation: nil), try await stream.next(isolation: nil))
        }
        try await executor.waitUntilIdle()
        task.cancel()
        let (first, second) = try await task.value
        #expect(first == nil && second == nil)
        mayEnd.signal()
        try await hasEnded.wait()
    }

    @Test func `rows before an error are delivered`() async throws {
        let thread = makeThread()
        let stream = stream(Watched(0), thread, failsAt: 3)
        #expect(try await stream.next(isolation: nil) == [0, 1, 2])
        await #expect(throws: Failure()) { try await stream.next(isolation: nil) }
        #expect(try await stream.next(isolation: nil) == nil)
    }

    @Test func `two iterators of one sequence are independent`() async throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (x)", [])
        let rows = store.stream(of: Int.self, "SELECT x FROM t ORDER BY x")
        for number in 0..<600 { try store.execute("INSERT INTO t VALUES (?)", [.integer(Int64(number))]) }
        var one = rows.makeAsyncIterator()
        #expect(try await one.next() == 0)
        try store.execute("DELETE FROM t WHERE x > 1", [])
        var other = rows.makeAsyncIterator()
        #expect(try await other.next() == 0)
        var sum = 0
        while let number = try await one.next() { sum += number }
        #expect(sum == 599 * 600 / 2)
        #expect(try await other.next() == 1)
        #expect(try await other.next() == nil)
        #expect(try await other.next() == nil)
    }

    @Test func `streams do not use the threads for reads`() async throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (x)", [])
        for number in 0..<2000 { try store.execute("INSERT INTO t VALUES (?)", [.integer(Int64(number))]) }
        // More blocked streams than the store has threads for reads.
        var iterators: [StoreRows<Int>.Iterator] = []
        for _ in 0..<8 {
            var iterator = store.stream(of: Int.self, "SELECT x FROM t").makeAsyncIterator()
            #expect(try await iterator.next() == 0)
            iterators.append(iterator)
        }
        #expect(try await store.read { try $0.rows("SELECT count(*) FROM t") } == [[2000]])
    }
}
