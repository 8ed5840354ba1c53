import Authentication
import Foundation
import HTTPMessages
import HyperHive
import Outbox
import PatchbayTestKit
import SDMConnectivity
import StoreTestSupport
import TestSupport
import Testing
import Transport

/// Writes of facades that go through an outbox.
@Suite(.needsSlot) struct OutboxFacadeTests {
    /// A transport that counts the attempts that have ended.
    private func counting(_ ended: Watched<Int>, over base: some Transport) -> FakeTransport {
        FakeTransport { request in
            defer { ended.update { $0 += 1 } }
            return try await base.send(request)
        }
    }

    @Test func `a write of HyperHive waits for the sign-in, and has the token of that moment`() async throws {
        let requests = Watched<[HTTPRequest]>([])
        let accepted = Watched("T1")
        let transport = FakeTransport { request in
            if request.url.path().contains("/auth") {
                return request.response(json: ["token": .string(accepted.value)])
            }
            requests.update { $0.append(request) }
            let isAccepted = request.fields[.authorization] == "Bearer \(accepted.value)"
            return request.response(isAccepted ? .ok : .unauthorized, json: ["ok": .bool(isAccepted)])
        }
        let hive = HyperHive(
            HyperHiveConfiguration(host: "https://fmp.example", environment: "e", project: "p", device: "d"),
            transport: transport)
        let world = try OutboxWorld(.memory)
        let ended = Watched(0)
        let outbox = try world.open(over: counting(ended, over: hive.signingTransport(for: "north")), user: "north")
        let request = try hive.unsignedRequest("ORDER", body: Data(#"{"id":1}"#.utf8))
        #expect(request.fields[.authorization] == nil)
        try outbox.add(request, key: 1, as: "order")
        _ = try await ended.wait { $0 > 0 }
        #expect(requests.value.isEmpty)
        try await hive.signIn("north", password: "p")
        try await outbox.drained()
        let sent = try #require(requests.value.last)
        #expect(sent.fields[.authorization] == "Bearer T1" && sent.fields["X-Transaction-ID"] != nil)
        #expect(try await sent.body.collect() == Data(#"{"id":1}"#.utf8))
        // A token that has expired meanwhile.
        accepted.update { $0 = "T2" }
        try outbox.add(hive.unsignedRequest("ORDER", body: Data("{}".utf8)), key: 1, as: "order")
        _ = try await requests.wait { $0.count == 2 }
        try await hive.signIn("north", password: "p")
        try await outbox.drained()
        #expect(requests.value.map { $0.fields[.authorization] } == ["Bearer T1", "Bearer T1", "Bearer T2"])
        #expect(Set(requests.value.dropFirst().map { $0.fields["X-Transaction-ID"] }).count == 1)
        #expect(try outbox.failures.isEmpty)
        // The token does not go elsewhere.
        let elsewhere = await #expect(throws: (any Error).self) {
            try await hive.signingTransport(for: "north").send(HTTPRequest(.get, "https://other.example/"))
        }
        #expect(elsewhere != nil && requests.value.count == 3)
        // Another user's token is not that of the entry.
        try await hive.signIn("south", password: "p")
        let before = ended.value
        try outbox.add(hive.unsignedRequest("ORDER", body: Data("{}".utf8)), key: 1, as: "order")
        outbox.sendNow()
        _ = try await ended.wait { $0 > before }
        let other = await #expect(throws: AuthenticationError.self) {
            try await hive.signingTransport(for: "north").send(request)
        }
        #expect(other?.code == .noCredential && requests.value.count == 3)
        await outbox.close()
    }

