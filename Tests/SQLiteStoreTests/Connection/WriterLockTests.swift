import Coordination
import Dispatch
import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import SystemLibraries
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

@Suite(.needsSlot) struct WriterLockTests {
    private struct Thing: ~Copyable, Sendable {
        var uses = 0
    }

    @Test func `lock is reentrant across uses`() throws {
        let lock = WriterLock(Thing(), busyTimeout: .seconds(3600))
        #expect(!lock.isHeldByCurrentThread)
        try lock.hold {
            #expect(lock.isHeldByCurrentThread)
            try lock.use { _ in #expect(lock.isHeldByCurrentThread) }
            try lock.hold { try lock.use { _ in } }
            #expect(lock.isHeldByCurrentThread)
        }
        #expect(!lock.isHeldByCurrentThread)
    }

    @Test func `nested uses are rejected`() throws {
        let lock = WriterLock(Thing(), busyTimeout: .seconds(3600))
        try lock.use { _ in
            #expect(#expect(throws: StoreError.self) { try lock.use { _ in } }?.code == .misuse)
            #expect(#expect(throws: StoreError.self) { try lock.hold {} }?.code == .misuse)
        }
        try lock.use { _ in }
    }

    @Test func `use gets the resource`() throws {
        let lock = WriterLock(Thing(), busyTimeout: .seconds(3600))
        for _ in 0..<3 { try lock.use { $0.uses += 1 } }
        #expect(throws: Interruption()) {
            try lock.use { thing in
                thing.uses += 1
                throw Interruption()
            }
        }
        #expect(try lock.use { $0.uses } == 4)
    }

    @Test func `closed locks reject every use`() throws {
        let lock = WriterLock(Thing(), busyTimeout: .seconds(3600))
        let codes = Mutex<[StoreError.Code?]>([])
        var wait = { false }
        try lock.hold {
            let isWaited = onThread {
                // Waits, or comes after close; both throw `closed`.
                do { try lock.use { _ in } } catch { codes.withLock { $0.append((error as? StoreError)?.code) } }
            }
            try lock.close()
            wait = isWaited
        }
        #expect(wait())
        #expect(codes.withLock { $0 } == [.closed])
        #expect(#expect(throws: StoreError.self) { try lock.hold {} }?.code == .closed)
        try lock.close()
    }

    @Test func `lock is released after errors`() throws {
        let lock = WriterLock(Thing(), busyTimeout: .zero)
        #expect(throws: Interruption()) { try lock.use { _ in throw Interruption() } }
        #expect(throws: Interruption()) { try lock.hold { throw Interruption() } }
        let wait = onThread { try? lock.use { _ in } }
        #expect(wait())
        try lock.use { _ in }
    }

    @Test func `lock is exclusive`() throws {
        let lock = WriterLock(Thing(), busyTimeout: .seconds(3600))
        // A race would lose increments.
        let inside = Mutex((now: 0, most: 0, total: 0))
        let waits = (0..<8).map { _ in
            onThread {
                for _ in 0..<200 {
                    try? lock.use { _ in
                        inside.withLock {
                            $0.now += 1; $0.most = max($0.most, $0.now); $0.total += 1
                        }
                        inside.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        for wait in waits { #expect(wait()) }
        #expect(inside.withLock { $0.most } == 1)
        #expect(inside.withLock { $0.total } == 1600)
    }

    @Test func `timed out waiters are removed`() throws {
        let lock = WriterLock(Thing(), busyTimeout: .milliseconds(1))
        let busy = Mutex(0)
        try lock.hold {
            let waits = (0..<8).map { _ in
                onThread {
                    do { try lock.use { _ in } } catch { busy.withLock { $0 += 1 } }
                }
            }
            for wait in waits { #expect(wait()) }
        }
        #expect(busy.withLock { $0 } == 8)
        try lock.use { _ in }
        let wait = onThread { try? lock.hold { try lock.use { _ in } } }
        #expect(wait())
        try lock.use { _ in }
    }

    @Test func `waiting threads get the lock in the order of their calls`() async throws {
        let lock = WriterLock(Thing(), busyTimeout: .seconds(3600))
        let order = Mutex<[Int]>([])
        let holder = try await Holder(lock)
        var waits: [@Sendable () -> Bool] = []
        for number in 0..<5 {
            waits.append(onThread { try? lock.use { _ in order.withLock { $0.append(number) } } })
            try await eventually("the thread waits") { lock.waiterCount == number + 1 }
        }
        #expect(holder.release())
        for wait in waits { #expect(wait()) }
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test func `interrupted waits throw, and the lock goes on`() async throws {
        let lock = WriterLock(Thing(), busyTimeout: .seconds(3600))
        let codes = Mutex<[StoreError.Code?]>([])
        let holder = try await Holder(lock)
        let waits = (0..<3).map { _ in
            onThread {
                do { try lock.use { $0.uses += 1 } } catch {
                    codes.withLock { $0.append((error as? StoreError)?.code) }
                }
            }
        }
        try await eventually("the threads wait") { lock.waiterCount == 3 }
        lock.interruptWaits()
        for wait in waits { #expect(wait()) }
        #expect(codes.withLock { $0 } == [.interrupted, .interrupted, .interrupted])
        let later = onThread { try? lock.use { $0.uses += 1 } }
        try await eventually("the thread waits") { lock.waiterCount == 1 }
        #expect(holder.release())
        #expect(later())
        #expect(try lock.use { $0.uses } == 1)
    }

    @Test func `cancelling the task ends its wait`() async throws {
        let lock = WriterLock(Thing(), busyTimeout: .seconds(3600))
        let holder = try await Holder(lock)
        let threads = WorkerThreads(count: 1, name: "test")
        let waiting = Task { try await withTaskExecutorPreference(threads) { try await use(lock) } }
        try await eventually("the task waits") { lock.waiterCount == 1 }
        waiting.cancel()
        let error = await #expect(throws: StoreError.self) { try await waiting.value }
        #expect(error?.code == .interrupted)
        #expect(lock.waiterCount == 0)
        #expect(holder.release())
        #expect(try lock.use { $0.uses } == 0)
    }

    @Test func `a task that is cancelled already waits`() async throws {
        let lock = WriterLock(Thing(), busyTimeout: .seconds(3600))
        let holder = try await Holder(lock)
        let threads = WorkerThreads(count: 1, name: "test")
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await withTaskExecutorPreference(threads) { try await use(lock) }
        }
        try await eventually("the task waits") { lock.waiterCount == 1 }
        #expect(holder.release())
        try await waiting.value
        #expect(try lock.use { $0.uses } == 1)
    }

    @concurrent private func use(_ lock: WriterLock<Thing>) async throws { try lock.use { $0.uses += 1 } }

    /// Holds a lock on a thread of its own.
    private struct Holder {
        private let end = DispatchSemaphore(value: 0)
        private let wait: @Sendable () -> Bool

        init(_ lock: WriterLock<Thing>) async throws {
            let begun = Watched(false)
            wait = onThread { [end] in
                try? lock.hold {
                    begun.update { $0 = true }
                    _ = end.waitUnlessHung()
                }
            }
            try await begun.wait { $0 }
        }

        /// Releases the lock.
        /// - Returns: false when the thread hangs.
        func release() -> Bool {
            end.signal()
            return wait()
        }
    }
}
