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

/// The first calls of a cache over a store that another thread or process writes for long.
@Suite(.needsSlot) struct TableOpeningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store() throws -> SQLiteStore {
        var configuration = SQLiteStore.Configuration()
        configuration.busyTimeout = .seconds(3_600)
        return try SQLiteStore(.file(folder.url.appending(path: "cache.sqlite").path), configuration: configuration)
    }

    @Test(arguments: [false, true])
    func `the first call finds what is stored while the store is busy`(isSameStore: Bool) async throws {
        let store = try store()
        let origin = TestOrigin(["Cache-Control": "max-age=86400"])
        let first = try await HTTPCache(in: store).opened()
        _ = try await origin.transport.caching(in: first).send(.test())
        await first.waitUntilIdle()
        let mayEnd = try await store.makeBusy()
        let other = isSameStore ? store : try self.store()
        let response = try await origin.transport.caching(in: HTTPCache(in: other)).send(.test())
        mayEnd.signal()
        #expect((response.text, response.head.cacheStatus?.isHit, origin.count) == ("1", true, 1))
    }

    @Test func `a call does not wait for the tables of a busy store until its timeout is over`() async throws {
        let store = try store()
        let mayEnd = try await store.makeBusy()
        let transport = TestOrigin(["Cache-Control": "max-age=86400"]).transport.caching(in: HTTPCache(in: store))
        let events = EventRecorder()
        let response = try await transport.send(
            .test { $0.timeouts.total = .milliseconds(1) }, observer: events)
        #expect(response.head.cacheStatus?.forward == .bypass)
        #expect(events.cacheEvents.contains { $0.hasPrefix("cache failed: ") })
        // The same attempt, which calls without a timeout do not wait for either in the end.
        for _ in 0..<2 { #expect(try await transport.send(.test()).head.cacheStatus?.forward == .bypass) }
        mayEnd.signal()
        try await transport.cache.storage.open(atMost: nil)
        #expect(try await transport.send(.test()).head.cacheStatus?.isStored == true)
        await transport.cache.waitUntilIdle()
    }

    @Test func `a call that is cancelled while it waits for the tables is cancelled and no failure`() async throws {
        let store = try store()
        let mayEnd = try await store.makeBusy()
        let origin = TestOrigin(["Cache-Control": "max-age=86400"])
        let transport = origin.transport.caching(in: HTTPCache(in: store))
        let thread = WorkerThreads(count: 1, name: "test.cache")
        let events = EventRecorder()
        let mayBegin = DispatchSemaphore(value: 0)
        thread.run { mayBegin.wait() }
        let call = Task(executorPreference: thread) { try await transport.send(.test(), observer: events) }
        // Runs once the call is suspended, and at once: it waits a second.
        let cancellation = Task(executorPreference: thread) { call.cancel() }
        mayBegin.signal()
        await cancellation.value
        let error = await #expect(throws: TransportError.self) { _ = try await call.value }
        #expect(error?.code == .cancelled)
        #expect((origin.count, transport.cache.statistics.failures, events.cacheEvents) == (0, 0, []))
        mayEnd.signal()
        try await transport.cache.storage.open(atMost: nil)
    }

    /// A removal and a `POST` wait until the store is free, without their thread.
    @Test(arguments: [false, true])
    func `the first call that removes does not block its thread`(isClient: Bool) async throws {
        let store = try store()
        let mayEnd = try await store.makeBusy()
        let cache = HTTPCache(in: store)
        let transport = TestOrigin([:]).transport.caching(in: cache)
        let thread = WorkerThreads(count: 1, name: "test.cache")
        let call = Task(executorPreference: thread) {
            guard isClient else { return try await cache.removeAll(partition: "a") }
            _ = try await transport.send(.test(.post))
        }
        // Runs once the call is suspended.
        await Task(executorPreference: thread) { _ = mayEnd.signal() }.value
        try await call.value
        #expect(cache.statistics.failures == 0)
    }
}
