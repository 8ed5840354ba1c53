import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import Transport

/// Several processes, and processes that are killed.
@Suite(.needsSlot, .enabled(if: BuiltProducts.contains("cache-writer"), "cache-writer is not built"))
struct CacheProcessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.url.appending(path: "cache.sqlite").path }
    private var bodies: URL { folder.url.appending(path: "bodies") }

    private func open() async throws -> HTTPCache {
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3_600)
        return try await HTTPCache(
            in: try SQLiteStore(.file(file), configuration: configuration), files: bodies,
            limits: .init(bytes: 4 << 20, entries: 500, rowBytes: 4_000)
        ).opened()
    }

    private func start(_ first: Int, _ count: Int, _ output: Pipe) throws -> ChildProcess {
        let child = try ChildProcess(
            BuiltProducts.url(of: "cache-writer").path, [file, bodies.path, "\(first)", "\(count)"],
            output: output.fileHandleForWriting)
        // Close our end, so that the pipe ends when the process exits.
        try output.fileHandleForWriting.close()
        return child
    }

    /// Checks each stored response, and the totals.
    private func check(_ numbers: Range<Int>) async throws -> Int {
        let cache = try await open()
        let transport = TestOrigin { request, _ in .test(request, status: 404) }.transport.caching(in: cache)
        var found = 0
        for number in numbers {
            let request = try HTTPRequest.test(.get, "/\(number)") { $0.cachePolicy = .onlyIfCached }
            let response = try await transport.send(request)
            guard response.head.cacheStatus?.isHit == true else { continue }
            found += 1
            #expect(response.fields["N"] == "\(number)")
            #expect(response.body.allSatisfy { $0 == UInt8(number % 251) })
        }
        #expect(cache.statistics.entries == found)
        return found
    }

    @Test func `a killed process leaves a cache that opens`() async throws {
        for round in 0..<4 {
            let output = Pipe()
            let child = try start(round * 1_000, 1_000, output)
            // It has written some responses, and is at another one.
            _ = output.fileHandleForReading.readData(ofLength: 4 + round * 9)
            child.kill()
            _ = child.waitUntilExit()
            #expect(try await check(0..<4_000) >= 10)
        }
    }

    @Test func `several processes share a file`() async throws {
        let pipes = (0..<3).map { _ in Pipe() }
        let children = try pipes.enumerated().map { try start($0.offset * 200, 150, $0.element) }
        for child in children { #expect(child.waitUntilExit() == .exited(0)) }
        #expect(try await check(0..<600) == 450)
    }

    @Test func `a removal by another store is seen at once`() async throws {
        let (first, second) = (try await open(), try await open())
        let origin = TestOrigin(["Cache-Control": "max-age=86400"])
        _ = try await origin.transport.caching(in: first).send(.test())
        await first.waitUntilIdle()
        #expect(try await origin.transport.caching(in: second).send(.test()).text == "1")
        _ = try await origin.transport.caching(in: second).send(.test(.delete))
        #expect(try await origin.transport.caching(in: first).send(.test()).text == "3")
    }

    @Test func `a response that was requested before a removal by another store is not stored`() async throws {
        let (first, second) = (try await open(), try await open())
        let gate = Gate()
        let origin = TestOrigin { request, number in
            if number == 1 { try await gate.wait() }
            return .test(request, [("Cache-Control", "max-age=86400")], "\(number)")
        }
        async let early = origin.transport.caching(in: first).send(.test())
        try await gate.waitForWaiters(1)
        _ = try await origin.transport.caching(in: second).send(.test(.put))
        gate.open()
        _ = try await early
        await first.waitUntilIdle()
        #expect(try await origin.transport.caching(in: first).send(.test()).text == "3")
    }

    @Test func `users are the same after a restart`() async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=86400"])
        let request = try HTTPRequest.test { $0.cachePartition = "ann" }
        let cache = try await open()
        _ = try await origin.transport.caching(in: cache).send(request)
        await cache.waitUntilIdle()
        let reopened = try await open()
        #expect(try await origin.transport.caching(in: reopened).send(request).head.cacheStatus?.isHit == true)
        #expect(try await origin.transport.caching(in: reopened).send(.test()).head.cacheStatus?.isHit == false)
    }
}
