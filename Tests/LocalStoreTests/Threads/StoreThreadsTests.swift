import Dispatch
import Foundation
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Coordination
@testable import LocalStore

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
