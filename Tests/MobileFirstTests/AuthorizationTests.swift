import Authentication
import Delegation
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct AuthorizationTests {
    /// A transport that answers every request for a token by a fixed way to one, and others by a closure.
    private func client(
        _ resource: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) -> (client: WLClient, service: MobileFirstService, sent: ScriptedTransport) {
        let service = MobileFirstService()
        let inProcess = ServiceTransport(service)
        let transport = ScriptedTransport { request in
            request.url.path().contains("/adapters/") ? try await resource(request) : try await inProcess.send(request)
        }
        return (.scripted(transport), service, transport)
    }

    private static func challenge(_ request: HTTPRequest, _ status: HTTPStatus, _ value: String) throws -> HTTPResponse
    {
        request.response(status, fields: try HTTPFields(["WWW-Authenticate": value]))
    }

    @Test func `M14: an unknown scope leads to preauthorization, code, token, and one resend with the token`()
        async throws
    {
        let fixture = Fixture()
        let handler = fixture.pins("1234")
        let response = try await fixture.request("/adapters/Bank/balance?account=42").send()
        #expect(response.status == 200 && response.member("scope") == "RegisteredClient transfer")
        #expect(
            fixture.paths == [
                "adapters/Bank/balance", "registration/v1/self", "preauth/v1/preauthorize", "preauth/v1/preauthorize",
                "az/v1/authorization", "az/v1/token", "adapters/Bank/balance",
            ])
        #expect(handler.log.value == ["challenge 3", "success"])
        let sent = fixture.transport.requests
        #expect(sent[0].fields[.authorization] == nil && sent[0].url == sent[6].url)
        let values = sent[6].fields.values(of: .authorization)
        #expect(values.count == 1 && values[0].hasPrefix("Bearer ") && !values[0].hasSuffix(","))
        #expect(sent[1...5].allSatisfy { $0.fields[.authorization] == nil })
        // The next call has the token at once.
        try await fixture.request("/adapters/Bank/balance?account=42").send()
        #expect(fixture.paths.count == 8)
    }

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

    @Test func `M16: at most four resends with other tokens, and the last response is the failure`() async throws {
        let (client, service, transport) = client {
            try Self.challenge($0, .unauthorized, #"Bearer error="invalid_token""#)
        }
        let request = client.request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .authorization && error?.errorCode == 5 && error?.response?.status == 401)
        #expect(transport.requests.count { $0.url.path().contains("/adapters/") } == 5)
        #expect(service.counts.tokenExchanges == ["RegisteredClient": 4])
    }

    @Test func `M16: at most seven resends after conflicts, counted apart from those with other tokens`() async throws {
        let number = Mutex(0)
        let (client, _, transport) = client { request in
            let count = number.withLock { number in
                number += 1
                return number
            }
            // Four challenges among the conflicts: 1 + 4 + 7 requests in total.
            return [2, 4, 6, 8].contains(count)
                ? try Self.challenge(request, .unauthorized, #"Bearer error="invalid_token""#)
                : request.response(try #require(HTTPStatus(409)), fields: try HTTPFields(["MFP-Conflict": "true"]))
        }
        let request = client.request("/adapters/A/p", WLHttpMethodPost)
        let error = await failure { () throws(WLError) in try await request.send(withBody: "x") }
        #expect(error?.response?.status == 409 && error?.errorCode == 4)
        #expect(transport.requests.count { $0.url.path().contains("/adapters/") } == 12)
    }

    @Test func `M16: a conflict without the header is no reason to send again`() async throws {
        let (client, _, transport) = client { $0.response(try #require(HTTPStatus(409))) }
        let request = client.request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.response?.status == 409 && transport.requests.count == 1)
    }

    @Test func `M12: a 403 without a scope fails, where the vendor's SDK waits forever`() async throws {
        let (client, _, transport) = client {
            try Self.challenge($0, .forbidden, #"Bearer error="insufficient_scope""#)
        }
        let request = client.request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.response?.status == 403 && transport.requests.count == 1)
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
        // Without the clearing, the old token would be used when its refresh fails.
        fixture.service.inject(.status(.serviceUnavailable), at: .token, count: 2)
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

    @Test func `M19: the app registers once, also after a restart, and updates a changed version or device`()
        async throws
    {
        let store = WLMemoryRegistrationStore()
        var fixture = Fixture(registrations: store)
        let service = fixture.service
        func restart(_ configure: (inout WLConfiguration) -> Void = { _ in }) async throws {
            let inProcess = ServiceTransport(service)
            var configuration = Fixture.configuration
            configure(&configuration)
            let client = WLClient(configuration, transport: inProcess, registrations: store)
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
        fixture = Fixture()
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

    @Test func `M20: the assertion is signed, for the code, and in the server's time`() async throws {
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        let clock = ManualClock()
        // The device's clock is wrong by two days; the server accepts no difference of more than half a minute.
        let fixture = Fixture(clock: clock, service: { $0.startTime = start }, date: { start + 2 * 86_400 })
        _ = try await fixture.client.authorizationManager.obtainAccessToken(forScope: nil)
        let body = try await #require(fixture.requests("az/v1/token").first).body.collect()
        let form = Dictionary(
            uniqueKeysWithValues: String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts[1].removingPercentEncoding ?? "")
            })
        #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        #expect(form["redirect_uri"] == "http://mfpredirecturi" && form["grant_type"] == "authorization_code")
        let parts = try #require(form["client_assertion"]).split(separator: ".").map(String.init)
        let header = try JSONValue(parsing: try #require(Data(base64URLEncoded: parts[0])))
        let claims = try JSONValue(parsing: try #require(Data(base64URLEncoded: parts[1])))
        let clientID = try #require(fixture.service.registrations.keys.first)
        #expect(header["alg"] == "RS256" && header["jwk"]?["kid"]?.string == clientID && header["jwk"]?["kty"] == "RSA")
        #expect(claims["iss"] == "com.example.app$ios" && claims["sub"]?.string == clientID)
        #expect(claims["aud"] == "az/v1/token" && claims["jti"]?.string == form["code"])
        let issued = try #require(claims["iat"]?.integer), expiry = try #require(claims["exp"]?.integer)
        #expect(expiry - issued == 60_000 && issued == 1_700_000_000_000)
        #expect(header["jwk"]?["n"]?.string.flatMap { Data(base64URLEncoded: $0) }?.count == 256)
        #expect(Data(base64URLEncoded: parts[2])?.count == 256)
    }

    @Test(arguments: ["1e300", "-1e300", "1e18", "-1", "null", "\"soon\""])
    func `M9, M20: any time of the server is survived, and a wrong one is ignored`(time: String) async throws {
        let inProcess = ServiceTransport(MobileFirstService())
        let json = try JSONValue(
            parsing: Data(#"{"successes":{"clockSynchronization":{"serverTimeStamp":\#(time)}}}"#.utf8))
        let client = WLClient.scripted(
            ScriptedTransport { request in
                let response = try await inProcess.send(request)
                return request.url.path().hasSuffix("/preauthorize") ? request.response(json: json) : response
            })
        _ = try await client.authorizationManager.obtainAccessToken(forScope: nil)
    }

    @Test func `M23: logout deletes all tokens`() async throws {
        let fixture = Fixture()
        fixture.pins("1234", "1234")
        let manager = fixture.client.authorizationManager
        let pin = try await manager.obtainAccessToken(forScope: "transfer")
        let plain = try await manager.obtainAccessToken(forScope: nil)
        try await manager.logout("PinCode")
        #expect(fixture.service.counts.logouts == 1)
        #expect(try await manager.obtainAccessToken(forScope: nil).value != plain.value)
        #expect(try await manager.obtainAccessToken(forScope: "transfer").value != pin.value)
        #expect(fixture.service.counts.challenges["PinCode"] == 2)
    }

    @Test func `M23: calls that need a token during a logout wait for its end, and then get one`() async throws {
        let gate = Gate()
        let inProcess = ServiceTransport(MobileFirstService())
        let client = WLClient.scripted(
            ScriptedTransport { request in
                if request.url.path().hasSuffix("/logout") { try await gate.wait() }
                return try await inProcess.send(request)
            })
        client.registerChallengeHandler(CheckHandler("PinCode", [["pin": "1234"]]))
        let manager = client.authorizationManager
        try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        let logout = Task { await failure { () throws(WLError) in try await manager.logout("PinCode") } }
        try await gate.waitForWaiters(1)
        let ledger = CompletionLedger<Int>()
        for number in 0..<5 {
            let call = ledger.call("\(number)")
            client.request("/adapters/Bank/balance").send { response, _ in call.succeed(response?.status ?? 0) }
        }
        gate.open()
        let codes = try await ledger.waitForAll().map { if case .success(let code) = $0 { code } else { 0 } }
        #expect(codes == [200, 200, 200, 200, 200])
        #expect(await logout.value == nil)
        try ledger.check()
    }

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
            "mfp.example.test": ServiceTransport(MobileFirstService()),
            "new.example.test": ServiceTransport(MobileFirstService()),
        ]
        let gate = Gate()
        let transport = ScriptedTransport { request in
            let host = request.url.host() ?? ""
            if host == "mfp.example.test", request.url.path().hasSuffix("/authorization") { try await gate.wait() }
            return try await #require(services[host]).send(request)
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
        #expect(services["new.example.test"]?.service.counts.registrations == 1)
    }

    @Test func `M27: a token does not follow a redirect, and the challenge of its target is the failure`() async throws
    {
        let (client, service, transport) = client { request in
            guard request.url.host() == "mfp.example.test", request.fields[.authorization] != nil else {
                return try Self.challenge(request, .unauthorized, "Bearer")
            }
            return request.response(.found, fields: try HTTPFields(["Location": "https://other.test/adapters/x"]))
        }
        let request = client.request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.response?.status == 401)
        let foreign = transport.requests.filter { $0.url.host() == "other.test" }
        #expect(foreign.count == 1 && foreign.allSatisfy { $0.fields[.authorization] == nil })
        #expect(service.counts.tokenExchanges == ["RegisteredClient": 1])
    }

    @Test func `M7, M14: a global header Authorization does not reach the authorization server`() async throws {
        let fixture = Fixture()
        fixture.client.addGlobalHeader("authorization", headerValue: "Basic dXNlcjpzM2NyZXQ=")
        fixture.client.addGlobalHeader("X-Tenant", headerValue: "1")
        _ = try await fixture.client.authorizationManager.obtainAccessToken(forScope: nil)
        #expect(fixture.paths.count == 4)
        #expect(fixture.transport.requests.allSatisfy { $0.fields[.authorization] == nil })
        #expect(fixture.transport.requests.allSatisfy { $0.fields["X-Tenant"] == "1" })
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

    @Test(
        arguments: [
            (401, ["WWW-Authenticate": "Bearer"], true, nil),
            (403, ["www-authenticate": #"Bearer error="insufficient_scope", scope="b, a""#], true, "b, a"),
            (403, ["WWW-AUTHENTICATE": "Bearer scope=read"], true, "read"),
            (409, ["mfp-conflict": "true"], true, nil), (409, [:], false, nil),
            (401, ["WWW-Authenticate": "MFP-Challenge"], false, nil), (200, ["WWW-Authenticate": "Bearer"], false, nil),
        ] as [(Int, [String: String], Bool, String?)])
    func `M25: responses of an app's own requests are read`(
        status: Int, headers: [String: String], isRequired: Bool, scope: String?
    ) {
        let manager = Fixture().client.authorizationManager
        #expect(manager.isAuthorizationRequired(forResponseWithStatus: status, headers: headers) == isRequired)
        #expect(manager.isAuthorizationRequired(status: status, headers: headers) == isRequired)
        #expect(manager.resourceScope(fromResponseHeaders: headers) == scope)
        #expect(manager.resourceScope(responseHeaders: headers) == scope)
    }

    @Test(arguments: ["https://evil.test/cb", "http://mfp.example.test/mfp", "http://mfpredirecturi.evil.test"])
    func `M26: a redirect of the authorization endpoint to another URL is refused, and none is followed`(
        target: String
    ) async throws {
        let fixture = Fixture()
        fixture.service.redirectAuthorizations(to: target)
        let manager = fixture.client.authorizationManager
        let error = await failure { () throws(WLError) in try await manager.obtainAccessToken(forScope: nil) }
        #expect(error?.code == .authorization && error?.message.contains(ERROR_OAUTH_PREVENT_REDIRECT) == true)
        #expect(fixture.transport.requests.allSatisfy { $0.url.host() == "mfp.example.test" })
        #expect(fixture.requests("az/v1/token").isEmpty)
        fixture.service.redirectAuthorizations(to: nil)
        _ = try await manager.obtainAccessToken(forScope: nil)
        #expect(fixture.transport.requests.allSatisfy { $0.url.host() != "mfpredirecturi" })
    }

    @Test func `M27: other servers get tokens only if they are trusted`() async throws {
        for (isTrusted, isUnsafe) in [(false, false), (true, false), (false, true)] {
            let (_, service, _) = client { $0.response() }
            let inProcess = ServiceTransport(service)
            let transport = ScriptedTransport { request in
                guard request.url.host() == "other.test" else { return try await inProcess.send(request) }
                return request.fields[.authorization] == nil
                    ? try Self.challenge(request, .unauthorized, "Bearer") : request.response()
            }
            let client = WLClient.scripted(transport) { configuration in
                if isTrusted { configuration.trustedURLs = ["https://other.test/api"] }
                configuration.sendsTokensToEveryServer = isUnsafe
            }
            let request = client.request("https://other.test/x")
            let error = await failure { () throws(WLError) in try await request.send() }
            #expect((error == nil) == (isTrusted || isUnsafe))
            let sent = transport.requests.filter { $0.url.host() == "other.test" }
            #expect(sent.contains { $0.fields[.authorization] != nil } == (isTrusted || isUnsafe))
        }
    }

    @Test func `M27: no description, error or warning has a token, a PIN or a body`() async throws {
        let fixture = Fixture()
        fixture.pins("9876", "1234")
        let manager = fixture.client.authorizationManager
        let token = try await manager.obtainAccessToken(forScope: "transfer")
        let request = fixture.request("/adapters/Public/echo?token=s3cret", WLHttpMethodPost)
        request.setHeaderValue("Bearer \(token.value)", forName: "Authorization")
        let response = try await request.send(withBody: "s3cret body")
        fixture.service.failNext(for: "PinCode", with: ["failure": "s3cret"])
        let failed = await failure { () throws(WLError) in
            try await manager.login("PinCode", withCredentials: ["pin": "1234"])
        }
        let error = try #require(failed)
        var texts = ["\(token)", "\(request)", "\(response)", "\(error)", "\(error as NSError)", "\(fixture.client)"]
        texts += ["\(request.headers)", String(reflecting: token), error.localizedDescription]
        for value in [token, request, response, error, fixture.client] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            texts.append(dumped)
        }
        texts += fixture.warnings.value
        for text in texts {
            for secret in [token.value, "1234", "9876", "s3cret"] { #expect(!text.contains(secret), "\(text)") }
        }
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

    @Test func `a refresh token stays valid without a new one, and a network failure asks for no credentials`()
        async throws
    {
        let clock = ManualClock()
        let start = Date()
        var serviceConfiguration = MobileFirstService.Configuration()
        serviceConfiguration.refreshTokenLifetime = .seconds(86_400)
        serviceConfiguration.startTime = start
        let inProcess = ServiceTransport(MobileFirstService(serviceConfiguration, clock: clock))
        let refreshes = Watched<[String]>([]), isOffline = Watched(false)
        let transport = ScriptedTransport { request in
            let form = String(decoding: try await request.body.collect(), as: UTF8.self)
            guard form.hasPrefix("grant_type=refresh_token&") else { return try await inProcess.send(request) }
            if isOffline.value { throw TransportError(.connectionRefused, "Connection refused.", request: request) }
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
        #expect(transport.requests.count { $0.url.path().hasSuffix("/preauthorize") } == 1)
    }

    @Test func `a confidential client obtains tokens with its secret`() async throws {
        let fixture = Fixture()
        let tokens = try fixture.client.confidentialClient(id: "test", secret: "test", scope: "accessRestricted")
        let token = try await CredentialCache(tokens).credential(for: "accessRestricted")
        #expect(token.scope == "accessRestricted")
        #expect(fixture.requests("az/v1/token")[0].fields[.authorization] == "Basic dGVzdDp0ZXN0")
        #expect(fixture.service.counts.clientCredentials == ["accessRestricted": 1])
    }

    @Test func `M27: an error of the registration data does not show the assertion of its URL`() async throws {
        let fixture = Fixture()
        _ = try await fixture.client.authorizationManager.obtainAccessToken(forScope: nil)
        fixture.service.inject(.status(.internalServerError), at: .registration)
        let once = ExactlyOnce<String>()
        fixture.client.getDeviceDisplayName { name, error in
            once.succeed((error as? WLError).map { "\($0) \($0 as NSError)" } ?? name ?? "")
        }
        guard case .success(let text) = try await once.outcome else { return }
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
        guard case .success(let name) = try await once.outcome else { return }
        #expect(name == "Ann's phone")
        try once.check()
    }
}
