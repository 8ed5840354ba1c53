import HTTPMessages
import SystemLibraries
import Testing

@testable import Authentication

@Suite struct DigestChallengeTests {
    @Test func `of the names of many unsupported schemes a few are kept`() {
        let challenges = AuthenticationChallenge.parse([(0..<20_000).map { "s\($0)" }.joined(separator: ",")])
        var unsupported: [String] = []
        #expect(SupportedChallenge.strongest(of: challenges, [.basic], unsupported: &unsupported) == nil)
        #expect(challenges.count == 20_000 && unsupported.first == "S0" && unsupported.count == 16)
    }

    private func strongest(
        _ values: [String], _ schemes: Set<PasswordScheme> = [.basic, .digest]
    ) -> (SupportedChallenge?, [String]) {
        var unsupported: [String] = []
        let challenge = SupportedChallenge.strongest(
            of: AuthenticationChallenge.parse(values), schemes, unsupported: &unsupported)
        return (challenge, unsupported)
    }

    private static let start = "Digest realm=r, nonce=n"

    /// The name of the chosen algorithm, or `Basic`.
    @Test(arguments: [
        ([start], "MD5"), (["Basic realm=r"], "Basic"), (["Basic realm=r, \(start)"], "MD5"),
        (["\(start), Basic realm=r"], "MD5"),
        (["\(start), algorithm=MD5, Digest realm=r, nonce=m, algorithm=SHA-256"], "SHA-256"),
        (["\(start), algorithm=SHA-256", "\(start), algorithm=MD5", "Basic realm=r"], "SHA-256"),
        (["\(start), algorithm=SHA-256", "\(start), algorithm=SHA-512-256"], "SHA-512-256"),
        (["\(start), algorithm=SHA-256, qop=auth", "\(start), algorithm=SHA-256-sess, qop=auth"], "SHA-256"),
        (["\(start), algorithm=sha-512-256-SESS, qop=auth"], "SHA-512-256-sess"),
        (["\(start), algorithm=SHA-512", "\(start)"], "MD5"), (["\(start), algorithm=X", "Basic realm=r"], "Basic"),
        (["\(start), qop=other, algorithm=SHA-256", "\(start), qop=auth"], "MD5"),
        (["Digest realm=r, algorithm=SHA-256", "\(start)"], "MD5"),
        (["Digest nonce=n, algorithm=SHA-256", "Basic realm=r"], "Basic"),
        (["\(start), algorithm=MD5-sess", "Basic realm=r"], "Basic"),
        (["NTLM", "Negotiate", "Basic realm=r"], "Basic"), (["Negotiate YWJj, \(start)"], "MD5"),
    ])
    func `the strongest supported challenge is chosen`(values: [String], expected: String) {
        switch strongest(values).0 {
        case .digest(let challenge): #expect(challenge.algorithm.name == expected)
        case .basic: #expect(expected == "Basic")
        case nil: Issue.record("no challenge")
        }
    }

    @Test(arguments: [
        (["NTLM"], ["NTLM"]), (["Negotiate", "NTLM"], ["Negotiate", "NTLM"]), (["Negotiate YWJj"], ["Negotiate"]),
        (["Bearer realm=x, Kerberos"], ["Bearer", "Kerberos"]), ([], []), (["NTLM, NTLM"], ["NTLM"]),
        (["\(start), algorithm=SHA-512"], ["Digest with algorithm SHA-512"]),
        (["\(start), qop=\"a, b\""], ["Digest with qop a,b"]), (["Digest realm=r"], ["Digest without realm or nonce"]),
        (["\(start), algorithm=MD5-sess"], ["Digest with algorithm MD5-sess without qop"]),
    ])
    func `unsupported schemes are named`(values: [String], names: [String]) {
        let (challenge, unsupported) = strongest(values)
        #expect(challenge == nil && unsupported == names)
    }

    @Test func `a long name of a server is cut`() {
        let (_, unsupported) = strongest(["\(Self.start), algorithm=\(String(repeating: "x", count: 1000))"])
        #expect(unsupported.first?.count == 60)
    }

    @Test func `schemes can be excluded`() {
        #expect(strongest(["Basic realm=r"], [.digest]).0 == nil)
        #expect(strongest(["Basic realm=r"], [.digest]).1 == ["Basic"])
        #expect(strongest(["Basic realm=r", Self.start], [.basic]).0 == .basic(realm: "r"))
        #expect(strongest(["Basic realm=r", Self.start], [.basic]).1 == ["Digest"])
    }

    @Test(
        arguments: [
            (nil, nil), ("\"\"", nil), ("auth", .auth), ("\"auth,auth-int\"", .auth), ("\"auth-int, auth\"", .auth),
            ("auth-int", .authInt), ("\"other, AUTH-INT\"", .authInt),
        ] as [(String?, DigestChallenge.Protection?)])
    func `auth precedes auth-int`(qop: String?, expected: DigestChallenge.Protection?) throws {
        let text = Self.start + (qop.map { ", qop=\($0)" } ?? "")
        #expect(try DigestChallenge(#require(AuthenticationChallenge.parse([text]).first)).protection == expected)
    }

    @Test func `all parameters are read`() throws {
        let text = """
            \(Self.start), stale=TRUE, opaque="", userhash=true, charset=utf-8, domain="/a  /b http://other/"
            """
        let challenge = try DigestChallenge(#require(AuthenticationChallenge.parse([text]).first))
        #expect(challenge.isStale && challenge.opaque == "" && challenge.wantsUserHash && challenge.usesUTF8)
        #expect(challenge.domain == ["/a", "/b", "http://other/"] && !challenge.namesAlgorithm)
    }
}
