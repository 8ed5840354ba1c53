import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Stores and files for tests of backups.
protocol BackupTesting {}

extension BackupTesting {
    func withFolder(_ body: (TemporaryFolder) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(folder)
    }

    func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    /// A store with rows of 1 KB; 3000 of them need three steps of a backup.
    func makeStore(
        _ location: SQLiteStore.Location, rows: Int, _ configuration: SQLiteStore.Configuration = .init()
    ) throws -> SQLiteStore {
        let store = try SQLiteStore(location, configuration: configuration)
        try store.createTable(StoreConformance.jacks)
        let text = String(repeating: "x", count: 1000)
        try store.upsert(
            try RowBatch(["id", "label"], (0..<rows).map { [.integer(Int64($0)), .text(text)] }), into: "jack")
        return store
    }

    func count(_ store: SQLiteStore) throws -> StoreValue { try store.value("SELECT count(*) FROM jack") }

    var impatient: SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .zero
        return configuration
    }
}
