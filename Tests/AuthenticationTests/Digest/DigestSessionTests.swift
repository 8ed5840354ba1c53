import Foundation
import HTTPMessages
import SystemLibraries
import Testing

@testable import Authentication

@Suite struct DigestSessionTests {
    private static let mufasa = PasswordCredential(user: "Mufasa", password: "Circle of Life")
    private static let jason = PasswordCredential(user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?")

    private func session(
        _ challenge: String, _ credential: PasswordCredential, cnonce: String
    ) throws -> DigestSession {
        let content = try DigestChallenge(#require(AuthenticationChallenge.parse([challenge]).first))
        let nonce = DigestNonce(content.nonce, clientValue: cnonce)
        return DigestSession(credential, content, try DigestKey(credential, content, nonce), nonce)
    }

    /// The challenge of RFC 7616, section 3.9.1.
    private func challenge(_ algorithm: String, qop: String = "auth, auth-int") -> String {
        """
        Digest realm="http-auth@example.org", qop="\(qop)", algorithm=\(algorithm), \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """
    }
    private let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `the example of RFC 7616, section 3.9.1`(algorithm: String, response: String) throws {
        let session = try session(challenge(algorithm), Self.mufasa, cnonce: cnonce)
        let field = try session.field(method: "GET", uri: "/dir/index.html", bodyHash: nil, count: 1)
        #expect(
            field == """
                Digest username="Mufasa", realm="http-auth@example.org", \
                nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", algorithm=\(algorithm), \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", qop=auth, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", uri="/dir/index.html", nc=00000001, \
                response="\(response)"
                """)
    }

    // The RFC's own values are those of a SHA-512 cut to 256 bits; erratum 4897 has those of SHA-512/256.
    @Test func `the example of RFC 7616, section 3.9.2, with the values of erratum 4897`() throws {
        let challenge = """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
            opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true
            """
        let session = try session(
            challenge, Self.jason, cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v")
        let field = try session.field(method: "GET", uri: "/doe.json", bodyHash: nil, count: 1)
        let user = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
        #expect(field.contains("username=\"\(user)\", userhash=true, "))
        #expect(field.hasSuffix("response=\"3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5\""))
    }

    @Test func `the example of RFC 2617, section 3_5, with the proof of its server`() throws {
        let challenge = """
            Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """
        let credential = PasswordCredential(user: "Mufasa", password: "Circle Of Life")
        let session = try session(challenge, credential, cnonce: "0a4f113b")
        let field = try session.field(method: "GET", uri: "/dir/index.html", bodyHash: nil, count: 1)
        #expect(field.hasSuffix("response=\"6629fae49393a05397450978507c4ef1\"") && !field.contains("algorithm"))
        let proof = try session.response(method: "", uri: "/dir/index.html", bodyHash: nil, count: 1)
        #expect(String(decoding: proof, as: UTF8.self) == "376602cfd2f4e8e5e78b948a85263e85")
    }

    // With the value of erratum 749.
    @Test func `the example of RFC 2069, section 2_4`() throws {
        let challenge = """
            Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """
        let credential = PasswordCredential(user: "Mufasa", password: "CircleOfLife")
        let field = try session(challenge, credential, cnonce: "unused")
            .field(method: "GET", uri: "/dir/index.html", bodyHash: nil, count: 1)
        #expect(
            field == """
                Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
                opaque="5ccc069c403ebaf9f0171e9517f40e41", uri="/dir/index.html", \
                response="1949323746fe6a43ef61f9606e7febea"
                """)
    }

    // Computed by another implementation.
    @Test(arguments: [
        ("MD5", "auth", "9c659db23ea38ba6f0fe59f7a4bbcab1"),
        ("MD5", "auth-int", "a7d18074cdaa1064d23cf1ace0f1226f"),
        ("MD5-sess", "auth", "d4d22a3da43b6c7798c5625445ffa632"),
        ("MD5-sess", "auth-int", "4923c51942d44079acbe66d2b0bbba2a"),
        ("SHA-256", "auth", "7f3157f256174030d7bc97cae9c8296bf188c255504c9fef6f8adde852b8a1ba"),
        ("SHA-256", "auth-int", "cccd97b7bf34b47f1b1ec32270474be716d199400e23ee2a551d17d54e3c0cc9"),
        ("SHA-256-sess", "auth", "a1b7e715cdd8e197e548edc765370759c379cff02fdbe306441d8b244a764a11"),
        ("SHA-256-sess", "auth-int", "eb5b27f6f90bfcfdfda629f64c9e2cd462cff38be51f566da9731000409afb75"),
        ("SHA-512-256", "auth", "b560ab2e6528062d56909d742cac6353a157a3a264613b50116cb81175ba12be"),
        ("SHA-512-256", "auth-int", "b8883fcf5b017104a7f6789f60b19231d9e157091430c257165fbb753d61331a"),
        ("SHA-512-256-sess", "auth", "cc45c4c2d136b7882cdf793146f7ba33db601f1df496ee1d2cc6c9a40d4a9467"),
        ("SHA-512-256-sess", "auth-int", "0e8490a6cafa643d636e60e541a1b7c9127b43c08b9eca6e74c152b90b964e3f"),
    ])
    func `all algorithms with and without a body`(algorithm: String, qop: String, response: String) throws {
        let session = try session(challenge(algorithm, qop: qop), Self.mufasa, cnonce: cnonce)
        let request = try HTTPRequest(.post, "https://h/", body: .text("a=1&b=2"))
        let hash = qop == "auth" ? nil : try request.bodyHash(session.challenge.algorithm.hash)
        let field = try session.field(method: "POST", uri: "/dir/index.html", bodyHash: hash, count: 42)
        #expect(field.hasSuffix("nc=0000002a, response=\"\(response)\"") && field.contains("qop=\(qop), "))
    }

    @Test(arguments: [
        (Self.jason.user, "charset=UTF-8", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"),
        ("Ja\u{308}son", "charset=utf-8", "username*=UTF-8''J%C3%A4son"),
        (Self.jason.user, "charset=x", "username=\"J\u{E4}s\u{F8}n Doe\""),
        ("plain", "charset=UTF-8", "username=\"plain\""),
        ("a\"b\\c", "charset=UTF-8", "username=\"a\\\"b\\\\c\""),
        ("\u{E9}*'%;,=", "charset=UTF-8", "username*=UTF-8''%C3%A9%2A%27%25%3B%2C%3D"),
        ("a:b", "charset=UTF-8", "username=\"a:b\""),
        ("user", "userhash=false", "username=\"user\""),
        ("user", "userhash=TRUE", "username=\"f2014bc543adfc117d6000879437967d\", userhash=true"),
    ])
    func `the parameters of the user`(user: String, extra: String, expected: String) throws {
        let session = try session(
            "Digest realm=\"r\", nonce=\"n\", qop=auth, \(extra)", PasswordCredential(user: user, password: "p"),
            cnonce: "c")
        #expect(session.key.userParameters == expected)
    }

    @Test func `user and password are normalized to form C`() throws {
        let composed = try session(
            challenge("MD5"), PasswordCredential(user: "\u{E9}", password: "\u{E4}"), cnonce: "c")
        let decomposed = try session(
            challenge("MD5"), PasswordCredential(user: "e\u{301}", password: "a\u{308}"), cnonce: "c")
        #expect(composed.key == decomposed.key)
    }

    @Test(arguments: ["a\n", "a\u{0}", "\u{7F}"]) func `a control character is an error without the value`(
        text: String
    ) {
        for credential in [PasswordCredential(user: text, password: ""), PasswordCredential(user: "", password: text)] {
            let error = #expect(throws: AuthenticationError.self) {
                try session(challenge("MD5"), credential, cnonce: "c")
            }
            #expect(error?.code == .invalidCredential && error?.message.contains(text) == false)
        }
    }

    @Test func `quotes and backslashes of the server are escaped`() throws {
        let field = try session(
            #"Digest realm="a \"b\" \\", nonce="n\"1", opaque="o\\", qop="auth""#, Self.mufasa, cnonce: "c"
        ).field(method: "GET", uri: "/", bodyHash: nil, count: 1)
        #expect(field.contains(#"realm="a \"b\" \\", nonce="n\"1", opaque="o\\", "#))
    }

    @Test func `counts are unique and have eight digits`() async {
        let nonce = DigestNonce("n", clientValue: "c")
        let counts = await withTaskGroup(of: UInt32.self) { group in
            for _ in 0..<100 { group.addTask { nonce.next() } }
            return await group.reduce(into: Set<UInt32>()) { $0.insert($1) }
        }
        #expect(counts == Set(1...100))
        #expect(String(decoding: DigestSession.digits(of: 0xABC), as: UTF8.self) == "00000abc")
    }

    @Test(arguments: [
        ("http://h", false, "/"), ("http://h/a/b?c=d&e", false, "/a/b?c=d&e"), ("http://h/a?", false, "/a?"),
        ("http://h?q=/x", false, "/?q=/x"), ("https://h:8443/%C3%A4/%2f?x=%20#f", false, "/%C3%A4/%2f?x=%20"),
        ("http://[::1]:81/a", false, "/a"), ("http://h/a?b#c", true, "http://h/a?b"),
        ("http://H:80/a", true, "http://h/a"),
    ])
    func `the URI is the request target`(url: String, forProxy: Bool, expected: String) throws {
        #expect(try HTTPRequest(.get, url).digestURI(forProxy: forProxy) == expected)
    }

    @Test func `bodies in memory, in files and generated ones are hashed, streams are not`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(repeating: 7, count: 200_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let bytes = HTTPBody.bytes(Data(repeating: 7, count: 200_000))
        let parts = HTTPBody.sequence([
            .bytes(Data(repeating: 7, count: 1)), try .file(at: file, range: 0..<199_999),
        ])
        let expected = try HTTPRequest(.post, "http://h/", body: bytes).bodyHash(.sha256)
        for body in [try .file(at: file), parts] {
            #expect(try HTTPRequest(.post, "http://h/", body: body).bodyHash(.sha256) == expected)
        }
        let empty = try HTTPRequest(.get, "http://h/").bodyHash(.md5)
        #expect(String(decoding: empty, as: UTF8.self) == "d41d8cd98f00b204e9800998ecf8427e")

        let stream = try HTTPRequest(.post, "http://h/", body: .stream(AsyncStream<Data> { $0.finish() }))
        let error = #expect(throws: AuthenticationError.self) { try stream.bodyHash(.md5) }
        #expect(error?.code == .bodyNotReadable && error?.message.contains("stream") == true)
        let body = try HTTPBody.file(at: file)
        try FileManager.default.removeItem(at: file)
        let missing = #expect(throws: AuthenticationError.self) {
            try HTTPRequest(.post, "http://h/", body: body).bodyHash(.md5)
        }
        #expect(missing?.code == .bodyNotReadable && missing?.underlying is HTTPMessageError)
    }

