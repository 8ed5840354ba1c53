import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import LocalStore

/// What happens to a file when the program that applies a delta is killed.
@Suite(
    .serialized,
    .enabled(if: SQLiteLibrary.system.isAvailable && DeltaWriter.exists, "delta-writer or SQLite is not here"))
struct DeltaCrashTests {
    /// The stores that keep a file, by the names of their files.
    static let files = ["store.sqlite"]

    private static func open(_ path: String) throws -> any LocalStore {
        let store = try SQLiteStore(.file(path))
        #expect(store.fileSetAside == nil)
        return store
    }

    @Test(arguments: files) func `T1: killed in the middle of changes`(file: String) throws {
        try survive(file, rounds: 100, mode: "changes", seed: 1)
    }

    @Test(arguments: files) func `T9: killed between a load and its end`(file: String) throws {
        try survive(file, rounds: 100, mode: "loads", seed: 9)
    }

    private func survive(_ file: String, rounds: Int, mode: String, seed: UInt64) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path(file)
        var generator = SeededGenerator(seed: seed)
        var versions: [Int] = []
        var interrupted = 0
        for _ in 0..<rounds {
            let writer = try DeltaWriter(mode, path)
            try writer.waitUntilReady()
            usleep(.random(in: 0..<60_000, using: &generator))
            writer.kill()
            let store = AnyStore(base: try Self.open(path))
            let target = try Self.target()
            let shadows = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'patchbay_shadow%'"
            let loading = try store.rows(shadows).count
            let version = Int(try DeltaApplier(store).version(of: target) ?? "0") ?? -1
            // All rows are of the version that the store says they have.
            let counts = "SELECT count(*), min(version), max(version), min(id) FROM stamp"
            let rows = try store.tables().isEmpty ? [[0, nil, nil, nil]] : store.rows(counts)
            let stamp = StoreValue.integer(Int64(version))
            #expect(rows == (version == 0 ? [[0, nil, nil, nil]] : [[2501, stamp, stamp, .integer(Int64(-version))]]))
            #expect(version >= versions.last ?? 0)
            if loading > 0 { interrupted += 1 }
            versions.append(version)
            try store.close()
        }
        // It was killed at work, and had come on in between.
        #expect(Set(versions).count > 5, "\(versions)")
        if mode == "loads" { #expect(interrupted > 5) }
    }

    @Test(arguments: files) func `T20: a long stream needs little memory`(file: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let writer = try DeltaWriter("long", folder.path(file))
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

/// The program `delta-writer`, which is built beside the tests.
private struct DeltaWriter {
    private static var url: URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "delta-writer")
    }
    static var exists: Bool { FileManager.default.isExecutableFile(atPath: url.path) }

    private let process: ChildProcess
    private let pipe = Pipe()

    init(_ mode: String, _ path: String) throws {
        process = try ChildProcess(Self.url.path, [mode, path], output: pipe.fileHandleForWriting)
        // So that its end ends the pipe.
        try pipe.fileHandleForWriting.close()
    }

    /// Waits until it has opened its file.
    func waitUntilReady() throws {
        let word = try pipe.fileHandleForReading.read(upToCount: 6)
        #expect(word == Data("ready\n".utf8))
    }

    /// Ends it as a lack of power would, but for what the system has taken over already.
    func kill() {
        process.kill()
        #expect(process.waitUntilExit() == .signalled(SIGKILL), "it had ended by itself")
    }

    /// Waits for its end.
    func output() -> String {
        let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        #expect(process.waitUntilExit() == .exited(0))
        return String(decoding: data, as: UTF8.self)
    }
}
