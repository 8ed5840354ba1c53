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

@Suite(.needsSlot) struct OutboxFailureTests {
    @Test func `4: statuses that pass are tried again with the same key`() async throws {
        let world = try OutboxWorld()
        for status in [408, 425, 429, 500, 503] {
            world.service.inject(.status(try #require(HTTPStatus(status))), for: .post)
        }
        let outbox = try world.open()
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        try await outbox.drained()
        #expect(world.service.requestCount == 6)
        #expect(world.service.effects.map(\.idempotencyKey) == ["key-1"])
        await outbox.close()
    }

    @Test func `4: Retry-After delays the next attempt, also of the next launch`() async throws {
        let world = try OutboxWorld()
        let clock = ManualClock()
        let requestCount = Mutex(0)
        let transport = FakeTransport { request in
            let count = requestCount.withLock {
                $0 += 1; return $0
            }
            guard count == 1 else { return request.response(.ok) }
            return request.response(.serviceUnavailable, fields: try HTTPFields(["Retry-After": "100"]))
        }
        let waiting: (inout OutboxOptions) -> Void = {
            $0.backoff = .retryAfter(cap: .seconds(3600), minimum: .constant(.zero))
        }
        let first = try world.open(over: transport, on: clock, waiting)
        try first.add(OutboxWorld.request(), key: "a", as: "save order")
        try await first.attempted()
        #expect(try first.entries().first?.failure?.status == .serviceUnavailable)
        try await clock.wait { $0.first?.offset == .seconds(100) }
        await first.close()
        try await clock.wait { $0.isEmpty }

        let second = try world.open(over: transport, on: clock, waiting)
        try await clock.wait { $0.first?.offset == .seconds(100) }
        world.advanceWallClock(by: 100)
        await clock.advance(by: .seconds(100))
        try await second.drained()
        #expect(requestCount.withLock { $0 } == 2)
        await second.close()
    }

    @Test func `4: a wait of a day is one`() async throws {
        let world = try OutboxWorld()
        let clock = ManualClock()
        let requestCount = Watched(0)
        let transport = FakeTransport { request in
            request.response(
                requestCount.update {
                    $0 += 1; return $0
                } == 1 ? .serviceUnavailable : .ok)
        }
        let outbox = try world.open(over: transport, on: clock) {
            $0.verdict = { attempt in
                if case .success(let response) = attempt.result, response.status == .ok {
                    .done
                } else {
                    .again(after: .seconds(86_400))
                }
            }
        }
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        try await clock.wait { $0.first?.offset == .seconds(86_400) }
        // Other entries come and go meanwhile.
        for number in 0..<3 {
            try outbox.add(OutboxWorld.request(), key: "b", as: "other")
            _ = try await requestCount.wait { $0 == number + 2 }
            try await outbox.status { $0.waiting == 1 && $0.sending == 0 }
        }
        await clock.advance(by: .seconds(86_400))
        try await outbox.drained()
        #expect(requestCount.value == 5)
        await outbox.close()
    }

    @Test func `entries for an origin that responds are sent, however many wait for another one`() async throws {
        let world = try OutboxWorld()
        let sent = Watched(0)
        let transport = FakeTransport { request in
            guard request.url.host() == "good.example" else {
                throw TransportError(.connectionRefused, "Down.", request: request)
            }
            sent.update { $0 += 1 }
            return request.response(.ok)
        }
        let outbox = try world.open(over: transport) {
            $0.backoff = .constant(.seconds(3600))
            $0.startsPaused = true
        }
        try world.transact {
            for number in 0..<400 {
                try outbox.add(HTTPRequest(.post, "http://dead.example/\(number)"), key: number, as: "dead")
            }
            for number in 0..<10 {
                try outbox.add(HTTPRequest(.post, "http://good.example/\(number)"), key: 1000 + number, as: "good")
            }
        }
        outbox.resume()
        #expect(try await sent.wait { $0 == 10 } == 10)
        await outbox.close()
    }

    @Test func `an expired entry holds back all others, if a failure does`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open {
            $0.startsPaused = true
            $0.failureBlocks = .everything
        }
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order", expiresAfter: .seconds(60))
        try outbox.add(OutboxWorld.request(), key: "b", as: "save order")
        world.advanceWallClock(by: 61)
        outbox.resume()
        let status = try await outbox.waitUntilSettled()
        #expect(status.failed == 1 && status.held == 1 && world.service.requestCount == 0)
        await outbox.close()
    }

    @Test(arguments: [nil, "ada"])
    func `a clock that is set back does not delay an entry beyond the longest wait`(user: String?) async throws {
        let world = try OutboxWorld()
        let requestCount = Mutex(0)
        let transport = FakeTransport { request in
            let count = requestCount.withLock {
                $0 += 1; return $0
            }
            return request.response(count == 1 ? .serviceUnavailable : .ok)
        }
        let first = try world.open(over: transport, user: user) { $0.backoff = .constant(.seconds(600)) }
        try first.add(OutboxWorld.request(), key: "a", as: "save order")
        try await first.attempted()
        await first.close()
        world.advanceWallClock(by: -86_400 * 365)
        let second = try world.open(over: transport)
        if let user {
            // A first claim, without the user.
            try second.add(OutboxWorld.request(), as: "save order")
            try await second.drained()
            try await second.signIn(as: user)
        }
        try await second.drained()
        #expect(requestCount.withLock { $0 } == (user == nil ? 2 : 3))
        await second.close()
    }

    @Test(arguments: StoreSubject.all)
    func `5: a failed entry stays visible, and is retried with the same key`(subject: StoreSubject) async throws {
        let world = try OutboxWorld(subject)
        world.service.inject(.status(.forbidden), for: .post)
        let outbox = try world.open()
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save order").id
        try await outbox.status { $0.failed == 1 }
        let failure = try #require(try outbox.failures.first)
        #expect(failure.id == id && failure.state == .failed && failure.attempts == 1)
        #expect(failure.failure?.reason == .response && failure.failure?.status == .forbidden)
        #expect(failure.failure.map { String(decoding: $0.body, as: UTF8.self).contains("injected") } == true)
        try outbox.retry(id)
        try await outbox.status { $0.failed == 0 && $0.waiting == 0 && $0.sending == 0 }
        #expect(world.service.effects.map(\.idempotencyKey) == ["key-1"])
        #expect(throws: OutboxError.self) { try outbox.retry(id) }
        await outbox.close()
    }

    @Test(arguments: StoreSubject.all)
    func `5: the status tells what a failed entry holds back, and a wait ends then`(
        subject: StoreSubject
    ) async throws {
        let world = try OutboxWorld(subject)
        for user in [nil, "ada"] {
            for blocking in [OutboxOptions.Blocking.key, .everything] {
                world.network.set(.unreachable)
                world.service.inject(.status(.forbidden), for: .post)
                let outbox = try world.open(user: user) {
                    $0.failureBlocks = blocking
                    $0.maximumConcurrent = 1
                }
                let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save order").id
                for key in ["a", "a", "b"] { try outbox.add(OutboxWorld.request(), key: key, as: "save order") }
                try outbox.add(OutboxWorld.request(), as: "save order")
                #expect(try await outbox.currentStatus().held == 0)
                #expect(try await !outbox.currentStatus().isSettled)
                async let settled = outbox.waitUntilSettled()
                world.network.set(.reachable)
                let status = try await settled
                let held = blocking == .key ? 2 : 4
                #expect(status.failed == 1 && status.held == held && status.waiting == held && status.sending == 0)
                #expect(try outbox.failures.map(\.id) == [id] && outbox.entries().count == held)
                try outbox.retry(id)
                let end = try await outbox.waitUntilSettled()
                #expect(end.isSettled && end.failed == 0 && end.waiting == 0)
                await outbox.close()
            }
        }
    }

    @Test func `a wait for the end of sending ends with its task, and with the outbox`() async throws {
        let world = try OutboxWorld()
        world.network.set(.unreachable)
        let outbox = try world.open()
        try outbox.add(OutboxWorld.request(), as: "save order")
        let cancelled = Task { try await outbox.waitUntilSettled() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let closed = Task { try await outbox.waitUntilSettled() }
        await outbox.close()
        #expect(try await closed.value.isSettled == false)
    }

    @Test(arguments: StoreSubject.all)
    func `5: an edited entry is sent in its place, with a new key`(subject: StoreSubject) async throws {
        let world = try OutboxWorld(subject)
        world.service.inject(.status(.unprocessableContent), for: .put)
        let outbox = try world.open()
        let id = try outbox.add(OutboxWorld.request(.put, "/orders/a", "wrong"), key: "a", as: "save order").id
        try outbox.add(OutboxWorld.request(.put, "/orders/a", "second"), key: "a", as: "save order")
        try await outbox.status { $0.failed == 1 && $0.waiting == 1 }
        let edited = try outbox.edit(id) { request in
            let reader = try #require(try request.body.makeReader())
            #expect(try reader.read(atMost: 100) == Data("wrong".utf8))
            try request.setBody(.text("right"))
        }
        #expect(edited != id)
        try await outbox.drained()
        #expect(world.bodies == ["right", "second"])
        #expect(Set(world.service.effects.map(\.idempotencyKey)).count == 2)
        await outbox.close()
    }

    @Test(arguments: [true, false])
    func `5: an edited entry is sent though it has expired`(hasFailed: Bool) async throws {
        let world = try OutboxWorld()
        let outbox = try world.open { $0.startsPaused = true }
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save order", expiresAfter: .seconds(60)).id
        world.advanceWallClock(by: 61)
        if hasFailed {
            outbox.resume()
            try await outbox.status { $0.failed == 1 }
        }
        let edited = try outbox.edit(id) { try $0.setBody(.text("new")) }
        #expect(try outbox.entry(edited)?.expires == nil)
        outbox.resume()
        try await outbox.drained()
        #expect(world.bodies == ["new"])
        await outbox.close()
    }

    @Test func `an entry cannot be edited or discarded while it is sent`() async throws {
        let gate = Gate()
        let world = try OutboxWorld { _ in try await gate.wait() }
        let outbox = try world.open()
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save order").id
        try await gate.waitForWaiters(1)
        #expect(#expect(throws: OutboxError.self) { try outbox.edit(id) { _ in } }?.code == .inFlight)
        #expect(#expect(throws: OutboxError.self) { try outbox.discard(id) }?.code == .inFlight)
        gate.open()
        try await outbox.drained()
        #expect(#expect(throws: OutboxError.self) { try outbox.discard(id) }?.code == .noSuchEntry)
        #expect(world.service.effects.count == 1)
        await outbox.close()
    }

    @Test func `an entry whose outcome is unknown cannot be edited, only discarded`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open(
            over: FakeTransport { request in
                throw TransportError(.timedOut, "Timed out.", request: request, phase: .response)
            }
        ) { $0.verdict = { _ in .failed } }
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save order").id
        try await outbox.status { $0.failed == 1 }
        #expect(try outbox.entry(id)?.isOutcomeUnknown == true)
        #expect(#expect(throws: OutboxError.self) { try outbox.edit(id) { _ in } }?.code == .outcomeUnknown)
        try outbox.discard(id)
        try await outbox.status { $0.failed == 0 }
        await outbox.close()
    }

    @Test func `a conflict after a lost connection is an attempt in progress`() async throws {
        let world = try OutboxWorld()
        let requestCount = Mutex(0)
        let outbox = try world.open(
            over: FakeTransport { request in
                switch requestCount.withLock({
                    $0 += 1; return $0
                }) {
                case 1: throw TransportError(.connectionLost, "Connection lost.", request: request)
                case 2...3: return request.response(.conflict)
                default: return request.response(.created)
                }
            })
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        try await outbox.drained()
        #expect(requestCount.withLock { $0 } == 4)
        #expect(try outbox.failures.isEmpty)
        await outbox.close()
    }

    @Test func `an origin that does not respond does not delay another one`() async throws {
        let world = try OutboxWorld()
        let clock = ManualClock()
        let refused = Mutex(0)
        let outbox = try world.open(
            over: FakeTransport { request in
                guard request.url.host() == "down.example" else { return try await world.service.respond(to: request) }
                refused.withLock { $0 += 1 }
                throw TransportError(.connectionRefused, "Connection refused.", request: request)
            }, on: clock
        ) {
            $0.maximumConcurrent = 1
            $0.backoff = .constant(.seconds(60))
            $0.startsPaused = true
        }
        for number in 1...5 {
            try outbox.add(HTTPRequest(.post, "http://down.example/", body: .text("\(number)")), as: "down")
        }
        try outbox.add(OutboxWorld.request(), as: "up")
        outbox.resume()
        try await world.service.effects(count: 1)
        // One attempt was enough to know.
        #expect(refused.withLock { $0 } == 1)
        #expect(try outbox.entries().allSatisfy { !$0.isOutcomeUnknown })
        outbox.sendNow()
        try await outbox.status { _ in refused.withLock { $0 } == 2 }
        await outbox.close()
    }

    @Test func `5: rules for what comes to nothing`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open {
            $0.startsPaused = true
            $0.collapsing = { entry, request in
                switch (entry.method, request.method) {
                case ("PUT", .put): .replaceEntry
                case ("POST", .delete): .dropBoth
                default: .keepBoth
                }
            }
        }
        let first = try outbox.add(OutboxWorld.request(.put, "/orders/a", "old"), key: "a", as: "save")
        let second = try outbox.add(OutboxWorld.request(.put, "/orders/a", "new"), key: "a", as: "save")
        #expect(second.outcome == .replaced && second.id != first.id)
        try outbox.add(OutboxWorld.request(.post, "/orders", "created"), key: "b", as: "create")
        let dropped = try outbox.add(OutboxWorld.request(.delete, "/orders/b"), key: "b", as: "delete")
        #expect(dropped.outcome == .dropped)
        try outbox.add(OutboxWorld.request(.delete, "/orders/a"), key: "a", as: "delete")
        #expect(try outbox.entries().map(\.method) == ["PUT", "DELETE"])
        outbox.resume()
        try await outbox.drained()
        #expect(world.service.effects.map(\.target) == ["PUT /orders/a", "DELETE /orders/a"])
        #expect(world.bodies.first == "new")
        await outbox.close()
    }

