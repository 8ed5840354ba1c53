import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@testable import MobileFirst

@Suite(.needsSlot) struct ServerChangeTests {
    @Test func `M24: setServerUrl registers again, and another authorization server gets code and token only`()
        async throws
    {
        let fixture = Fixture()
        let manager = fixture.client.authorizationManager
        _ = try await manager.obtainAccessToken(forScope: nil)
        fixture.client.setServerUrl(URL(string: Fixture.server))
        #expect(fixture.client.serverUrl()?.absoluteString == Fixture.server)
        _ = try await manager.obtainAccessToken(forScope: nil)
        #expect(fixture.service.counts.registrations == 2)
        manager.authorizationServerURL = URL(string: "https://az.example.test/mfp")
        manager.clear(try await manager.obtainAccessToken(forScope: nil))
        let before = fixture.transport.requests.count
        _ = try await manager.obtainAccessToken(forScope: nil)
        let later = fixture.transport.requests.dropFirst(before)
        #expect(
            later.map { "\($0.url.host() ?? "") \($0.url.lastPathComponent)" } == [
                "mfp.example.test preauthorize", "az.example.test authorization", "az.example.test token",
            ])
    }

    @Test func `M24: with another authorization server, all but code and token stay at the server`() async throws {
        let fixture = Fixture()
        let manager = fixture.client.authorizationManager
        manager.authorizationServerURL = URL(string: "https://az.example.test/mfp")
        manager.clear(try await manager.obtainAccessToken(forScope: nil))
        fixture.client.setDeviceID("d-2")
        _ = try await manager.obtainAccessToken(forScope: nil)
        let once = ExactlyOnce<String>()
        let done = record(once)
        fixture.client.getDeviceDisplayName { _, error in done(error) }
        #expect(try await text(once) == "done")
        try await manager.logout("PinCode")
        let (registration, preauth) = ("mfp.example.test registration/v1/self", "mfp.example.test preauth/v1")
        let tokens = [
            "POST \(preauth)/preauthorize", "GET az.example.test az/v1/authorization",
            "POST az.example.test az/v1/token",
        ]
        let sent = zip(fixture.transport.requests, fixture.paths).map { request, path in
            let endpoint = path.split(separator: "/").prefix(3).joined(separator: "/")
            return "\(request.method) \(request.url.host() ?? "") \(endpoint)"
        }
        #expect(
            sent == ["POST \(registration)"] + tokens + ["PUT \(registration)"] + tokens
                + ["GET \(registration)", "POST \(preauth)/logout"])
    }

    @Test func `M24, M27: a server that is set during an authorization gets no request of it`() async throws {
        let services = [
            "mfp.example.test": MobileFirstService(),
            "new.example.test": MobileFirstService(),
        ]
        let backends = services.mapValues { TestTransport.service($0) }
        let gate = Gate()
        let transport = ScriptedTransport { request in
            let host = request.url.host() ?? ""
            if host == "mfp.example.test", request.url.path().hasSuffix("/authorization") { try await gate.wait() }
            return try await #require(backends[host]).send(request)
        }
        let client = WLClient.scripted(transport)
        let call = Task {
            await failure { () throws(WLError) in try await client.request("/adapters/Secure/echo").send() }
        }
        try await gate.waitForWaiters(1)
        client.setServerUrl(URL(string: "https://new.example.test/mfp"))
        gate.open()
        // The call began with the earlier server and ends there.
        #expect(await call.value == nil)
        #expect(transport.requests.allSatisfy { $0.url.host() == "mfp.example.test" })
        let tokens = Set(transport.requests.compactMap { $0.fields[.authorization] })
        // The next one gets nothing of it.
        let count = transport.requests.count
        try await client.request("/adapters/Secure/echo").send()
        let later = transport.requests.dropFirst(count)
        #expect(later.allSatisfy { $0.url.host() == "new.example.test" })
        #expect(tokens.isDisjoint(with: later.compactMap { $0.fields[.authorization] }))
        #expect(services["new.example.test"]?.counts.registrations == 1)
    }

    private static let other = URL(string: "https://new.example.test/mfp")

    /// A registered client.
    private func registeredFixture() async throws -> Fixture {
        let fixture = Fixture()
        _ = try await fixture.client.authorizationManager.obtainAccessToken(forScope: nil)
        return fixture
    }

    private func record(_ call: ExactlyOnce<String>) -> ((any Error)?) -> Void {
        { call.succeed(($0 as? WLError).map { "\($0.code)" } ?? "done") }
    }

    private func text(_ call: ExactlyOnce<String>) async throws -> String? {
        if case .success(let text) = try await call.outcome { text } else { nil }
    }

    @Test func `M22, M24: a login and its credentials go to the server of its call`() async throws {
        let fixture = try await registeredFixture()
        let manager = fixture.client.authorizationManager
        let once = ExactlyOnce<String>()
        manager.login(
            "UserLogin", withCredentials: ["username": "ann", "password": "open sesame"],
            withCompletionHandler: record(once))
        fixture.client.setServerUrl(Self.other)
        #expect(try await text(once) == "done")
        #expect(fixture.transport.requests.allSatisfy { $0.url.host() == "mfp.example.test" })
        // With the registration of its call, and not a new one.
        #expect(fixture.service.counts.registrations == 1)
        try once.check()
    }

    @Test func `M22, M24: a logout goes to the server of its call`() async throws {
        let fixture = try await registeredFixture()
        let once = ExactlyOnce<String>()
        fixture.client.authorizationManager.logout("PinCode", withCompletionHandler: record(once))
        fixture.client.setServerUrl(Self.other)
        #expect(try await text(once) == "done")
        #expect(fixture.requests("preauth/v1/logout").map { $0.url.host() } == ["mfp.example.test"])
        try once.check()
    }

    @Test func `M24: a call for a token gets none of a server that is set later`() async throws {
        let fixture = Fixture()
        let handler = fixture.register(CheckHandler("PinCode", nil))
        let manager = fixture.client.authorizationManager
        let login = Task {
            await failure { () throws(WLError) in try await manager.login("PinCode", withCredentials: ["pin": "0"]) }
        }
        _ = try await handler.log.wait { !$0.isEmpty }
        // The token waits for the login, which waits for the user, and the other server is set meanwhile.
        let once = ExactlyOnce<String>()
        let done = record(once)
        manager.obtainAccessToken(forScope: nil, withCompletionHandler: { _, error in done(error) })
        fixture.client.setServerUrl(Self.other)
        #expect(try await text(once) == "cancelled")
        #expect(await login.value?.code == .cancelled)
        handler.submitChallengeAnswer(["pin": "1234"])
        #expect(fixture.requests("preauthorize").count == 1)
        #expect(fixture.transport.requests.allSatisfy { $0.url.host() == "mfp.example.test" })
        try once.check()
    }

    /// Runs a closure before it deletes.
    private final class HoldingStore: WLRegistrationStore {
        private let base = WLMemoryRegistrationStore()
        let onDeletion = Mutex<(@Sendable () -> Void)?>(nil)

        func load() throws -> Data? { base.load() }
        func save(_ registration: Data?) throws {
            if registration == nil { onDeletion.withLock(\.self)?() }
            base.save(registration)
        }
    }

    @Test func `M24: a call to the new server may ask the user while the earlier registration is deleted`() async throws
    {
        let (store, gate, backend) = (HoldingStore(), Gate(), TestTransport.service(MobileFirstService()))
        let transport = ScriptedTransport { request in
            if request.url.host() == "new.example.test" { try await gate.wait() }
            return try await backend.send(request)
        }
        let client = WLClient(Fixture.configuration, transport: transport, registrations: store)
        client.delivery = .inline
        let handler = CheckHandler("PinCode", [["pin": "1234"]])
        client.registerChallengeHandler(handler)
        _ = try await client.authorizationManager.obtainAccessToken(forScope: nil)
        let codes = Watched<[WLError.Code?]>([])
        store.onDeletion.withLock {
            $0 = {
                Task {
                    let error = await failure { () throws(WLError) in
                        try await client.authorizationManager.obtainAccessToken(forScope: "PinCode")
                    }
                    codes.update { $0.append(error?.code) }
                }
                let isSent = waitUnlessHung { transport.requests.contains { $0.url.host() == "new.example.test" } }
                #expect(isSent)
            }
        }
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                client.setServerUrl(Self.other)
                done.resume()
            }
        }
        gate.open()
        #expect(try await codes.wait { !$0.isEmpty } == [nil])
        #expect(handler.log.value.first?.hasPrefix("challenge") == true)
    }

    @Test func `M24, M27: a request of the earlier server is cancelled rather than sent without its token`()
        async throws
    {
        let client = Fixture().client
        let request = try client.request("/adapters/Secure/echo").httpRequest()
        client.setServerUrl(Self.other)
        let error = await failure { () throws(WLError) in try await client.perform(request) }
        #expect(error?.code == .cancelled)
    }
}
