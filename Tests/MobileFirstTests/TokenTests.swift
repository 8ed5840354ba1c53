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

@Suite(.needsSlot) struct TokenTests {
    @Test func `M15: a bare Bearer gets the default token; invalid_token drops the token; a scope is obtained first`()
        async throws
    {
        let fixture = Fixture()
        try await fixture.request("/adapters/Secure/echo").send()
        #expect(fixture.service.counts.tokenExchanges == ["RegisteredClient": 1])
        fixture.service.expireTokens()
        try await fixture.request("/adapters/Secure/echo").send()
        #expect(fixture.service.counts.tokenExchanges == ["RegisteredClient": 2])
        let explicit = Fixture()
        explicit.pins("1234")
        try await explicit.request("/adapters/Bank/balance", scope: "transfer RegisteredClient").send()
        #expect(explicit.paths.first == "registration/v1/self" && explicit.requests("balance").count == 1)
    }

    @Test func `M17: scopes are learned per URL and method, in any order, and tokens expire`() async throws {
        let clock = ManualClock()
        let start = Date()
        let fixture = Fixture(
            clock: clock, service: { $0.startTime = start }, date: { start + (clock.now.offset / .seconds(1)) })
        fixture.pins("1234", "1234", "1234")
        let manager = fixture.client.authorizationManager
        let first = try await manager.obtainAccessToken(forScope: "transfer RegisteredClient")
        let second = try await manager.obtainAccessToken(forScope: " RegisteredClient  transfer ")
        #expect(first.value == second.value && first.asAuthorizationRequestHeaderField == "Bearer \(first.value)")
        try await fixture.request("/adapters/Bank/balance").send()
        try await fixture.request("/adapters/Bank/balance").send()
        // Learned for the GET: its second call has a token at once; a POST learns for itself.
        #expect(fixture.requests("balance").count == 3)
        try await fixture.request("/adapters/Bank/balance", WLHttpMethodPost).send()
        #expect(fixture.requests("balance").count == 5)
        #expect(fixture.service.counts.tokenExchanges == ["RegisteredClient transfer": 1])
        await clock.advance(by: .seconds(3601))
        let third = try await manager.obtainAccessToken(forScope: "transfer RegisteredClient")
        #expect(third.value != first.value)
        manager.clear(third)
        #expect(try await manager.obtainAccessToken(forScope: "transfer RegisteredClient").value != third.value)
    }

