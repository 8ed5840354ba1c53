import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct TokenSecrecyTests {
    @Test func `M27: a token does not follow a redirect, and the challenge of its target is the failure`() async throws
    {
        let (client, service, transport) = resourceClient { request in
            guard request.url.host() == "mfp.example.test", request.fields[.authorization] != nil else {
                return try challenge(request, .unauthorized, "Bearer")
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
            let (_, service, _) = resourceClient { $0.response() }
            let backend = TestTransport.service(service)
            let transport = ScriptedTransport { request in
                guard request.url.host() == "other.test" else { return try await backend.send(request) }
                return request.fields[.authorization] == nil
                    ? try challenge(request, .unauthorized, "Bearer") : request.response()
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
        texts += ["\(request.headers ?? [])", String(reflecting: token), error.localizedDescription]
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
}
