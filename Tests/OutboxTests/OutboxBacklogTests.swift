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

/// A backlog, of which a transaction claims more entries than are sent at a time.
@Suite(.needsSlot) struct OutboxBacklogTests {
    private static let count = 150

    private static func add(to outbox: Outbox, in world: OutboxWorld, user: String = "") throws {
        try world.transact {
            for number in 0..<count {
                try outbox.add(OutboxWorld.request(.post, "/orders", "\(user)\(number)"), key: number % 100, as: "n")
            }
        }
    }

    @Test(arguments: StoreSubject.all)
    func `a backlog is sent once, in the order of each key, with no more at a time than allowed`(subject: StoreSubject)
        async throws
    {
        let running = Watched(0)
        let most = Watched(0)
        let world = try OutboxWorld(subject) { _ in
            running.update { $0 += 1 }
            let now = running.value
            most.update { $0 = max($0, now) }
            await Task.yield()
            running.update { $0 -= 1 }
        }
        let outbox = try world.open { $0.startsPaused = true }
        try Self.add(to: outbox, in: world)
        outbox.resume()
        try await outbox.drained()
        #expect(most.value <= 4)
        #expect(world.bodies.count == Self.count && Set(world.bodies).count == Self.count)
        for number in 0..<50 {
            let places = [number, number + 100].map { world.bodies.firstIndex(of: "\($0)") ?? -1 }
            #expect(places == places.sorted())
        }
        await outbox.close()
    }

    @Test func `a pause gives back what was claimed ahead`() async throws {
        let gate = Gate()
        let world = try OutboxWorld { _ in try await gate.wait() }
        let outbox = try world.open { $0.startsPaused = true }
        try Self.add(to: outbox, in: world)
        outbox.resume()
        try await gate.waitForWaiters(4)
        outbox.pause()
        try await outbox.status { $0.sending == 4 && $0.waiting == Self.count - 4 }
        let waiting = try outbox.entries().filter { $0.state == .waiting }
        #expect(waiting.allSatisfy { $0.attempts == 0 && !$0.isOutcomeUnknown })
        gate.open()
        try await outbox.status { $0.sending == 0 }
        #expect(world.service.requestCount == 4)
        outbox.resume()
        try await outbox.drained()
        #expect(Set(world.bodies).count == Self.count && world.service.requestCount == Self.count)
        await outbox.close()
    }

    @Test func `after a sign-out nothing is sent of what was claimed ahead`() async throws {
        let gate = Gate()
        let world = try OutboxWorld { _ in try await gate.wait() }
        let outbox = try world.open(user: "ada") { $0.startsPaused = true }
        try Self.add(to: outbox, in: world, user: "ada")
        outbox.resume()
        try await gate.waitForWaiters(4)
        try await outbox.signOut(removingEntries: true)
        try await outbox.signIn(as: "ada")
        gate.open()
        try outbox.add(OutboxWorld.request(.post, "/orders", "new"), key: "new", as: "n")
        try await outbox.drained()
        #expect(world.service.requestCount == 5 && world.bodies.contains("new"))
        await outbox.close()
    }

    @Test func `an entry that expires after it was claimed ahead is not sent`() async throws {
        let gate = Gate()
        let world = try OutboxWorld { _ in try await gate.wait() }
        let outbox = try world.open { $0.startsPaused = true }
        try world.transact {
            for number in 0..<60 {
                try outbox.add(
                    OutboxWorld.request(.post, "/orders", "\(number)"), as: "n", expiresAfter: .seconds(60))
            }
        }
        outbox.resume()
        try await gate.waitForWaiters(4)
        world.advanceWallClock(by: 60)
        gate.open()
        try await outbox.status { $0.failed == 56 && $0.waiting == 0 && $0.sending == 0 }
        #expect(world.service.requestCount == 4)
        #expect(try outbox.failures.allSatisfy { $0.failure?.reason == .expired })
        await outbox.close()
    }

