import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct ReaderPoolTests {
    /// Does something with the readers of a store's file.
    private func withPool(_ body: (ReaderPool) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let opening = try SQLiteOpening(.file(folder.path("a")), key: .none, SQLiteStore.Configuration())
        let writer = try opening.connection(.writer)
        try body(ReaderPool(opening))
        _ = consume writer
    }

    /// Begins to read on a thread of its own, which reads once more before it ends.
    private func startReading(_ pool: ReaderPool) -> (mayEnd: DispatchSemaphore, hasEnded: @Sendable () -> Bool) {
        let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasEnded = onThread {
            try? pool.use { _ in
                isReading.signal()
                mayEnd.wait()
                // It is a part of the read that closing waits for.
                #expect(throws: Never.self) { try pool.use { _ in } }
            }
        }
        isReading.wait()
        return (mayEnd, hasEnded)
    }

    @Test(arguments: [true, false]) func whoComesWhileItClosesWaitsForTheEnd(closes: Bool) throws {
        try withPool { pool in
            let codes = Mutex<(second: StoreError.Code?, closing: StoreError.Code?)>((nil, nil))
            let first = startReading(pool)
            let closer = onThread {
                do {
                    try pool.close(patience: .seconds(3600)) {
                        if !closes { throw StoreError(.busy, "The writer is not done.") }
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

    @Test func closingDoesNotWaitLongerThanItIsTold() throws {
        try withPool { pool in
            let first = startReading(pool)
            let error = #expect(throws: StoreError.self) { try pool.close(patience: .milliseconds(1)) {} }
            #expect(error?.code == .busy && !pool.isClosing)
            try pool.use { _ in }
            first.mayEnd.signal()
            #expect(first.hasEnded())
        }
    }

    @Test func aConnectionThatIsLeftInATransactionIsNotUsedAgain() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let opening = try SQLiteOpening(.file(folder.path("a")), key: .none, SQLiteStore.Configuration())
        let writer = try opening.connection(.writer)
        let pool = ReaderPool(opening)
        #expect(throws: Interruption()) {
            try pool.use { reader in
                try reader.ask("BEGIN") { _ in }
                throw Interruption()
            }
        }
        #expect(try pool.use { !$0.isInTransaction })
        _ = consume writer
    }
}