    @Test func `M25: a token that is about to expire can be cleared, and is not used again`() async throws {
        let clock = ManualClock()
        let start = Date()
        let fixture = Fixture(
            clock: clock, service: { $0.startTime = start }, date: { start + (clock.now.offset / .seconds(1)) },
            configure: { $0.heartbeatInterval = 0 })
        let manager = fixture.client.authorizationManager
        let token = try await manager.obtainAccessToken(forScope: nil)
        await clock.advance(by: .seconds(3580))
        // Without the clearing, the old token would be used until it expires.
        fixture.service.inject(.status(.serviceUnavailable), at: .token)
        #expect(try await manager.obtainAccessToken(forScope: nil).value == token.value)
        manager.clear(AccessToken(token: "another", withExpiration: nil, forScope: nil))
        manager.clear(token)
        let error = await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: nil) }
        #expect(error?.response?.status == 503)
    }

    @Test func `M18: parallel calls of one scope share one exchange, and scopes do not mix`() async throws {
        let fixture = Fixture()
        fixture.pins("1234")
        fixture.register(CheckHandler("UserLogin", [["username": "ann", "password": "open sesame"]]))
        let ledger = CompletionLedger<String>()
        for number in 0..<20 {
            let path = number.isMultiple(of: 2) ? "Bank/balance" : "User/profile"
            let call = ledger.call("\(number)")
            fixture.request("/adapters/\(path)").send { response, error in
                let scope = response?.member("scope")?.string ?? "\(String(describing: error))"
                call.succeed("\(path) \(scope)")
            }
        }
        let outcomes = try await ledger.waitForAll()
        let texts = Set(outcomes.map { if case .success(let text) = $0 { text } else { "" } })
        #expect(texts == ["Bank/balance RegisteredClient transfer", "User/profile profile"])
        #expect(fixture.service.counts.tokenExchanges == ["RegisteredClient transfer": 1, "profile": 1])
        #expect(fixture.service.counts.registrations == 1)
        try ledger.check()
    }

    @Test func `M17: status 500 of the token endpoint fails the call with it, and forgets the learned scope`()
        async throws
    {
        let fixture = Fixture()
        fixture.pins("1234")
        let request = fixture.request("/adapters/Bank/balance")
        try await request.send()
        fixture.service.expireTokens()
        fixture.service.inject(.status(.internalServerError), at: .token)
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .status && error?.errorCode == 4 && error?.response?.status == 500)
        try await request.send()
        let hasToken = fixture.requests("Bank/balance").map { $0.fields[.authorization] != nil }
        #expect(hasToken == [false, true, true, false, true])
    }

    @Test func `refresh tokens are used where they are enabled`() async throws {
        let fixture = Fixture(
            service: { $0.refreshTokenLifetime = .seconds(86_400) }, configure: { $0.usesRefreshTokens = true })
        let manager = fixture.client.authorizationManager
        try await fixture.request("/adapters/Secure/echo").send()
        fixture.service.expireTokens()
        try await fixture.request("/adapters/Secure/echo").send()
        #expect(fixture.service.counts.refreshes == ["RegisteredClient": 1])
        #expect(fixture.service.counts.tokenExchanges == ["RegisteredClient": 1])
        fixture.service.expireTokens()
        fixture.service.expireRefreshTokens()
        try await fixture.request("/adapters/Secure/echo").send()
        #expect(fixture.service.counts.tokenExchanges == ["RegisteredClient": 2])
        _ = try await manager.obtainAccessToken(forScope: nil)
    }

    @Test func `a refresh token stays valid without a new one, and no failure but a refusal asks for credentials`()
        async throws
    {
        let clock = ManualClock()
        let start = Date()
        var serviceConfiguration = MobileFirstService.Configuration()
        serviceConfiguration.refreshTokenLifetime = .seconds(86_400)
        serviceConfiguration.startTime = start
        let backend = TestTransport.service(MobileFirstService(serviceConfiguration, clock: clock))
        let refreshes = Watched<[String]>([]), isOffline = Watched(false), outage = Watched<Outage?>(nil)
        let transport = ScriptedTransport { request in
            let form = String(decoding: try await request.body.collect(), as: UTF8.self)
            guard form.hasPrefix("grant_type=refresh_token&") else { return try await backend.send(request) }
            if isOffline.value { throw TransportError(.connectionRefused, "Connection refused.", request: request) }
            if let outage = outage.value {
                let fields = try HTTPFields(outage.body.isEmpty ? [:] : ["Content-Type": "text/html"])
                return request.response(outage.status, fields: fields, body: Data(outage.body.utf8))
            }
            refreshes.update { $0.append(String(form.split(separator: "&")[1])) }
            return request.response(
                json: ["access_token": .string("refreshed-\(refreshes.value.count)"), "expires_in": 100])
        }
        var configuration = Fixture.configuration
        configuration.usesRefreshTokens = true
        let client = WLClient(
            configuration, transport: transport, clock: clock,
            date: { start + (clock.now.offset / .seconds(1)) })
        client.delivery = .inline
        client.setHeartBeatInterval(0)
        let manager = client.authorizationManager
        _ = try await manager.obtainAccessToken(forScope: nil)
        for (number, wait) in [(1, 3601), (2, 101), (3, 101)] {
            await clock.advance(by: .seconds(wait))
            #expect(try await manager.obtainAccessToken(forScope: nil).value == "refreshed-\(number)")
        }
        #expect(refreshes.value.count == 3 && Set(refreshes.value).count == 1)
        isOffline.update { $0 = true }
        await clock.advance(by: .seconds(101))
        let error = await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: nil) }
        #expect(error?.code == .unresponsiveHost)
        isOffline.update { $0 = false }
        let statuses = [HTTPStatus.found, .notFound, .requestTimeout, .tooManyRequests, .serviceUnavailable]
        // Pages of a proxy.
        let pages = [HTTPStatus.badRequest, .unauthorized, .forbidden].map { Outage(status: $0, body: "<p>") }
        for failing in statuses.map({ Outage(status: $0) }) + pages {
            outage.update { $0 = failing }
            let error = await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: nil) }
            #expect(error?.code == .status && error?.response?.status == failing.status.code)
        }
        outage.update { $0 = nil }
        #expect(try await manager.obtainAccessToken(forScope: nil).value == "refreshed-4")
        #expect(transport.requests.count { $0.url.path().hasSuffix("/preauthorize") } == 1)
        outage.update { $0 = Outage(status: .notFound, body: #"{"error":"invalid_grant"}"#) }
        await clock.advance(by: .seconds(101))
        _ = try await manager.obtainAccessToken(forScope: nil)
        #expect(transport.requests.count { $0.url.path().hasSuffix("/preauthorize") } == 2)
    }

    /// A response of the token endpoint without a token.
    private struct Outage {
        let status: HTTPStatus
        var body = ""
    }

    @Test func `a confidential client obtains tokens with its secret`() async throws {
        let fixture = Fixture()
        let tokens = try fixture.client.confidentialClient(id: "test", secret: "test", scope: "accessRestricted")
        let token = try await CredentialCache(tokens).credential(for: "accessRestricted")
        #expect(token.scope == "accessRestricted")
        #expect(fixture.requests("az/v1/token")[0].fields[.authorization] == "Basic dGVzdDp0ZXN0")
        #expect(fixture.service.counts.clientCredentials == ["accessRestricted": 1])
    }
}
