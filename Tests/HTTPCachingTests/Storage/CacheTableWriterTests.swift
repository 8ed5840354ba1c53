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

    private func cache(_ storage: Storage, _ limits: HTTPCache.Limits = .init()) throws -> HTTPCache {
        switch storage {
        case .memory: HTTPCache(limits: limits)
        case .memoryStore: HTTPCache(in: MemoryStore(), limits: limits)
        case .sqlite: HTTPCache(in: try SQLiteStore(.memory), limits: limits)
        }
    }

    // MARK: Lists of names in `Vary`

    /// A response without `Vary` of many bytes, and one for a request with the field.
    private func origin() -> TestOrigin {
        TestOrigin { request, number in
            guard let value = request.fields["X"] else {
                return .test(request, [("Cache-Control", "max-age=60")], String(repeating: "x", count: 10_000))
            }
            return .test(request, [("Cache-Control", "max-age=60"), ("Vary", "X")], value)
        }
    }

    private func stored(_ cache: HTTPCache, _ fields: KeyValuePairs<String, String>) async throws -> String? {
        let transport = TestOrigin([:]).transport.caching(in: cache)
        let response = try await transport.send(.test(.get, "/a", fields) { $0.cachePolicy = .onlyIfCached })
        return response.status == .ok ? response.text : nil
    }

    @Test(arguments: Storage.allCases)
    func `a variant is found after the response without fields was evicted`(storage: Storage) async throws {
        let cache = try cache(storage, .init(bytes: 100_000, bodyBytes: 12_000))
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
        let cache = try cache(storage)
        let transport = origin().transport.caching(in: cache)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        let lookup = try #require(try cache.lookup(for: .test()))
        let entry = try #require(try cache.storage.find(lookup).entry)
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

    // MARK: Removals

    private func urls(_ numbers: Range<Int>) -> [URL] {
        numbers.compactMap { URL(string: "https://api.test/removed/\($0)") }
    }

    @Test func `a response is stored that was requested after many removals by another process`() async throws {
        let store = try SQLiteStore(.memory)
        let (first, second) = (HTTPCache(in: store), HTTPCache(in: store))
        let transport = TestOrigin(["Cache-Control": "max-age=60"]).transport.caching(in: first)
        _ = try await transport.send(.test(.get, "/first"))
        await first.waitUntilIdle()
        for url in urls(0..<(RemovalLog.capacity + 1)) { try await second.remove(url) }
        _ = try await transport.send(.test())
        await first.waitUntilIdle()
        #expect(try await transport.send(.test()).text == "2")
    }

    @Test(arguments: Storage.allCases)
    func `a response in flight is stored while many others are removed`(storage: Storage) async throws {
        let cache = try cache(storage)
        let gate = Gate()
        let origin = TestOrigin { request, number in
            try await gate.wait()
            return .test(request, [("Cache-Control", "max-age=60")], "\(number)")
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
