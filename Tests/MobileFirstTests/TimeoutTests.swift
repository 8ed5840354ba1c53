import Delegation
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct TimeoutTests {
    private func run(
        _ body: (WLClient, MobileFirstService) async throws -> Void
    ) async throws {
        let service = MobileFirstService()
        try await LoopbackServer(service: service).stopping { server in
            var configuration = WLConfiguration(
                serverURL: "http://127.0.0.1:\(server.port)/mfp", applicationID: "com.example.app")
            configuration.loginTimeout = 1
            let client = WLClient(configuration, transport: TestTransport.shared)
            client.delivery = .inline
            try await body(client, service)
        }
    }

    @Test(arguments: [
        MobileFirstService.Endpoint.registration, .preauthorization, .authorization, .token,
    ])
    func `M10: a stalled leg of an authorization times out`(endpoint: MobileFirstService.Endpoint) async throws {
        try await run { client, service in
            service.inject(.stall, at: endpoint)
            let request = client.request("/adapters/Secure/echo")
            let error = await failure { () throws(WLError) in try await request.send() }
            #expect(error?.code == .requestTimeout && error?.errorCode == 3)
            #expect(error?.vendorCode == "REQUEST_TIMEOUT")
        }
    }

    @Test func `M10: a stalled login, logout and resource time out`() async throws {
        try await run { client, service in
            let manager = client.authorizationManager
            client.registerChallengeHandler(CheckHandler("PinCode", []))
            // A login that stalled in the registration would leave the fault for the next one.
            manager.setLoginTimeOut(600)
            try await manager.login("PinCode", withCredentials: ["pin": "1234"])
            try await manager.logout("PinCode")
            manager.setLoginTimeout(1)
            service.inject(.stall, at: .preauthorization)
            let login = await failure { () throws(WLError) in
                try await manager.login("PinCode", withCredentials: ["pin": "1234"])
            }
            #expect(login?.code == .requestTimeout)
            manager.setLoginTimeOut(600)
            try await manager.login("PinCode", withCredentials: ["pin": "1234"])
            manager.setLoginTimeout(1)
            service.inject(.stall, at: .logout)
            let logout = await failure { () throws(WLError) in try await manager.logout("PinCode") }
            #expect(logout?.code == .requestTimeout)
            let request = client.request("/adapters/Public/slow", timeout: 1)
            let resource = await failure { () throws(WLError) in try await request.send() }
            #expect(resource?.code == .requestTimeout)
        }
    }

    @Test func `M10: the default timeout of a login is ten seconds`() async throws {
        let fixture = Fixture()
        _ = try await fixture.client.authorizationManager.obtainAccessToken(forScope: nil)
        #expect(fixture.transport.requests.allSatisfy { $0.options.timeouts.total == .seconds(10) })
        #expect(WLConfiguration(serverURL: "").loginTimeout == 10)
    }
}
