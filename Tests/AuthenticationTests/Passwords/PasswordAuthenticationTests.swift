import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Authentication

@Suite(.needsSlot) struct PasswordAuthenticationTests {
    private func calls(_ service: DigestService) -> PasswordCalls<ServiceTransport<DigestService>> {
        PasswordCalls(base: ServiceTransport(service))
    }

    static let forms: [(algorithm: String?, qop: String?)] =
        [(nil, nil), ("MD5", nil), (nil, "auth"), ("SHA-256", nil)]
        + ["MD5", "SHA-256", "SHA-512-256"].flatMap { name in
            ["", "-sess"].flatMap { suffix in
                ["auth", "auth-int", "auth-int,auth"].map { (name + suffix, $0) }
            }
        }

    @Test(arguments: forms, [false, true])
    func `a server accepts all requests after one challenge, and proves itself`(
        form: (algorithm: String?, qop: String?), rotates: Bool
    ) async throws {
        let service = DigestService {
            ($0.algorithm, $0.qop) = form
            $0.sendsProof = form.qop != nil
            $0.rotatesNonces = rotates
        }
        let calls = calls(service)
        for path in ["/a?b=c", "/d", "/%C3%A4"] {
            let request = try HTTPRequest(.post, "http://h\(path)", body: .text("x"))
            #expect(try await calls.send(request).status == .ok)
        }
        #expect(service.outcomes == [.missing, .accepted, .accepted, .accepted])
    }

