import Authentication
import Foundation
import HTTPMessages
import Testing

@Suite struct ClientAssertionTests {
    private struct Echo: RS256Signer {
        func signature(of data: Data) -> Data { data }
    }

    @Test func `claims follow the server's clock`() async throws {
        let clock = ServerClock(date: { Date(timeIntervalSince1970: 100) })
        clock.synchronize(with: Date(timeIntervalSince1970: 500.75))
        #expect(clock.skew == 400.75)
        let assertion = ClientAssertion(
            clientID: "app", audience: "https://login.example.com/token", keyID: "k", signer: Echo(), clock: clock,
            makeID: { "id-1" })
        let parts = try await assertion.token().split(separator: ".").map(String.init)
        let decoded = try parts.prefix(2).map { try JSONValue(parsing: #require(Data(base64URLEncoded: $0))) }
        #expect(decoded[0] == ["alg": "RS256", "typ": "JWT", "kid": "k"])
        #expect(
            decoded[1] == [
                "iss": "app", "sub": "app", "aud": "https://login.example.com/token", "jti": "id-1", "iat": 500,
                "exp": 560,
            ])
        // The signature covers the two parts with their dot.
        #expect(Data(base64URLEncoded: parts[2]) == Data("\(parts[0]).\(parts[1])".utf8))
        #expect(!"\(assertion)".contains(parts[2]))
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("\u{FB}\u{FF}", "w7vDvw"), ("~~~?", "fn5-Pw"),
    ])
    func `base64url has no padding, and is read with or without it`(text: String, encoded: String) {
        let data = Data(text.utf8)
        #expect(data.base64URLEncodedString() == encoded && Data(base64URLEncoded: encoded) == data)
        #expect(Data(base64URLEncoded: data.base64EncodedString()) == data && Data(base64URLEncoded: "a") == nil)
    }
}
