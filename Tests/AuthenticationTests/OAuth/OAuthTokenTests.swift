import Authentication
import Foundation
import HTTPMessages
import Testing

@Suite struct OAuthTokenTests {
    @Test(arguments: ["a", "a-._~+/Z9", "a==", "eyJhbGciOiJSUzI1NiJ9.e30.c2ln"])
    func `tokens of RFC 6750 are valid`(value: String) throws {
        let token = try OAuthToken(value)
        var request = try request()
        try request.fields.append(.authorization, "Basic old")
        try request.fields.append(.authorization, "Basic older")
        token.apply(to: &request)
        #expect(request.fields.values(of: .authorization) == ["Bearer \(value)"])
    }

    @Test func `no description has the tokens`() throws {
        let token = try OAuthToken(
            "s3cret", scope: "b a", expiry: Date(timeIntervalSince1970: 0), refreshToken: "s3cret-too")
        var dumped = ""
        dump(token, to: &dumped)
        dump(TokenSet(tokens: ["a": token], refreshToken: "s3cret"), to: &dumped)
        let all = [dumped, "\(token)", String(reflecting: token), "\([token])"]
        #expect(all.allSatisfy { !$0.contains("s3cret") } && "\(token)".contains("a b"))
    }

    @Test func `scopes are equal in any order`() {
        #expect(OAuthScope("b  a\tb") == "a b" && OAuthScope("b a").text == "a b")
        #expect(OAuthScope() == .empty && OAuthScope("  ").isEmpty && OAuthScope(nil) == "")
        #expect(OAuthScope(["b", "a"]).names == ["a", "b"])
    }

    @Test(arguments: [(0.0, 10.0), (10, 0), (20, -10), (-1e300, 1e9)])
    func `the lifetime is counted from a date`(now: Double, seconds: Double) throws {
        let token = try OAuthToken("a", expiry: Date(timeIntervalSince1970: 10))
        #expect(token.lifetime(at: Date(timeIntervalSince1970: now)) == .seconds(seconds))
        #expect(try OAuthToken("a").lifetime(at: Date()) == nil)
    }
}
