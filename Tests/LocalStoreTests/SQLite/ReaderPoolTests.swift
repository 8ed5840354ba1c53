import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct ReaderPoolTests {
    /// Closes a store while one thread reads and another wants to.
    /// - Parameter patience: how long closing waits.
    /// - Returns: what the second reader got, and what closing threw.
    private func closeWhileReading(
        patience: Duration, endsReading: Bool
    ) throws -> (second: StoreError.Code?, closing: StoreError.Code?) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = patience
        let store = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
        let isReading = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let codes = Mutex<(second: StoreError.Code?, closing: StoreError.Code?)>((nil, nil))
        let first = onThread {
            try? store.query("SELECT 1") { _ in
                isReading.signal()
                mayEnd.wait()
                // It is a part of the read that closing waits for.
                let rows = try? store.rows("SELECT 2")
                #expect(rows == [[2]])
                return true
            }
        }
        isReading.wait()
        let closer = onThread {
            do throws(StoreError) { try store.close() } catch { codes.withLock { $0.closing = error.code } }
        }
        Thread.sleep(forTimeInterval: 0.1)
        let second = onThread {
            do { _ = try store.rows("SELECT 1") } catch let error as StoreError {
                codes.withLock { $0.second = error.code }
            } catch {}
        }
        Thread.sleep(forTimeInterval: 0.1)
        if endsReading { mayEnd.signal() }
        #expect(closer())
        #expect(second())
        mayEnd.signal()
        #expect(first())
        try? store.close()
        return codes.withLock { $0 }
    }

    @Test func whoComesWhileItClosesWaitsForTheEnd() throws {
        let stayed = try closeWhileReading(patience: .milliseconds(400), endsReading: false)
        #expect(stayed.closing == .busy)
        #expect(stayed.second == nil)
        let closed = try closeWhileReading(patience: .seconds(20), endsReading: true)
        #expect(closed.closing == nil)
        #expect(closed.second == .closed)
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
