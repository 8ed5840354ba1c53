import Authentication
import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct AuthenticationChallengeTests {
    /// Challenges as text: `scheme`, then `=token68` or `name:value` for each parameter, separated by `|`.
    private func text(_ values: [String]) -> [String] {
        AuthenticationChallenge.parse(values).map { challenge in
            ([challenge.scheme + (challenge.token68.map { "=\($0)" } ?? "")]
                + challenge.parameters.map { "\($0.name):\($0.value)" }).joined(separator: "|")
        }
    }

    @Test(arguments: [
        ("Basic realm=\"simple\"", ["basic|realm:simple"]),
        ("BASIC Realm = simple", ["basic|realm:simple"]),
        ("Negotiate", ["negotiate"]),
        ("Negotiate YWJj==", ["negotiate=YWJj=="]),
        ("Negotiate a-._~+/9=, Basic realm=x", ["negotiate=a-._~+/9=", "basic|realm:x"]),
        (
            "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
            ["newauth|realm:apps|type:1|title:Login to \"apps\"", "basic|realm:simple"]
        ),
        ("Basic, Bearer", ["basic", "bearer"]),
        (",, ,Basic realm=a ,, , charset=\"UTF-8\",", ["basic|realm:a|charset:UTF-8"]),
        ("Bearer error=\"insufficient_scope\", scope=\"a b,c\"", ["bearer|error:insufficient_scope|scope:a b,c"]),
        ("Bearer scope=a", ["bearer|scope:a"]),
        (
            "Digest qop=\"auth, auth-int\", nonce=abc==, stale=true",
            ["digest|qop:auth, auth-int|nonce:abc==|stale:true"]
        ),
        ("Basic realm=\"\"", ["basic|realm:"]),
        ("Basic realm=\"a\\\\b\"", ["basic|realm:a\\b"]),
        ("Basic realm=\"ä\"", ["basic|realm:ä"]),
        ("Bearer realm=\"x\" error=\"invalid_token\"", ["bearer|realm:x|error:invalid_token"]),
        ("Bearer uri=https://example.com/?a=b", ["bearer|uri:https://example.com/?a=b"]),
    ])
    func `challenges of one field`(value: String, expected: [String]) { #expect(text([value]) == expected) }

    @Test(arguments: [
        ("", []), (" , ,, ", []), ("=", []), ("\"", []), ("realm=\"x\"", []), ("\"Basic realm=x", []),
        ("Basic realm=\"never ends", ["basic|realm:never ends"]),
        ("Basic realm=\"ends in\\", ["basic|realm:ends in\\"]),
        ("Basic =", ["basic"]), ("Basic realm=", ["basic=realm="]),
        ("Basic realm=,Bearer", ["basic=realm=", "bearer"]),
        ("a/b, Basic", ["basic"]), ("Basic ==, Bearer", ["basic", "bearer"]),
        ("Basic @@@ , Bearer", ["basic", "bearer"]),
        ("Basic a b c, Bearer", ["basic", "bearer"]), ("Basic realm=x junk, Bearer", ["basic|realm:x", "bearer"]),
        ("Basic \"quoted, Bearer\", Digest", ["basic", "digest"]), ("\u{0}, Basic", ["basic"]),
    ])
    func `malformed parts are skipped`(value: String, expected: [String]) { #expect(text([value]) == expected) }

    @Test func `several fields are read in their order`() throws {
        let head = try head(
            .unauthorized,
            [
                "WWW-Authenticate": "Digest nonce=n", "www-authenticate": "Basic realm=r, Bearer",
                "Proxy-Authenticate": "Basic realm=p",
            ])
        #expect(head.challenges.map(\.scheme) == ["digest", "basic", "bearer"])
        #expect(head.challenges[1].realm == "r" && head.challenges[0]["nonce"] == "n")
        #expect(head.proxyChallenges.map(\.realm) == ["p"])
    }

    @Test func `a parameter continues the challenge of its own field only`() {
        #expect(text(["Basic realm=a", "charset=UTF-8, Bearer"]) == ["basic|realm:a", "bearer"])
    }

    @Test func `no input traps`() {
        var random = SeededGenerator(seed: 7)
        let alphabet = Array("aB1=\", \\\t/é@;-~\u{7F}")
        for _ in 0..<20_000 {
            let value = String(
                (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    alphabet.randomElement(using: &random) ?? "a"
                })
            for challenge in AuthenticationChallenge.parse([value]) {
                #expect(!challenge.scheme.isEmpty && challenge.scheme == challenge.scheme.lowercased())
            }
        }
    }

    @Test func `the description has no values`() {
        for value in ["Negotiate s3cret", "Digest nonce=\"s3cret\""] {
            let challenges = AuthenticationChallenge.parse([value])
            var dumped = ""
            dump(challenges, to: &dumped)
            #expect(!dumped.contains("s3cret") && !"\(challenges)".contains("s3cret") && challenges.count == 1)
        }
    }
}
