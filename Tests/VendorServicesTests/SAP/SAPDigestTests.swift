import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import VendorServices

struct SAPDigestTests {
    /// The example of RFC 7616, section 3.9.1.
    private static let example = """
        Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=ALGORITHM, \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
        cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=QOP, response="x", \
        opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """

    struct Vector: Sendable {
        let algorithm: SAPService.DigestAlgorithm
        var session = false
        var qop = "auth"
        let response: String
        let confirmation: String
    }

    // The first two responses are the RFC's; the others were calculated with Python's hashlib.
    @Test(arguments: [
        Vector(
            algorithm: .md5, response: "8ca523f5e9506fed4657c9700eebdbec",
            confirmation: "9b712497bc9f91499fbcca1dfc5f09a5"),
        Vector(
            algorithm: .sha256, response: "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
            confirmation: "86d3b25618d41854ca5039a5d7e53ff6355d5134a9b1fb088a78ac3c462195a0"),
        Vector(
            algorithm: .sha512_256, response: "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0",
            confirmation: "c8f9593a4f49b95ce2c483cc3222ecd360a5c6ec52ca24a530b0aac18478de8c"),
        Vector(
            algorithm: .md5, session: true, qop: "auth-int", response: "a0dd1fdc2cda57809f734f0b1f089e7b",
            confirmation: "e8d50f2ab06a0ab9003b85883d489cb4"),
        Vector(
            algorithm: .sha256, session: true,
            response: "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7",
            confirmation: "d4ad609d150eafce2281da5c3179878fdb37e6a16021272f4bed1a082f5c2324"),
        Vector(
            algorithm: .sha512_256, qop: "auth-int",
            response: "f4a77dcffe7f8d5d98ca279329559e1e5457b701639d422e8c29293d79fcfeb8",
            confirmation: "65970ca348269fa5ff64afed11a18d68a74c5ffb6f780d445d5c9a42d00223ed"),
    ])
    func `digests are those of the RFC and of another implementation`(vector: Vector) throws {
        let field = Self.example
            .replacing("ALGORITHM", with: vector.algorithm.rawValue + (vector.session ? "-sess" : ""))
            .replacing("QOP", with: vector.qop)
        let credentials = try #require(DigestCredentials(field))
        let scheme = try #require(
            credentials.scheme(among: [
                .basic, .digest(vector.algorithm, session: vector.session, qop: [.auth, .authInt]),
            ]))
        let proof = try #require(try DigestProof(credentials, password: "Circle of Life", scheme: scheme))
        #expect(try proof.response(method: "GET", body: Data("body".utf8)) == vector.response)
        #expect(try proof.confirmation(of: Data("body".utf8)).first == "rspauth=\"\(vector.confirmation)\"")
    }

    @Test func `the form of RFC 2069 has no count and no confirmation`() throws {
        let field = Self.example.replacing(/, nc=.*qop=QOP/, with: "").replacing("ALGORITHM", with: "MD5")
        let credentials = try #require(DigestCredentials(field))
        let scheme = SAPService.Scheme.digest(.md5, qop: [])
        #expect(credentials.count == nil && credentials.scheme(among: [scheme]) == scheme)
        #expect(credentials.scheme(among: [.digest(.md5)]) == nil)
        let proof = try #require(try DigestProof(credentials, password: "Circle of Life", scheme: scheme))
        #expect(try proof.response(method: "GET", body: Data()) == "7b2cc3b30e75b4777ea31027084363fd")
        #expect(try proof.confirmation(of: Data()).isEmpty)
    }

    @Test(arguments: [
        "Basic YTpi", "Digest", "Digest username=\"a\"", "Digest username=\"a", "Digest a", "Digest a=\"\\",
        "Digest username=a, realm=b, nonce=c, uri=d, response=e, response=e",
        "Digest username=a, realm=b, nonce=c, uri=d, response=e, qop=auth",
        "Digest username=a, realm=b, nonce=c, uri=d, response=e, nc=00000001",
        "Digest username=a, realm=b, nonce=c, uri=d, response=e, qop=auth, cnonce=f, nc=1",
        "Digest username=a, username*=UTF-8''a, realm=b, nonce=c, uri=d, response=e",
    ])
    func `malformed credentials are refused`(field: String) { #expect(DigestCredentials(field) == nil) }

    @Test func `quotes, escapes and extended names are read`() throws {
        let field = """
            digest  Username*=utf-8''J%C3%A4s%C3%B8n , realm = "a \\"b\\", c",nonce=n,uri="/x?a=1,2",response="r"
            """
        let credentials = try #require(DigestCredentials(field))
        #expect(credentials.user == "Jäsøn" && credentials.realm == "a \"b\", c")
        #expect(credentials.uri == "/x?a=1,2" && credentials.algorithm == "MD5")
    }

    @Test func `table of the nonces' states`() {
        var nonces = NonceTable(lifetime: .seconds(10))
        #expect(nonces.use("a", count: 1, at: .zero) == .unknown)
        nonces.issue("a", at: .zero)
        for (count, outcome) in [
            (1, .accepted), (1, .repeated), (3, .accepted), (2, .accepted), (nil, .accepted), (nil, .accepted),
        ] as [(UInt32?, NonceTable.Outcome)] {
            #expect(nonces.use("a", count: count, at: .seconds(9)) == outcome)
        }
        #expect(nonces.use("a", count: 9, at: .seconds(10)) == .stale)
        nonces.issue("b", at: .seconds(15))
        #expect(nonces.use("a", count: 9, at: .seconds(15)) == .stale)
        nonces.expireAll()
        #expect(nonces.use("b", count: 1, at: .seconds(15)) == .stale)
        nonces.issue("c", at: .seconds(20))
        #expect(nonces.use("a", count: 9, at: .seconds(20)) == .unknown)
        #expect(nonces.use("c", count: 1, at: .seconds(20)) == .accepted)
    }

    // MARK: Over the service

    private func client(
        _ scheme: SAPService.Scheme, _ configure: (inout SAPService.Configuration) -> Void = { _ in }
    ) -> SAPClient {
        var client = SAPClient { configuration in
            configuration.schemes = [scheme]
            configure(&configuration)
        }
        client.authorization = nil
        return client
    }

    /// A field with right credentials for a scheme with `qop`, unless the password is wrong.
    private func digest(
        _ method: String, _ uri: String, nonce: String, count: Int = 1, scheme: SAPService.Scheme, qop: String = "auth",
        password: String = "open sesame", body: String = ""
    ) throws -> String {
        guard case .digest(let algorithm, let session, _) = scheme else { return "" }
        let start = """
            Digest username="ann", realm="SAP", uri="\(uri)", algorithm=\(algorithm.rawValue)\(session ? "-sess" : ""), \
            nonce="\(nonce)", nc=\(String(count + 0x1_0000_0000, radix: 16).dropFirst()), cnonce="c", qop=\(qop), response=
            """
        let credentials = try #require(DigestCredentials(start + "x"))
        let proof = try #require(try DigestProof(credentials, password: password, scheme: scheme))
        return start + "\"\(try proof.response(method: method, body: Data(body.utf8)))\""
    }

    private let path = SAPClient.connections + "?a=1"

    @Test(arguments: SAPService.DigestAlgorithm.allCases, [false, true])
    func `a challenge, right credentials, a repeated count, and a wrong password`(
        algorithm: SAPService.DigestAlgorithm, session: Bool
    ) async throws {
        let scheme = SAPService.Scheme.digest(algorithm, session: session)
        let client = client(scheme)
        let challenge = try await client.get(path)
        #expect(challenge.status == 401 && challenge.text.contains("UNAUTHORIZED"))
        let name = algorithm.rawValue + (session ? "-sess" : "")
        #expect(
            challenge.fields[.wwwAuthenticate]
                == "Digest realm=\"SAP\", qop=\"auth\", algorithm=\(name), nonce=\"id-1\"")
        // An error of the resource is authenticated too.
        let right = ["Authorization": try digest("GET", path, nonce: "id-1", scheme: scheme)]
        let response = try await client.get(path, right)
        #expect(response.status == 405)
        #expect(response.fields["Authentication-Info"]?.hasSuffix("cnonce=\"c\", nc=00000001, qop=auth") == true)
        let repeated = try await client.get(path, right)
        #expect(repeated.status == 401 && repeated.fields[.wwwAuthenticate]?.contains("stale=true") == true)
        let wrong = try digest("GET", path, nonce: "id-1", count: 2, scheme: scheme, password: "wrong")
        let refused = try await client.get(path, ["Authorization": wrong])
        #expect(refused.status == 401 && refused.fields[.wwwAuthenticate]?.contains("stale") == false)
        #expect(client.service.counts.challenges == 3 && client.service.counts.staleChallenges == 1)
        #expect(client.service.counts.authentications == 1)
    }

    @Test func `a stale nonce is told only to a client that knows the password`() async throws {
        let scheme = SAPService.Scheme.digest(.sha256)
        let client = client(scheme) { $0.nonceLifetime = .seconds(60) }
        _ = try await client.get(path)
        await client.clock.advance(by: .seconds(60))
        for (password, isStale) in [("wrong", false), ("open sesame", true)] {
            let field = try digest("GET", path, nonce: "id-1", scheme: scheme, password: password)
            let response = try await client.get(path, ["Authorization": field])
            #expect(response.status == 401)
            #expect(response.fields[.wwwAuthenticate]?.hasSuffix("stale=true") == isStale)
        }
        let fresh = try digest("GET", path, nonce: "id-3", scheme: scheme)
        #expect(try await client.get(path, ["Authorization": fresh]).status == 405)
        client.service.expireNonces()
        let next = try digest("GET", path, nonce: "id-3", count: 2, scheme: scheme)
        #expect(try await client.get(path, ["Authorization": next]).status == 401)
        #expect(client.service.counts.staleChallenges == 2)
    }

    @Test func `the method, the URL and with auth-int the body are protected`() async throws {
        let scheme = SAPService.Scheme.digest(.md5, qop: [.authInt])
        let client = client(scheme)
        let body = "".entry
        #expect(try await client.get(path).fields[.wwwAuthenticate]?.contains("qop=\"auth-int\"") == true)
        func status(_ method: String, _ uri: String, _ signed: String, count: Int) async throws -> Int {
            let field = try digest(
                method, uri, nonce: "id-1", count: count, scheme: scheme, qop: "auth-int", body: signed)
            let fields = SAPClient.atomType.merging(["Authorization": field]) { $1 }
            return try await client.send("POST", path, fields: fields, body: body).status
        }
        #expect(try await status("PUT", path, body, count: 1) == 401)
        #expect(try await status("POST", SAPClient.connections, body, count: 2) == 401)
        #expect(try await status("POST", path, body + " ", count: 3) == 401)
        #expect(try await status("POST", path, body, count: 4) == 201)
        // `auth` is not offered.
        let field = try digest("POST", path, nonce: "id-1", count: 5, scheme: scheme)
        let fields = SAPClient.atomType.merging(["Authorization": field]) { $1 }
        #expect(try await client.send("POST", path, fields: fields, body: body).status == 401)
    }

    @Test func `a next nonce is valid`() async throws {
        let scheme = SAPService.Scheme.digest(.md5)
        let client = client(scheme) { $0.rotatesNonces = true }
        _ = try await client.get(path)
        let right = ["Authorization": try digest("GET", path, nonce: "id-1", scheme: scheme)]
        let first = try await client.get(path, right)
        #expect(first.fields["Authentication-Info"]?.hasSuffix("nextnonce=\"id-2\"") == true)
        let second = try await client.get(path, ["Authorization": digest("GET", path, nonce: "id-2", scheme: scheme)])
        #expect(second.status == 405)
    }

    @Test func `several schemes are offered in their order, and each works`() async throws {
        let scheme = SAPService.Scheme.digest(.sha512_256)
        var client = SAPClient { $0.schemes = [scheme, .digest(.md5), .basic] }
        #expect(try await client.get(path).status == 405)
        client.authorization = nil
        let challenges = try await client.get(path).fields.values(of: .wwwAuthenticate)
        #expect(challenges.map { $0.prefix { $0 != " " } } == ["Digest", "Digest", "Basic"])
        #expect(challenges.last == "Basic realm=\"SAP\", charset=\"UTF-8\"")
        for scheme in [scheme, .digest(.md5)] {
            let count = scheme == .digest(.md5) ? 2 : 1
            let field = try digest("GET", path, nonce: "id-1", count: count, scheme: scheme)
            #expect(try await client.get(path, ["Authorization": field]).status == 405)
        }
    }

    @Test(arguments: [
        "Basic " + Data("ann:wrong".utf8).base64EncodedString(), "Basic " + Data("ann".utf8).base64EncodedString(),
        "Basic %", "Bearer x", "Basic",
    ])
    func `wrong and malformed Basic credentials are refused`(field: String) async throws {
        let response = try await SAPClient().get(path, ["Authorization": field])
        #expect(response.status == 401 && response.fields["Authentication-Info"] == nil)
    }

    @Test func `without schemes, and below public, no credentials are needed`() async throws {
        #expect(try await client(.basic) { $0.schemes = [] }.get(path).status == 405)
        #expect(try await client(.basic).get("/public" + path).status == 405)
    }
}
