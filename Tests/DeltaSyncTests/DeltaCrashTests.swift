import Foundation
import PatchbayTestKit
import SQLiteStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import DeltaSync
@testable import LocalStore
@testable import StoreCore

/// Recovery of a file after the process that applies a delta was killed.
@Suite(.serialized, .needsSlot, .enabled(if: DeltaWriter.exists, "delta-writer is not built"))
struct DeltaCrashTests {
    @Test(arguments: CrashFile.all) func `T1: killed in the middle of changes`(file: CrashFile) throws {
        try survive(file, rounds: 100, mode: "changes", seed: 1)
    }

    @Test(arguments: CrashFile.all) func `T9: killed between a load and its end`(file: CrashFile) throws {
        try survive(file, rounds: 100, mode: "loads", seed: 9)
    }

    private func survive(_ file: CrashFile, rounds: Int, mode: String, seed: UInt64) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path(file.name)
        var generator = SeededGenerator(seed: seed)
        var versions: [Int] = []
        var moments = Moments()
        for round in 0..<rounds {
            let place = file.places[round % file.places.count]
            let step = Int.random(in: 1...place.furthest, using: &generator)
            let writer = try DeltaWriter(mode, path, rows: file.rowCount, place: place.name, count: step)
            try writer.waitUntilThere()
            writer.kill()
            let store = try file.open(path)
            moments.note((store as? MemoryStore)?.shared.withLock { $0.journal?.replay })
            let target = try Self.target()
            let shadows = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'patchbay_shadow%'"
            moments.loads += try store.rows(shadows, []).isEmpty ? 0 : 1
            let version = Int(try DeltaApplier(store).version(of: target) ?? "0") ?? -1
            // All rows have the stored version.
            let counts = "SELECT count(*), min(version), max(version), min(id) FROM stamp"
            let rows = try store.tableNames().isEmpty ? [[0, nil, nil, nil]] : store.rows(counts, [])
            let stamp = StoreValue.integer(Int64(version))
            let count = StoreValue.integer(Int64(file.rowCount + 1))
            #expect(
                rows == (version == 0 ? [[0, nil, nil, nil]] : [[count, stamp, stamp, .integer(Int64(-version))]]))
            #expect(version >= versions.last ?? 0)
            versions.append(version)
            try store.close()
        }
        // The kills hit the interesting moments, and the writer made progress between them.
        #expect(Set(versions).count > 5, "\(versions)")
        if mode == "loads" { #expect(moments.loads > 5) }
        if file == .journal {
            #expect(moments.frames > 2 && moments.transactions > 2 && moments.rewritings > 2, "\(moments)")
        }
    }

    /// Number of kills at each kind of moment.
    private struct Moments {
        /// Between the start and the end of a full load.
        var loads = 0
        /// Within a frame of the journal.
        var frames = 0
        /// Between a frame and the one that commits its transaction.
        var transactions = 0
        /// During a rotation, before the rename.
        var rewritings = 0

        mutating func note(_ replay: JournalReplay?) {
            guard let replay else { return }
            frames += replay.tornBytes > 0 ? 1 : 0
            transactions += replay.uncommittedFrames > 0 ? 1 : 0
            rewritings += replay.foundUnfinishedRewrite ? 1 : 0
        }
    }

    @Test(.disabled(if: AddressSanitizer.isOn, "The sanitizer keeps freed memory."), arguments: CrashFile.all)
    func `T20: a long stream needs little memory`(file: CrashFile) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let writer = try DeltaWriter("long", folder.path(file.name), rows: file.rowCount)
        let numbers = writer.output().split(separator: " ").compactMap { Int($0.trimmingCharacters(in: .newlines)) }
        try #require(numbers.count == 3)
        #expect(numbers[1] > 100_000_000)
        #expect(numbers[2] < 64 << 20, "it took \(numbers[2] >> 20) MiB")
    }

    private static func target() throws -> DeltaTarget {
        let table = try TableSchema(
            "stamp", columns: [.init("id", "INTEGER"), .init("version", "INTEGER"), .init("text", "TEXT")],
            primaryKey: ["id"])
        return try DeltaTarget(tables: [table], binding: DeltaBinding(server: "s", resource: "stamps"))
    }
}

/// A file-based store and its kill points.
struct CrashFile: Hashable, CustomTestStringConvertible {
    let name: String
    /// Rows of each delta.
    let rowCount: Int
    /// Kill points: the kind of step, and the highest step number to choose; see `delta-writer`.
    let places: [Place]

    struct Place: Hashable {
        let name: String
        let furthest: Int
    }

    // SQLite's commit has no hooks for steps: with `end+` the writer is killed somewhere in it, or soon after.
    static let sqlite = CrashFile(
        name: "store.sqlite", rowCount: 2500,
        places: [
            Place(name: "piece", furthest: 60), Place(name: "end", furthest: 3), Place(name: "end+", furthest: 3),
            Place(name: "applied", furthest: 2),
        ])
    static let journal = CrashFile(
        name: "store.journal", rowCount: 200,
        places: [
            Place(name: "write", furthest: 100), Place(name: "synchronize", furthest: 8),
            Place(name: "rename", furthest: 2), Place(name: "end", furthest: 3), Place(name: "write+", furthest: 100),
        ])
    static let all = (SQLiteLibrary.system.isAvailable ? [sqlite] : []) + [journal]

    var testDescription: String { name }

    func open(_ path: String) throws -> any LocalStore {
        guard self == .sqlite else { return try MemoryStore(journal: MemoryJournalConfiguration(path: path)) }
        let store = try SQLiteStore(.file(path))
        #expect(store.quarantinedFile == nil)
        return store
    }
}
