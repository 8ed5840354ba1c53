import DeltaSync
import Foundation
import PatchbayTestKit
import SQLiteStore
import StoreCore
import Synchronization
import TestSupport
import Testing

@testable import HyperHive

/// Full loads of responses that are larger than the memory that they may use.
@Suite(.needsSlot, .enabled(if: SQLiteLibrary.system.isAvailable)) struct LargeLoadTests {
    private struct Broken: Error {}

    /// Runs a test with one stored row, in a file.
    private func withFixture(_ body: (LoaderFixture) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(.file(folder.path("x.sqlite")))
        let fixture = try LoaderFixture(store)
        try await fixture.load(LoaderFixture.delta("[1,1,\"old\"]"), "delta v0-v1", etag: "\"e\"")
        try await body(fixture)
        try store.close()
    }

    /// Expects that a load has changed nothing.
    private func expectOld(_ fixture: LoaderFixture, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try fixture.fruits() == [[1, 1, "old"]], sourceLocation: sourceLocation)
        #expect(try fixture.stored() == .init(version: 1, etag: "\"e\""), sourceLocation: sourceLocation)
        #expect(try fixture.shadows() == [], sourceLocation: sourceLocation)
        #expect(try fixture.folder.names == [], sourceLocation: sourceLocation)
    }

    #if os(Linux)
        /// Resident memory of this process, in bytes.
        private static func residentBytes() -> Int {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1024
        }

        // In a child process, because other tests use memory too.
        @Test(.disabled(if: AddressSanitizer.isOn, "The sanitizer keeps freed memory."))
        func `HyperHive 8: a full load of 100 MB needs less than 64 MB of memory`() async {
            await #expect(processExitsWith: .success) {
                try await LargeLoadTests().withFixture { fixture in
                    let before = LargeLoadTests.residentBytes()
                    let peak = Mutex(before)
                    let last = Mutex(HyperHiveProgress())
                    let stored = try fixture.writer.storedVersion(of: fixture.target)
                    let outcome = try await fixture.load(
                        GeneratedFruits(rowCount: 20_000), "delta v0-v2", requestedAt: stored
                    ) { progress in
                        let isNewBatch = last.withLock { last in
                            defer { last = progress }
                            return last.rows != progress.rows
                        }
                        guard isNewBatch else { return }
                        let now = LargeLoadTests.residentBytes()
                        peak.withLock { $0 = max($0, now) }
                    }
                    #expect(outcome == TableChanges(version: 2, upserts: 20_000, deletes: 0))
                    #expect(last.withLock(\.self).bytes > 100_000_000)
                    let growth = peak.withLock(\.self) - before
                    #expect(growth < 64 << 20)
                    #expect(
                        try fixture.store.rows("SELECT count(*), sum(length(name)) FROM R_fruits", [])
                            == [[20_000, 100_000_000]])
                }
            }
        }
    #endif

    @Test func `HyperHive 8: a body that is cut after many batches changes nothing`() async throws {
        try await withFixture { fixture in
            let stored = try fixture.writer.storedVersion(of: fixture.target)
            for (failure, code) in [(Broken(), .source), (nil, .truncated)] as [((any Error)?, DeltaError.Code)] {
                let rows = Mutex(0)
                let body = GeneratedFruits(rowCount: 2000, cut: .init(row: 1500, error: failure))
                let error = await #expect(throws: DeltaError.self) {
                    try await fixture.load(body, "delta v0-v2", requestedAt: stored) { progress in
                        rows.withLock { $0 = progress.rows }
                    }
                }
                #expect(error?.code == code)
                // Some batches were in the shadow table.
                #expect(rows.withLock(\.self) > 0)
                try expectOld(fixture)
            }
        }
    }

    @Test func `HyperHive 16: cancelling a load after some batches changes nothing`() async throws {
        try await withFixture { fixture in
            let stored = try fixture.writer.storedVersion(of: fixture.target)
            let gate = Gate()
            let load = Task {
                // Endless.
                try await fixture.load(GeneratedFruits(rowCount: .max), "delta v0-v2", requestedAt: stored) {
                    progress in
                    if progress.rows > 0 { gate.open() }
                }
            }
            try await gate.wait()
            load.cancel()
            let error = await #expect(throws: DeltaError.self) { try await load.value }
            #expect(error?.code == .cancelled)
            try expectOld(fixture)
        }
    }
}

/// The body of a full load of `fruits`, whose names have 5000 bytes each, generated chunk by chunk.
private struct GeneratedFruits: AsyncSequence, Sendable {
    /// The end of a connection before that of the body.
    struct Cut: Sendable {
        /// The number of rows that arrive.
        let row: Int
        /// The error of the connection; nil when it ends without one.
        let error: (any Error)?
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        private static let name = Data(repeating: UInt8(ascii: "x"), count: 5000)

        let body: GeneratedFruits
        private var row = 0
        private var isAtEnd = false

        init(_ body: GeneratedFruits) { self.body = body }

        mutating func next() async throws -> Data? {
            guard !isAtEnd else { return nil }
            var chunk = Data(row == 0 ? "[{\"name\":\"fruits\",\"insert_rows\":[".utf8 : "".utf8)
            for _ in 0..<12 {
                if let cut = body.cut, row == cut.row {
                    isAtEnd = true
                    if let error = cut.error { throw error }
                    return chunk
                }
                guard row < body.rowCount else {
                    isAtEnd = true
                    chunk += Data("]}]".utf8)
                    return chunk
                }
                chunk += Data("\(row == 0 ? "" : ",")[\(row),\(row),\"".utf8)
                chunk += Self.name
                chunk += Data("\"]".utf8)
                row += 1
            }
            return chunk
        }
    }

    let rowCount: Int
    var cut: Cut?

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