    @Test func `a 401 of a write of HyperHive does not end a newer sign-in`() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(
            [.json(["token": "T1"]), .after(gate, .status(.unauthorized)), .json(["token": "T2"])])
        let hive = HyperHive(
            HyperHiveConfiguration(host: "https://fmp.example", environment: "e", project: "p", device: "d"),
            transport: transport)
        try await hive.signIn("north", password: "p")
        let request = try hive.unsignedRequest("ORDER", body: Data("{}".utf8))
        let write = Task { try await hive.signingTransport(for: "north").send(request) }
        try await gate.waitForWaiters(1)
        try await hive.signIn("north", password: "p")
        gate.open()
        let error = await #expect(throws: AuthenticationError.self) { try await write.value }
        #expect(error?.code == .signInRequired && hive.isSignedIn)
    }

    @Test func `a write of HyperHive has the limits that its caller has set, and else those of the client`()
        async throws
    {
        let transport = ScriptedTransport([.json(["token": "T"])], then: .json(["ok": "yes"]))
        let hive = HyperHive(
            HyperHiveConfiguration(host: "https://fmp.example", environment: "e", project: "p", device: "d"),
            transport: transport,
            options: HyperHiveOptions(
                timeouts: Timeouts(response: .seconds(7), total: .seconds(30)), maximumResponseBytes: 100 << 20))
        try await hive.signIn("north", password: "p")
        var request = try hive.unsignedRequest("ORDER", body: Data("{}".utf8))
        request.options.timeouts.total = .seconds(3)
        _ = try await hive.signingTransport(for: "north").send(request)
        let options = try #require(transport.requests.last).options
        #expect(options.timeouts.response == .seconds(7) && options.timeouts.wholeTotal == .seconds(3))
        #expect(options.maximumResponseBytes == 100 << 20)
        request.options.maximumResponseBytes = 1 << 20
        _ = try await hive.signingTransport(for: "north").send(request)
        #expect(transport.requests.last?.options.maximumResponseBytes == 1 << 20)
    }

    @Test(arguments: ["path of the host", "environment", "project", "application"])
    func `a write of HyperHive is not sent to another path, environment, project or application`(
        part: String
    ) async throws {
        let requests = Watched<[HTTPRequest]>([])
        let transport = FakeTransport { request in
            if !request.url.path().contains("/auth") { requests.update { $0.append(request) } }
            return request.response(json: ["token": "T"])
        }
        let first = HyperHiveConfiguration(
            host: "https://fmp.example/a/", environment: "wörk/1", project: "shop", device: "d")
        var second = first
        switch part {
        case "path of the host": second.host = "https://fmp.example/b"
        case "environment": second.environment = "test"
        case "project": second.project = "other"
        default: second.application = "app"
        }
        let hive = HyperHive(first, transport: transport)
        let world = try OutboxWorld(.memory)
        let ended = Watched(0)
        let outbox = try world.open(over: counting(ended, over: hive.signingTransport(for: "north")), user: "north")
        let request = try hive.unsignedRequest("ORDER", body: Data("{}".utf8))
        try outbox.add(request, key: 1, as: "order")
        hive.configure(second)
        try await hive.signIn("north", password: "p")
        // The first of these may have begun before.
        let before = ended.value
        for number in 1...2 {
            outbox.sendNow()
            _ = try await ended.wait { $0 >= before + number }
        }
        let error = await #expect(throws: AuthenticationError.self) {
            try await hive.signingTransport(for: "north").send(request)
        }
        #expect(error?.code == .noCredential && requests.value.isEmpty)
        hive.configure(first)
        try await hive.signIn("north", password: "p")
        outbox.sendNow()
        try await outbox.drained()
        // Where it belongs is not sent.
        let sent = try #require(requests.value.first)
        #expect(requests.value.count == 1 && sent.fields[.authorization] == "Bearer T")
        #expect(!sent.fields.contains { $0.name.canonicalName.contains("hyperhive") })
        await outbox.close()
    }

    @Test func `a change of SAP's OData gets its CSRF token when it is sent`() async throws {
        let requests = Watched<[HTTPRequest]>([])
        let isReachable = Watched(false)
        let refused = Watched(0)
        let session = SDMSession(
            transport: FakeTransport { request in
                guard isReachable.value else {
                    refused.update { $0 += 1 }
                    throw TransportError(.unreachable, "m", request: request)
                }
                requests.update { $0.append(request) }
                var response = request.response(request.method == .get ? .ok : .noContent, text: "")
                if request.method == .get { try response.head.fields.set("X-CSRF-Token", to: "T") }
                return response
            })
        session.isXCSRFEnabled = true
        let world = try OutboxWorld(.memory)
        let outbox = try world.open(over: session.requestTransport())
        let fields = try HTTPFields(["Content-Type": "application/json", "If-Match": "W/\"1\""])
        let change = try HTTPRequest(
            .put, "https://sap.example/sap/opu/odata/x/FLIGHTS/Flights('1')", fields: fields, body: .text("{}"))
        try outbox.add(change, key: "1", as: "seats")
        _ = try await refused.wait { $0 > 0 }
        isReachable.update { $0 = true }
        outbox.sendNow()
        try await outbox.drained()
        let sent = try #require(requests.value.last)
        #expect(requests.value.map(\.method.name) == ["GET", "PUT"])
        #expect(sent.fields["X-CSRF-Token"] == "T" && sent.fields[.ifMatch] == "W/\"1\"")
        #expect(sent.fields[.idempotencyKey] != nil)
        #expect(try await sent.body.collect() == Data("{}".utf8))
        #expect(try outbox.failures.isEmpty)
        await outbox.close()
    }

    @Test(arguments: [64 << 20, 16])
    func `the response to the fetch of a CSRF token is not that of the change, also if it is too long`(
        limit: Int
    ) async throws {
        let methods = Watched<[HTTPMethod]>([])
        let session = SDMSession(
            transport: FakeTransport { request in
                methods.update { $0.append(request.method) }
                guard request.method == .get else { return request.response(.noContent, text: "") }
                var response = request.response(text: String(repeating: "x", count: 17))
                try response.head.fields.set("X-CSRF-Token", to: "T")
                return response
            }, configuration: SDMSession.Configuration(maximumResponseBytes: limit))
        session.isXCSRFEnabled = true
        let world = try OutboxWorld(.memory)
        let outbox = try world.open(over: session.requestTransport()) { $0.maximumResponseBytes = 16 }
        let change = try HTTPRequest(.put, "https://sap.example/x/Flights('1')", body: .text("{}"))
        try outbox.add(change, key: "1", as: "seats")
        try await outbox.drained()
        // The limit of the fetch is that of the session.
        let isFetched = limit > 17
        #expect(methods.value == (isFetched ? [.get, .put] : [.get]))
        #expect(try outbox.failures.count == (isFetched ? 0 : 1))
        await outbox.close()
    }

    @Test(arguments: [1 << 20, 8])
    func `a change that a redirect to a login has made a GET is not done`(limit: Int) async throws {
        let methods = Watched<[HTTPMethod]>([])
        let session = SDMSession(
            transport: FakeTransport { request in
                methods.update { $0.append(request.method) }
                guard request.method == .put else { return request.response(text: "Please sign in.") }
                return request.response(.found, fields: try HTTPFields(["Location": "/login"]))
            })
        let world = try OutboxWorld(.memory)
        let outbox = try world.open(over: session.requestTransport()) { $0.maximumResponseBytes = limit }
        let change = try HTTPRequest(.put, "https://sap.example/x/Flights('1')", body: .text("{}"))
        try outbox.add(change, key: "1", as: "seats")
        try await outbox.drained()
        #expect(methods.value == [.put, .get])
        #expect(try outbox.failures.map { $0.failure?.status } == [.found])
        await outbox.close()
    }

    @Test func `a cleared session sends nothing for its former user`() async throws {
        let requests = Watched(0)
        let session = SDMSession(
            transport: FakeTransport { request in
                requests.update { $0 += 1 }
                return request.response(text: "")
            })
        let transport = session.requestTransport()
        let request = try HTTPRequest(.put, "https://sap.example/x", body: .text("{}"))
        _ = try await transport.send(request)
        session.isXCSRFEnabled = false
        _ = try await transport.send(request)
        session.clear()
        let error = await #expect(throws: AuthenticationError.self) { try await transport.send(request) }
        #expect(error?.code == .signInRequired && requests.value == 2)
        _ = try await session.requestTransport().send(request)
        #expect(requests.value == 3)
    }
}
