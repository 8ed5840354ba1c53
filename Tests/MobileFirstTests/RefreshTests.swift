import Authentication
import Delegation
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// Tokens that expire, refresh tokens, and assertions of a wrong clock.
@Suite(.needsSlot) struct RefreshTests {
    @Test func `M21: a token that is still valid is used, and no dialog is opened for its successor`() async throws {
        let clock = ManualClock()
        let start = Date()
        let fixture = Fixture(
            clock: clock,
            service: {
                $0.startTime = start
                $0.checks = [.pin(successLifetime: .seconds(1800))]
            }, date: { start + (clock.now.offset / .seconds(1)) },
            configure: { $0.heartbeatInterval = 0 })
        let handler = fixture.pins("1234", "1234")
        let request = fixture.request("/adapters/Bank/balance")
        try await request.send()
        #expect(handler.log.value == ["challenge 3", "success"])
        // Ten seconds before the expiry, and after that of the passed check.
        await clock.advance(by: .seconds(3590))
        let count = fixture.transport.requests.count
        for _ in 0..<3 { try await request.send() }
        #expect(fixture.transport.requests.count == count + 3 && handler.log.value.count == 2)
        await clock.advance(by: .seconds(11))
        try await request.send()
        #expect(handler.log.value.count == 4)
    }

    @Test func `a refused refresh token is not sent again, also among those of several scopes`() async throws {
        let fixture = Fixture(
            service: { $0.refreshTokenLifetime = .seconds(86_400) }, configure: { $0.usesRefreshTokens = true })
        fixture.pins("1234", "1234")
        let requests = ["Secure/echo", "Bank/balance"].map { fixture.request("/adapters/\($0)") }
        for request in requests { try await request.send() }
        fixture.service.expireTokens()
        fixture.service.expireRefreshTokens()
        for request in requests + requests {
            fixture.service.inject(.status(.serviceUnavailable), at: .preauthorization)
            let error = await failure { () throws(WLError) in try await request.send() }
            #expect(error?.response?.status == 503)
        }
        for request in requests { try await request.send() }
        var refreshes = 0
        for request in fixture.requests("az/v1/token") {
            let form = String(decoding: try await request.body.collect(), as: UTF8.self)
            if form.contains("grant_type=refresh_token") { refreshes += 1 }
        }
        #expect(refreshes == 2)
    }

    @Test(arguments: [-86_400.0, 600])
    func `M20: an assertion of a wrong clock is signed again at the time of the server's Date`(
        skew: TimeInterval
    ) async throws {
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        let service = MobileFirstService(
            {
                var configuration = MobileFirstService.Configuration()
                configuration.signatures = .rs256
                configuration.startTime = start
                return configuration
            }(), clock: ManualClock())
        let backend = TestTransport.service(service)
        let refused = Watched<[String]>([])
        // A server without the check `clockSynchronization`.
        let transport = ScriptedTransport { request in
            var response = try await backend.send(request)
            if request.url.path().hasSuffix("/preauthorize") { response.body = Data(#"{"successes":{}}"#.utf8) }
            try response.head.fields.set(.date, to: "Tue, 14 Nov 2023 22:13:20 GMT")
            if response.status.kind == .clientError { refused.update { $0.append(request.url.lastPathComponent) } }
            return response
        }
        var configuration = Fixture.configuration
        configuration.warn = { _ in }
        configuration.heartbeatInterval = 0
        let registrations = WLMemoryRegistrationStore()
        func makeClient() -> WLClient {
            let client = WLClient(
                configuration, transport: transport, registrations: registrations, date: { start + skew })
            client.delivery = .inline
            return client
        }
        let client = makeClient()
        _ = try await client.authorizationManager.obtainAccessToken(forScope: nil)
        #expect(refused.value == ["token"])
        // From then on the client knows the server's time.
        try await client.authorizationManager.logout("PinCode")
        #expect(refused.value == ["token"])
        // After a restart it does not.
        let restarted = makeClient()
        let name = try await withCheckedThrowingContinuation { continuation in
            restarted.getDeviceDisplayName { name, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(name))
            }
        }
        #expect(name == nil)
        #expect(refused.value.count == 2)
        try await restarted.authorizationManager.logout("PinCode")
        #expect(refused.value.count == 2)
    }

    @Test func `what a killed app has left beside its registration is deleted by each call`() async throws {
        let calls: [(WLFileRegistrationStore) throws -> Void] = [
            { _ = try $0.load() }, { try $0.save(Data("new".utf8)) }, { try $0.save(nil) },
        ]
        for call in calls {
            let folder = try TemporaryFolder()
            let store = WLFileRegistrationStore(at: folder.url.appending(path: "registration"))
            try store.save(Data("old".utf8))
            try Data("private key".utf8).write(to: folder.url.appending(path: ".registration.new"))
            try call(store)
            #expect(try folder.names.filter { $0 != "registration" } == [])
        }
    }
}