    @Test(arguments: [false, true]) func `users in UTF-8 are sent as such or as a hash`(isHashed: Bool) async throws {
        let jason = PasswordCredential(user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?")
        let service = DigestService {
            $0.users = [jason.user: jason.password]
            $0.charset = "UTF-8"
            $0.wantsUserHash = isHashed
            $0.algorithm = "SHA-512-256"
        }
        var calls = calls(service)
        calls.ask = { _ in jason }
        #expect(try await calls.send(HTTPRequest(.get, "http://h/")).status == .ok)
        #expect(service.outcomes == [.missing, .accepted])
    }

    @Test func `a stale nonce is replaced without asking`() async throws {
        let service = DigestService { $0.usesPerNonce = 2 }
        let questions = Watched(0)
        var calls = calls(service)
        calls.ask = { challenge in
            questions.update { $0 += 1 }
            #expect(challenge.sent == nil && !challenge.isStale)
            return mufasa
        }
        for _ in 0..<5 { #expect(try await calls.send(HTTPRequest(.get, "http://h/")).status == .ok) }
        #expect(questions.value == 1)
        #expect(
            service.outcomes == [
                .missing, .accepted, .accepted, .stale, .accepted, .accepted, .stale, .accepted,
            ])
    }

    @Test func `a server that forgets its nonces without saying so is not taken for a wrong password`() async throws {
        let service = DigestService { $0.reportsStale = false }
        let questions = Watched(0)
        var calls = calls(service)
        calls.ask = { _ in
            questions.update { $0 += 1 }
            return mufasa
        }
        _ = try await calls.send(HTTPRequest(.get, "http://h/"))
        service.restart()
        #expect(try await calls.send(HTTPRequest(.get, "http://h/")).status == .ok)
        #expect(questions.value == 1 && service.outcomes == [.missing, .accepted, .stale, .accepted])
    }

    @Test func `a server whose nonces are always stale ends in a question`() async throws {
        let base = ScriptedTransport { request in
            let nonce = UUID().uuidString
            return request.response(
                .unauthorized,
                fields: try HTTPFields(["WWW-Authenticate": "Digest realm=r, qop=auth, stale=true, nonce=\(nonce)"]))
        }
        let rejected = Mutex<[PasswordCredential?]>([])
        var calls = PasswordCalls(base: base)
        calls.ask = { challenge in
            rejected.withLock { $0.append(challenge.rejected) }
            return challenge.rejected == nil ? mufasa : nil
        }
        #expect(try await calls.send(HTTPRequest(.get, "http://h/")).status == .unauthorized)
        #expect(rejected.withLock { $0 } == [nil, mufasa] && base.requests.count == 5)
    }

    @Test func `wrong credentials are asked for again until one is right`() async throws {
        let service = DigestService()
        let rejected = Mutex<[PasswordCredential?]>([])
        var calls = calls(service)
        calls.ask = { challenge in
            rejected.withLock { rejected in
                rejected.append(challenge.rejected)
                return rejected.count < 5 ? PasswordCredential(user: "Mufasa", password: "\(rejected.count)") : mufasa
            }
        }
        #expect(try await calls.send(HTTPRequest(.get, "http://h/")).status == .ok)
        #expect(rejected.withLock { $0.map { $0?.password } } == [nil, "1", "2", "3", "4"])
    }

    @Test func `Basic is used where nothing else is offered, and upgraded without asking`() async throws {
        let basic = "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl"
        let base = ScriptedTransport { request in
            guard request.fields[.authorization] != basic else { return request.response(text: "ok") }
            return request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": "Basic realm=r"]))
        }
        let calls = PasswordCalls(base: base)
        for path in ["/dir/a", "/dir/b", "/other"] {
            #expect(try await calls.send(HTTPRequest(.get, "http://h\(path)")).status == .ok)
        }
        #expect(base.requests.map { $0.fields[.authorization] != nil } == [false, true, true, false, true])

        let authentication = PasswordAuthentication()
        var request = try HTTPRequest(.get, "http://h/")
        try authentication.authorizeBasic(&request, with: mufasa)
        #expect(request.fields[.authorization] == basic)
        let digest = try head(.unauthorized, ["WWW-Authenticate": "Digest realm=r, nonce=n"], url: "http://h/")
        let challenge = try #require(try authentication.challenge(in: digest, of: request))
        #expect(challenge.isStale && challenge.sent == mufasa && challenge.rejected == nil)
        let same = try head(.unauthorized, ["WWW-Authenticate": "Basic realm=r"], url: "http://h/")
        #expect(try authentication.challenge(in: same, of: request)?.rejected == mufasa)
    }

    @Test(
        arguments: [
            (["WWW-Authenticate": "NTLM", "www-authenticate": "Negotiate"], ["NTLM", "Negotiate"]), ([:], []),
            (["WWW-Authenticate": "Digest realm=r, nonce=n, algorithm=MD4"], ["Digest with algorithm MD4"]),
            (["Proxy-Authenticate": "Basic realm=r"], []),
        ] as [(KeyValuePairs<String, String>, [String])])
    func `a challenge that is not supported is an error with the names`(
        fields: KeyValuePairs<String, String>, names: [String]
    ) throws {
        let authentication = PasswordAuthentication()
        let request = try HTTPRequest(.get, "http://h/")
        let head = try head(.unauthorized, fields, url: "http://h/")
        let error = #expect(throws: AuthenticationError.self) { try authentication.challenge(in: head, of: request) }
        #expect(error?.code == .unsupportedChallenge && error?.unsupportedSchemes == names)
        for name in names { #expect(error?.message.contains(name) == true) }
    }

    @Test(arguments: ["http://h/", "https://h/"]) func `status 407 of a server is no challenge`(url: String) throws {
        let fields: KeyValuePairs = ["Proxy-Authenticate": "Basic realm=r"]
        let head = try head(#require(HTTPStatus(407)), fields, url: url)
        #expect(try PasswordAuthentication().challenge(in: head, of: HTTPRequest(.get, url)) == nil)
    }

    @Test(arguments: [200, 403, 500]) func `other statuses are no challenge`(code: Int) throws {
        let head = try head(#require(HTTPStatus(code)), ["WWW-Authenticate": "Basic realm=r"], url: "http://h/")
        #expect(try PasswordAuthentication().challenge(in: head, of: HTTPRequest(.get, "http://h/")) == nil)
    }

    @Test func `a wrong proof of the server is an error`() async throws {
        for qop in ["auth", "auth-int"] {
            let service = DigestService {
                $0.qop = qop
                $0.sendsProof = true
                $0.isImpostor = true
            }
            let calls = calls(service)
            let error = await #expect(throws: AuthenticationError.self) {
                try await calls.send(HTTPRequest(.get, "http://h/"))
            }
            #expect(error?.code == .serverNotAuthentic && error?.head?.status == .ok)
        }
    }

    @Test(arguments: [("cnonce=\"other\"", false), ("nc=00000002", false), ("nc=00000001", true), ("qop=auth", true)])
    func `a proof for another request is an error`(part: String, isRight: Bool) throws {
        let authentication = PasswordAuthentication(random: SeededGenerator(seed: 3))
        var request = try HTTPRequest(.get, "http://h/")
        let head401 = try head(
            .unauthorized, ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth"], url: "http://h/")
        let challenge = try #require(try authentication.challenge(in: head401, of: request))
        try authentication.authorize(&request, for: challenge, with: mufasa)
        let exchange = try #require(request.options.sentCredentials.server?.digest)
        let proof = try exchange.session.response(method: "", uri: "/", bodyHash: nil, count: 1)
        let value = "rspauth=\"\(String(decoding: proof, as: UTF8.self).uppercased())\", \(part)"
        let head = try head(.ok, ["authentication-INFO": value], url: "http://h/")
        if isRight {
            #expect(try authentication.verification(of: head, to: request) == nil)
        } else {
            #expect(throws: AuthenticationError.self) { try authentication.verification(of: head, to: request) }
        }
    }

    @Test func `a body of auth-int that was changed on its way is an error`() async throws {
        let service = DigestService {
            $0.qop = "auth-int"
            $0.sendsProof = true
        }
        let tampering = FakeTransport { request in
            var response = try await service.respond(to: request)
            if response.status == .ok { response.body = Data("forged".utf8) }
            return response
        }
        let calls = PasswordCalls(base: tampering)
        let error = await #expect(throws: AuthenticationError.self) {
            try await calls.send(HTTPRequest(.get, "http://h/"))
        }
        #expect(error?.code == .serverNotAuthentic)
    }

    @Test func `a stream is sent with auth, and is an error if auth-int is the only choice`() async throws {
        let authentication = PasswordAuthentication()
        func authorize(_ qop: String) throws -> HTTPRequest {
            var request = try HTTPRequest(.post, "http://h/", body: .stream(AsyncStream<Data> { $0.finish() }))
            let head = try head(
                .unauthorized, ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=\"\(qop)\""], url: "http://h/")
            let challenge = try #require(try authentication.challenge(in: head, of: request))
            try authentication.authorize(&request, for: challenge, with: mufasa)
            return request
        }
        #expect(try authorize("auth-int,auth").fields[.authorization]?.contains("qop=auth,") == true)
        let error = #expect(throws: AuthenticationError.self) { try authorize("auth-int") }
        #expect(error?.code == .bodyNotReadable)
    }

    @Test func `a body of auth-int is asked for without content coding`() throws {
        for (accepted, expected) in [(nil, "identity"), ("gzip", "gzip")] {
            let authentication = PasswordAuthentication()
            var request = try HTTPRequest(.get, "http://h/")
            if let accepted { try request.fields.set(.acceptEncoding, to: accepted) }
            let head = try head(
                .unauthorized, ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth-int"], url: "http://h/")
            let challenge = try #require(try authentication.challenge(in: head, of: request))
            try authentication.authorize(&request, for: challenge, with: mufasa)
            #expect(request.fields[.acceptEncoding] == expected)
        }
    }

    @Test func `concurrent requests never share a count`() async throws {
        let service = DigestService()
        let calls = calls(service)
        _ = try await calls.send(HTTPRequest(.get, "http://h/"))
        try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for number in 0..<500 {
                group.addTask { try await calls.send(HTTPRequest(.get, "http://h/\(number)")).status }
            }
            for try await status in group { #expect(status == .ok) }
        }
        #expect(service.outcomes == [.missing] + Array(repeating: .accepted, count: 501))
    }

    @Test func `a nonce that a server issues twice continues its count`() throws {
        let authentication = PasswordAuthentication()
        let head = try head(.unauthorized, ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth"], url: "http://h/")
        let counts = try [mufasa, mufasa, imposter].map { credential in
            var request = try HTTPRequest(.get, "http://h/")
            let challenge = try #require(try authentication.challenge(in: head, of: request))
            try authentication.authorize(&request, for: challenge, with: credential)
            return try #require(request.fields[.authorization].flatMap { DigestField($0)?["nc"] })
        }
        #expect(counts == ["00000001", "00000002", "00000003"])
    }

    @Test func `a thousand calls that meet a challenge ask once`() async throws {
        let gate = Gate()
        let service = DigestService()
        let questions = Watched(0)
        var calls = calls(service)
        calls.ask = { _ in
            questions.update { $0 += 1 }
            try await gate.wait()
            return mufasa
        }
        let tasks = (0..<1000).map { [calls] number in
            Task { try await calls.send(HTTPRequest(.get, "http://h/\(number)")) }
        }
        try await eventually("the calls wait") { calls.store.waiterCount == 999 }
        gate.open()
        for task in tasks { #expect(try await task.value.status == .ok) }
        #expect(questions.value == 1)
        #expect(service.outcomes.count { $0 == .accepted } == 1000)
    }

    @Test func `a proxy is authorized beside the server, with the absolute URI`() async throws {
        let server = DigestService()
        let proxy = DigestService {
            $0.isProxy = true
            $0.realm = "proxy"
            $0.sendsProof = true
        }
        let base = FakeTransport { request in
            let response = try await proxy.respond(to: request)
            guard response.status == .ok else { return response }
            var proxied = try await server.respond(to: request)
            proxied.head.fields = proxied.fields.merging(response.fields)
            return proxied
        }
        let calls = PasswordCalls(base: base)
        for path in ["/a?b", "/c"] {
            #expect(try await calls.send(HTTPRequest(.get, "http://h\(path)")).status == .ok)
        }
        #expect(proxy.outcomes == [.missing, .accepted, .accepted, .accepted])
        #expect(server.outcomes == [.missing, .accepted, .accepted])
        // Another server through the same proxy.
        #expect(try await calls.send(HTTPRequest(.get, "http://other/")).status == .ok)
        #expect(
            proxy.outcomes.suffix(2) == [.accepted, .accepted] && server.outcomes.suffix(2) == [.missing, .accepted])
    }

    @Test func `a proxy's challenge of an https request is an error`() throws {
        let authentication = PasswordAuthentication()
        var proxied = try head(
            #require(HTTPStatus(407)), ["Proxy-Authenticate": "Basic realm=r"], url: "https://h/")
        proxied.isProxyChallenge = true
        let error = #expect(throws: AuthenticationError.self) {
            try authentication.challenge(in: proxied, of: HTTPRequest(.get, "https://h/"))
        }
        #expect(error?.code == .unsupportedChallenge && error?.message.contains("proxy") == true)
        var request = try HTTPRequest(.get, "https://h/")
        let basic = #expect(throws: AuthenticationError.self) {
            try authentication.authorizeBasic(&request, with: mufasa, isProxy: true)
        }
        #expect(basic?.code == .challengeOfOtherOrigin && request.fields.isEmpty)
    }

    @Test(arguments: ["http://other/", "https://h/", "http://h:81/", "http://h.other/"])
    func `a credential never goes to another origin`(url: String) throws {
        let authentication = PasswordAuthentication()
        let store = CredentialStore()
        var request = try HTTPRequest(.get, "http://h/")
        let fields: KeyValuePairs = [
            "WWW-Authenticate": "Digest realm=r, nonce=n, domain=\"/ http://other/ https://h/ http://h:81/\""
        ]
        let challenge = try #require(
            try authentication.challenge(in: head(.unauthorized, fields, url: "http://h:80/"), of: request))
        store.set(mufasa, for: challenge.space)
        try authentication.authorize(&request, for: challenge, with: mufasa)

        var foreign = try HTTPRequest(.get, url)
        #expect(try !authentication.authorizePreemptively(&foreign, from: store))
        #expect(try !authentication.authorizePreemptively(&foreign, with: mufasa))
        let error = #expect(throws: AuthenticationError.self) {
            try authentication.authorize(&foreign, for: challenge, with: mufasa)
        }
        #expect(error?.code == .challengeOfOtherOrigin && foreign.fields.isEmpty)
        let redirected = #expect(throws: AuthenticationError.self) {
            try authentication.challenge(in: head(.unauthorized, fields, url: url), of: request)
        }
        #expect(redirected?.code == .challengeOfOtherOrigin)
        #expect(store.credential(at: try URL(httpString: url)) == nil)
        #expect(store.credential(at: try URL(httpString: "http://H:80/x"))?.credential == mufasa)
    }

