import Foundation
package import LocalStore
import SQLiteStore
package import TestSupport
import Testing

/// Kind of store that the conformance tests run on. To test another one, add it to ``all``.
package struct StoreUnderTest: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    /// Creates an empty store in a temporary folder.
    package let make: @Sendable (_ folder: TemporaryFolder) throws -> any LocalStore

    init(_ name: String, make: @escaping @Sendable (TemporaryFolder) throws -> any LocalStore) {
        testDescription = name
        self.make = make
    }

    package static let all: [StoreUnderTest] = [
        memory, journal,
        SQLiteLibrary.system.isAvailable ? sqliteInMemory : nil,
        SQLiteLibrary.system.isAvailable ? sqliteFile : nil,
        SQLiteLibrary.system.isAvailable ? sqliteWithoutWAL : nil,
    ].compactMap(\.self)

    /// True when its SQL supports indexes and views.
    package var supportsIndexes: Bool { testDescription.hasPrefix("SQLite") }

    /// True when one thread can write while another one reads.
    package var supportsConcurrentReads: Bool { !["SQLite in memory", "SQLite without WAL"].contains(testDescription) }

    package static let memory = StoreUnderTest("Memory") { _ in MemoryStore(busyTimeout: longEnough) }
    package static let journal = StoreUnderTest("Memory with a journal") { folder in
        try MemoryStore(
            journal: MemoryJournalConfiguration(path: folder.path("store.journal"), rotationSize: 4096),
            busyTimeout: longEnough)
    }
    package static let sqliteInMemory = StoreUnderTest("SQLite in memory") { _ in
        try SQLiteStore(.memory, configuration: patient)
    }
    package static let sqliteFile = StoreUnderTest("SQLite in a file") {
        try SQLiteStore(.file($0.path("store.sqlite")), configuration: patient)
    }

    /// Timeout that no test reaches.
    private static let longEnough = Duration.seconds(3600)
    private static var patient: SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = longEnough
        return configuration
    }

    package static let sqliteWithoutWAL = StoreUnderTest("SQLite without WAL") { folder in
        var configuration = patient
        configuration.library = try FakeSQLite.withoutWAL()
        return try SQLiteStore(.file(folder.path("store.sqlite")), configuration: configuration)
    }

    /// Runs a test with a new store that has the table `jack`.
    package func run(_ body: (any LocalStore) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try make(folder)
        try store.createTable(Self.jacks)
        try body(store)
        try store.close()
    }

    /// The table that most tests use.
    package static var jacks: TableSchema {
        get throws {
            try TableSchema(
                "jack",
                columns: [
                    .init("id", "INTEGER"), .init("label", "TEXT"), .init("gain", "REAL"), .init("raw", "BLOB"),
                    .init("any"),
                ],
                primaryKey: ["id"])
        }
    }
}

package struct Interruption: Error, Equatable {
    package init() {}
}

extension LocalStore {
    /// The first value of a query.
    package func value(_ sql: String, _ parameters: [StoreValue] = []) throws -> StoreValue {
        try #require(try rows(sql, parameters).first?.first)
    }

    package func jackIDs() throws -> [StoreValue] { try rows("SELECT id FROM jack ORDER BY id").map { $0[0] } }

    package func json(_ sql: String, _ parameters: [StoreValue] = []) throws -> String {
        String(decoding: try queryJSON(sql, parameters), as: UTF8.self)
    }
}

extension RowBatch {
    package init(_ columns: [SQLIdentifier], _ rows: [[StoreValue]]) throws {
        try self.init(columns: columns)
        for row in rows { try append(row) }
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
