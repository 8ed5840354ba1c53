import Dispatch
import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

/// Reads that begin while `close()` waits for another read.
@Suite(.needsSlot) struct MemoryClosingTests {
    private func makeStore() throws -> MemoryStore {
        let store = MemoryStore(busyTimeout: .seconds(3600))
        try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        return store
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

    /// Starts a read on another thread, which makes nested reads before it ends.
    private func startReading(
        _ store: MemoryStore
    ) -> (mayEnd: DispatchSemaphore, end: @Sendable () -> StoreError.Code?) {
        let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let end = run {
            try store.query("SELECT 1") { _ throws in
                isReading.signal()
                mayEnd.wait()
                #expect(try store.rows("SELECT id FROM t") == [])
                #expect(try store.read { try $0.rows("SELECT id FROM t") } == [])
                return true
            }
        }
        #expect(isReading.waitUnlessHung())
        return (mayEnd, end)
    }

    private func isClosing(_ store: MemoryStore) -> Bool { store.shared.withLock { !$0.closers.isEmpty } }

    private func waitingCount(_ store: MemoryStore) -> Int { store.shared.withLock { $0.waitingReads.count } }

    @Test(arguments: [true, false]) func `reads wait for the outcome of closing`(closes: Bool) throws {
        try JournalWorld.run { world in
            let disk = FaultyDisk(journal: world.path)
            let store = try MemoryStore(
                journal: MemoryJournalConfiguration(path: world.path), disk: disk.calls, busyTimeout: .seconds(3600))
            try store.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
            let first = startReading(store)
            if !closes { disk.fail(with: EIO) { _, _ in true } }
            let closing = run { try store.close() }
            #expect(waitUnlessHung { isClosing(store) })
            let reads = [run { _ = try store.rows("SELECT id FROM t") }, run { try store.read { _ in } }]
            #expect(waitUnlessHung { waitingCount(store) == 2 })
            first.mayEnd.signal()
            #expect(first.end() == nil && closing() == (closes ? nil : .io))
            for read in reads { #expect(read() == (closes ? .closed : nil)) }
            #expect(!isClosing(store) && waitingCount(store) == 0)
            disk.work()
            try store.close()
        }
    }

    @Test func `two threads close, and the reads wait for both`() throws {
        let store = try makeStore()
        let first = startReading(store)
        let closings = (0..<2).map { _ in run { try store.close() } }
        #expect(waitUnlessHung { store.shared.withLock { $0.closers.count } == 2 })
        let read = run { try store.read { _ in } }
        #expect(waitUnlessHung { waitingCount(store) == 1 })
        first.mayEnd.signal()
        #expect(first.end() == nil && read() == .closed)
        for closing in closings { #expect(closing() == nil) }
        #expect(!isClosing(store) && waitingCount(store) == 0)
    }

    @Test func `a transaction reads while closing waits`() throws {
        let store = try makeStore()
        let first = startReading(store)
        let closing = run { try store.close() }
        #expect(waitUnlessHung { isClosing(store) })
        let transaction = run {
            try store.transaction {
                try store.execute("INSERT INTO t VALUES (1)")
                #expect(try store.rows("SELECT id FROM t") == [[1]])
                #expect(try store.read { try $0.rows("SELECT id FROM t") } == [[1]])
                try store.execute("DELETE FROM t")
            }
        }
        #expect(transaction() == nil && isClosing(store))
        first.mayEnd.signal()
        #expect(first.end() == nil && closing() == nil)
    }

    /// What ends a read that waits for the outcome of closing.
    enum End: CaseIterable { case interrupt, cancellation }

    @Test(arguments: End.allCases) func `a read that waits for closing ends with`(end: End) async throws {
        let store = try makeStore()
        let first = startReading(store)
        defer { first.mayEnd.signal() }
        let closing = run { try store.close() }
        try await eventually("the store waits for the read") { isClosing(store) }
        let hasEnded = Watched(false)
        let second = Task {
            defer { hasEnded.update { $0 = true } }
            try await store.read { _ in }
        }
        try await eventually("the second read waits") { waitingCount(store) == 1 }
        switch end {
        case .interrupt: store.interrupt()
        case .cancellation: second.cancel()
        }
        // While the first read is still active.
        try await hasEnded.wait { $0 }
        #expect(waitingCount(store) == 0 && isClosing(store))
        let error = await #expect(throws: StoreError.self) { try await second.value }
        #expect(error?.code == .interrupted)
        first.mayEnd.signal()
        #expect(first.end() == nil && closing() == nil)
    }

    @Test func `a read that waits for closing times out`() throws {
        let store = try makeStore()
        let wake = DispatchSemaphore(value: 0)
        store.shared.withLock { $0.waitingReads.append(wake) }
        var limits: WaitLimits? = WaitLimits(after: .seconds(0))
        let error = #expect(throws: StoreError.self) {
            try store.waitForClose(wake, &limits)
        }
        #expect(error?.code == .busy && waitingCount(store) == 0)
    }
}