    @Test func `forgetting ends preemptive authorization`() async throws {
        let service = DigestService()
        let calls = calls(service)
        _ = try await calls.send(HTTPRequest(.get, "http://h/"))
        let space = try #require(calls.authentication.space(of: HTTPRequest(.get, "http://h/")))
        calls.authentication.forget(space)
        _ = try await calls.send(HTTPRequest(.get, "http://h/"))
        calls.authentication.removeAll()
        _ = try await calls.send(HTTPRequest(.get, "http://h/"))
        #expect(service.outcomes.count { $0 == .missing } == 3)
    }

    @Test func `descriptions have no secrets`() throws {
        let authentication = PasswordAuthentication()
        var request = try HTTPRequest(.get, "http://h/")
        let head = try head(
            .unauthorized, ["WWW-Authenticate": "Digest realm=r, nonce=s3cret, qop=auth"], url: "http://h/")
        let challenge = try #require(try authentication.challenge(in: head, of: request))
        let credential = PasswordCredential(user: "us3r", password: "s3cret")
        try authentication.authorize(&request, for: challenge, with: credential)
        let again = try #require(try authentication.challenge(in: head, of: request))
        var dumped = ""
        dump(request, to: &dumped)
        dump(again, to: &dumped)
        dump(credential, to: &dumped)
        dump(request.options.sentCredentials, to: &dumped)
        for text in [dumped, "\(credential)", "\(again)", "\(request.options.sentCredentials)"] {
            #expect(!text.contains("s3cret") && !text.contains("us3r"), "\(text)")
        }
        #expect(again.rejected == credential)
    }
}