    @Test(
        arguments: [
            ([], [], true), ([1, 2], [1, 2], true), ([1, 2], [1, 3], false), ([1], [1, 2], false), ([0], [0x80], false),
        ] as [([UInt8], [UInt8], Bool)])
    func `proofs are compared whole`(left: [UInt8], right: [UInt8], isEqual: Bool) {
        #expect(left.isEqualInConstantTime(to: right) == isEqual)
    }

    @Test func `the verification of a body shows neither user nor key`() throws {
        let authentication = PasswordAuthentication()
        var request = try HTTPRequest(.get, "http://h/")
        let head401 = try head(
            .unauthorized, ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth-int"], url: "http://h/")
        let challenge = try #require(try authentication.challenge(in: head401, of: request))
        try authentication.authorize(&request, for: challenge, with: Self.mufasa)
        let head = try head(.ok, ["Authentication-Info": "rspauth=\"00\", qop=auth-int"], url: "http://h/")
        let verification = try #require(try authentication.verification(of: head, to: request))
        let session = try #require(request.options.sentCredentials.server?.digest?.session)
        var dumped = ""
        dump(verification, to: &dumped)
        dump(session, to: &dumped)
        #expect(!dumped.contains("key") && !dumped.contains("bytes") && !dumped.contains("user"), "\(dumped)")
    }
}
