import Foundation
import HTTPMessages
import LocalStore
import PatchbayTestKit
import SQLiteStore
import StoreCore
import TestSupport
import Testing
import Transport

@testable import HTTPCaching

@Suite(.needsSlot) struct CacheTableWriterTests {
    enum Storage: CaseIterable { case memory, memoryStore, sqlite }

    private func cache(_ storage: Storage, _ limits: HTTPCache.Limits = .init()) async throws -> HTTPCache {
        switch storage {
        case .memory: HTTPCache(limits: limits)
        case .memoryStore: try await HTTPCache(in: MemoryStore(), limits: limits).opened()
        case .sqlite: try await HTTPCache(in: try SQLiteStore(.memory), limits: limits).opened()
        }
    }

    // MARK: Lists of names in `Vary`

    /// A response without `Vary` of many bytes, and one for a request with the field.
    private func origin() -> TestOrigin {
        TestOrigin { request, number in
            guard let value = request.fields["X"] else {
                return .test(request, [("Cache-Control", "max-age=86400")], String(repeating: "x", count: 10_000))
            }
            return .test(request, [("Cache-Control", "max-age=86400"), ("Vary", "X")], value)
        }
    }

    private func stored(_ cache: HTTPCache, _ fields: KeyValuePairs<String, String>) async throws -> String? {
        let transport = TestOrigin([:]).transport.caching(in: cache)
        let response = try await transport.send(.test(.get, "/a", fields) { $0.cachePolicy = .onlyIfCached })
        return response.status == .ok ? response.text : nil
    }

    @Test(arguments: Storage.allCases)
    func `a variant is found after the response without fields was evicted`(storage: Storage) async throws {
        let cache = try await cache(storage, .init(bytes: 100_000, bodyBytes: 12_000))
        let transport = origin().transport.caching(in: cache)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        _ = try await transport.send(.test(.get, "/a", ["X": "1"]) { $0.cachePolicy = .reload })
        for number in 0..<9 {
            _ = try await transport.send(.test(.get, "/\(number)"))
            await cache.waitUntilIdle()
        }
        #expect(cache.statistics.evicted == 1)
        #expect(try await stored(cache, ["X": "1"]) == "1")
        #expect(try await stored(cache, [:]) == nil)
        // Lists without variants are evicted like others.
        for number in 10..<40 {
            _ = try await transport.send(.test(.get, "/\(number)"))
            await cache.waitUntilIdle()
            #expect(cache.statistics.bytes <= 100_000)
        }
        #expect(try await stored(cache, ["X": "1"]) == nil)
        #expect(cache.statistics.entries == 9)
    }

