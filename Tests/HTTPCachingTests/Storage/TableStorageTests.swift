import Foundation
import HTTPMessages
import LocalStore
import SQLiteStore
import StoreCore
import Synchronization
import TestSupport
import Testing
import Transport

@testable import HTTPCaching

@Suite(.needsSlot) struct TableStorageTests {
    private let url = URL(string: "https://api.test/a")

    @Test func `a look-up without a row has read the ticket too`() async throws {
        let statements = Mutex(0)
        var configuration = SQLiteStore.Configuration()
        configuration.trace = { _ in statements.withLock { $0 += 1 } }
        let store = try SQLiteStore(.memory, configuration: configuration)
        let cache = HTTPCache(in: store)
        try await cache.removeAll()
        let lookup = try #require(try cache.lookup(for: .test()))
        let before = statements.withLock { $0 }
        let first = try cache.storage.find(lookup, at: cache.now())
        #expect(statements.withLock { $0 } == before + 1)
        #expect(try first.ticket == cache.storage.ticket(for: lookup))
        // By another process.
        try await HTTPCache(in: store).remove(try #require(url))
        let second = try cache.storage.find(lookup, at: cache.now())
        #expect(try second.ticket == cache.storage.ticket(for: lookup))
        #expect(try #require(second.ticket) > #require(first.ticket))
        _ = try await TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache).send(.test())
        await cache.waitUntilIdle()
        let found = try cache.storage.find(lookup, at: cache.now())
        #expect(found.entry != nil && found.ticket == nil)
    }

    @Test func `a store without unions is asked twice`() async throws {
        let cache = try await HTTPCache(in: MemoryStore()).opened()
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: cache)
        for number in 1...2 {
            #expect(try await transport.send(.test()).text == "\(number)")
            await cache.waitUntilIdle()
            #expect(try await transport.send(.test()).text == "\(number)")
            try await cache.remove(try #require(url))
        }
        let finding = try cache.storage.find(
            try #require(try cache.lookup(for: .test())), at: cache.now())
        #expect(finding.entry == nil && finding.ticket == nil && cache.statistics.failures == 0)
    }
}
