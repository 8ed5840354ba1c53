import Foundation
import HTTPMessages
import Outbox
import PatchbayTestKit
import Queueing
import StoreCore
import StoreTestSupport
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct OutboxResponseTests {
    private struct Saved: Decodable { var id: Int }

    @Test(arguments: StoreSubject.all)
    func `9: a response comes back until it is acknowledged, also after a relaunch`(subject: StoreSubject) async throws
    {
        let world = try OutboxWorld(subject)
        let first = try world.open()
        try first.add(OutboxWorld.request(), key: "a", as: "save order")
        var responses = first.responses.makeAsyncIterator()
        let response = try #require(await responses.next())
        #expect(response.name == "save order" && response.key == "a" && !response.isTruncated)
        #expect(try response.decoded(as: Saved.self).id == 1 && response.response.status == .created)
        await first.close()

        let second = try world.open()
        var again = second.responses.makeAsyncIterator()
        let same = try #require(await again.next())
        #expect(same.id == response.id)
        // With the row that gets the server's ID, or neither.
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try world.transact {
                try second.acknowledge(same)
                throw Refused()
            }
        }
        try world.transact {
            try world.store.execute("INSERT INTO sale VALUES ('a', ?)", [.integer(1)])
            try second.acknowledge(same)
        }
        try second.add(OutboxWorld.request(), key: "b", as: "next")
        var rest = second.responses.makeAsyncIterator()
        while let next = await rest.next() {
            #expect(next.name == "next")
            break
        }
        #expect(await again.next()?.name == "next")
        await second.close()
    }

    @Test(arguments: [
        (301, 200, false), (302, 200, false), (302, 404, false), (303, 200, true), (303, 404, true), (303, 503, true),
        (307, 200, true),
    ])
    func `9: a write that a redirect has made a GET is done only after a 303`(
        status: Int, target: Int, isDone: Bool
    ) async throws {
        let world = try OutboxWorld()
        let (redirect, target) = (try #require(HTTPStatus(status)), try #require(HTTPStatus(target)))
        let methods = Watched<[HTTPMethod]>([])
        let transport = FakeTransport { request in
            methods.update { $0.append(request.method) }
            guard request.url.path == "/orders" else { return request.response(target, text: "Please sign in.") }
            return request.response(redirect, fields: try HTTPFields(["Location": "/login"]))
        }
        let outbox = try world.open(over: transport.redirecting())
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save order").id
        try await outbox.waitUntilSettled()
        #expect(try outbox.entry(id)?.failure?.status == (isDone ? nil : redirect))
        #expect(try await outbox.currentStatus().failed == (isDone ? 0 : 1))
        #expect(methods.value.count { $0 == .post } == (status == 307 ? 2 : 1))
        await outbox.close()
    }

    @Test func `9: a write that is redirected to a page about maintenance is sent again`() async throws {
        let world = try OutboxWorld()
        let methods = Watched<[HTTPMethod]>([])
        let transport = FakeTransport { request in
            methods.update { $0.append(request.method) }
            guard request.url.path == "/orders" else { return request.response(.serviceUnavailable) }
            guard methods.value.count == 1 else { return request.response(.created) }
            return request.response(.found, fields: try HTTPFields(["Location": "/down"]))
        }
        let outbox = try world.open(over: transport.redirecting())
        try outbox.add(OutboxWorld.request(), key: "a", as: "save order")
        try await outbox.waitUntilSettled()
        #expect(try outbox.failures.isEmpty && methods.value == [.post, .get, .post])
        await outbox.close()
    }

    @Test func `9: all responses come without a further change, also those of a user who signs in later`() async throws
    {
        let world = try OutboxWorld()
        let first = try world.open(user: "ann")
        try first.add(OutboxWorld.request(), key: "ann", as: "early")
        try await first.drained()
        await first.close()
        let second = try world.open()
        try world.transact {
            for number in 0..<250 { try second.add(OutboxWorld.request(), key: number, as: "many") }
        }
        try await second.drained()
        await second.close()

        let third = try world.open()
        var responses = third.responses.makeAsyncIterator()
        for _ in 0..<250 { #expect(await responses.next()?.name == "many") }
        try await third.signIn(as: "ann")
        #expect(await responses.next()?.name == "early")
        await third.close()
    }

    @Test func `9: secret fields and too long bodies of responses are not kept`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open(
            over: FakeTransport { request in
                request.response(
                    .created,
                    fields: try HTTPFields(["Set-Cookie": "s=s3cret", "X-Auth-Token": "s3cret", "ETag": "\"1\""]),
                    body: Data(repeating: 65, count: request.url.path() == "/long" ? 5000 : 10))
            }
        ) { $0.maximumResponseBytes = 100 }
        try outbox.add(OutboxWorld.request(), key: "a", as: "short")
        try outbox.add(OutboxWorld.request(.post, "/long"), key: "a", as: "long")
        var responses = outbox.responses.makeAsyncIterator()
        let short = try #require(await responses.next())
        #expect(short.response.fields.map(\.name) == [.etag] && short.response.body.count == 10)
        let long = try #require(await responses.next())
        #expect(long.isTruncated && long.response.status == .created && long.response.body.count <= 1024)
        try await outbox.drained()
        #expect(try outbox.failures.isEmpty)
        await outbox.close()
    }

    @Test(arguments: [
        ("http://shop.example/orders", true), ("http://shop.example/orders?key=1", true),
        ("http://shop.example/token", false), ("http://login.example/orders", false),
    ])
    func `9: a too long response to another request, such as one for a token, is not that of the entry`(
        url: String, isOfEntry: Bool
    ) async throws {
        let world = try OutboxWorld()
        let outbox = try world.open(
            over: FakeTransport { _ in
                let head = HTTPResponseHead(status: .ok, url: try #require(URL(string: url)))
                throw TransportError.responseTooLarge(limit: 1, head: head)
            })
        try outbox.add(OutboxWorld.request(), as: "save order")
        try await outbox.waitUntilSettled()
        #expect(try outbox.failures.map(\.isOutcomeUnknown) == (isOfEntry ? [] : [true]))
        await outbox.close()
    }

    @Test(arguments: [
        ("/a", "/b", false, false), ("", "", false, false), ("", "", true, false), ("/a", "/b", false, true),
    ])
    func `9: a too long response of another host, to which the request was moved, is that of the entry`(
        path: String, otherPath: String, isRedirected: Bool, isByClosure: Bool
    ) async throws {
        let world = try OutboxWorld()
        let transport = FakeTransport { request in
            guard request.url.host() == "other.example" else {
                throw TransportError(.connectionRefused, "Connection refused.", request: request)
            }
            guard !isRedirected || request.url.path() == "/moved" else {
                return request.response(.temporaryRedirect, fields: try HTTPFields(["Location": "/moved"]))
            }
            return request.response(.created, body: Data(count: 5000))
        }
        let hosts = try HostList("http://shop.example\(path)", "http://other.example\(otherPath)")
        let base = transport.redirecting()
        let moving: any Transport =
            if isByClosure {
                base.modifyingRequests { try $0.setURL("http://other.example\(otherPath)/orders") }
            } else {
                base.balancing(over: hosts)
            }
        let outbox = try world.open(over: moving) { $0.maximumResponseBytes = 100 }
        let id = try outbox.add(OutboxWorld.request(.post, "\(path)/orders"), as: "save order").id
        try await outbox.waitUntilSettled()
        #expect(try outbox.entry(id) == nil)
        await outbox.close()
    }

    @Test func `9: a response whose lifetime is over is neither delivered nor kept, though nothing is sent`()
        async throws
    {
        let world = try OutboxWorld()
        let first = try world.open()
        try first.add(OutboxWorld.request(), key: "a", as: "old")
        try await first.drained()
        await first.close()
        world.advanceWallClock(by: 31 * 86_400)
        let paused = try world.open { $0.startsPaused = true }
        var responses = paused.responses.makeAsyncIterator()
        await paused.close()
        #expect(await responses.next() == nil)
        let second = try world.open()
        try await second.status { _ in
            (try? world.store.value(of: Int.self, "SELECT count(*) FROM patchbay_outbox_responses")) == 0
        }
        await second.close()
    }

    @Test func `responses are not kept for ever, and not at all if the app has no use for them`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open()
        try outbox.add(OutboxWorld.request(), key: "a", as: "old")
        try await outbox.drained()
        world.advanceWallClock(by: 31 * 86_400)
        try outbox.add(OutboxWorld.request(), key: "a", as: "new")
        try await outbox.drained()
        var responses = outbox.responses.makeAsyncIterator()
        #expect(await responses.next()?.name == "new")
        await outbox.close()
        let count = try world.store.value(of: Int.self, "SELECT count(*) FROM patchbay_outbox_responses")
        let other = try world.open { $0.keepsResponses = false }
        try other.add(OutboxWorld.request(), key: "a", as: "unused")
        try await other.drained()
        #expect(try world.store.value(of: Int.self, "SELECT count(*) FROM patchbay_outbox_responses") == count)
        await other.close()
    }
}
