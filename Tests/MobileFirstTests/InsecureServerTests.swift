import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// Servers without TLS.
@Suite(.needsSlot) struct InsecureServerTests {
    private func fixture(
        _ server: String = "http://mfp.example.test/mfp", _ configure: (inout WLConfiguration) -> Void = { _ in }
    ) -> Fixture {
        let fixture = Fixture(configure: {
            $0.serverURL = server
            configure(&$0)
        })
        fixture.pins("1234")
        return fixture
    }

    @Test func `M27: an http server gets no PIN, no registration and no token`() async throws {
        let fixture = fixture()
        let manager = fixture.client.authorizationManager
        let errors = [
            await failure { () throws(WLError) in try await manager.login("PinCode", withCredentials: ["pin": "1234"])
            },
            await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: nil) },
            await failure { () throws(WLError) in try await manager.logout("PinCode") },
        ]
        for error in errors {
            #expect(error?.code == .configuration)
            #expect(error?.message.contains("http://mfp.example.test:80") == true)
            #expect(error?.message.contains("allowsInsecureServers") == true)
        }
        #expect(fixture.transport.requests.isEmpty)
        let request = fixture.request("/adapters/Bank/balance")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .configuration && fixture.paths == ["adapters/Bank/balance"])
        // What needs no token has no secrets.
        try await fixture.request("/adapters/Public/echo").send()
    }

    @Test(arguments: [
        ("http://mfp.example.test/mfp", true), ("http://localhost/mfp", false), ("http://127.0.0.1:9080/mfp", false),
        ("http://[::1]/mfp", false),
    ])
    func `M27: this machine is allowed, and with a switch for development every server`(
        server: String, isSwitched: Bool
    ) async throws {
        let fixture = fixture(server) { $0.allowsInsecureServers = isSwitched }
        try await fixture.request("/adapters/Bank/balance").send()
        #expect(fixture.service.counts.tokenExchanges.count == 1)
    }

    @Test func `M24, M27: an http authorization server is refused before the PIN is sent`() async throws {
        let fixture = fixture(Fixture.server)
        let manager = fixture.client.authorizationManager
        manager.authorizationServerURL = URL(string: "http://az.example.test/mfp")
        let error = await failure { () throws(WLError) in
            try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        }
        #expect(error?.code == .configuration && fixture.transport.requests.isEmpty)
    }

    @Test(arguments: ["http://other.test/api", "other.test", "ftp://other.test", "https://user@other.test", ""])
    func `M27: an invalid URL of a trusted server is a configuration error that names it`(url: String) async throws {
        let fixture = fixture(Fixture.server) { $0.trustedURLs = ["https://fine.test", url] }
        let request = fixture.request("/adapters/Public/echo")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .configuration && error?.message.contains("trustedURLs") == true)
        #expect(url.isEmpty || error?.message.contains("other.test") == true, "\(error?.message ?? "")")
        let manager = fixture.client.authorizationManager
        let login = await failure { () throws(WLError) in
            try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        }
        let token = await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: nil) }
        #expect(login?.code == .configuration && token?.code == .configuration)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `M27, M29: a login form to an http server is not sent`() async throws {
        final class Handler: GatewayChallengeHandler {
            let failures = Watched<[String]>([])
            override func onFailure(_ response: WLFailResponse!) {
                failures.update { $0.append((response.error as? WLError).map { "\($0.code)" } ?? "") }
            }
        }
        let fixture = fixture(Fixture.server)
        let handler = fixture.register(Handler(gatewayName: "form"))
        handler.submitLoginForm(
            "http://gate.test/login", requestParameters: ["j_password": "secret"], requestHeaders: nil,
            requestTimeoutInMilliSeconds: 0)
        _ = try await handler.failures.wait { $0 == ["configuration"] }
        #expect(fixture.transport.requests.isEmpty)
    }
}
