import Connectivity
import Foundation
import HTTPMessages
import Outbox
import PatchbayTestKit
import Queueing
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct OutboxTests {
    @Test(arguments: StoreSubject.all) func `2: an entry is sent with its key, and then gone`(subject: StoreSubject)
        async throws
    {
        let world = try OutboxWorld(subject)
        let outbox = try world.open()
        let ticket = try outbox.add(OutboxWorld.request(), key: 7, as: "save order")
        #expect(ticket.outcome == .added && ticket.id.idempotencyKey == "key-1")
        let effects = try await world.service.effects(count: 1)
        #expect(effects.map(\.idempotencyKey) == ["key-1"])
        try await outbox.drained()
        #expect(try outbox.entry(ticket.id) == nil)
        await outbox.close()
    }

    @Test(arguments: StoreSubject.all)
    func `2: the row and its request are both stored, or neither`(subject: StoreSubject) async throws {
        struct Refused: Error {}
        let world = try OutboxWorld(subject)
        let outbox = try world.open { $0.startsPaused = true }
        #expect(throws: Refused.self) {
            try world.transact {
                try world.store.execute("INSERT INTO sale VALUES ('a', 1)", [])
                try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
                throw Refused()
            }
        }
        #expect(try outbox.entries().isEmpty)
        try world.transact {
            try world.store.execute("INSERT INTO sale VALUES ('a', 1)", [])
            try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        }
        let entry = try #require(try outbox.entries().first)
        #expect(entry.name == "save order" && entry.key == "a" && entry.state == .waiting && entry.attempts == 0)
        #expect(entry.created == world.wallClock.withLock { $0 } && entry.expires == nil && entry.failure == nil)
        #expect(world.service.requestCount == 0)
        outbox.resume()
        try await world.service.effects(count: 1)
        await outbox.close()
    }

    @Test(arguments: StoreSubject.all)
    func `2: an entry is sent by the outbox of the next launch, with the same request`(subject: StoreSubject)
        async throws
    {
        let world = try OutboxWorld(subject)
        let first = try world.open { $0.startsPaused = true }
        var request = try OutboxWorld.request(.put, "/orders/a", "größer")
        try request.fields.append("X-Trace", "1")
        try request.fields.append("X-Trace", "2")
        request.options.priority = .high
        let id = try first.add(request, key: "a", as: "save order").id
        await first.close()
        let sent = Mutex<HTTPRequest?>(nil)
        let second = try world.open(
            over: FakeTransport { request in
                sent.withLock { $0 = request }
                return try await world.service.respond(to: request)
            })
        try await second.drained()
        let received = try #require(sent.withLock { $0 })
        #expect(received.method == .put && received.url.absoluteString == "http://shop.example/orders/a")
        #expect(received.fields.values(of: try HTTPFieldName("X-Trace")) == ["1", "2"])
        #expect(received.fields[.idempotencyKey] == id.idempotencyKey && received.options.priority == .high)
        #expect(world.bodies == ["größer"])
        await second.close()
    }

    @Test(arguments: StoreSubject.all)
    func `3: entries of a key are sent in order, others beside them`(subject: StoreSubject) async throws {
        let gate = Gate()
        let world = try OutboxWorld(subject) { request in
            if request.url.path() == "/orders/a" { try await gate.wait() }
        }
        let outbox = try world.open()
        for number in 1...3 { try outbox.add(OutboxWorld.request(.put, "/orders/a", "a\(number)"), key: "a", as: "a") }
        for number in 1...3 { try outbox.add(OutboxWorld.request(.put, "/orders/b", "b\(number)"), key: "b", as: "b") }
        try await gate.waitForWaiters(1)
        try await world.service.effects(count: 4)
        #expect(world.bodies.filter { $0.hasPrefix("a") } == ["a1"])
        #expect(world.bodies.filter { $0.hasPrefix("b") } == ["b1", "b2", "b3"])
        gate.open()
        try await outbox.drained()
        #expect(world.bodies.filter { $0.hasPrefix("a") } == ["a1", "a2", "a3"])
        await outbox.close()
    }

    @Test(arguments: StoreSubject.all)
    func `3: of the entries that are ready, those with a higher priority are first`(subject: StoreSubject) async throws
    {
        let world = try OutboxWorld(subject)
        let outbox = try world.open {
            $0.startsPaused = true
            $0.maximumConcurrent = 1
        }
        for (text, priority) in [
            ("low", RequestPriority.background), ("one", .normal), ("two", .normal), ("high", .high),
        ] {
            var request = try OutboxWorld.request(.post, "/orders", text)
            request.options.priority = priority
            try outbox.add(request, as: "save order")
        }
        outbox.resume()
        try await outbox.drained()
        #expect(world.bodies == ["high", "one", "two", "low"])
        await outbox.close()
    }

    @Test(arguments: [OutboxOptions.Blocking.key, .everything])
    func `3: a failed entry holds back its key only, or all entries`(blocking: OutboxOptions.Blocking) async throws {
        let world = try OutboxWorld()
        world.service.inject(.status(.badRequest), for: .post)
        let outbox = try world.open {
            $0.maximumConcurrent = 1
            $0.failureBlocks = blocking
            $0.startsPaused = true
        }
        for (text, key) in [("a1", "a"), ("a2", "a"), ("b1", "b")] {
            try outbox.add(OutboxWorld.request(.post, "/orders", text), key: key, as: text)
        }
        outbox.resume()
        let status = try await outbox.status {
            $0.failed == 1 && $0.sending == 0 && $0.waiting == (blocking == .key ? 1 : 2)
        }
        #expect(status.waiting == (blocking == .key ? 1 : 2))
        #expect(world.bodies == (blocking == .key ? ["b1"] : []))
        try outbox.discard(try #require(try outbox.failures.first).id)
        try await outbox.drained()
        #expect(Set(world.bodies) == ["a2", "b1"])
        await outbox.close()
    }

    @Test(arguments: StoreSubject.all)
    func `1: nothing is sent while there is no network`(subject: StoreSubject) async throws {
        let world = try OutboxWorld(subject)
        world.network.set(.unreachable)
        let outbox = try world.open()
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        let status = try await outbox.status { $0.waiting == 1 }
        #expect(status.pauseReasons == [.offline] && world.service.requestCount == 0)
        world.network.set(.unknown)
        try await outbox.drained()
        #expect(world.service.effects.count == 1)
        await outbox.close()
    }

    @Test func `the status has the numbers, and ends when the outbox is closed`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open { $0.startsPaused = true }
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        let status = try await outbox.currentStatus()
        #expect(status.waiting == 2 && status.sending == 0 && status.failed == 0 && status.pauseReasons == [.manual])
        let updates = outbox.status
        await outbox.close()
        for await _ in updates {}
        try outbox.add(OutboxWorld.request(), key: "a", as: "after the end")
        #expect(try outbox.entries().count == 3)
    }

    @Test func `a released outbox stops sending, and its requests are sent by the next one`() async throws {
        let gate = Gate()
        let world = try OutboxWorld { _ in try await gate.wait() }
        do {
            let outbox = try world.open()
            try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
            try await gate.waitForWaiters(1)
        }
        gate.open()
        let next = try world.open()
        try await next.drained()
        #expect(Set(world.service.effects.map(\.idempotencyKey)) == ["key-1"] && world.service.effects.count <= 2)
        await next.close()
    }

    @Test func `the app's own Idempotency-Key is the key of the entry`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open()
        var request = try OutboxWorld.request()
        try request.fields.set(.idempotencyKey, to: "mine")
        #expect(try outbox.add(request, key: "a", as: "save order").id.idempotencyKey == "mine")
        #expect(try await world.service.effects(count: 1).map(\.idempotencyKey) == ["mine"])
        await outbox.close()
    }

    @Test func `the status tells an error of the store, until a later transaction succeeds`() async throws {
        let (world, clock) = (try OutboxWorld(), ManualClock())
        let outbox = try world.open(on: clock)
        try world.store.execute("ALTER TABLE patchbay_outbox_responses RENAME TO hidden", [])
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        _ = try await clock.wait { $0.first?.offset == .seconds(1) }
        #expect(try await outbox.currentStatus().storeError?.code == .noSuchTable)
        try world.store.execute("ALTER TABLE hidden RENAME TO patchbay_outbox_responses", [])
        await clock.advance(by: .seconds(1))
        try await outbox.drained()
        #expect(try await outbox.currentStatus().storeError == nil)
        #expect(world.service.requestCount == 1)
        await outbox.close()
    }
}
