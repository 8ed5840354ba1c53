import Foundation
package import LocalStore
import SQLiteStore
@_exported public import StoreTestKit
package import TestSupport

extension StoreSubject {
    /// All stores of the package.
    package static let all: [StoreSubject] = [memory, journal] + sqlite

    /// The variants of `SQLiteStore`; empty without the system's SQLite.
    package static let sqlite: [StoreSubject] =
        SQLiteLibrary.system.isAvailable ? [sqliteInMemory, sqliteFile, sqliteWithoutWAL] : []

    package static let memory = StoreSubject("Memory", capabilities: [.concurrentReads]) {
        MemoryStore(busyTimeout: $1)
    }
    /// A store that is made with the public API alone, and cannot read concurrently.
    package static let locked = StoreSubject("LockedStore") { LockedStore(busyTimeout: $1) }
    package static let journal = StoreSubject("Memory with a journal", capabilities: [.concurrentReads]) {
        folder, busyTimeout in
        let path = folder.appending(path: "store.journal").path
        return try MemoryStore(
            journal: MemoryJournalConfiguration(path: path, rotationSize: 4096), busyTimeout: busyTimeout)
    }
    package static let sqliteInMemory = StoreSubject("SQLite in memory") {
        try SQLiteStore(.memory, configuration: configuration($1))
    }
    package static let sqliteFile = StoreSubject("SQLite in a file", capabilities: [.concurrentReads]) {
        try SQLiteStore(.file($0.appending(path: "store.sqlite").path), configuration: configuration($1))
    }
    package static let sqliteWithoutWAL = StoreSubject("SQLite without WAL") { folder, busyTimeout in
        var configuration = configuration(busyTimeout)
        configuration.library = try FakeSQLite.withoutWAL()
        return try SQLiteStore(.file(folder.appending(path: "store.sqlite").path), configuration: configuration)
    }

    /// True when its SQL supports indexes and views.
    package var supportsIndexes: Bool { name.hasPrefix("SQLite") }

    /// Creates an empty store in a temporary folder.
    package func make(_ folder: TemporaryFolder) throws -> any LocalStore { try makeStore(in: folder.url) }

    private static func configuration(_ busyTimeout: Duration) -> SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = busyTimeout
        return configuration
    }
}

/// Runs `body` on a new thread.
/// - Returns: a function that waits for the thread to finish.
package func onThread(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    return { done.waitUnlessHung() }
}
