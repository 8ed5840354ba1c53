import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Deltas whose bytes arrive while they are applied.
@Suite(.needsSlot) struct DeltaStreamingTests {
    private struct World {
        let store: any LocalStore
        let applier: DeltaApplier
        let target: DeltaTarget
        let folder: TemporaryFolder

        init(_ kind: StoreSubject) throws {
            folder = try TemporaryFolder()
            store = try kind.make(folder)
            applier = DeltaApplier(store)
            target = try DeltaFixture.target()
        }

        func count() throws -> StoreValue? { try store.rows("SELECT count(*) FROM socket", []).first?.first }
    }

    /// Chunks of a text; a reader that is slow holds back what makes them.
    private static func chunks(_ text: String, size: Int = 50_000) -> AsyncStream<Data> {
        let bytes = Data(text.utf8)
        let position = Mutex(0)
        return AsyncStream {
            position.withLock { start in
                guard start < bytes.count else { return nil }
                defer { start += size }
                return bytes[start..<min(start + size, bytes.count)]
            }
        }
    }

    private static func rows(_ ids: ClosedRange<Int>) -> [String] {
        ids.map { "+{\"id\":\($0),\"label\":\"\(String(repeating: "x", count: 100))\"}" }
    }

    @Test func `an update ends when the server sends the first page for each request`() async throws {
        let world = try World(.memory)
        let count = Mutex(0)
        let error = await #expect(throws: DeltaError.self) {
            try await world.applier.update(world.target) { _ in
                guard
                    count.withLock({
                        $0 += 1; return $0 < 100
                    })
                else { throw CancellationError() }
                return Self.chunks(DeltaFixture.text(nil, "p1", more: true, Self.rows(1...3)))
            }
        }
        #expect(error?.code == .gap && count.withLock { $0 } == 6)
        #expect(error?.message.contains("same page again") == true)
    }

    @Test(arguments: StoreSubject.all, [10, 30_000])
    func `full loads, changes and pages are applied as by the other form`(kind: StoreSubject, count: Int) async throws {
        let world = try World(kind)
        let requests = Mutex<[DeltaRequest]>([])
        let outcome = try await world.applier.update(world.target) { request in
            requests.withLock { $0.append(request) }
            return switch request {
            case .fullLoad: Self.chunks(DeltaFixture.text(nil, "p1", more: true, Self.rows(1...count)))
            case .nextPage: Self.chunks(DeltaFixture.text("p1", "1", Self.rows((count + 1)...(2 * count))))
            case .changes: Self.chunks(DeltaFixture.text("1", "1"))
            }
        }
        #expect(outcome.version == "1" && outcome.counts.upserts == 2 * count)
        #expect(try world.count() == .integer(Int64(2 * count)))
        let changes = try await world.applier.update(world.target) { _ in
            Self.chunks(DeltaFixture.text("1", "2", Self.rows(1...count) + ["-[\(2 * count)]"]), size: 999)
        }
        #expect(changes.counts == DeltaCounts(upserts: count, deletes: 1))
        #expect(try world.count() == .integer(Int64(2 * count - 1)))
        #expect(requests.withLock { $0 } == [.fullLoad, .nextPage(after: "p1")])
        let gaps = Mutex(0)
        let after = try await world.applier.update(world.target) { request in
            gaps.withLock { $0 += 1 }
            return Self.chunks(
                request == .fullLoad
                    ? DeltaFixture.text(nil, "9", Self.rows(1...count)) : DeltaFixture.text("7", "9"))
        }
        #expect(after.version == "9" && gaps.withLock { $0 } == 3)
        #expect(try world.count() == .integer(Int64(count)))
    }

    @Test(arguments: StoreSubject.all)
    func `rows of a full load are stored before the next bytes are taken`(kind: StoreSubject) async throws {
        let world = try World(kind)
        let text = DeltaFixture.text(nil, "1", Self.rows(1...40_000))
        let counts = Mutex<[Int64]>([])
        let bytes = Data(text.utf8)
        let position = Mutex(0)
        try await world.applier.update(world.target) { _ in
            AsyncStream {
                // The shadow table has what came before.
                let rows = try? world.store.rows("SELECT count(*) FROM patchbay_shadow_socket", [])
                if case .integer(let count)? = rows?.first?.first { counts.withLock { $0.append(count) } }
                return position.withLock { start in
                    guard start < bytes.count else { return nil }
                    defer { start += 500_000 }
                    return bytes[start..<min(start + 500_000, bytes.count)]
                }
            }
        }
        let seen = counts.withLock { $0 }
        #expect(seen.count >= 5 && seen == seen.sorted() && Set(seen).count > 3)
        #expect(try world.count() == 40_000)
    }

    @Test(arguments: StoreSubject.all, [10, 30_000])
    func `a body that ends early or fails changes nothing`(kind: StoreSubject, count: Int) async throws {
        struct Broken: Error {}
        let world = try World(kind)
        try await world.applier.update(world.target) { _ in Self.chunks(DeltaFixture.text(nil, "1", Self.rows(1...2))) }
        for from in [nil, "1"] as [String?] {
            let text = DeltaFixture.text(from, "2", Self.rows(5...(5 + count)))
            let error = await #expect(throws: DeltaError.self) {
                try await world.applier.update(world.target) { _ in Self.chunks(String(text.dropLast(20))) }
            }
            #expect(error?.code == .truncated)
            let broken = await #expect(throws: DeltaError.self) {
                try await world.applier.update(world.target) { _ in
                    AsyncThrowingStream<Data, any Error> { continuation in
                        continuation.yield(Data(text.utf8.dropLast(100)))
                        continuation.finish(throwing: Broken())
                    }
                }
            }
            #expect(broken?.code == .source && broken?.underlying is Broken)
            #expect(try world.count() == 2)
            #expect(try world.applier.version(of: world.target) == "1")
            #expect(try world.store.schema(of: "patchbay_shadow_socket") == nil)
        }
        let refused = await #expect(throws: DeltaError.self) {
            try await world.applier.update(world.target) { _ -> AsyncStream<Data> in throw Broken() }
        }
        #expect(refused?.code == .source && refused?.underlying is Broken)
    }

    @Test(arguments: StoreSubject.all, [10, 30_000])
    func `a full load of another resource changes nothing`(kind: StoreSubject, count: Int) async throws {
        let world = try World(kind)
        let text = DeltaFixture.text(nil, "1", Self.rows(1...count)).replacing("\"sockets\"", with: "\"others\"")
        let error = await #expect(throws: DeltaError.self) {
            try await world.applier.update(world.target) { _ in Self.chunks(text) }
        }
        #expect(error?.code == .mismatch)
        #expect(try world.count() == 0 && world.store.schema(of: "patchbay_shadow_socket") == nil)
    }

    @Test(arguments: StoreSubject.all, [0, 30_000])
    func `cancelling a task that waits for bytes ends the update, and changes nothing`(
        kind: StoreSubject, count: Int
    ) async throws {
        let world = try World(kind)
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let start = DeltaFixture.text(nil, "1", count == 0 ? [] : Self.rows(1...count)).dropLast(40)
        continuation.yield(Data(start.utf8))
        let isWaiting = Watched(false)
        let task = Task {
            try await world.applier.update(world.target) { _ in
                isWaiting.update { $0 = true }
                return stream
            }
        }
        try await isWaiting.wait { $0 }
        // Another update of the same tables is refused meanwhile; one thread more does not help.
        let busy = await #expect(throws: DeltaError.self) {
            try await world.applier.update(world.target) { _ in stream }
        }
        #expect(busy?.code == .busy)
        task.cancel()
        let result = await task.result
        #expect(throws: DeltaError.self) { try result.get() }
        if case .failure(let error as DeltaError) = result { #expect(error.code == .cancelled) }
        #expect(try world.applier.version(of: world.target) == nil)
        #expect(try world.store.schema(of: "patchbay_shadow_socket") == nil)
        // Its tables are free again.
        try await world.applier.update(world.target) { _ in Self.chunks(DeltaFixture.text(nil, "1")) }
    }

    @Test func `many updates wait for bytes at a time, without a thread each`() async throws {
        let world = try World(.memory)
        let gates = (0..<100).map { _ in AsyncStream.makeStream(of: Data.self) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, gate) in gates.enumerated() {
                let target = try DeltaFixture.target(table: SQLIdentifier("t\(index)"))
                group.addTask { try await world.applier.update(target) { _ in gate.stream } }
            }
            // The last one first: with a thread for each of them, those before would have all.
            for (index, gate) in gates.enumerated().reversed() {
                gate.continuation.yield(Data(DeltaFixture.text(nil, "1", table: "t\(index)", Self.rows(1...2)).utf8))
                gate.continuation.finish()
                try await group.next()
            }
        }
        #expect(try world.store.rows("SELECT count(*) FROM t0", []) == [[2]])
    }
}
