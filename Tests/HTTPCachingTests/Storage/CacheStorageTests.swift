import Foundation
import HTTPCaching
import HTTPMessages
import LocalStore
import PatchbayTestKit
import SQLiteStore
import StoreCore
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct CacheStorageTests {
    enum Storage: CaseIterable { case memory, memoryStore, sqlite }

    private func cache(_ storage: Storage, _ limits: HTTPCache.Limits) async throws -> HTTPCache {
        switch storage {
        case .memory: HTTPCache(limits: limits)
        case .memoryStore: try await HTTPCache(in: MemoryStore(), limits: limits).opened()
        case .sqlite: try await HTTPCache(in: try SQLiteStore(.memory), limits: limits).opened()
        }
    }

    @Test(arguments: Storage.allCases) func `the least recently used responses are evicted`(storage: Storage)
        async throws
    {
        let origin = TestOrigin(["Cache-Control": "max-age=86400"])
        let cache = try await cache(storage, .init(entries: 10))
        let transport = origin.transport.caching(in: cache)
        for number in 0..<10 { _ = try await transport.send(.test(.get, "/\(number)")) }
        await cache.waitUntilIdle()
        #expect(try await transport.send(.test(.get, "/0")).text == "1")
        for number in 10..<15 {
            _ = try await transport.send(.test(.get, "/\(number)"))
            await cache.waitUntilIdle()
        }
        #expect((cache.statistics.entries, cache.statistics.evicted) == (10, 5))
        let kept = try await (0..<15).asyncFilter { number in
            let request = try HTTPRequest.test(.get, "/\(number)") { $0.cachePolicy = .onlyIfCached }
            return try await transport.send(request).status == .ok
        }
        #expect(kept == [0] + Array(6..<15))
    }

    @Test(arguments: Storage.allCases) func `limits by bytes`(storage: Storage) async throws {
        let cache = try await cache(storage, .init(bytes: 80_000, bodyBytes: 10_000))
        let transport = TestOrigin { request, _ in
            .test(request, [("Cache-Control", "max-age=86400")], String(repeating: "x", count: 9_000))
        }.transport.caching(in: cache)
        for number in 0..<50 {
            _ = try await transport.send(.test(.get, "/\(number)"))
            await cache.waitUntilIdle()
            #expect(cache.statistics.bytes <= 80_000)
        }
        #expect(cache.statistics.entries >= 7)
        try await cache.removeAll()
        #expect((cache.statistics.bytes, cache.statistics.entries) == (0, 0))
    }

    @Test func `a damaged row is a miss, and is removed`() async throws {
        let store = try SQLiteStore(.memory)
        let cache = try await HTTPCache(in: store).opened()
        let origin = TestOrigin(["Cache-Control": "max-age=86400", "ETag": "\"a\""])
        for change in [
            "head = x'00'", "head = x''", "head = substr(head, 1, length(head) - 1)", "head = NULL", "body = x'41'",
            "body = NULL", "sum = 1", "head = zeroblob(100)", "head = head || x'00'",
            // As of a version before.
            "head = CAST(x'02' || substr(head, 2) AS BLOB)",
        ] {
            let transport = origin.transport.caching(in: cache)
            let before = origin.count
            _ = try await transport.send(.test())
            await cache.waitUntilIdle()
            // A head that is decoded already would not be read again.
            let fresh = try await HTTPCache(in: store).opened()
            try store.execute(SQL(verbatim: "UPDATE patchbay_cache1_entry SET \(change)"))
            #expect(try await origin.transport.caching(in: fresh).send(.test()).text == "\(before + 2)", "\(change)")
            await fresh.waitUntilIdle()
            #expect(try await origin.transport.caching(in: fresh).send(.test()).text == "\(before + 2)", "\(change)")
            try await cache.removeAll()
        }
    }

    @Test func `a store that fails is a miss with an event`() async throws {
        let store = try SQLiteStore(.memory)
        let cache = try await HTTPCache(in: store).opened()
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        try store.close()
        let events = EventRecorder()
        #expect(try await transport.send(.test(), observer: events).text == "2")
        #expect(events.cacheEvents.contains { $0.hasPrefix("cache failed: ") })
        let stream = try await transport.stream(.test())
        #expect(try await stream.body.collect() == Data("3".utf8))
        #expect(cache.statistics.failures > 0)
        await #expect(throws: StoreError.self) { try await cache.removeAll() }
    }

    @Test(.needsSmallDisk) func `a full disk stores nothing and disturbs no call`() async throws {
        let disk = try SmallDisk(megabytes: 2)
        let cache = HTTPCache(
            in: try SQLiteStore(.file(disk.folder.url.appending(path: "cache.sqlite").path)),
            files: disk.folder.url.appending(path: "bodies"))
        let body = String(repeating: "x", count: 200_000)
        let origin = TestOrigin { request, _ in .test(request, [("Cache-Control", "max-age=86400")], body) }
        let transport = origin.transport.caching(in: cache)
        for number in 0..<30 {
            #expect(try await transport.send(.test(.get, "/\(number)")).text == body)
            #expect(try await transport.stream(.test(.get, "/s\(number)")).body.collect().count == 200_000)
            await cache.waitUntilIdle()
        }
        #expect(cache.statistics.failures > 0)
        #expect(try await transport.send(.test(.get, "/0")).text == body)
    }

    @Test func `the app's own migrations and tables are not affected`() async throws {
        let store = try SQLiteStore(.memory)
        let cache = try await HTTPCache(in: store).opened()
        _ = try await TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache).send(.test())
        await cache.waitUntilIdle()
        var migrator = StoreMigrator()
        migrator.add("note") { try $0.execute("CREATE TABLE note (id INTEGER PRIMARY KEY)") }
        try migrator.migrate(store)
        #expect(try store.tableNames() == ["note"])
        #expect(cache.statistics.entries == 1)
    }
}

extension Sequence where Element: Sendable {
    func asyncFilter(_ isIncluded: (Element) async throws -> Bool) async rethrows -> [Element] {
        var result: [Element] = []
        for element in self where try await isIncluded(element) { result.append(element) }
        return result
    }
}
