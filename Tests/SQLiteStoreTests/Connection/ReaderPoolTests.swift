import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct ReaderPoolTests {
    /// Runs a test with the reader pool of a new file.
    private func withPool(busyTimeout: Duration = .seconds(3600), _ body: (ReaderPool) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = busyTimeout
        let factory = try SQLiteConnectionFactory(.file(folder.path("a")), key: .unencrypted, configuration)
        let writer = try factory.makeConnection(.writer)
        try body(ReaderPool(factory))
        _ = consume writer
    }

    /// Starts a read on another thread, which makes a nested read before it ends.
    private func startReading(_ pool: ReaderPool) -> (mayEnd: DispatchSemaphore, hasEnded: @Sendable () -> Bool) {
        let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasEnded = onThread {
            try? pool.use { _ in
                isReading.signal()
                mayEnd.wait()
                // A nested read, which must not wait for `close`.
                #expect(throws: Never.self) { try pool.use { _ in } }
            }
        }
        isReading.wait()
        return (mayEnd, hasEnded)
    }

    @Test(arguments: [true, false]) func `reads during close wait for its outcome`(closes: Bool) throws {
        try withPool { pool in
            let codes = Mutex<(second: StoreError.Code?, closing: StoreError.Code?)>((nil, nil))
            let first = startReading(pool)
            let closer = onThread {
                do {
                    try pool.close(timeout: .seconds(3600)) {
                        if !closes { throw StoreError(.busy, "The writer is busy.") }
                    }
                } catch { codes.withLock { $0.closing = (error as? StoreError)?.code } }
            }
            #expect(waitUnlessHung { pool.isClosing })
            let second = onThread {
                do { try pool.use { _ in } } catch { codes.withLock { $0.second = (error as? StoreError)?.code } }
            }
            #expect(waitUnlessHung { pool.waitingCount == 1 })
            first.mayEnd.signal()
            #expect(closer() && second() && first.hasEnded())
            #expect(codes.withLock { $0.closing } == (closes ? nil : .busy))
            #expect(codes.withLock { $0.second } == (closes ? .closed : nil))
        }
    }

    @Test func `close times out`() throws {
        try withPool { pool in
            let first = startReading(pool)
            let error = #expect(throws: StoreError.self) { try pool.close(timeout: .milliseconds(1)) {} }
            #expect(error?.code == .busy && !pool.isClosing)
            try pool.use { _ in }
            first.mayEnd.signal()
            #expect(first.hasEnded())
        }
    }

    @Test func `a read during close times out`() throws {
        try withPool(busyTimeout: .milliseconds(1)) { pool in
            let first = startReading(pool)
            let closer = onThread { try? pool.close(timeout: .seconds(3600)) {} }
            #expect(waitUnlessHung { pool.isClosing })
            let code = Mutex<StoreError.Code?>(nil)
            let second = onThread {
                do { try pool.use { _ in } } catch { code.withLock { $0 = (error as? StoreError)?.code } }
            }
            #expect(second())
            #expect(code.withLock { $0 } == .busy && pool.waitingCount == 0)
            first.mayEnd.signal()
            #expect(closer() && first.hasEnded())
        }
    }

    /// What ends a read that waits for the outcome of `close`.
    enum End: CaseIterable { case interrupt, cancellation }

    @Test(arguments: End.allCases) func `a read that waits for close ends with`(end: End) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3600)
        let store = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
        let pool = try #require(store.readers)
        let first = startReading(pool)
        defer { first.mayEnd.signal() }
        let closer = onThread { #expect(throws: Never.self) { try store.close() } }
        try await eventually("the store waits for the read") { pool.isClosing }
        let hasEnded = Watched(false)
        let second = Task {
            defer { hasEnded.update { $0 = true } }
            try await store.read { _ in }
        }
        try await eventually("the second read waits") { pool.waitingCount == 1 }
        switch end {
        case .interrupt: store.interrupt()
        case .cancellation: second.cancel()
        }
        // While the first read is still active.
        try await hasEnded.wait { $0 }
        #expect(pool.waitingCount == 0 && pool.isClosing)
        let error = await #expect(throws: StoreError.self) { try await second.value }
        #expect(error?.code == .interrupted)
        first.mayEnd.signal()
        #expect(closer() && first.hasEnded())
    }

    @Test func `connections left in a transaction are dropped`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let factory = try SQLiteConnectionFactory(
            .file(folder.path("a")), key: .unencrypted, SQLiteStore.Configuration())
        let writer = try factory.makeConnection(.writer)
        let pool = ReaderPool(factory)
        #expect(throws: Interruption()) {
            try pool.use { reader in
                try reader.runInternal("BEGIN") { _ in }
                throw Interruption()
            }
        }
        #expect(try pool.use { !$0.isInTransaction })
        _ = consume writer
    }
}
