import Foundation
import HTTPMessages
import JSON
import Testing

@testable import SignIn

@Suite struct IDTokenCheckTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func check(_ changes: KeyValuePairs<String, JSONValue?> = [:], day: Double = 0) throws -> IDToken {
        var claims: [String: JSONValue] = [
            "iss": "https://a.example", "sub": "ann", "aud": "shop", "nonce": "n0nce", "iat": 1_800_000_000,
            "exp": 1_800_000_600,
        ]
        for (name, value) in changes { claims[name] = value }
        return try check(text: LoginServer().jwt(.object(claims)), day: day)
    }

    private func check(text: String, day: Double = 0) throws -> IDToken {
        try IDTokenCheck(
            issuer: "https://a.example", client: "shop", nonce: "n0nce", now: now.addingTimeInterval(day * 86400),
            tolerance: .seconds(300)
        ).token(text)
    }

    private func error(_ changes: KeyValuePairs<String, JSONValue?>, day: Double = 0) -> SignInError? {
        #expect(throws: SignInError.self) { try check(changes, day: day) }
    }

    @Test func `a right token shows its claims, and not itself`() throws {
        let token = try check()
        #expect(token.subject == "ann" && token.issuer == "https://a.example" && token.claims["aud"] == "shop")
        var dumped = "\(token)"
        dump(token, to: &dumped)
        #expect(!dumped.contains(token.value) && !dumped.contains("ann") && !dumped.contains("n0nce"))
        #expect(try check(["aud": ["shop", "other"], "azp": "shop"]).subject == "ann")
        #expect(try check(["exp": 1_799_999_701]).subject == "ann")
        #expect(try check(["iat": 1_800_000_300]).subject == "ann")
    }

    @Test func `a wrong claim is named`() {
        let table: [(String, JSONValue?, SignInError.Code)] = [
            ("iss", "https://b.example", .otherIssuer), ("iss", nil, .invalidIDToken), ("sub", nil, .invalidIDToken),
            ("sub", "", .invalidIDToken), ("aud", "other", .invalidIDToken), ("aud", [], .invalidIDToken),
            ("aud", 7, .invalidIDToken), ("aud", ["shop", [:]], .invalidIDToken),
            ("aud", ["shop", 7], .invalidIDToken), ("azp", "other", .invalidIDToken), ("nonce", nil, .invalidIDToken),
            ("nonce", "other", .invalidIDToken), ("exp", nil, .invalidIDToken), ("exp", "soon", .invalidIDToken),
            ("exp", 1e300, .invalidIDToken), ("exp", 1_799_999_700, .invalidIDToken), ("iat", nil, .invalidIDToken),
            ("iat", 1_800_000_301, .invalidIDToken),
        ]
        for (name, value, code) in table {
            let error = error([name: value])
            #expect(error?.code == code, "\(name)")
            if code == .invalidIDToken { #expect(error?.message.contains("`\(name)`") == true, "\(name)") }
        }
        #expect(error(["aud": ["shop", "other"]])?.message.contains("`azp`") == true)
    }

    @Test(arguments: [-1.0, 1.0]) func `a clock that is wrong by a day is an error that says both times`(_ day: Double)
    {
        let error = error([:], day: day)
        #expect(error?.code == .invalidIDToken && error?.message.contains("set the clock") == true)
        #expect(error?.message.contains(now.addingTimeInterval(day * 86400).formatted(.iso8601)) == true)
    }

    @Test func `a token without a signature is refused`() throws {
        let parts = try check().value.split(separator: ".").map(String.init)
        for algorithm in ["none", "None", "NONE"] as [JSONValue] {
            let header = try JSONValue.object(["alg": algorithm]).data().base64URLEncodedString()
            for signature in ["", parts[2]] {
                #expect(throws: SignInError.self) { try check(text: "\(header).\(parts[1]).\(signature)") }
            }
        }
        #expect(throws: SignInError.self) { try check(text: "\(parts[0]).\(parts[1]).") }
    }

    @Test func `damaged and encrypted tokens are refused`() throws {
        let text = try LoginServer().jwt([:])
        for text in ["", ".", "..", "a.b.c", "a.b.c.d.e", "\(text).x", String(text.dropFirst(3)), "é.é.é"] {
            #expect(throws: SignInError.self, "\(text)") { try check(text: text) }
        }
        var generator = SystemRandomNumberGenerator()
        let bytes = Array(try LoginServer().jwt(["iss": "https://a.example", "aud": "shop"]).utf8)
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(
                    in: .min ... .max, using: &generator)
            }
            #expect(throws: SignInError.self) { try check(text: String(decoding: damaged, as: UTF8.self)) }
        }
    }
}
