import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import VendorServices

@Suite(.needsSlot) struct ResendTests {
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

    @Test func `M16: at most four resends with other tokens, and the last response is the failure`() async throws {
        let (client, service, transport) = resourceClient {
            try challenge($0, .unauthorized, #"Bearer error="invalid_token""#)
        }
        let request = client.request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .authorization && error?.errorCode == 5 && error?.response?.status == 401)
        #expect(transport.requests.count { $0.url.path().contains("/adapters/") } == 5)
        #expect(service.counts.tokenExchanges == ["RegisteredClient": 4])
    }

    @Test func `M16: at most seven resends after conflicts, counted apart from those with other tokens`() async throws {
        let number = Mutex(0)
        let (client, _, transport) = resourceClient { request in
            let count = number.withLock { number in
                number += 1
                return number
            }
            // Four challenges among the conflicts: 1 + 4 + 7 requests in total.
            return [2, 4, 6, 8].contains(count)
                ? try challenge(request, .unauthorized, #"Bearer error="invalid_token""#)
                : request.response(try #require(HTTPStatus(409)), fields: try HTTPFields(["MFP-Conflict": "true"]))
        }
        let request = client.request("/adapters/A/p", WLHttpMethodPost)
        let error = await failure { () throws(WLError) in try await request.send(withBody: "x") }
        #expect(error?.response?.status == 409 && error?.errorCode == 4)
        #expect(transport.requests.count { $0.url.path().contains("/adapters/") } == 12)
    }

    @Test func `M16: a conflict without the header is no reason to send again`() async throws {
        let (client, _, transport) = resourceClient { $0.response(try #require(HTTPStatus(409))) }
        let request = client.request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.response?.status == 409 && transport.requests.count == 1)
    }

    @Test func `M12: a 403 without a scope fails, where the vendor's SDK waits forever`() async throws {
        let (client, _, transport) = resourceClient {
            try challenge($0, .forbidden, #"Bearer error="insufficient_scope""#)
        }
        let request = client.request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.response?.status == 403 && transport.requests.count == 1)
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
}
