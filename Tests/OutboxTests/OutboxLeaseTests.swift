import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import SQLiteStore
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@testable import Outbox

@Suite(.needsSlot) struct OutboxLeaseTests {
    @Test(arguments: StoreSubject.all)
    func `7: of two outboxes over one store, one sends at a time`(subject: StoreSubject) async throws {
        let running = Mutex((current: Set<Int>(), most: 0))
        let world = try OutboxWorld(subject)
        func transport(_ number: Int) -> any Transport {
            FakeTransport { request in
                running.withLock {
                    $0.current.insert(number)
                    $0.most = max($0.most, $0.current.count)
                }
                await Task.yield()
                let response = try await world.service.respond(to: request)
                running.withLock { _ = $0.current.remove(number) }
                return response
            }
        }
        let one = try world.open(over: transport(1)) { $0.maximumConcurrent = 1 }
        let two = try world.open(over: transport(2)) { $0.maximumConcurrent = 1 }
        for number in 1...20 {
            try (number % 2 == 0 ? one : two).add(OutboxWorld.request(.post, "/orders", "\(number)"), as: "save")
        }
        try await world.service.effects(count: 20)
        #expect(running.withLock { $0.most } == 1)
        #expect(Set(world.bodies).count == 20 && world.service.effects.count == 20)
        await one.close()
        await two.close()
    }

    @Test(arguments: [true, false])
    func `7: the lease of a dead sender expires, also if the clock was set back`(isSetBack: Bool) async throws {
        let world = try OutboxWorld()
        let clock = ManualClock()
        let first = try world.open { $0.startsPaused = true }
        let id = try first.add(OutboxWorld.request(), key: "a", as: "save").id
        await first.close()
        try Self.die(in: world, sending: id)
        if isSetBack { world.advanceWallClock(by: -1000) }
        let second = try world.open(on: clock)
        try await clock.waitForSleepers(1)
        #expect(world.service.requestCount == 0)
        #expect(try second.entry(id)?.state == .sending)
        if !isSetBack { world.advanceWallClock(by: 10) }
        await clock.advance(by: .seconds(10))
        try await second.drained()
        #expect(world.service.effects.map(\.idempotencyKey) == [id.idempotencyKey])
        await second.close()
    }

    @Test func `7: after a relaunch an old lease does not delay anything`() async throws {
        let world = try OutboxWorld()
        let first = try world.open { $0.startsPaused = true }
        let id = try first.add(OutboxWorld.request(), key: "a", as: "save").id
        await first.close()
        try Self.die(in: world, sending: id)
        world.advanceWallClock(by: 60)
        let second = try world.open(on: ManualClock())
        try await second.drained()
        #expect(world.service.effects.count == 1)
        await second.close()
    }

    @Test func `7: a sender that was suspended loses its lease, and its entry is sent under one key`() async throws {
        let gate = Gate()
        let world = try OutboxWorld { request in
            // Only the first request waits, until both senders have one in flight.
            if gate.waitCount == 0 { try await gate.wait() }
        }
        let (slow, fast) = (ManualClock(), ManualClock())
        let isAnswered = Watched(false)
        let toFirst = FakeTransport { request in
            defer { isAnswered.update { $0 = true } }
            return try await world.service.respond(to: request)
        }
        // Its first request is refused; the next ones come once the server has responded to the first sender.
        let toSecond = FakeTransport { request in
            if world.service.requestCount > 1 { try await isAnswered.wait { $0 } }
            return try await world.service.respond(to: request)
        }
        let first = try world.open(over: toFirst, on: slow)
        try first.add(OutboxWorld.request(), key: "a", as: "save")
        try await gate.waitForWaiters(1)
        // The clock of the first one stands still, as that of a suspended process.
        let second = try world.open(over: toSecond, on: fast) { $0.backoff = .constant(.zero) }
        try await fast.waitForSleepers(1)
        world.advanceWallClock(by: 10)
        await fast.advance(by: .seconds(10))
        // The server says 409 while the first request is in progress.
        try await world.service.waitForRequests(2)
        gate.open()
        try await second.status { $0.waiting == 0 && $0.sending == 0 }
        #expect(try second.failures.isEmpty)
        #expect(world.service.effects.map(\.idempotencyKey) == ["key-1"])
        await first.close()
        await second.close()
    }

    @Test func `7: the response to a suspended sender leaves the backlog of the next one as it is`() async throws {
        let (world, toFirst, toSecond) = (try OutboxWorld(), Gate(), Gate())
        func transport(_ gate: Gate) -> some Transport {
            FakeTransport { request in
                try await gate.wait()
                return request.response(.created)
            }
        }
        let (slow, fast) = (ManualClock(), ManualClock())
        let inDoubt = Watched<[String]>([])
        let first = try world.open(over: transport(toFirst), on: slow) { $0.maximumConcurrent = 1 }
        try first.add(OutboxWorld.request(), as: "in flight")
        try await toFirst.waitForWaiters(1)
        for _ in 1...40 { try first.add(OutboxWorld.request(), as: "waiting") }
        // The clock of the first one stands still, as that of a suspended process.
        let second = try world.open(over: transport(toSecond), on: fast) { options in
            options.maximumConcurrent = 1
            options.verdict = { attempt in
                if attempt.entry.isOutcomeUnknown { inDoubt.update { $0.append(attempt.entry.name) } }
                return .standard(for: attempt)
            }
        }
        try await fast.waitForSleepers(1)
        world.advanceWallClock(by: 10)
        await fast.advance(by: .seconds(10))
        // The second one has claimed entries ahead when the first one notes its response.
        try await toSecond.waitForWaiters(1)
        toFirst.open()
        try await first.status { $0.waiting + $0.sending == 40 }
        toSecond.open()
        try await second.drained()
        #expect(inDoubt.value == ["in flight"])
        await first.close()
        await second.close()
    }

    @Test func `7: what was in flight in a backup that is restored into the open store is sent again`() async throws {
        let (world, gate) = (try OutboxWorld(), Gate())
        let store = try #require(world.store as? SQLiteStore)
        let sent = Watched(0)
        let outbox = try world.open(
            over: FakeTransport { request in
                sent.update { $0 += 1 }
                if sent.value == 1 { try await gate.wait() }
                return request.response(.created)
            })
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save").id
        try await gate.waitForWaiters(1)
        let copy = try SQLiteStore(.memory)
        try store.backup(to: copy)
        gate.open()
        try await outbox.drained()
        try copy.backup(to: store)
        #expect(try outbox.entry(id)?.state == .sending)
        try outbox.add(OutboxWorld.request(), key: "a", as: "later")
        try await outbox.drained()
        #expect(try outbox.entry(id) == nil && sent.value == 3)
        await outbox.close()
    }

    /// Leaves an entry as a sender does that is killed while it sends it.
    private static func die(in world: OutboxWorld, sending id: OutboxEntry.ID) throws {
        let now = world.wallClock.withLock { $0 }.milliseconds
        try world.store.transaction {
            try StateTable(store: world.store).put(SendLease(owner: "dead", beat: 9, renewed: now))
            var row = try #require(try EntryTable(store: world.store).row(id))
            (row.phase, row.sender, row.attempts) = (.sending, "dead", 1)
            try EntryTable(store: world.store).updateProgress(row)
        }
    }
}
