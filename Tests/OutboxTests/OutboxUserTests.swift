import Authentication
import Dispatch
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

@Suite(.needsSlot) struct OutboxUserTests {
    /// Adds the credentials of the user of the moment, as a layer does.
    private static func authorizing(_ world: OutboxWorld, _ user: Watched<String?>) -> some Transport {
        world.transport.modifyingRequests { request in
            if let user = user.value { try request.fields.set(.authorization, to: "Bearer \(user)") }
        }
    }

    @Test(arguments: StoreSubject.all)
    func `6: after a sign-out the entries of a user wait for that user`(subject: StoreSubject) async throws {
        let world = try OutboxWorld(subject)
        let user = Watched<String?>("ada")
        let outbox = try world.open(over: Self.authorizing(world, user), user: "ada") { $0.startsPaused = true }
        try outbox.add(OutboxWorld.request(.post, "/orders", "of ada"), key: "a", as: "save")
        try await outbox.signOut()
        user.update { $0 = nil }
        #expect(outbox.user == nil)
        #expect(try outbox.entries().isEmpty)
        try outbox.add(OutboxWorld.request(.post, "/orders", "of no user"), key: "a", as: "save")
        try await outbox.signIn(as: "tea")
        user.update { $0 = "tea" }
        try outbox.add(OutboxWorld.request(.post, "/orders", "of tea"), key: "a", as: "save")
        outbox.resume()
        try await outbox.drained()
        #expect(Set(world.bodies) == ["of no user", "of tea"])
        try await outbox.signOut()
        user.update { $0 = "ada" }
        try await outbox.signIn(as: "ada")
        try await outbox.drained()
        #expect(world.service.effects.last?.authorization == "Bearer ada" && world.bodies.last == "of ada")
        #expect(!world.service.effects.contains { $0.authorization == "Bearer tea" && $0.body == Data("of ada".utf8) })
        await outbox.close()
    }

