import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct ReaderPoolTests {
    /// Runs a test with the reader pool of a new file.
    private func withPool(_ body: (ReaderPool) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let factory = try SQLiteConnectionFactory(
            .file(folder.path("a")), key: .unencrypted, SQLiteStore.Configuration())
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
