import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

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
}
