import Testing

@testable import SignIn

@Suite struct SecretTextTests {
    @Test func `the challenge of RFC 7636, appendix B`() throws {
        let challenge = try SecretText.challenge(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `a random text has 43 unreserved characters, and no other is equal`() {
        var generator = SystemRandomNumberGenerator()
        let texts = (0..<100).map { _ in SecretText.random(using: &generator) }
        #expect(Set(texts).count == 100)
        #expect(texts.allSatisfy { $0.count == 43 && $0.utf8.allSatisfy { $0 == 0x2D || $0 == 0x5F || $0 > 0x2F } })
    }

    @Test func `secrets are compared byte by byte`() {
        #expect(SecretText.areEqual("abc", "abc") && SecretText.areEqual("", ""))
        #expect(
            !SecretText.areEqual("abc", "abd") && !SecretText.areEqual("abc", "ab") && !SecretText.areEqual("", "a"))
    }
}
