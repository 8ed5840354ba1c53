import Dispatch
import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Coordination
@testable import LocalStore
@testable import StoreCore

@Suite(.needsSlot) struct StoreThreadsTests {
    private func threadName() -> String? { Thread.current.name }

    @Test @MainActor func `async calls run on the store's threads, also from the main actor`() async throws {
        let store = MemoryStore()
        let read = try await store.read { _ in threadName() }
        let write = try await store.transaction { threadName() }
        #expect([read, write] == ["patchbay.read", "patchbay.write"])
        MainActor.preconditionIsolated()
    }

    @Test func `async calls through a protocol run on the store's threads`() async throws {
        let store: any LocalStore = MemoryStore()
        let read = try await store.read { _ in threadName() }
        let write = try await generic(store)
        #expect([read, write] == ["patchbay.read", "patchbay.write"])
    }

    private func generic(_ store: some LocalStore) async throws -> String? {
        try await store.transaction { threadName() }
    }

    @Test func `blocked reads leave room for a write and for other reads`() async throws {
        let store = MemoryStore()
        let begun = Watched(0)
        let leave = DispatchSemaphore(value: 0)
        let blocked = (0..<3).map { _ in
            Task {
                try await store.read { _ in
                    begun.update { $0 += 1 }
                    return leave.waitUnlessHung()
                }
            }
        }
        try await begun.wait { $0 == 3 }
        #expect(try await store.transaction { 1 } == 1)
        #expect(try await store.read { _ in 2 } == 2)
        for _ in blocked { leave.signal() }
        for task in blocked { #expect(try await task.value) }
    }

    private func code(_ task: Task<some Sendable, any Error>) async -> StoreError.Code? {
        do {
            _ = try await task.value
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `an async transaction has one deadline for its thread and for the lock`() {
        let end = DispatchTime.now() + .seconds(3600)
        let call = AsyncCall(writer: StoreThreads(), end)
        AsyncCall.$current.withValue(call) {
            #expect(StoreThreads.lockDeadline(after: .seconds(36_000)) == end)
            #expect(WaitLimits(after: .seconds(36_000)).deadline == end)
            #expect(StoreThreads.lockDeadline(after: .seconds(0)) < end)
            // In its body, each wait has its own.
            call.begin()
            #expect(StoreThreads.lockDeadline(after: .seconds(36_000)) > end)
        }
        #expect(StoreThreads.lockDeadline(after: .seconds(36_000)) > end)
    }

    @Test func `the wait of an async transaction for the lock ends at its deadline`() async throws {
        let store = MemoryStore(busyTimeout: .seconds(3600))
        let (hasBegun, leave) = (Gate(), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? store.transaction {
                hasBegun.open()
                _ = leave.waitUnlessHung()
            }
        }
        try await hasBegun.wait()
        let threads = StoreThreads(busyTimeout: .milliseconds(1))
        #expect(await code(Task { try await threads.transaction(store) { 1 } }) == .busy)
        leave.signal()
    }

    @Test func `cancelling ends the wait of a transaction and of a read for their threads`() async throws {
        let store = MemoryStore(busyTimeout: .seconds(3600))
        let leave = DispatchSemaphore(value: 0)
        let begun = Watched(0)
        let block: @Sendable () -> Bool = {
            begun.update { $0 += 1 }
            return leave.waitUnlessHung()
        }
        let reads = (0..<4).map { _ in Task { try await store.read { _ in block() } } }
        let write = Task { try await store.transaction { block() } }
        try await begun.wait { $0 == 5 }
        let waitingRead = Task { try await store.read { _ in 1 } }
        let waitingWrite = Task { try await store.transaction { 1 } }
        try await eventually("both wait") { store.threads.waitingCounts == (1, 1) }
        waitingRead.cancel()
        waitingWrite.cancel()
        #expect(await code(waitingRead) == .interrupted)
        #expect(await code(waitingWrite) == .interrupted)
        #expect(store.threads.waitingCounts == (0, 0))
        for _ in 0..<5 { leave.signal() }
        for task in reads + [write] { #expect(try await task.value) }
        #expect(try await store.read { _ in 2 } == 2)
        #expect(try await store.transaction { 3 } == 3)
    }

    @Test func `cancelling ends the wait of a transaction for another thread's`() async throws {
        let store = MemoryStore(busyTimeout: .seconds(3600))
        let leave = DispatchSemaphore(value: 0)
        let begun = Watched(false)
        let hasEnded = onThread {
            try? store.transaction {
                begun.update { $0 = true }
                _ = leave.waitUnlessHung()
            }
        }
        try await begun.wait { $0 }
        let waiting = Task { try await store.transaction { 1 } }
        try await eventually("it waits") { store.shared.withLock { $0.lock.waiterCount == 1 } }
        waiting.cancel()
        #expect(await code(waiting) == .interrupted)
        #expect(store.shared.withLock { $0.lock.waiterCount } == 0)
        leave.signal()
        #expect(hasEnded())
        #expect(try await store.transaction { 2 } == 2)
    }

    @Test func `a cancelled read ends between its queries`() async throws {
        let store = MemoryStore()
        let begun = Watched(false)
        let isCancelled = DispatchSemaphore(value: 0)
        let task = Task {
            try await store.read { reader in
                try reader.prepare("SELECT 1") { query in
                    try query.query { _ in true }
                    begun.update { $0 = true }
                    _ = isCancelled.waitUnlessHung()
                    try query.query { _ in true }
                }
            }
        }
        try await begun.wait { $0 }
        task.cancel()
        isCancelled.signal()
        #expect(await code(task) == .interrupted)
    }

    @Test func `subscribers are not part of a cancelled transaction`() async throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY)")
        let inserted = Mutex<Int?>(nil)
        let subscription = store.subscribe { change in
            guard inserted.withLock({ $0 }) == nil else { return }
            withUnsafeCurrentTask { $0?.cancel() }
            let count = try? store.execute("INSERT INTO jack VALUES (2)")
            inserted.withLock { $0 = count ?? 0 }
        }
        defer { subscription.cancel() }
        let count = try await Task {
            try await store.transaction { try store.execute("INSERT INTO jack VALUES (1)") }
        }.value
        #expect(count == 1)
        #expect(inserted.withLock { $0 } == 1)
    }

    @Test func `the threads exit with the store`() async throws {
        let queues: [JobQueue]
        do {
            let store = MemoryStore()
            _ = try await store.read { _ in 1 }
            _ = try await store.transaction { 1 }
            queues = [store.threads.readers.queue, store.threads.writer.queue]
            #expect(queues.allSatisfy { $0.threadCount == 1 })
        }
        try await eventually("all threads have exited") { queues.allSatisfy { $0.threadCount == 0 } }
    }
}
