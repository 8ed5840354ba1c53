import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@testable import Outbox

@Suite(.needsSlot) struct OutboxBadInputTests {
    private static func refusal(_ outbox: Outbox, _ request: HTTPRequest, key: String = "a", name: String = "n")
        -> OutboxError.Code?
    {
        #expect(throws: OutboxError.self) { try outbox.add(request, key: key, as: name) }?.code
    }

    @Test(arguments: [
        ("Authorization", "Bearer s3cret"), ("Cookie", "a=b"), ("Proxy-Authorization", "x"), ("X-Api-Key", "x"),
        ("X-CSRF-Token", "x"),
    ])
    func `6: a request with a secret field is refused`(name: String, value: String) async throws {
        let world = try OutboxWorld()
        let outbox = try world.open()
        var request = try OutboxWorld.request()
        try request.fields.set(name, to: value)
        let error = #expect(throws: OutboxError.self) { try outbox.add(request, key: "a", as: "save") }
        #expect(
            error?.code == .secret && error?.message.contains(name) == true
                && error?.message.contains("s3cret") == false)
        #expect(try outbox.entries().isEmpty)
        await outbox.close()
    }

    @Test func `6: a request with a secret query value is refused, unless that name means no secret`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open()
        let request = try OutboxWorld.request(.post, "/orders?code=DE")
        #expect(Self.refusal(outbox, request) == .secret)
        await outbox.close()
        let other = try world.open { $0.redaction.words.remove("code") }
        try other.add(request, key: "a", as: "save")
        try await world.service.effects(count: 1)
        await other.close()
    }

    @Test(arguments: [
        ("/TrainingSessions(17)", false), ("/ReasonCodes%285%29", false), ("/GetByKey(id=5)?ZIPCode=1&key1=2", false),
        ("/Sessions('5f2c')", true), ("/Sessions(guid'5f2c')?a=1", true), ("/Connections(7)", true),
        ("/Sessions%28%275f2c%27%29", true), ("/Sessions%28%275f2c%27%29?a=1", true), ("/a%20b", false),
    ])
    func `6: a request with a secret key of an entity is refused, and not one with a number`(
        path: String, isSecret: Bool
    ) async throws {
        let world = try OutboxWorld()
        let outbox = try world.open { $0.startsPaused = true }
        let request = try OutboxWorld.request(.patch, path)
        if isSecret {
            #expect(Self.refusal(outbox, request) == .secret)
        } else {
            try outbox.add(request, key: "a", as: "save")
        }
        #expect(try outbox.entries().count == (isSecret ? 0 : 1))
        await outbox.close()
    }

    @Test func `6: a request whose body has credentials is refused, also as a change of an entry`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open { $0.startsPaused = true }
        var request = try OutboxWorld.request(.post, "/login", "pw=s3cret")
        request.options.hasSecretBody = true
        #expect(Self.refusal(outbox, request) == .secret)
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save").id
        let error = #expect(throws: OutboxError.self) { try outbox.edit(id) { $0.options.hasSecretBody = true } }
        #expect(error?.code == .secret)
        #expect(try outbox.entries().map(\.id) == [id])
        await outbox.close()
    }

    private static let restrictions: [(name: String, set: @Sendable (inout RequestOptions) -> Void)] = [
        ("redirectPolicy", { $0.redirectPolicy = .none }), ("skipsAuthorization", { $0.skipsAuthorization = true }),
        ("usesCookies", { $0.usesCookies = false }), ("unixSocketPath", { $0.unixSocketPath = "/tmp/a" }),
        ("nameOverrides", { $0.nameOverrides = ["shop.example": "127.0.0.1"] }),
        ("trailers", { $0.trailers = RequestTrailers() }),
    ]

    @Test(arguments: restrictions.indices)
    func `a request with an option that it must not be sent without is refused`(index: Int) async throws {
        let (name, set) = Self.restrictions[index]
        let world = try OutboxWorld()
        let outbox = try world.open { $0.startsPaused = true }
        var request = try OutboxWorld.request()
        set(&request.options)
        let error = #expect(throws: TransportError.self) { try outbox.add(request, key: "a", as: "save") }
        #expect(error?.code == .unsupported && error?.message.contains("`\(name)`") == true)
        #expect(try outbox.entries().isEmpty)
        await outbox.close()
    }

    @Test func `a stream, a long body, long names and no lifetime are refused`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.open { $0.maximumBodyBytes = 10 }
        let chunks = AsyncStream<Data> { $0.finish() }
        #expect(Self.refusal(outbox, try HTTPRequest(.post, "http://h", body: .stream(chunks))) == .streamBody)
        #expect(Self.refusal(outbox, try OutboxWorld.request(.post, "/orders", "12345678901")) == .bodyTooLarge)
        let small = try OutboxWorld.request()
        let megabyte = String(repeating: "k", count: 1 << 20)
        #expect(Self.refusal(outbox, small, key: megabyte) == .nameTooLong)
        #expect(Self.refusal(outbox, small, name: megabyte) == .nameTooLong)
        let error = #expect(throws: OutboxError.self) { try outbox.add(small, as: "n", expiresAfter: .zero) }
        #expect(error?.code == .expired)
        await #expect(throws: OutboxError.self) { try await outbox.signIn(as: megabyte) }
        #expect(try outbox.entries().isEmpty)
        try outbox.add(small, key: String(repeating: "k", count: 1024), as: "n")
        try await world.service.effects(count: 1)
        await outbox.close()
    }

    @Test(arguments: StoreSubject.all) func `an expired entry is not sent, and fails`(subject: StoreSubject)
        async throws
    {
        let world = try OutboxWorld(subject)
        let outbox = try world.open { $0.startsPaused = true }
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save", expiresAfter: .seconds(60)).id
        try outbox.add(OutboxWorld.request(), key: "b", as: "save", expiresAfter: .seconds(61))
        world.advanceWallClock(by: 60)
        outbox.resume()
        try await outbox.status { $0.failed == 1 && $0.waiting == 0 && $0.sending == 0 }
        #expect(world.service.effects.map(\.idempotencyKey) == ["key-2"])
        #expect(try outbox.entry(id)?.failure?.reason == .expired)
        try outbox.retry(id)
        try await outbox.status { $0.failed == 0 && $0.waiting == 0 && $0.sending == 0 }
        #expect(world.service.effects.count == 2)
        await outbox.close()
    }

    @Test(arguments: [
        "fields = '{'", "fields = '[\"A\"]'", "url = 'nonsense'", "method = 'G T'", "fields = '[\"A\",\"\u{1}\"]'",
    ])
    func `a damaged row fails, is visible and can be discarded`(damage: String) async throws {
        let world = try OutboxWorld()
        let outbox = try world.open { $0.startsPaused = true }
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save").id
        try outbox.add(OutboxWorld.request(.post, "/orders", "next"), key: "a", as: "save")
        try world.store.execute("UPDATE patchbay_outbox SET \(damage) WHERE number = 1", [])
        outbox.resume()
        try await outbox.status { $0.failed == 1 && $0.sending == 0 }
        let entry = try #require(try outbox.failures.first)
        #expect(entry.id == id && entry.failure?.reason == .damaged && !"\(entry)".isEmpty)
        #expect(#expect(throws: OutboxError.self) { try outbox.retry(id) }?.code == .damaged)
        #expect(#expect(throws: OutboxError.self) { try outbox.edit(id) { _ in } }?.code == .damaged)
        try outbox.discard(id)
        try await outbox.drained()
        #expect(world.bodies == ["next"])
        await outbox.close()
    }

    @Test(arguments: [(409, "409"), (422, "422")])
    func `a server that refuses the key fails the entry`(status: Int, text: String) async throws {
        let world = try OutboxWorld()
        world.service.inject(.status(try #require(HTTPStatus(status))), for: .post)
        let outbox = try world.open()
        try outbox.add(OutboxWorld.request(), key: "a", as: "save")
        try await outbox.status { $0.failed == 1 }
        #expect(try outbox.failures.first?.failure?.status?.code == status)
        await outbox.close()
    }

    @Test func `a store of a newer version is refused`() async throws {
        let world = try OutboxWorld()
        await (try world.open()).close()
        try world.store.execute("UPDATE patchbay_outbox_state SET beat = 99 WHERE name = 'format'", [])
        #expect(#expect(throws: OutboxError.self) { try world.open() }?.code == .newerFormat)
    }

    @Test(.needsSmallDisk) func `a full disk refuses an entry, and delays the removal of a sent one`() async throws {
        let disk = try SmallDisk(megabytes: 2)
        let store = try SQLiteStore(.file(disk.folder.path("full.sqlite")))
        let gate = Gate()
        let world = try OutboxWorld { _ in try await gate.wait() }
        let clock = ManualClock()
        let outbox = try world.open(on: clock, store: store)
        try outbox.add(OutboxWorld.request(), key: "a", as: "save")
        try await gate.waitForWaiters(1)
        let filler = disk.folder.path("filler")
        _ = FileManager.default.createFile(atPath: filler, contents: nil)
        let handle = try #require(FileHandle(forWritingAtPath: filler))
        while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
        let error = #expect(throws: StoreError.self) {
            try outbox.add(OutboxWorld.request(.post, "/orders", String(repeating: "x", count: 1 << 19)), as: "save")
        }
        #expect(error?.code == .full || error?.code == .io)
        gate.open()
        try handle.close()
        try FileManager.default.removeItem(atPath: filler)
        // If the first commit has failed, the next one follows.
        try await clock.autoAdvancing { try await outbox.drained() }
        #expect(world.service.effects.map(\.idempotencyKey) == ["key-1"])
        await outbox.close()
        try store.close()
    }
}
