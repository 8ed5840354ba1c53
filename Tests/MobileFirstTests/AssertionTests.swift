import Authentication
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct AssertionTests {
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
        let backend = TestTransport.service(MobileFirstService())
        let json = try JSONValue(
            parsing: Data(#"{"successes":{"clockSynchronization":{"serverTimeStamp":\#(time)}}}"#.utf8))
        let client = WLClient.scripted(
            ScriptedTransport { request in
                let response = try await backend.send(request)
                return request.url.path().hasSuffix("/preauthorize") ? request.response(json: json) : response
            })
        _ = try await client.authorizationManager.obtainAccessToken(forScope: nil)
    }
}