    @Test func `5: an entry that was sent once is not replaced`() async throws {
        let world = try OutboxWorld()
        world.service.inject(.status(.serviceUnavailable), for: .put)
        let outbox = try world.open {
            $0.collapsing = { _, _ in .replaceEntry }
            $0.backoff = .constant(.seconds(3600))
        }
        try outbox.add(OutboxWorld.request(.put, "/orders/a", "old"), key: "a", as: "save")
        try await outbox.attempted()
        #expect(try outbox.add(OutboxWorld.request(.put, "/orders/a", "new"), key: "a", as: "save").outcome == .added)
        try outbox.retry(try #require(try outbox.entries().first).id)
        try await outbox.drained()
        #expect(world.bodies == ["old", "new"])
        await outbox.close()
    }

    @Test func `5: an entry that an earlier launch has sent is not dropped`() async throws {
        let gate = Gate()
        let world = try OutboxWorld { _ in try await gate.wait() }
        let first = try world.open()
        try first.add(OutboxWorld.request(), key: "a", as: "create")
        try await gate.waitForWaiters(1)
        await first.close()
        let second = try world.open {
            $0.startsPaused = true
            $0.collapsing = { _, _ in .dropBoth }
        }
        #expect(try second.add(OutboxWorld.request(.delete), key: "a", as: "delete").outcome == .added)
        await second.close()
    }
}