    @Test func `the entries of an origin that does not respond are given back, without an attempt`() async throws {
        let clock = ManualClock()
        let world = try OutboxWorld()
        let transport = FakeTransport { request in throw TransportError(.unreachable, "m", request: request) }
        let outbox = try world.open(over: transport, on: clock) {
            $0.startsPaused = true
            $0.backoff = .constant(.seconds(60))
        }
        try Self.add(to: outbox, in: world)
        outbox.resume()
        // An entry that is claimed counts as attempted until it is given back.
        try await eventually("those that were not sent are given back") {
            guard let entries = try? outbox.entries() else { return false }
            return entries.count == Self.count && entries.allSatisfy { $0.state != .sending }
                && (1...4).contains(entries.count { $0.attempts > 0 })
        }
        await outbox.close()
    }

    @Test(arguments: StoreSubject.all)
    func `an entry with a high priority passes a backlog that was added offline`(subject: StoreSubject) async throws {
        let world = try OutboxWorld(subject)
        let outbox = try world.open {
            $0.startsPaused = true
            $0.maximumConcurrent = 1
        }
        try world.transact {
            for number in 0..<1000 { try outbox.add(OutboxWorld.request(.post, "/orders", "\(number)"), as: "n") }
            var request = try OutboxWorld.request(.post, "/orders", "pay")
            request.options.priority = .high
            try outbox.add(request, as: "n")
        }
        outbox.resume()
        try await outbox.status { _ in world.bodies.contains("pay") }
        await outbox.close()
        // One claim for each transaction that looks at 256 new entries, then those that were claimed ahead.
        #expect(world.bodies.firstIndex(of: "pay") ?? .max < 100)
    }

    @Test func `nothing that was claimed is sent once the store is closed`() async throws {
        let gate = Gate()
        let world = try OutboxWorld { _ in try await gate.wait() }
        let outbox = try world.open { $0.startsPaused = true }
        try Self.add(to: outbox, in: world)
        outbox.resume()
        try await gate.waitForWaiters(4)
        try world.store.close()
        // The end of the sender, which finds that out with its next transaction.
        outbox.sender.update { $0.checkFile("none") }
        for await _ in outbox.status {}
        gate.open()
        await outbox.close()
        try await eventually("the requests in flight have ended") { world.bodies.count == 4 }
        for _ in 0..<100 { await Task.yield() }
        #expect(world.service.requestCount == 4)
    }

    @Test func `what is done for each entry searches an index`() async throws {
        let world = try OutboxWorld()
        let statements = Mutex<Set<String>>([])
        var configuration = SQLiteStore.Configuration()
        configuration.trace = { trace in _ = statements.withLock { $0.insert(trace.sql) } }
        let store = try SQLiteStore(.file(world.folder.path("traced.sqlite")), configuration: configuration)
        let outbox = try world.open(store: store) { $0.startsPaused = true }
        for number in 0..<100 {
            try outbox.add(OutboxWorld.request(.post, "/orders", "\(number)"), key: number % 60, as: "n")
        }
        statements.withLock { $0 = [] }
        outbox.resume()
        try await eventually("all are sent") { world.bodies.count == 100 }
        await outbox.close()
        let sent = statements.withLock { $0.filter { $0.contains("\"patchbay_outbox\" ") } }
        #expect(sent.count > 8)
        for sql in sent {
            let parameters = Array(repeating: StoreValue.null, count: sql.count { $0 == "?" })
            // A trace has no literals: here they are -1 and numbers of rows.
            try store.query("EXPLAIN QUERY PLAN \(sql.replacing("…", with: "1"))", parameters) { row in
                let step = row.text(at: 3) ?? ""
                // The last entry is at the end of the table.
                let isLast = step.hasPrefix("SCAN") && sql.contains("ORDER BY number DESC LIMIT")
                #expect(step.hasPrefix("SEARCH") || isLast, "\(step): \(sql)")
                return true
            }
        }
    }
}
