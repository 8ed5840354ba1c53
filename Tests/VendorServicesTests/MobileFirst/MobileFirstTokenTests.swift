import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import VendorServices

struct MobileFirstTokenTests {
    @Test func `a code is exchanged once`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let code = try await client.code(id, "accessRestricted RegisteredClient")
        let assertion = client.assertion(id, code: code, audience: "az/v1/token")
        let response = try await client.exchange(code, assertion)
        #expect(response.status == 200)
        #expect(response.json["token_type"] == "Bearer")
        #expect(response.json["expires_in"] == 3600)
        #expect(response.json["scope"] == "accessRestricted RegisteredClient")
        #expect(response.json.object?.keys.contains("refresh_token") == false)
        #expect(response.fields["Cache-Control"] == "no-store")
        #expect(response.fields["Pragma"] == "no-cache")
        #expect(client.service.counts.tokenExchanges == ["RegisteredClient accessRestricted": 1])
        let second = try await client.exchange(code, assertion)
        #expect(second.status == 400)
        #expect(second.json["error"] == "invalid_grant")
    }

    @Test func `a code expires`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let code = try await client.code(id)
        await client.clock.advance(by: .seconds(60))
        let response = try await client.exchange(code, client.assertion(id, code: code, audience: "az/v1/token"))
        #expect(response.json["error"] == "invalid_grant")
    }

    @Test func `the authorization endpoint redirects with state and errors`() async throws {
        let client = MobileFirstClient { $0.makeID = { "c1" } }
        let id = try await client.register()
        func location(_ scope: String = "", type: String = "code", state: String? = nil) async throws -> String? {
            let response = try await client.authorize(id, scope, type: type, state: state)
            return response.status == 302 ? response.fields[.location] : nil
        }
        let base = "http://mfpredirecturi?"
        try await #expect(location(state: "a b") == base + "code=c1&state=a%20b")
        try await #expect(location("unknown") == base + "error=invalid_scope")
        try await #expect(location("transfer") == base + "error=access_denied")
        try await #expect(location(type: "token") == base + "error=unsupported_response_type")
        let foreign = try await client.authorize(id, redirectURI: "http://elsewhere.test")
        #expect(foreign.status == 400)
        #expect(foreign.fields[.location] == nil)
        client.service.redirectAuthorizations(to: "http://elsewhere.test/?x=1")
        try await #expect(location() == "http://elsewhere.test/?x=1&code=c1")
    }

    enum Flaw: CaseIterable {
        case code, audience, keyID, key, issuer, early, late, lifetime, type, missing
    }

    @Test(arguments: Flaw.allCases) func `a flawed assertion is refused`(flaw: Flaw) async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let code = try await client.code(id)
        func assertion(_ change: (inout MobileFirstClient) -> Void) -> [String: String] {
            var changed = client
            change(&changed)
            return changed.assertion(id, code: code, audience: "az/v1/token")
        }
        let valid = client.assertion(id, code: code, audience: "az/v1/token")
        let form: [String: String] =
            switch flaw {
            case .code: client.assertion(id, code: "other", audience: "az/v1/token")
            case .audience: client.assertion(id, code: code)
            case .keyID: client.assertion(id, code: code, audience: "az/v1/token", keyID: "other")
            case .key: assertion { $0.modulus[1] = 0x32 }
            case .issuer: assertion { $0.issuer = "com.example.other$ios" }
            case .early: assertion { $0.skew = 30_001 }
            case .late: assertion { $0.skew = -90_000 }
            case .lifetime: client.assertion(id, code: code, audience: "az/v1/token", lifetime: 60_001)
            case .type: valid.filter { $0.key == "client_assertion" }
            case .missing: [:]
            }
        let response = try await client.exchange(code, form)
        #expect(response.status == 400)
        #expect(response.json["error"] == "invalid_client")
        if flaw == .code { #expect(response.json["errorMsg"] == "FWLSE0012E: Invalid jti") }
        #expect(client.service.counts.tokenExchanges == [:])
        // The code is still valid, because the client was not authenticated.
        try await #expect(client.exchange(code, valid).status == 200)
    }

    @Test(arguments: ["com.example.app$ios$1.0", "com.example.app$ios(1.0)"])
    func `the issuer may have the version`(issuer: String) async throws {
        var client = MobileFirstClient()
        client.issuer = issuer
        client.skew = -89_999
        let id = try await client.register()
        try await #expect(client.exchange(id).status == 200)
    }

    @Test func `another client cannot use a code`() async throws {
        let client = MobileFirstClient()
        let first = try await client.register()
        let second = try await client.register()
        let code = try await client.code(first)
        let response = try await client.exchange(code, client.assertion(second, code: code, audience: "az/v1/token"))
        #expect(response.json["error"] == "invalid_grant")
    }

    @Test func `tokens expire by the clock and on demand`() async throws {
        let client = MobileFirstClient { $0.tokenLifetime = .seconds(10) }
        let id = try await client.register()
        let token = try await client.token(id)
        await client.clock.advance(by: .milliseconds(9999))
        try await #expect(client.call("Secure/echo", token: token).status == 200)
        await client.clock.advance(by: .milliseconds(1))
        let expired = try await client.call("Secure/echo", token: token)
        #expect(expired.status == 401)
        #expect(expired.fields[.wwwAuthenticate] == "Bearer error=\"invalid_token\"")
        let second = try await client.token(id)
        client.service.expireTokens()
        try await #expect(client.call("Secure/echo", token: second).status == 401)
    }

    @Test func `a refresh token is valid once`() async throws {
        let client = MobileFirstClient { $0.refreshTokenLifetime = .seconds(100) }
        let id = try await client.register()
        let first = try #require(try await client.exchange(id).json["refresh_token"]?.string)
        await client.clock.advance(by: .seconds(99))
        let response = try await client.refresh(id, first)
        #expect(response.status == 200)
        let token = try #require(response.json["access_token"]?.string)
        try await #expect(client.call("Secure/echo", token: token).status == 200)
        try await #expect(client.refresh(id, first).json["error"] == "invalid_grant")
        #expect(client.service.counts.refreshes == ["RegisteredClient": 1])
        #expect(client.service.counts.tokenExchanges == ["RegisteredClient": 1])

        let second = try #require(response.json["refresh_token"]?.string)
        #expect(second != first)
        await client.clock.advance(by: .seconds(100))
        try await #expect(client.refresh(id, second).json["error"] == "invalid_grant")
        let third = try #require(try await client.exchange(id).json["refresh_token"]?.string)
        client.service.expireRefreshTokens()
        try await #expect(client.refresh(id, third).json["error"] == "invalid_grant")
    }

    @Test func `confidential clients use a secret and introspect tokens`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        let login: JSONValue = ["UserLogin": ["username": "ann", "password": "open sesame"]]
        _ = try await client.preauthorize(id, "profile", login)
        let token = try await client.token(id, "profile")

        let grant = ["grant_type": "client_credentials", "scope": "authorization.introspect"]
        let refused = try await client.send("/api/az/v1/token", form: grant, authorization: "Basic dGVzdDp4")
        #expect(refused.status == 401)
        #expect(refused.json["error"] == "invalid_client")
        #expect(refused.fields[.wwwAuthenticate] == "Basic realm=\"MobileFirst\"")
        let granted = try await client.send("/api/az/v1/token", form: grant, authorization: "Basic dGVzdDp0ZXN0")
        let own = try #require(granted.json["access_token"]?.string)
        #expect(client.service.counts.clientCredentials == ["authorization.introspect": 1])

        func introspect(_ token: String, by bearer: String) async throws -> MobileFirstClient.Response {
            try await client.send(
                "/api/az/v1/introspection", form: ["token": token], authorization: "Bearer \(bearer)")
        }
        await client.clock.advance(by: .seconds(1))
        #expect(
            try await introspect(token, by: own).json == [
                "active": true, "scope": "profile", "username": "ann", "client_id": .string(id),
                "exp": .integer(MobileFirstClient.startTime + 3_600_000),
            ])
        #expect(try await introspect("x", by: own).json == ["active": false])
        #expect(try await introspect(own, by: token).status == 403)
        #expect(try await introspect(own, by: "x").status == 401)
        let noScope = try await client.send(
            "/api/az/v1/token", form: ["grant_type": "client_credentials"], authorization: "Basic dGVzdDp0ZXN0")
        #expect(noScope.json["scope"] == "RegisteredClient")
    }

    @Test func `members of token responses can be replaced and removed`() async throws {
        let client = MobileFirstClient()
        let id = try await client.register()
        client.service.overrideTokenResponses(["expires_in": .integer(-1), "scope": nil])
        let response = try await client.exchange(id)
        #expect(response.json["expires_in"] == .integer(-1))
        #expect(response.json.object?.keys.contains("scope") == false)
    }

    @Test func `other grants and media types are refused`() async throws {
        let client = MobileFirstClient()
        let response = try await client.send("/api/az/v1/token", form: ["grant_type": "password"])
        #expect(response.json["error"] == "unsupported_grant_type")
        try await #expect(client.send(.post, "/api/az/v1/token", json: [:]).status == 400)
        try await #expect(client.send(.get, "/api/az/v1/token").status == 405)
    }
}
