import Coordination
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import Transport

@testable import HTTPCaching

@Suite(.needsSlot) struct WriteBehindTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store() throws -> SQLiteStore {
        try SQLiteStore(.file(folder.url.appending(path: "cache.sqlite").path))
    }

    @Test func `a removal does not wait for responses that come later`() async throws {
        let cache = HTTPCache(in: try store())
        let origin = TestOrigin(["Cache-Control": "max-age=60"])
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

    /// The second is requested before the first is written, and written in the same transaction.
    @Test func `of two responses that wait to be written the newer one stays`() async throws {
        let cache = HTTPCache(in: try store())
        let transport = TestOrigin(["Cache-Control": "max-age=60"]).transport.caching(in: cache)
        for round in 0..<3 {
            for _ in 0..<2 { _ = try await transport.send(.test { $0.cachePolicy = .reload }) }
            await cache.waitUntilIdle()
            let response = try await transport.send(.test())
            #expect((response.text, response.head.cacheStatus?.isHit) == ("\(2 * round + 2)", true))
        }
    }

    @Test func `the first call does not block its thread while the store is busy`() async throws {
        let store = try store()
        let transport = TestOrigin(["Cache-Control": "max-age=60"]).transport.caching(in: HTTPCache(in: store))
        let (hasBegun, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? store.transaction {
                hasBegun.open()
                mayEnd.wait()
            }
        }
        try await hasBegun.wait()
        let thread = WorkerThreads(count: 1, name: "test.cache")
        let events = EventList()
        let call = Task(executorPreference: thread) { try await transport.send(.test(), observer: events) }
        // Runs once the call is suspended.
        await Task(executorPreference: thread) { _ = mayEnd.signal() }.value
        let response = try await call.value
        #expect(response.head.cacheStatus?.isStored == true, "\(response.cache)")
        #expect(events.cacheEvents == ["cache: \(response.cache)"])
        await transport.cache.waitUntilIdle()
    }

    @Test(arguments: [
        "https://a.test/b?region=east&page=2", "https://a.test/b?a&b=", "https://a.test/b?", "https://a.test/b",
        "https://a.test/b?api_key=x", "https://a.test/b?api%5Fkey=x", "https://a.test/b?q=1&accessToken=x",
        "https://a.test/b?a=1;token=x", "https://u:p@a.test/b?a=1", "https://a.test/Sessions('5f2c')?a=1",
        "https://a.test/b;jsessionid=5f2c?a=1", "https://a.test/b?q=token", "https://a.test/b?=x&&c=%20",
    ])
    func `a URL is plain only if nothing in it is redacted`(text: String) throws {
        let url = try #require(URL(string: text))
        let isPlain = SecretNames.standard.areAbsent(fromPlain: text)
        #expect(!isPlain || Redaction.standard.redacted(url) == text)
        // Most URLs need no more than a look at the names.
        if text.contains("region") { #expect(isPlain) }
    }
}
