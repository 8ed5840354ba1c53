import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import VendorServices

@testable import MobileFirst

@Suite(.needsSlot) struct RegistrationTests {
    @Test func `M19: the app registers once, also after a restart, and updates a changed version or device`()
        async throws
    {
        let store = WLMemoryRegistrationStore()
        let service = Fixture(registrations: store).service
        func restart(_ configure: (inout WLConfiguration) -> Void = { _ in }) async throws {
            let backend = TestTransport.service(service)
            var configuration = Fixture.configuration
            configure(&configuration)
            let client = WLClient(configuration, transport: backend, registrations: store)
            client.delivery = .inline
            _ = try await client.authorizationManager.obtainAccessToken(forScope: nil)
        }
        try await restart()
        try await restart()
        #expect(service.counts.registrations == 1 && service.counts.registrationUpdates == 0)
        try await restart { $0.applicationVersion = "2.0" }
        #expect(service.counts.registrations == 1 && service.counts.registrationUpdates == 1)
        try await restart { configuration in
            configuration.applicationVersion = "2.0"
            configuration.deviceID = "d-2"
        }
        #expect(service.counts.registrations == 1 && service.counts.registrationUpdates == 2)
        let data = try #require(service.registrations.values.first)
        #expect(data["application"] == ["id": "com.example.app", "clientPlatform": "ios", "version": "2.0"])
        #expect(data["device"]?["id"] == "d-2" && data["device"]?["platform"] == "ios")
        store.save(Data("damaged".utf8))
        try await restart()
        #expect(service.counts.registrations == 2)
    }

    @Test(arguments: [MobileFirstService.Endpoint.preauthorization, .authorization, .token])
    func `M19: INVALID_CLIENT_ID registers again once; the second time fails`(endpoint: MobileFirstService.Endpoint)
        async throws
    {
        let fixture = Fixture()
        let manager = fixture.client.authorizationManager
        fixture.service.inject(.invalidClientID, at: endpoint)
        _ = try await manager.obtainAccessToken(forScope: nil)
        #expect(fixture.service.counts.registrations == 2)
        fixture.service.inject(.invalidClientID, at: endpoint, count: 2)
        manager.clear(try await manager.obtainAccessToken(forScope: nil))
        let error = await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: nil) }
        #expect(error?.code == .invalidClientID && error?.vendorCode == "INVALID_CLIENT_ID" && error?.errorCode == 5)
    }

    @Test(arguments: [
        (
            HTTPStatus.ok, "the response to the registration is not MobileFirst's: 200 OK",
            "check `WLConfiguration.serverURL`."
        ),
        (.internalServerError, "the server refused the registration: 500", "self."),
    ])
    func `M19: a page in place of the registration is not a refusal of the server`(
        status: HTTPStatus, start: String, end: String
    ) async throws {
        let page = ScriptedTransport.Step.response(
            status, fields: try HTTPFields(["Content-Type": "text/html; charset=utf-8"]), body: Data("<html>".utf8))
        let client = WLClient.scripted(ScriptedTransport([], then: page))
        let error = await failure { () throws(WLError) in
            try await client.authorizationManager.obtainAccessToken(forScope: nil)
        }
        let message = try #require(error?.message)
        #expect(error?.code == .status && message.hasPrefix("AUTHORIZATION_FAILURE: \(start)"), "\(message)")
        #expect(message.hasSuffix(end) && message.contains(", text/html; register") == (status == .ok), "\(message)")
    }

    @Test func `M27: an error of the registration data does not show the assertion of its URL`() async throws {
        let fixture = Fixture()
        _ = try await fixture.client.authorizationManager.obtainAccessToken(forScope: nil)
        fixture.service.inject(.status(.internalServerError), at: .registration)
        let once = ExactlyOnce<String>()
        fixture.client.getDeviceDisplayName { name, error in
            once.succeed((error as? WLError).map { "\($0) \($0 as NSError)" } ?? name ?? "")
        }
        let text = try await once.value
        let query = try #require(fixture.transport.requests.last?.url.query(percentEncoded: true))
        #expect(query.hasPrefix("client_assertion=ey") && text.contains("500") && !text.contains("eyJ"))
    }

    @Test func `the display name of the device is registered and read`() async throws {
        let fixture = Fixture()
        let once = ExactlyOnce<String>()
        let client = fixture.client
        client.setDeviceDisplayName(displayName: "Ann's phone") { error in
            #expect(error == nil)
            client.getDeviceDisplayName { name, error in once.succeed(name ?? "\(String(describing: error))") }
        }
        let name = try await once.value
        #expect(name == "Ann's phone")
        try once.check()
    }

    @Test func `of two display names the later one is registered`() async throws {
        let fixture = Fixture()
        let ledger = CompletionLedger<String>()
        for name in ["a", "b"] {
            let call = ledger.call(name)
            fixture.client.setDeviceDisplayName(
                name, withCompletionHandler: { error in call.succeed(error == nil ? "done" : "failed") })
            // Set before the call returns, whichever task runs first.
            #expect(fixture.client.authorization.displayName.withLock(\.self) == name)
        }
        let outcomes = try await ledger.waitForAll().map { if case .success(let text) = $0 { text } else { "" } }
        #expect(outcomes == ["done", "done"])
        #expect(fixture.service.registrations.values.first?["attributes"]?["deviceDisplayName"] == "b")
        try ledger.check()
    }
}
