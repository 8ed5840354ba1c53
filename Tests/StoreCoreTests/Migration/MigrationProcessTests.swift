import Foundation
import LocalStore
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreCore

/// Migrations in several processes: two at once, and one that is killed.
@Suite(.needsSlot, .enabled(if: DeltaWriter.exists, "delta-writer is not built"))
struct MigrationProcessTests {
    private static let stepCount = 12

    /// The steps of `delta-writer migrate`.
    private var migrator: StoreMigrator {
        var migrator = StoreMigrator()
        for number in 1...Self.stepCount {
            migrator.add("step \(number)") { store in
                if number == 1 { try store.execute("CREATE TABLE ran (step INTEGER)", []) }
                for _ in 0..<2 { try store.execute("INSERT INTO ran VALUES (?)", [.integer(Int64(number))]) }
            }
        }
        return migrator
    }

    /// The steps that have left rows, each twice.
    private func expectedRows(_ count: Int) -> [[StoreValue]] {
        (0..<count).flatMap { [[.integer(Int64($0 + 1))], [.integer(Int64($0 + 1))]] }
    }

    private func numbers(_ output: String) -> [Int] {
        output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    }

    @Test(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
    func `two processes at once run each step once`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let store = try SQLiteStore(.file(path))
        try store.execute("CREATE TABLE other (a)")
        // Both are open and wait for the writer, or soon do.
        let writers = try store.transaction {
            let writers = try (0..<2).map { _ in try DeltaWriter("migrate", path, rows: Self.stepCount) }
            for writer in writers { try writer.waitUntilReady() }
            return writers
        }
        let ran = writers.flatMap { numbers($0.output()) }
        #expect(ran.sorted() == Array(1...Self.stepCount))
        #expect(try migrator.isUpToDate(store))
        #expect(try migrator.migrate(store) == [])
        #expect(try store.rows("SELECT step FROM ran ORDER BY rowid") == expectedRows(Self.stepCount))
        try store.close()
    }

    @Test(arguments: (SQLiteLibrary.system.isAvailable ? ["store.sqlite"] : []) + ["store.journal"], [1, 2, 7])
    func `a killed process leaves whole steps`(name: String, step: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        let writer = try DeltaWriter("migrate", path, rows: Self.stepCount, place: "step", count: step)
        try writer.waitUntilReady()
        try writer.waitUntilThere()
        writer.kill()
        let store: any LocalStore =
            name.hasSuffix(".sqlite")
            ? try SQLiteStore(.file(path)) : try MemoryStore(journal: MemoryJournalConfiguration(path: path))
        #expect(try migrator.appliedSteps(in: store) == Array(migrator.stepNames.prefix(step - 1)))
        #expect(try store.tableNames() == (step == 1 ? [] : ["ran"]))
        if step > 1 { #expect(try store.rows("SELECT step FROM ran ORDER BY rowid") == expectedRows(step - 1)) }
        #expect(try migrator.migrate(store) == Array(migrator.stepNames.dropFirst(step - 1)))
        #expect(try store.rows("SELECT step FROM ran ORDER BY rowid") == expectedRows(Self.stepCount))
        try store.close()
    }
}