    @Test func `6: a sign-out may remove the entries and responses of the user`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open(user: "ada")
        try outbox.add(OutboxWorld.request(.post, "/orders", "sent"), key: "a", as: "save")
        try await outbox.drained()
        outbox.pause()
        try outbox.add(OutboxWorld.request(.post, "/orders", "waiting"), key: "a", as: "save")
        try await outbox.signOut(removingEntries: true)
        try await outbox.signIn(as: "ada")
        outbox.resume()
        try outbox.add(OutboxWorld.request(.post, "/orders", "new"), key: "a", as: "save")
        try await outbox.drained()
        #expect(world.bodies == ["sent", "new"])
        var responses = outbox.responses.makeAsyncIterator()
        #expect(await responses.next()?.id.idempotencyKey == "key-3")
        await outbox.close()
    }

    @Test(arguments: [false, true])
    func `6: after a sign-out a reader gets no response of the user, though it was read before`(isRemoving: Bool)
        async throws
    {
        let world = try OutboxWorld()
        let outbox = try world.open(user: "ada")
        for number in 1...3 { try outbox.add(OutboxWorld.request(), key: "a", as: "of ada \(number)") }
        try await outbox.drained()
        var responses = outbox.responses.makeAsyncIterator()
        #expect(await responses.next()?.name == "of ada 1")
        try await outbox.signOut(removingEntries: isRemoving)
        try await outbox.signIn(as: "tea")
        try outbox.add(OutboxWorld.request(), as: "of tea")
        #expect(await responses.next()?.name == "of tea")
        try await outbox.signOut()
        try await outbox.signIn(as: "ada")
        try outbox.add(OutboxWorld.request(), as: "of ada 4")
        #expect(await responses.next()?.name == (isRemoving ? "of ada 4" : "of ada 2"))
        await outbox.close()
    }

    @Test(arguments: [false, true])
    func `6: a user signs out while an entry is in flight`(isRemoving: Bool) async throws {
        let gate = Gate()
        let user = Watched<String?>("ada")
        let world = try OutboxWorld { _ in try await gate.wait() }
        let outbox = try world.open(over: Self.authorizing(world, user), user: "ada")
        try outbox.add(OutboxWorld.request(.post, "/orders", "of ada"), key: "a", as: "save")
        try await gate.waitForWaiters(1)
        try await outbox.signOut(removingEntries: isRemoving)
        user.update { $0 = "tea" }
        try await outbox.signIn(as: "tea")
        gate.open()
        try outbox.add(OutboxWorld.request(.post, "/orders", "of tea"), key: "a", as: "save")
        try await outbox.drained()
        user.update { $0 = "ada" }
        try await outbox.signOut()
        try await outbox.signIn(as: "ada")
        try await outbox.drained()
        let ofAda = world.service.effects.filter { $0.body == Data("of ada".utf8) }
        // The server may have been cancelled before it had stored its response; the key is the same then.
        #expect(Set(ofAda.map(\.idempotencyKey)) == ["key-1"] && ofAda.allSatisfy { $0.authorization == "Bearer ada" })
        #expect(ofAda.count <= (isRemoving ? 1 : 2))
        await outbox.close()
    }

    @Test(arguments: [false, true])
    func `6: a request that is added during a sign-out is kept or removed as the other entries of the user`(
        isRemoving: Bool
    ) async throws {
        let world = try OutboxWorld()
        let outbox = try world.open(user: "ada") { $0.startsPaused = true }
        let body = HTTPBody.generated {
            let isBack = DispatchSemaphore(value: 0)
            _ = Task {
                defer { isBack.signal() }
                try await outbox.signOut(removingEntries: isRemoving)
                try await outbox.signIn(as: "ada")
            }
            #expect(isBack.waitUnlessHung())
            return try #require(try HTTPBody.text("of ada").makeReader())
        }
        let request = try HTTPRequest(.post, "http://shop.example/orders", body: body)
        // Blocks its thread.
        let added: Result<OutboxTicket, any Error> = await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: Result { try outbox.add(request, as: "save") }) }
        }
        #expect(outbox.user == "ada")
        #expect(try outbox.entries().count == (isRemoving ? 0 : 1))
        if isRemoving {
            #expect(#expect(throws: OutboxError.self) { try added.get() }?.code == .noSuchEntry)
        } else {
            #expect(try added.get().outcome == .added)
        }
        await outbox.close()
    }

    @Test func `entries of a user that signs in while their removal waits for the store stay`() async throws {
        let (world, executor) = (try OutboxWorld(), ObservedExecutor())
        let outbox = try world.open { $0.startsPaused = true }
        let (hasBegun, mayEnd, store) = (Gate(), DispatchSemaphore(value: 0), world.store)
        let adding = Task {
            try await store.transaction {
                hasBegun.open()
                #expect(mayEnd.waitUnlessHung())
                try outbox.add(OutboxWorld.request(), as: "of the new session")
            }
        }
        try await hasBegun.wait()
        let removal = Task(executorPreference: executor) { try await outbox.removeEntries(of: "ada") }
        try await executor.waitUntilIdle()
        try await outbox.signIn(as: "ada")
        mayEnd.signal()
        try await adding.value
        let error = await #expect(throws: OutboxError.self) { try await removal.value }
        #expect(error?.code == .inFlight)
        #expect(try outbox.entries().map(\.name) == ["of the new session"])
        await outbox.close()
    }

    @Test func `6: a user signs in once nothing of one is in flight whose sign-out waits for that`() async throws {
        let (world, mayEnd, executor) = (try OutboxWorld(), Gate(), ObservedExecutor())
        let transport = FakeTransport { request in
            // A request that does not end when it is cancelled.
            try await Task { try await mayEnd.wait() }.value
            return request.response()
        }
        let outbox = try world.open(over: transport, user: "ada")
        try outbox.add(OutboxWorld.request(), as: "save")
        try await mayEnd.waitForWaiters(1)
        let leaving = Task(executorPreference: executor) { try await outbox.signOut() }
        try await executor.waitUntilIdle()
        #expect(outbox.user == nil)
        let arriving = Task(executorPreference: executor) { try await outbox.signIn(as: "tea") }
        try await executor.waitUntilIdle()
        #expect(outbox.user == nil)
        mayEnd.open()
        try await leaving.value
        try await arriving.value
        #expect(outbox.user == "tea")
        await outbox.close()
    }

    @Test func `6: a second sign-out waits too, and a later one removes the entries of the user who has left`()
        async throws
    {
        let (world, mayEnd, executor) = (try OutboxWorld(), Gate(), ObservedExecutor())
        let transport = FakeTransport { request in
            // A request that does not end when it is cancelled.
            try await Task { try await mayEnd.wait() }.value
            return request.response()
        }
        let outbox = try world.open(over: transport, user: "ada")
        try outbox.add(OutboxWorld.request(), as: "save")
        try await mayEnd.waitForWaiters(1)
        outbox.pause()
        try outbox.add(OutboxWorld.request(), as: "waiting")
        let signOuts = Watched(0)
        let leaving = (1...2).map { _ in
            Task(executorPreference: executor) {
                try await outbox.signOut()
                signOuts.update { $0 += 1 }
            }
        }
        try await executor.waitUntilIdle()
        #expect(outbox.user == nil && signOuts.value == 0)
        mayEnd.open()
        for task in leaving { try await task.value }
        try await outbox.signOut(removingEntries: true)
        try await outbox.signIn(as: "ada")
        #expect(try outbox.entries().isEmpty)
        await outbox.close()
    }

    @Test(arguments: [false, true], [nil, "tea"] as [String?])
    func `6: users change within the calls of entries, which end as their layer ends them`(
        isCancelled: Bool, next: String?
    ) async throws {
        let (world, caller, calls) = (try OutboxWorld(), Watched<Outbox?>(nil), Watched(0))
        let transport = ClosureTransport { request in
            calls.update { $0 += 1 }
            _ = try? await calls.wait { $0 >= 2 }
            if let next { try await caller.value?.signIn(as: next) } else { try await caller.value?.signOut() }
            calls.update { $0 += 1 }
            if isCancelled { try Task.checkCancellation() }
            return request.response(.unauthorized)
        }
        let outbox = try world.open(over: transport, user: "ada") { $0.startsPaused = true }
        caller.update { $0 = outbox }
        for name in ["one", "two"] { try outbox.add(OutboxWorld.request(), as: name) }
        outbox.resume()
        try await calls.wait { $0 == 4 }
        #expect(outbox.user == next)
        await outbox.close()
        caller.update { $0 = nil }
        let later = try world.open(user: "ada") { $0.startsPaused = true }
        #expect(try later.failures.map { $0.failure?.status } == (isCancelled ? [] : [.unauthorized, .unauthorized]))
        #expect(try later.entries().map(\.isOutcomeUnknown) == (isCancelled ? [true, true] : []))
        await later.close()
    }

    @Test func `6: a sign-out by a task that an earlier attempt has left waits for the attempt of now`() async throws {
        let (world, mayLeave, mayEnd, executor) = (try OutboxWorld(), Gate(), Gate(), ObservedExecutor())
        let (caller, hasLeft) = (Watched<Outbox?>(nil), Watched(false))
        let leaving = Watched<Task<Void, any Error>?>(nil)
        let transport = ClosureTransport { request in
            guard leaving.value == nil else {
                // A request that does not end when it is cancelled.
                try await Task { try await mayEnd.wait() }.value
                return request.response()
            }
            let task = Task(executorPreference: executor) {
                try await mayLeave.wait()
                try await caller.value?.signOut()
                hasLeft.update { $0 = true }
            }
            leaving.update { $0 = task }
            return request.response(.serviceUnavailable)
        }
        let outbox = try world.open(over: transport, user: "ada") { $0.startsPaused = true }
        caller.update { $0 = outbox }
        try outbox.add(OutboxWorld.request(), as: "save")
        outbox.resume()
        try await mayEnd.waitForWaiters(1)
        mayLeave.open()
        try await executor.waitUntilIdle()
        #expect(outbox.user == nil && !hasLeft.value)
        mayEnd.open()
        try await leaving.value?.value
        #expect(hasLeft.value)
        await outbox.close()
        caller.update { $0 = nil }
    }

    @Test(arguments: [false, true])
    func `an outbox is closed within the call of an entry, whose response counts`(isInTask: Bool) async throws {
        let (world, caller, isClosed) = (try OutboxWorld(), Watched<Outbox?>(nil), Watched(false))
        let transport = ClosureTransport { request in
            let outbox = caller.value
            if isInTask { await Task { await outbox?.close() }.value } else { await outbox?.close() }
            isClosed.update { $0 = true }
            return request.response(.created)
        }
        let outbox = try world.open(over: transport) { $0.startsPaused = true }
        caller.update { $0 = outbox }
        let id = try outbox.add(OutboxWorld.request(), as: "save").id
        outbox.resume()
        try await isClosed.wait { $0 }
        await outbox.close()
        caller.update { $0 = nil }
        #expect(try outbox.entry(id) == nil)
    }

    @Test func `another user's entry can neither be seen nor changed`() async throws {
        let world = try OutboxWorld()
        world.service.inject(.status(.forbidden), for: .post)
        let outbox = try world.open(user: "ada")
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save").id
        try await outbox.status { $0.failed == 1 }
        try await outbox.signOut()
        try await outbox.signIn(as: "tea")
        #expect(try outbox.failures.isEmpty)
        #expect(#expect(throws: OutboxError.self) { try outbox.retry(id) }?.code == .noSuchEntry)
        #expect(#expect(throws: OutboxError.self) { try outbox.discard(id) }?.code == .noSuchEntry)
        await #expect(throws: OutboxError.self) { try await outbox.removeEntries(of: "tea") }
        try await outbox.removeEntries(of: "ada")
        #expect(try outbox.entry(id) == nil)
        await outbox.close()
    }

    /// A transport whose layers have signed out a user, as an app's own sign-out does before it tells the outbox.
    private static func signingOut(_ world: OutboxWorld, _ isSignedOut: Watched<Bool>) -> some Transport {
        let base = world.transport
        return FakeTransport { request in
            if isSignedOut.value, String(decoding: try await request.body.collect(), as: UTF8.self) == "of ada" {
                throw AuthenticationError(.signedOut, "m", request: request)
            }
            return try await base.send(request)
        }
    }

    @Test func `6: an entry that meets a sign-out of the layers waits for its user, and has lost no attempt`()
        async throws
    {
        let (clock, isSignedOut) = (ManualClock(), Watched(true))
        let verdicts = Watched(0)
        let world = try OutboxWorld()
        let outbox = try world.open(over: Self.signingOut(world, isSignedOut), user: "ada", on: clock) {
            $0.backoff = .constant(.seconds(60))
            $0.verdict = { attempt in
                if case .failure = attempt.result { verdicts.update { $0 += 1 } }
                return .standard(for: attempt)
            }
        }
        let id = try outbox.add(OutboxWorld.request(.post, "/orders", "of ada"), key: "a", as: "save").id
        _ = try await clock.wait { $0.first?.offset == .seconds(60) }
        let status = try await outbox.currentStatus()
        #expect(status.waiting == 1 && status.failed == 0 && status.sending == 0)
        let entry = try #require(try outbox.entry(id))
        #expect(
            entry.attempts == 0 && !entry.isOutcomeUnknown && entry.failure == nil && verdicts.value == 0)
        try await outbox.signOut()
        // The origin is not held: the entries of the next user are sent at once.
        try await outbox.signIn(as: "tea")
        try outbox.add(OutboxWorld.request(.post, "/orders", "of tea"), key: "a", as: "save")
        try await world.service.effects(count: 1)
        isSignedOut.update { $0 = false }
        try await outbox.signIn(as: "ada")
        try await outbox.drained()
        #expect(world.bodies == ["of tea", "of ada"])
        await outbox.close()
    }

    @Test func `6: an entry of no user that meets a sign-out of the layers is sent after a backoff`() async throws {
        let (clock, isSignedOut) = (ManualClock(), Watched(true))
        let world = try OutboxWorld()
        let outbox = try world.open(over: Self.signingOut(world, isSignedOut), on: clock) {
            $0.backoff = .constant(.seconds(60))
        }
        try outbox.add(OutboxWorld.request(.post, "/orders", "of ada"), key: "a", as: "save")
        _ = try await clock.wait { $0.first?.offset == .seconds(60) }
        isSignedOut.update { $0 = false }
        await clock.advance(by: .seconds(60))
        try await outbox.drained()
        #expect(world.bodies == ["of ada"])
        await outbox.close()
    }
}

/// A transport that returns a response in a cancelled task too.
private struct ClosureTransport: Transport {
    let respond: @Sendable (HTTPRequest) async throws -> HTTPResponse

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await respond(request)
    }
}
