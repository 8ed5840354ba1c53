import Dispatch
import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct WorkerThreadsTests {
    @Test(arguments: [1, 3])
    func `blocked jobs use at most the fixed number of threads; others wait in FIFO order`(count: Int) async throws {
        let threads = WorkerThreads(count: count, name: "workers")
        let begun = Watched<[Int]>([])
        let leave = DispatchSemaphore(value: 0)
        for number in 0..<(count * 3) {
            threads.run {
                begun.update { $0.append(number) }
                leave.wait()
            }
        }
        try await begun.wait { $0.count >= count }
        #expect(begun.value.count == count)
        for number in count..<(count * 3) {
            leave.signal()
            try await begun.wait { $0.count >= number + 1 }
            #expect(begun.value.count == number + 1 && begun.value.last == number)
        }
        for _ in 0..<count { leave.signal() }
    }

    @Test(arguments: [1, 3])
    func `threads run the queued jobs and exit once the pool is released`(count: Int) async throws {
        var threads: WorkerThreads? = WorkerThreads(count: count, name: "workers")
        let queue = try #require(threads).queue
        let done = Watched(0)
        let leave = DispatchSemaphore(value: 0)
        for _ in 0..<(count * 3) {
            threads?.run {
                leave.wait()
                done.update { $0 += 1 }
            }
        }
        #expect(queue.threadCount == count)
        threads = nil
        for _ in 0..<(count * 3) { leave.signal() }
        try await done.wait { $0 == count * 3 }
        try await eventually("all threads have exited") { queue.threadCount == 0 }
    }

    @Test func `a job that has ended is released, though no other one follows`() async throws {
        let threads = WorkerThreads(count: 1, name: "workers")
        let isReleased = Gate()
        do {
            let held = Releasing(isReleased)
            threads.run { withExtendedLifetime(held) {} }
        }
        try await isReleased.wait()
        withExtendedLifetime(threads) {}
    }

    @Test func `a pool that is released without jobs has no threads`() {
        let queue = WorkerThreads(count: 2, name: "workers").queue
        #expect(queue.threadCount == 0)
    }

    @Test func `a task keeps the pool until it has ended`() async throws {
        let queue: JobQueue
        let mayEnd = Gate()
        let task: Task<Bool, any Error>
        do {
            let threads = WorkerThreads(count: 1, name: "workers")
            queue = threads.queue
            task = Task(executorPreference: threads) {
                try await mayEnd.wait()
                return true
            }
        }
        mayEnd.open()
        #expect(try await task.value)
        try await eventually("the thread has exited") { queue.threadCount == 0 }
    }

    @Test func `runs tasks outside the cooperative pool`() async throws {
        let threads = WorkerThreads(count: 2, name: "workers")
        let leave = DispatchSemaphore(value: 0)
        let blocked = Task(executorPreference: threads) { waitForPermission(leave) }
        let free = Task(executorPreference: threads) {
            await Task.yield()
            return leave.signal() != 0
        }
        _ = await free.value
        #expect(await blocked.value)
    }
}

/// Blocks the thread until a semaphore is signaled; false when the test hangs.
private func waitForPermission(_ semaphore: DispatchSemaphore) -> Bool { semaphore.waitUnlessHung() }

/// Opens a gate when it is released.
private final class Releasing: Sendable {
    private let isReleased: Gate
    init(_ isReleased: Gate) { self.isReleased = isReleased }
    deinit { isReleased.open() }
}
