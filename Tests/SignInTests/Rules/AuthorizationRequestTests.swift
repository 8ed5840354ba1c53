import Foundation
import HTTPMessages
import RequestModel
import Testing

@testable import SignIn

@Suite struct AuthorizationRequestTests {
    private func error(_ response: KeyValuePairs<String, String?>, promisesIssuer: Bool = false) throws -> SignInError {
        let fixture = try LoginFixture(promisesIssuer: promisesIssuer)
        let error = #expect(throws: SignInError.self) { try fixture.request.code(in: fixture.response(response)) }
        return try #require(error)
    }

    @Test func `the request has state, nonce and challenge, and keeps the endpoint's query`() throws {
        let request = try LoginFixture(extra: ["prompt": "login"]).request
        let url = try request.url(at: #require(URL(string: "https://a.example/auth?tenant=7")), client: "shop")
        let query = Query(parsing: url.query(percentEncoded: true) ?? "", as: .form)
        #expect(query["tenant"] == "7" && query["client_id"] == "shop" && query["prompt"] == "login")
        #expect(query["response_type"] == "code" && query["scope"] == "orders")
        #expect(query["state"] == request.state && query["nonce"] == request.nonce)
        #expect(query["code_challenge"] == (try SecretText.challenge(of: request.verifier)))
        #expect(query["code_challenge_method"] == "S256" && !url.absoluteString.contains(request.verifier))
        #expect(Set([request.state, request.nonce, request.verifier]).count == 3)
    }

    @Test func `a parameter of the sign-in's own is refused`() {
        let error = #expect(throws: SignInError.self) { try LoginFixture(extra: ["state": "fixed"]) }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("`state`") == true)
    }

    @Test func `a response with the right state and issuer has a code`() throws {
        for promises in [true, false] {
            let fixture = try LoginFixture(promisesIssuer: promises)
            let response = fixture.response(["code": "c0de", "iss": "https://a.example"])
            #expect(try fixture.request.code(in: response) == "c0de")
        }
    }

    @Test func `a response of another issuer, or without a promised one, is refused`() throws {
        #expect(try error(["code": "c", "iss": "https://b.example"]).code == .otherIssuer)
        #expect(try error(["error": "access_denied", "iss": "https://b.example"]).code == .otherIssuer)
        #expect(try error(["code": "c"], promisesIssuer: true).code == .otherIssuer)
    }

    @Test func `a malformed response is refused`() throws {
        #expect(try error(["code": "a", "code": "b"]).code == .invalidResponse)
        #expect(try error(["state": "b", "code": "a"]).code == .stateMismatch)
        #expect(try error(["code": ""]).code == .invalidResponse)
        #expect(try error([:]).code == .invalidResponse)
        #expect(try error(["code": String(repeating: "a", count: 1 << 20)]).code == .invalidResponse)
    }

    @Test func `an error of the server is shown without the secrets of the request`() throws {
        let denied = try error(["error": "access_denied", "error_description": "The user\nsaid no."])
        #expect(denied.code == .accessDenied && denied.oauthError == "access_denied")
        #expect(denied.oauthErrorDescription == "The user said no.")
        let fixture = try LoginFixture()
        let text = "\(fixture.request.state) \(fixture.request.nonce)"
        let refused = #expect(throws: SignInError.self) {
            try fixture.request.code(in: fixture.response(["error": "invalid_scope", "error_description": text]))
        }
        #expect(refused?.code == .refused && refused?.oauthError == "invalid_scope")
        var dumped = "\(String(describing: refused)) \(fixture.request)"
        dump(refused, to: &dumped)
        dump(fixture.request, to: &dumped)
        for secret in [fixture.request.state, fixture.request.nonce, fixture.request.verifier] {
            #expect(!dumped.contains(secret))
        }
    }

    @Test(arguments: [
        ("HTTPS://App.Example.com", "https://app.example.com/?code=a", true),
        ("https://app.example.com", "https://app.example.com?code=a", true),
        ("https://app.example.com:443/in", "https://app.example.com/in?code=a", true),
        ("Com.Example:/in", "com.example:/in?code=a", true),
        ("https://app.example.com/in", "https://app.example.com/In?code=a", false),
        ("https://app.example.com", "https://app.example.com.b.example/?code=a", false),
        ("https://app.example.com", "http://app.example.com/?code=a", false),
        ("com.example:/in", "com.example:/IN?code=a", false),
    ]) func `a redirect is compared as browsers write it`(uri: String, redirect: String, isSame: Bool) throws {
        let request = try LoginFixture(redirectURI: uri).request
        #expect((try? request.query(of: #require(URL(string: redirect)))["code"]) == (isSame ? "a" : nil))
    }

    @Test func `only a redirect to the redirect URI is read`() throws {
        let request = try LoginFixture().request
        #expect(try request.query(of: #require(URL(string: "com.example:/in?code=a+b#x")))["code"] == "a b")
        for text in ["com.example:/other?code=a", "com.example2:/in?code=a", "com.example:/in/x?code=a"] {
            let error = #expect(throws: SignInError.self) { try request.query(of: #require(URL(string: text))) }
            #expect(error?.code == .invalidResponse)
        }
    }
}
