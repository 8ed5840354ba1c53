import Foundation
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import Transport

@testable import HTTPCaching

/// What replaces, removes and outlives a stored response.
@Suite(.needsSlot) struct CacheReplacementTests {
    enum Storage: CaseIterable {
        case memory, sqlite

        func make() async throws -> HTTPCache {
            self == .memory ? HTTPCache() : try await HTTPCache(in: try SQLiteStore(.memory)).opened()
        }
    }

    @Test(arguments: Storage.allCases)
    func `a body that was requested before a newer response does not replace it`(storage: Storage) async throws {
        let cache = try await storage.make()
        let origin = TestOrigin(["Cache-Control": "max-age=3600"])
        let transport = origin.transport.caching(in: cache)
        let slow = try await transport.stream(.test())
        _ = try await transport.send(.test { $0.cachePolicy = .reload })
        await cache.waitUntilIdle()
        #expect(try await slow.body.collect() == Data("1".utf8))
        await cache.waitUntilIdle()
        let hit = try await transport.send(.test())
        #expect(hit.text == "2" && hit.head.cacheStatus?.isHit == true)
    }

    /// The 304 was decided on before, and arrives later: while the body of the newer response is read, or while that
    /// waits to be written.
    @Test(arguments: Storage.allCases, [false, true])
    func `a response that was confirmed meanwhile does not outlive a newer one`(storage: Storage, isStreamed: Bool)
        async throws
    {
        let cache = try await storage.make()
        let gate = Gate()
        let origin = TestOrigin { request, number in
            if request.fields[.ifNoneMatch] != nil {
                try await gate.wait()
                return .test(request, status: 304, [("ETag", "\"1\""), ("Cache-Control", "max-age=86400")])
            }
            return .test(
                request, [("ETag", "\"\(number)\""), ("Cache-Control", number == 1 ? "max-age=0" : "max-age=86400")],
                "\(number)")
        }
        let transport = origin.transport.caching(in: cache)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        async let confirmed = transport.send(.test())
        try await gate.waitForWaiters(1)
        let newer = try await transport.stream(.test { $0.cachePolicy = .reload })
        if !isStreamed { _ = try await newer.body.collect() }
        gate.open()
        #expect(try await confirmed.text == "1")
        if isStreamed {
            await cache.waitUntilIdle()
            _ = try await newer.body.collect()
        }
        await cache.waitUntilIdle()
        let hit = try await transport.send(.test())
        #expect((hit.text, hit.head.cacheStatus?.isHit) == ("3", true))
    }

    @Test(arguments: [false, true])
    func `a call does not wait for a busy store after a 304`(isCancelled: Bool) async throws {
        let folder = try TemporaryFolder()
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3_600)
        let store = try SQLiteStore(
            .file(folder.url.appending(path: "cache.sqlite").path), configuration: configuration)
        let origin = TestOrigin { request, number in
            let fields = [("ETag", "\"a\""), ("Cache-Control", "no-cache"), ("N", "\(number)")]
            return .test(request, status: number == 1 ? 200 : 304, fields, "1")
        }
        let transport = try await origin.transport.caching(in: HTTPCache(in: store).opened())
        _ = try await transport.send(.test())
        await transport.cache.waitUntilIdle()
        let mayEnd = try await store.makeBusy()
        let call = Task { try await transport.send(.test()) }
        if isCancelled {
            try await eventually("the response is there") { origin.count == 2 }
            call.cancel()
        }
        // The stored response, or the cancellation if that came before the response was read.
        do {
            #expect(try await call.value.text == "1")
        } catch let error as TransportError {
            #expect(isCancelled && error.code == .cancelled)
        }
        mayEnd.signal()
        await transport.cache.waitUntilIdle()
        let lookup = try #require(try transport.cache.lookup(for: .test()))
        let stored = try HTTPCache(in: store).storage.find(lookup, at: transport.cache.now()).entry?.response
        if !isCancelled { #expect(stored?.fields["N"] == "2") }
        let later = try await transport.send(.test())
        #expect(later.cache == "Patchbay; fwd=stale; fwd-status=304; ttl=0; stored")
    }

    @Test func `a write whose response fails after its head removes what it made invalid`() async throws {
        let cache = HTTPCache()
        let transport = FakeTransport { request in
            guard request.method == .put else {
                return .test(request, [("Cache-Control", "max-age=86400")], "old")
            }
            throw TransportError(
                .responseTooLarge, "Too large.", request: request, head: HTTPResponseHead(status: .ok, url: request.url)
            )
        }
        .caching(in: cache)
        _ = try await transport.send(.test())
        #expect(try await transport.send(.test()).head.cacheStatus?.isHit == true)
        await #expect(throws: TransportError.self) { try await transport.send(.test(.put, body: .text("new"))) }
        #expect(try await transport.send(.test()).head.cacheStatus?.isHit == false)
    }

    enum Meanwhile: CaseIterable { case nothing, otherRemoval, removal }