    @Test(arguments: Storage.allCases)
    func `a variant is found after the response without fields was removed`(storage: Storage) async throws {
        let cache = try await cache(storage)
        let transport = origin().transport.caching(in: cache)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        let lookup = try #require(try cache.lookup(for: .test()))
        let entry = try #require(try cache.storage.find(lookup, at: cache.now()).entry)
        for value in ["1", "2"] {
            _ = try await transport.send(.test(.get, "/a", ["X": value]) { $0.cachePolicy = .reload })
            await cache.waitUntilIdle()
        }
        try await cache.storage.remove(entry)
        #expect(try await stored(cache, ["X": "1"]) == "1")
        #expect(try await stored(cache, ["X": "2"]) == "2")
        #expect(try await stored(cache, [:]) == nil)
        // It may come back.
        _ = try await transport.send(.test(.get, "/a"))
        await cache.waitUntilIdle()
        #expect(try await stored(cache, [:])?.count == 10_000)
        // What makes the URL invalid removes all of it.
        try await cache.remove(try #require(URL(string: "https://api.test/a")))
        #expect(cache.statistics.entries == 0 && cache.statistics.bytes == 0)
    }

    /// A response counts once, whether its URL has variants or not, and nothing is left of an evicted one.
    @Test(arguments: Storage.allCases) func `variants are evicted in the order of their use`(storage: Storage)
        async throws
    {
        let cache = try await cache(storage, .init(entries: 10))
        let origin = TestOrigin([
            "Cache-Control": "max-age=86400", "Vary": "X",
        ])
        let transport = origin.transport.caching(in: cache)
        func send(_ number: Int, _ change: (inout RequestOptions) -> Void = { _ in }) async throws -> HTTPResponse {
            let response = try await transport.send(.test(.get, "/\(number)", ["X": "1"], change))
            await cache.waitUntilIdle()
            return response
        }
        for number in 0..<10 { _ = try await send(number) }
        #expect(try await send(0).head.cacheStatus?.isHit == true)
        for number in 10..<45 { _ = try await send(number) }
        #expect((cache.statistics.entries, cache.statistics.evicted) == (10, 35))
        let kept = try await (0..<45).asyncFilter { number in
            try await send(number) { $0.cachePolicy = .onlyIfCached }.status == .ok
        }
        #expect(kept == Array(35..<45))
        #expect(try await send(5).cache.contains("fwd=uri-miss"))
        #expect(cache.statistics.evicted == 36)
    }

    @Test(arguments: Storage.allCases) func `a variant that is used stays`(storage: Storage) async throws {
        let cache = try await cache(storage, .init(entries: 4))
        let transport = TestOrigin(["Cache-Control": "max-age=86400", "Vary": "X"]).transport.caching(in: cache)
        // Two variants of each URL; only one of them is used again.
        for number in 0..<2 {
            for value in ["1", "2"] {
                _ = try await transport.send(.test(.get, "/\(number)", ["X": value]))
                await cache.waitUntilIdle()
            }
        }
        for number in 2..<20 {
            #expect(try await transport.send(.test(.get, "/0", ["X": "1"])).text == "1")
            _ = try await transport.send(.test(.get, "/\(number)", ["X": "1"]))
            await cache.waitUntilIdle()
        }
        #expect((cache.statistics.entries, cache.statistics.evicted) == (4, 18))
    }

    @Test(arguments: [false, true]) func `no row is left of evicted variants`(isSQLite: Bool) async throws {
        let store: any LocalStore = isSQLite ? try SQLiteStore(.memory) : MemoryStore()
        let cache = try await HTTPCache(in: store, limits: .init(entries: 5)).opened()
        let transport = origin().transport.caching(in: cache)
        for number in 0..<40 {
            // Every second URL has also a response of its own, which is evicted before or after the variant.
            if number.isMultiple(of: 2) { _ = try await transport.send(.test(.get, "/\(number)")) }
            _ = try await transport.send(.test(.get, "/\(number)", ["X": "1"]) { $0.cachePolicy = .reload })
            if number.isMultiple(of: 4) { _ = try await transport.send(.test(.get, "/\(number)")) }
            await cache.waitUntilIdle()
        }
        var (rows, empty) = (0, 0)
        try store.query("SELECT size FROM \(CacheTables.entry)", []) { row in
            if row.int64(at: 0) == 0 { empty += 1 } else { rows += 1 }
            return true
        }
        #expect(rows == 5 && cache.statistics.entries == 5)
        #expect(empty <= 5)
        #expect(cache.statistics.evicted == 55)
        for number in 40..<45 { _ = try await transport.send(.test(.get, "/\(number)")) }
        await cache.waitUntilIdle()
        var count = 0
        try store.query("SELECT size FROM \(CacheTables.entry)", []) { _ in
            count += 1
            return true
        }
        #expect(count == 5 && cache.statistics.evicted == 60)
    }

    // MARK: Removals

    private func urls(_ numbers: Range<Int>) -> [URL] {
        numbers.compactMap { URL(string: "https://api.test/removed/\($0)") }
    }

    @Test func `a response is stored that was requested after many removals by another process`() async throws {
        let store = try SQLiteStore(.memory)
        let (first, second) = (try await HTTPCache(in: store).opened(), HTTPCache(in: store))
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: first)
        _ = try await transport.send(.test(.get, "/first"))
        await first.waitUntilIdle()
        for url in urls(0..<(RemovalLog.capacity + 1)) { try await second.remove(url) }
        _ = try await transport.send(.test())
        await first.waitUntilIdle()
        #expect(try await transport.send(.test()).text == "2")
    }

    @Test(arguments: Storage.allCases)
    func `a response in flight is stored while many others are removed`(storage: Storage) async throws {
        let cache = try await cache(storage)
        let gate = Gate()
        let origin = TestOrigin { request, number in
            try await gate.wait()
            return .test(request, [("Cache-Control", "max-age=86400")], "\(number)")
        }
        let transport = origin.transport.caching(in: cache)
        for url in urls(0..<600) { try await cache.remove(url) }
        async let response = transport.send(.test())
        try await gate.waitForWaiters(1)
        for url in urls(600..<(RemovalLog.capacity + 1)) { try await cache.remove(url) }
        gate.open()
        _ = try await response
        await cache.waitUntilIdle()
        #expect(try await transport.send(.test()).text == "1")
    }
}
