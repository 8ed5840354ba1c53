import Authentication
import Foundation
import HTTPMessages
import JSON
import PatchbayTestKit
import RequestModel
import Signing
import Synchronization
import Testing
import Transport

@testable import SignIn

@Suite struct DPoPProofTests {
    private let key: SigningKey
    private let proof: DPoPProof

    init() throws {
        key = try SigningKey.generate(.ecdsaP256SHA256)
        proof = try DPoPProof(key, clock: ServerClock { Date(timeIntervalSince1970: 1_800_000_000) })
    }

    /// Verifies the signature, and returns header and claims.
    private static func read(_ text: String?, _ key: SigningKey) throws -> (header: JSONValue, claims: JSONValue) {
        let parts = try #require(text).split(separator: ".").map(String.init)
        let data = try parts.map { try #require(Data(base64URLEncoded: $0)) }
        #expect(try key.verificationKey.isValid(data[2], of: Data("\(parts[0]).\(parts[1])".utf8)))
        return (try JSONValue(parsing: data[0]), try JSONValue(parsing: data[1]))
    }

    @Test func `a proof is for one request, and its signature verifies`() throws {
        var request = try HTTPRequest(.post, "https://a.example/token?x=1")
        try proof.prove(&request, with: nil)
        let (header, claims) = try Self.read(request.fields["DPoP"], key)
        #expect(header["typ"] == "dpop+jwt" && header["alg"] == "ES256" && header["jwk"] == key.verificationKey.jwk)
        #expect(header["jwk"]?["d"] == nil)
        #expect(claims["htm"] == "POST" && claims["htu"] == "https://a.example/token")
        #expect(claims["iat"] == 1_800_000_000 && claims["nonce"] == nil && claims["ath"] == nil)
        #expect(!request.fields.contains(.authorization))
        var second = request
        try proof.prove(&second, with: nil)
        #expect(try Self.read(second.fields["DPoP"], key).claims["jti"] != claims["jti"])
    }

    @Test func `the hash of the token is that of RFC 9449, section 7.1`() throws {
        var request = try HTTPRequest(.get, "https://a.example/protectedresource")
        let token = try OAuthToken("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
        try proof.prove(&request, with: token)
        #expect(request.fields[.authorization] == "DPoP \(token.value)")
        let claims = try Self.read(request.fields["DPoP"], key).claims
        #expect(claims["ath"] == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }

    @Test func `a nonce is used for its origin only`() throws {
        let url = try #require(URL(string: "https://a.example/x"))
        proof.learn(from: HTTPResponseHead(status: .ok, fields: try HTTPFields(["DPoP-Nonce": "n1"]), url: url))
        for (url, nonce) in [("https://a.example/y", "n1"), ("https://b.example/y", nil)] as [(String, JSONValue?)] {
            var request = try HTTPRequest(.get, url)
            try proof.prove(&request, with: nil)
            #expect(try Self.read(request.fields["DPoP"], key).claims["nonce"] == nonce)
        }
    }

    @Test func `another kind of key is refused`() throws {
        let error = #expect(throws: SignInError.self) {
            try DPoPProof(SigningKey.generate(.hmacSHA256), clock: ServerClock())
        }
        #expect(error?.code == .invalidConfiguration)
    }

    private func login(
        over network: FakeTransport, client: ClientAuthentication = "shop"
    ) throws -> OAuthLogin {
        try OAuthLogin(
            .metadata(
                OAuthServerMetadata(
                    issuer: "https://a.example", authorization: "https://a.example/authorize",
                    token: "https://a.example/token")),
            client: client, redirect: .uri("com.example:/in"), over: network, dpop: key)
    }

    @Test func `the request with a nonce has a client assertion of its own`() async throws {
        let used = Mutex<[String]>([])
        let network = FakeTransport { request in
            let form = Query(parsing: String(decoding: try await request.body.collect(), as: UTF8.self), as: .form)
            let assertion = form["client_assertion"] ?? ""
            let isKnown = used.withLock { used in
                defer { used.append(assertion) }
                return used.contains(assertion)
            }
            // The client is authenticated first (RFC 6749, section 4.1.3), and its assertions are valid once.
            if isKnown { return request.response(.unauthorized, json: ["error": "invalid_client"]) }
            let nonce = try HTTPFields(["DPoP-Nonce": "n1", "Content-Type": "application/json"])
            if used.withLock({ $0.count }) == 1 {
                return request.response(.badRequest, fields: nonce, body: Data(#"{"error":"use_dpop_nonce"}"#.utf8))
            }
            return request.response(json: ["access_token": "abc", "token_type": "DPoP"])
        }
        let count = Mutex(0)
        let client = ClientAuthentication.assertion(clientID: "shop") {
            count.withLock { count in
                count += 1
                return "a.b.\(count)"
            }
        }
        _ = try await login(over: network, client: client).tokens(
            scopes: ["orders"],
            opening: .custom { page in
                let query = Query(parsing: page.url.query(percentEncoded: true) ?? "", as: .form)
                return try URL(httpString: "com.example:/in?code=c&state=\(query["state"] ?? "")")
            })
        #expect(used.withLock { $0 } == ["a.b.1", "a.b.2"])
    }

    @Test func `nonces of the token endpoint and of a resource are sent back, once each`() async throws {
        let key = key
        let log = Mutex<[String]>([])
        let network = FakeTransport { request in
            let claims = try Self.read(request.fields["DPoP"], key).claims
            let nonce = claims["nonce"]?.string ?? "-"
            log.withLock { $0.append("\(request.url.path) \(nonce)") }
            let isToken = request.url.path == "/token"
            let wanted = isToken ? "t1" : "r1"
            guard nonce == wanted else {
                var response = request.response(
                    isToken ? .badRequest : .unauthorized, json: isToken ? ["error": "use_dpop_nonce"] : [:])
                try response.head.fields.set("DPoP-Nonce", to: wanted)
                if !isToken { try response.head.fields.set("WWW-Authenticate", to: #"DPoP error="use_dpop_nonce""#) }
                return response
            }
            if isToken { return request.response(json: ["access_token": "abc", "token_type": "DPoP"]) }
            return request.response(request.fields[.authorization] == "DPoP abc" ? .ok : .forbidden)
        }
        let login = try login(over: network)
        let tokens = try await login.tokens(
            scopes: ["orders"],
            opening: .custom { page in
                let query = Query(parsing: page.url.query(percentEncoded: true) ?? "", as: .form)
                #expect(query["dpop_jkt"] == key.verificationKey.jwkThumbprint)
                return try URL(httpString: "com.example:/in?code=c&state=\(query["state"] ?? "")")
            })
        let stack = network.authorizing(with: tokens, at: try AllowedOrigins("https://api.example"))
        for _ in 0..<2 {
            #expect(try await stack.send(HTTPRequest(.get, "https://api.example/orders?page=2")).status == .ok)
        }
        #expect(log.withLock { $0 } == ["/token -", "/token t1", "/orders -", "/orders r1", "/orders r1"])
    }

    @Test func `a proof that is refused is replaced, and its token stays`() async throws {
        let log = Mutex<[String]>([])
        let network = FakeTransport { request in
            log.withLock { $0.append(request.url.path) }
            if request.url.path == "/token" {
                return request.response(json: ["access_token": "abc", "token_type": "DPoP", "expires_in": 3600])
            }
            let isRefused = log.withLock { $0.count { $0 == "/orders" } } == 1
            return request.response(
                isRefused ? .unauthorized : .ok,
                fields: try HTTPFields(["WWW-Authenticate": #"DPoP error="invalid_dpop_proof""#]))
        }
        let login = try login(over: network)
        let tokens = try await login.tokens(
            scopes: ["orders"],
            opening: .custom { page in
                let query = Query(parsing: page.url.query(percentEncoded: true) ?? "", as: .form)
                return try URL(httpString: "com.example:/in?code=c&state=\(query["state"] ?? "")")
            })
        #expect(tokens.authorizesEachURL)
        let stack = network.authorizing(with: tokens, at: try AllowedOrigins("https://api.example"))
        #expect(try await stack.send(HTTPRequest(.get, "https://api.example/orders")).status == .ok)
        #expect(log.withLock { $0 } == ["/token", "/orders", "/orders"])
    }

    @Test(arguments: [true, false])
    func `proofs have the server's time, from discovery or from the first refusal`(isDiscovered: Bool) async throws {
        let key = key
        let server = LoginServer()
        server.update { $0.skew = 86400 }
        let base = server.transport
        let count = Mutex(0)
        let network = FakeTransport { request in
            guard request.url.path == "/token" else { return try await base.send(request) }
            count.withLock { $0 += 1 }
            let now = Date().addingTimeInterval(86400)
            let time = try #require(Self.read(request.fields["DPoP"], key).claims["iat"]?.double)
            let isRight = abs(time - now.timeIntervalSince1970) < 3600
            var response =
                isRight
                ? request.response(json: ["access_token": "abc", "token_type": "DPoP"])
                : request.response(.badRequest, json: ["error": "invalid_dpop_proof"])
            try response.head.fields.set(.date, to: HTTPDate(now).description)
            return response
        }
        let known = try OAuthServerMetadata(
            issuer: LoginServer.issuer, authorization: LoginServer.issuer + "/authorize",
            token: LoginServer.issuer + "/token")
        let login = try OAuthLogin(
            isDiscovered ? .discover(LoginServer.issuer) : .metadata(known), client: "shop",
            redirect: .uri("com.example:/in"), over: network, dpop: key)
        _ = try await login.tokens(scopes: ["orders"], opening: .custom { try server.redirect($0) })
        #expect(count.withLock { $0 } == (isDiscovered ? 1 : 2))
    }

    @Test func `an API with another clock gets proofs at its time after its first refusal`() async throws {
        let key = key
        let log = Mutex<[Bool]>([])
        let network = FakeTransport { request in
            if request.url.path == "/token" {
                return request.response(json: ["access_token": "abc", "token_type": "DPoP"])
            }
            let now = Date().addingTimeInterval(600)
            let time = try #require(Self.read(request.fields["DPoP"], key).claims["iat"]?.double)
            let isRight = abs(time - now.timeIntervalSince1970) < 60
            log.withLock { $0.append(isRight) }
            var response = request.response(isRight ? .ok : .unauthorized)
            try response.head.fields.set(.date, to: HTTPDate(now).description)
            if !isRight { try response.head.fields.set("WWW-Authenticate", to: #"DPoP error="invalid_dpop_proof""#) }
            return response
        }
        let login = try login(over: network)
        let tokens = try await login.tokens(
            scopes: ["orders"],
            opening: .custom { page in
                let query = Query(parsing: page.url.query(percentEncoded: true) ?? "", as: .form)
                return try URL(httpString: "com.example:/in?code=c&state=\(query["state"] ?? "")")
            })
        let stack = network.authorizing(with: tokens, at: try AllowedOrigins("https://api.example"))
        for _ in 0..<2 { #expect(try await stack.send(HTTPRequest(.get, "https://api.example/orders")).status == .ok) }
        #expect(log.withLock { $0 } == [false, true, true])
    }

    @Test(arguments: [(600.0, 1), (-3600, 2)])
    func `a refresh follows a local clock that was set after a refusal of the API at the same origin`(
        correction: TimeInterval, requests: Int
    ) async throws {
        let key = key
        let local = Mutex(TimeInterval(0))
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let server = start + 600
        let clock = ServerClock { start + local.withLock { $0 } }
        let proof = try DPoPProof(key, clock: clock)
        let api = try HTTPRequest(.get, "https://a.example/orders")
        let refusal = try HTTPFields([
            "Date": HTTPDate(server).description, "WWW-Authenticate": #"DPoP error="invalid_dpop_proof""#,
        ])
        proof.learn(from: HTTPResponseHead(status: .unauthorized, fields: refusal, url: api.url))
        var second = api
        try proof.prove(&second, with: OAuthToken("abc"))
        #expect(try Self.read(second.fields["DPoP"], key).claims["iat"] == 1_800_000_600)
        // The user, or the system, has set the clock.
        local.withLock { $0 = correction }
        let count = Mutex(0)
        let network = FakeTransport { request in
            count.withLock { $0 += 1 }
            let isRight = try Self.read(request.fields["DPoP"], key).claims["iat"] == 1_800_000_600
            var response =
                isRight
                ? request.response(json: ["access_token": "abc", "token_type": "DPoP"])
                : request.response(.badRequest, json: ["error": "invalid_dpop_proof"])
            try response.head.fields.set(.date, to: HTTPDate(server).description)
            return response
        }
        let endpoint = try TokenEndpoint(
            "https://a.example/token", client: "shop", over: network, timeouts: Timeouts(), clock: clock,
            allowsInsecureURL: false, proof: proof)
        let token = try await endpoint.token([("grant_type", "refresh_token"), ("refresh_token", "r")])
        #expect(token.value == "abc" && count.withLock { $0 } == requests)
    }

    @Test func `a bearer token in place of a bound one is refused`() async throws {
        let network = FakeTransport { $0.response(json: ["access_token": "abc", "token_type": "Bearer"]) }
        let login = try login(over: network)
        let error = await #expect(throws: AuthenticationError.self) {
            try await login.tokens(
                scopes: [],
                opening: .custom { page in
                    let query = Query(parsing: page.url.query(percentEncoded: true) ?? "", as: .form)
                    return try URL(httpString: "com.example:/in?code=c&state=\(query["state"] ?? "")")
                })
        }
        #expect(error?.code == .invalidTokenResponse && error?.message.contains("`DPoP`") == true)
    }
}
