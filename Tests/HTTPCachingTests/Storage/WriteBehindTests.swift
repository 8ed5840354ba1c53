import Coordination
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import HTTPCaching
@testable import SQLiteStore
@testable import StoreCore

@Suite(.needsSlot) struct WriteBehindTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store() throws -> SQLiteStore {
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3_600)
        return try SQLiteStore(.file(folder.url.appending(path: "cache.sqlite").path), configuration: configuration)
    }

    @Test func `a removal does not wait for responses that come later`() async throws {
        let cache = try await HTTPCache(in: try store()).opened()
        let origin = TestOrigin(["Cache-Control": "max-age=86400"])
        let transport = origin.transport.caching(in: cache)
        let isDone = Watched(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Without a pause: the queue is never empty.
                var number = 0
                while !isDone.value {
                    number += 1
                    _ = try await transport.send(.test(.get, "/\(number)"))
                    await Task.yield()
                }
            }
            for number in 0..<3 {
                _ = try await transport.send(.test(.get, "/removed"))
                _ = try await transport.send(.test(.post, "/removed", body: .text("\(number)")))
                #expect(
                    try await transport.send(.test(.get, "/removed") { $0.cachePolicy = .onlyIfCached }).status
                        == .gatewayTimeout)
            }
            isDone.update { $0 = true }
            try await group.waitForAll()
        }
        await cache.waitUntilIdle()
        #expect(cache.statistics.failures == 0)
    }

    @Test func `a response that waits to be written is found after another process has removed others`() async throws {
        let store = try store()
        let (first, second) = (try await HTTPCache(in: store).opened(), HTTPCache(in: store))
        let origin = TestOrigin(["Cache-Control": "max-age=86400"])
        let transport = origin.transport.caching(in: first)
        _ = try await transport.send(.test(.get, "/first"))
        await first.waitUntilIdle()
        try await second.remove(try #require(URL(string: "https://api.test/other")))
        // Nothing is written meanwhile.
        let mayEnd = try await store.makeBusy()
        for _ in 0..<2 { #expect(try await transport.send(.test()).text == "2") }
        mayEnd.signal()
        await first.waitUntilIdle()
        #expect(try await transport.send(.test()).text == "2")
    }

    @Test func `a flush waits until the responses so far are written`() async throws {
        let store = try store()
        let cache = try await HTTPCache(in: store).opened()
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache)
        await cache.flush()
        for number in 1...200 { _ = try await transport.send(.test(.get, "/\(number)")) }
        await cache.flush()
        #expect(HTTPCache(in: store).statistics.entries == 200)
        await HTTPCache().flush()
    }

    @Test func `a response whose file is lost is dropped alone`() async throws {
        let bodies = folder.url.appending(path: "bodies")
        let store = try store()
        let cache = try await HTTPCache(in: store, files: bodies, limits: .init(rowBytes: 100)).opened()
        let origin = TestOrigin { request, number in
            let body = String(repeating: "\(number)", count: request.url.path == "/large" ? 1_000 : 1)
            return .test(request, [("Cache-Control", "max-age=86400")], body)
        }
        let transport = origin.transport.caching(in: cache)
        _ = try await transport.send(.test(.get, "/first"))
        await cache.waitUntilIdle()
        let mayEnd = try await store.makeBusy()
        // The first batch waits for the store, the others make one more.
        for path in ["/waits", "/large", "/small"] { _ = try await transport.send(.test(.get, path)) }
        try FileManager.default.removeItem(at: bodies)
        mayEnd.signal()
        await cache.waitUntilIdle()
        #expect(cache.statistics.failures == 1)
        #expect(try await transport.send(.test(.get, "/small")).head.cacheStatus?.isHit == true)
        #expect(try await transport.send(.test(.get, "/large")).head.cacheStatus?.isHit == false)
    }

    @Test func `the response to HEAD does not wait for the end of a transaction of the app`() async throws {
        let store = try store()
        let cache = try await HTTPCache(in: store).opened()
        let origin = TestOrigin { request, number in
            .test(request, [("Cache-Control", "max-age=0"), ("ETag", "\"\(number)\"")], "")
        }
        let transport = origin.transport.caching(in: cache)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        let mayEnd = try await store.makeBusy()
        #expect(try await transport.send(.test(.head)).status == .ok && origin.count == 2)
        mayEnd.signal()
        await cache.waitUntilIdle()
    }

    /// Each row that is written before the removal makes its number one greater.
    @Test func `a removal goes between the rows of a transaction`() async throws {
        let store = try store()
        let cache = try await HTTPCache(in: store).opened()
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache)
        let tables = try #require(cache.storage as? TableStorage)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        let before = try tables.ticket(for: #require(try cache.lookup(for: .test())))
        let mayEnd = try await store.makeBusy()
        for number in 0..<200 { _ = try await transport.send(.test(.get, "/\(number)")) }
        try await eventually("the first responses wait for the store") { store.writer.waiterCount == 1 }
        let removal = Task { try await tables.removeAll(urls: ["https://api.test/199"], since: before) }
        try await eventually("the removal waits") { store.threads.waitingCounts.writes == 1 }
        mayEnd.signal()
        #expect(try #require(try await removal.value) <= before + Int64(WriteBehind.leastBatchSize) + 1)
        await cache.waitUntilIdle()
        #expect(cache.statistics.entries == 200 && cache.statistics.failures == 0)
    }

    @Test func `many notes of use are written in parts`() async throws {
        let cache = try await HTTPCache(in: try store(), limits: .init(entries: 250)).opened()
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache)
        for number in 0..<250 { _ = try await transport.send(.test(.get, "/\(number)")) }
        await cache.waitUntilIdle()
        for number in 0..<200 { _ = try await transport.send(.test(.get, "/\(number)")) }
        for number in 250..<300 {
            _ = try await transport.send(.test(.get, "/\(number)"))
            await cache.waitUntilIdle()
        }
        let request = try HTTPRequest.test(.get, "/0") { $0.cachePolicy = .onlyIfCached }
        #expect(try await transport.send(request).status == .ok)
        #expect(cache.statistics.entries == 250 && cache.statistics.evicted == 50)
    }

    /// The second is requested before the first is written, and written in the same transaction.
    @Test func `of two responses that wait to be written the newer one stays`() async throws {
        let cache = try await HTTPCache(in: try store()).opened()
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache)
        for round in 0..<3 {
            for _ in 0..<2 { _ = try await transport.send(.test { $0.cachePolicy = .reload }) }
            await cache.waitUntilIdle()
            let response = try await transport.send(.test())
            #expect((response.text, response.head.cacheStatus?.isHit) == ("\(2 * round + 2)", true))
        }
    }

    /// Each of them notes the number that it has read or committed, in any order.
    @Test(arguments: [false, true])
    func `a response is stored after removals whose calls end in another order`(isReversed: Bool) async throws {
        let cache = HTTPCache(in: try store())
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache)
        try await cache.removeAll()
        let tables = try #require(cache.storage as? TableStorage)
        let before = tables.lastCommittedNumber.load(ordering: .acquiring)
        try await cache.removeAll()
        if isReversed { tables.noteCommitted(before) }
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        #expect(try await transport.send(.test()).head.cacheStatus?.isHit == true)
    }

    @Test func `tables that are made again begin with new numbers`() async throws {
        let store = try store()
        let (first, second) = (HTTPCache(in: store), HTTPCache(in: store))
        let gate = Gate()
        let origin = TestOrigin { request, number in
            if number == 1 { try await gate.wait() }
            return .test(request, [("Cache-Control", "max-age=86400")], "\(number)")
        }
        for _ in 0..<20 { try await first.removeAll() }
        async let early = origin.transport.caching(in: first).send(.test())
        try await gate.waitForWaiters(1)
        for table in [CacheTables.entry, CacheTables.state, CacheTables.removal, CacheTables.file] {
            try store.execute(SQL(verbatim: "DROP TABLE \(table)"))
        }
        let url = try #require(URL(string: "https://api.test/a"))
        try await second.remove(url)
        gate.open()
        _ = try await early
        await first.waitUntilIdle()
        // Was requested before the removal.
        #expect(try await origin.transport.caching(in: first).send(.test()).text == "2")
        await first.waitUntilIdle()
        #expect(try await origin.transport.caching(in: first).send(.test()).text == "2")
    }

    @Test func `the first call does not block its thread while the store is busy`() async throws {
        let store = try store()
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: HTTPCache(in: store))
        let mayEnd = try await store.makeBusy()
        let thread = WorkerThreads(count: 1, name: "test.cache")
        let events = EventRecorder()
        let mayBegin = DispatchSemaphore(value: 0)
        thread.run { mayBegin.wait() }
        let call = Task(executorPreference: thread) { try await transport.send(.test(), observer: events) }
        // Runs once the call is suspended, and at once: it waits a second.
        let end = Task(executorPreference: thread) { _ = mayEnd.signal() }
        mayBegin.signal()
        await end.value
        let response = try await call.value
        #expect(response.head.cacheStatus?.isStored == true, "\(response.cache)")
        #expect(events.cacheEvents == ["cache: \(response.cache)"])
        await transport.cache.waitUntilIdle()
    }

    @Test(arguments: [
        "https://a.test/b?region=east&page=2", "https://a.test/b?a&b=", "https://a.test/b?", "https://a.test/b",
        "https://a.test/b?api_key=x", "https://a.test/b?api%5Fkey=x", "https://a.test/b?q=1&accessToken=x",
        "https://a.test/b?a=1;token=x", "https://u:p@a.test/b?a=1", "https://a.test/Sessions('5f2c')?a=1",
        "https://a.test/b;jsessionid=5f2c?a=1", "https://a.test/b;jsessionid=5f2c", "https://a.test/Sessions('5f2c')",
        "https://a.test/b?q=token", "https://a.test/b?=x&&c=%20", "https://a.test/Sessions%28%275f2c%27%29?a=1",
        "https://a.test/Sessions%28%275f2c%27%29", "https://a.test/a%20b",
    ])
    func `a URL is plain only if nothing in it is redacted`(text: String) async throws {
        let url = try #require(URL(string: text))
        let tables = try #require(HTTPCache(in: try store()).storage as? TableStorage)
        try await tables.open(atMost: nil)
        #expect(try (tables.key(of: text) == text) == (Redaction.standard.redacted(url) == text))
        let isPlain = SecretNames.standard.isKnownPlain(text)
        #expect(!isPlain || Redaction.standard.redacted(url) == text)
        // Most URLs need no more than a look at the names.
        if text.contains("region") { #expect(isPlain) }
    }
}