    @Test(arguments: Storage.allCases, Meanwhile.allCases)
    func `a response to POST is stored, but not after a removal meanwhile`(storage: Storage, meanwhile: Meanwhile)
        async throws
    {
        let cache = try await storage.make()
        let fields = [("Cache-Control", "max-age=86400"), ("Content-Location", "/a")]
        let other = try #require(URL(string: "https://api.test/b"))
        let transport = FakeTransport { request in
            guard request.method == .post else { return .test(request, fields, "old") }
            switch meanwhile {
            case .nothing: break
            case .otherRemoval: try await cache.remove(other)
            case .removal: try await cache.removeAll()
            }
            return .test(request, fields, "new")
        }
        .caching(in: cache)
        // A hit, which is noted by the next write.
        for _ in 0..<2 {
            _ = try await transport.send(.test())
            await cache.waitUntilIdle()
        }
        _ = try await transport.send(.test(.post, body: .text("x")))
        #expect(try await transport.send(.test()).text == (meanwhile == .removal ? "old" : "new"))
    }

    @Test func `what a POST makes invalid is removed at once`() async throws {
        let folder = try TemporaryFolder()
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .milliseconds(50)
        let store = try SQLiteStore(
            .file(folder.url.appending(path: "cache.sqlite").path), configuration: configuration)
        let cache = try await HTTPCache(in: store).opened()
        let transport = TestOrigin([
            "Cache-Control": "max-age=86400", "Location": "/b", "Content-Location": "/c",
        ]).transport.caching(in: cache)
        for path in ["/a", "/b", "/c"] { _ = try await transport.send(.test(.get, path)) }
        await cache.waitUntilIdle()
        let mayEnd = try await store.makeBusy()
        _ = try await transport.send(.test(.post))
        // One transaction, which has failed.
        #expect(cache.statistics.failures == 1)
        mayEnd.signal()
        for path in ["/a", "/b", "/c"] {
            #expect(try await transport.send(.test(.get, path)).head.cacheStatus?.isHit == false)
        }
        await cache.waitUntilIdle()
    }

    @Test func `nothing is found for a URL that the storage failed to remove`() async throws {
        let storage = StubbornStorage()
        let clock = ManualClock()
        let cache = HTTPCache(storage, .init(), CacheRules(), clock)
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache)
        _ = try await transport.send(.test())
        storage.failures.update { $0 = 3 }
        _ = try await transport.send(.test(.put, body: .text("new")))
        #expect(storage.failures.value == 2)
        // Each that comes a second after the last failure tries again in the background.
        for left in [1, 1, 0] {
            #expect(try await transport.send(.test()).head.cacheStatus?.isHit == false)
            await cache.waitUntilIdle()
            #expect(storage.failures.value == left)
            await clock.advance(by: .milliseconds(500))
        }
        await clock.advance(by: .milliseconds(500))
        let events = EventRecorder()
        _ = try await transport.send(.test(), observer: events)
        #expect(events.cacheEvents.first == "cache failed: damagedRow")
        await cache.waitUntilIdle()
        _ = try await transport.send(.test())
        #expect(try await transport.send(.test()).head.cacheStatus?.isHit == true)
    }

    @Test func `a server that weakens the tag of a compressed response may confirm it by the strong one`() async throws
    {
        let origin = TestOrigin { request, _ in
            request.fields[.ifNoneMatch] == nil
                ? .test(request, [("Cache-Control", "max-age=0"), ("ETag", "W/\"1\"")], "body")
                : .test(request, status: 304, [("ETag", "\"1\"")])
        }
        let transport = origin.transport.caching(in: HTTPCache())
        _ = try await transport.send(.test())
        #expect(try await transport.send(.test()).text == "body" && origin.count == 2)
    }

    @Test func `a redirect with a token in its fragment is not stored`() async throws {
        let cache = HTTPCache()
        let origin = TestOrigin { request, _ in
            .test(
                request, status: 302,
                [("Cache-Control", "max-age=86400"), ("Location", "app://callback#access_token=s3cret")])
        }
        let transport = origin.transport.caching(in: cache)
        for _ in 0..<2 { _ = try await transport.send(.test()) }
        #expect(origin.count == 2 && cache.statistics.stored == 0)
    }
}

/// Fails to remove URLs a number of times.
private final class StubbornStorage: CacheStorage {
    private let base: any CacheStorage = MemoryStorage(limits: .init())
    let failures = Watched(0)

    func removeAll(urls: Set<String>, since ticket: Int64) async throws -> Int64? {
        if failures.update({ left in
            defer { left = max(0, left - 1) }
            return left > 0
        }) {
            throw CacheStorageError.damagedRow
        }
        return try await base.removeAll(urls: urls, since: ticket)
    }

    func keyedHash() throws -> KeyedHash { try base.keyedHash() }
    func find(_ lookup: CacheLookup, at now: Double) throws -> CacheFinding { try base.find(lookup, at: now) }
    func variants(_ lookup: CacheLookup) throws -> [CacheEntry] { try base.variants(lookup) }
    func ticket(for lookup: CacheLookup) throws -> Int64 { try base.ticket(for: lookup) }
    func insert(_ response: StoredResponse, _ lookup: CacheLookup, ticket: Int64) async throws -> Bool {
        try await base.insert(response, lookup, ticket: ticket)
    }
    func replace(_ old: CacheEntry, with new: StoredResponse, _ lookup: CacheLookup) async throws -> StoredResponse? {
        try await base.replace(old, with: new, lookup)
    }
    func remove(_ entry: CacheEntry) async throws { try await base.remove(entry) }
    func removeAll(partition: String?) async throws { try await base.removeAll(partition: partition) }
    var usage: CacheUsage { get throws { try base.usage } }
    var writeFailures: Int { base.writeFailures }
    func takeFailure() -> (any Error)? { base.takeFailure() }
    func makeBodyFile() throws -> BodyFile? { try base.makeBodyFile() }
}
