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
    private let clock = ManualClock()

    /// Runs a body with a client whose logins have a timeout of one second of the clock.
    private func run(
        _ body: (WLClient, MobileFirstService) async throws -> Void
    ) async throws {
        let service = MobileFirstService()
        try await LoopbackServer(service: service).stopping { server in
            var configuration = WLConfiguration(
                serverURL: "http://127.0.0.1:\(server.port)/mfp", applicationID: "com.example.app")
            configuration.loginTimeout = 1
            let client = WLClient(configuration, transport: TestTransport.make(clock: clock))
            client.delivery = .inline
            try await body(client, service)
        }
    }

    /// Starts a call, lets a second pass once the server has its request to an endpoint, and returns the error.
    private func timeout(
        at endpoint: MobileFirstService.Endpoint, of service: MobileFirstService,
        _ body: @escaping @Sendable () async throws(WLError) -> Void
    ) async throws -> WLError? {
        let before = service.counts.requests(to: endpoint)
        let call = Task { await failure(of: body) }
        try await eventually("the server has the request") { service.counts.requests(to: endpoint) > before }
        await clock.advance(by: .seconds(1))
        let error = await call.value
        #expect(service.counts.requests(to: endpoint) == before + 1)
        return error
    }

    @Test(arguments: [
        MobileFirstService.Endpoint.registration, .preauthorization, .authorization, .token,
    ])
    func `M10: a stalled leg of an authorization times out`(endpoint: MobileFirstService.Endpoint) async throws {
        try await run { client, service in
            service.inject(.stall, at: endpoint)
            let error = try await timeout(at: endpoint, of: service) { () throws(WLError) in
                try await client.request("/adapters/Secure/echo").send()
            }
            #expect(error?.code == .requestTimeout && error?.errorCode == 3)
            #expect(error?.vendorCode == "REQUEST_TIMEOUT")
        }
    }

    @Test func `M10: a stalled login, logout and resource time out`() async throws {
        try await run { client, service in
            let manager = client.authorizationManager
            client.registerChallengeHandler(CheckHandler("PinCode", []))
            manager.setLoginTimeOut(600)
            try await manager.login("PinCode", withCredentials: ["pin": "1234"])
            try await manager.logout("PinCode")
            manager.setLoginTimeout(1)
            service.inject(.stall, at: .preauthorization)
            let login = try await timeout(at: .preauthorization, of: service) { () throws(WLError) in
                try await manager.login("PinCode", withCredentials: ["pin": "1234"])
            }
            #expect(login?.code == .requestTimeout)
            try await manager.login("PinCode", withCredentials: ["pin": "1234"])
            service.inject(.stall, at: .logout)
            let logout = try await timeout(at: .logout, of: service) { () throws(WLError) in
                try await manager.logout("PinCode")
            }
            #expect(logout?.code == .requestTimeout)
            let resource = try await timeout(at: .adapter, of: service) { () throws(WLError) in
                try await client.request("/adapters/Public/slow", timeout: 1).send()
            }
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
