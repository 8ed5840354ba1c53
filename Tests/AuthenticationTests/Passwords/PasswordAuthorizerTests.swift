import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Authentication

@Suite(.needsSlot) struct PasswordAuthorizerTests {
    private let origins: AllowedOrigins
    private let fixed: PasswordAuthorizer = .password(user: mufasa.user, password: mufasa.password)

    init() throws { origins = try AllowedOrigins("http://h") }

    /// A prompt that gives one credential after the other, then none.
    private func prompt(
        _ credentials: [PasswordCredential?], prompts: Watched<[PasswordPrompt]> = Watched([]),
        gate: Gate = Gate(isOpen: true)
    ) -> PasswordAuthorizer {
        .password { prompt in
            let number = prompts.update { prompts in
                prompts.append(prompt)
                return prompts.count - 1
            }
            try await gate.wait()
            return number < credentials.count ? credentials[number] : nil
        }
    }

    @Test func `a fixed credential is sent after the challenge, and then at once`() async throws {
        let service = DigestService { $0.sendsProof = true }
        let transport = ServiceTransport(service).authorizing(with: fixed, at: origins)
        for path in ["/a?b", "/c", "/"] {
            #expect(try await transport.send(HTTPRequest(.get, "http://h\(path)")).status == .ok)
        }
        #expect(service.outcomes == [.missing, .accepted, .accepted, .accepted])
    }

    @Test(arguments: ["auth", "auth-int"])
    func `over a socket the URI is the request target`(qop: String) async throws {
        let service = DigestService {
            $0.qop = qop
            $0.sendsProof = true
            $0.rotatesNonces = true
        }
        try await LoopbackServer.serving(service) { server in
            let transport = URLSessionTransport(clock: ManualClock())
                .authorizing(with: fixed, at: try AllowedOrigins([server.url]))
            for path in ["/a?b=c&d=%20", "/%C3%A4/x%2Fy", "/?", "/a;b=c,d"] {
                let request = try HTTPRequest(.post, server.url(of: path), body: .text("body"))
                let response = try await transport.send(request)
                #expect(response.status == .ok && response.body == Data("items".utf8), "\(path)")
            }
            let streamed = try await transport.stream(HTTPRequest(.get, server.url(of: "/s")))
            #expect(try await streamed.body.collect(upTo: 100) == Data("items".utf8))
            let targets = try server.requests.dropFirst().map { request in
                let field = try #require(request.fields[.authorization].flatMap { DigestField($0) })
                #expect(field["uri"] == request.target)
                return request.target
            }
            #expect(targets.count == 5)
        }
        #expect(service.outcomes == [.missing] + Array(repeating: .accepted, count: 5))
    }

    @Test func `a thousand first calls ask once`() async throws {
        let gate = Gate()
        let prompts = Watched<[PasswordPrompt]>([])
        let service = DigestService()
        let transport = ServiceTransport(service)
            .authorizing(with: prompt([mufasa], prompts: prompts, gate: gate), at: origins)
        let calls = (0..<1000).map { number in
            Task { try await transport.send(HTTPRequest(.get, "http://h/\(number)")) }
        }
        try await eventually("the calls wait") { transport.credentials.waiterCount == 1000 }
        gate.open()
        for call in calls { #expect(try await call.value.status == .ok) }
        #expect(prompts.value.count == 1)
        #expect(service.outcomes.count { $0 == .accepted } == 1000)
    }

    @Test func `a wrong fixed credential is the challenge as the response`() async throws {
        let service = DigestService()
        let transport = ServiceTransport(service)
            .authorizing(with: .password(user: imposter.user, password: imposter.password), at: origins)
        for _ in 0..<2 {
            let response = try await transport.send(HTTPRequest(.get, "http://h/"))
            #expect(response.status == .unauthorized && response.body == Data("challenge".utf8))
        }
        #expect(service.outcomes == [.missing, .wrong("response"), .missing, .wrong("response")])
    }

    @Test func `a rejected credential is asked for again`() async throws {
        let prompts = Watched<[PasswordPrompt]>([])
        let service = DigestService()
        let transport = ServiceTransport(service)
            .authorizing(with: prompt([imposter, mufasa], prompts: prompts), at: origins)
        for _ in 0..<2 { #expect(try await transport.send(HTTPRequest(.get, "http://h/")).status == .ok) }
        #expect(prompts.value.map(\.rejected) == [nil, imposter])
        #expect(service.outcomes == [.missing, .wrong("response"), .accepted, .accepted])
    }

    @Test func `a call asks up to three times`() async throws {
        let prompts = Watched<[PasswordPrompt]>([])
        let others = (1...3).map {
            PasswordCredential?.some(PasswordCredential(user: "Mufasa", password: "wr0ng\($0)"))
        }
        let transport = ServiceTransport(DigestService())
            .authorizing(with: prompt([others[0], others[1], mufasa], prompts: prompts), at: origins)
        #expect(try await transport.send(HTTPRequest(.get, "http://h/")).status == .ok)
        #expect(prompts.value.map(\.rejected) == [nil, others[0], others[1]])
        let refused = Watched<[PasswordPrompt]>([])
        let another = ServiceTransport(DigestService())
            .authorizing(with: prompt(others + [mufasa], prompts: refused), at: origins)
        #expect(try await another.send(HTTPRequest(.get, "http://h/")).status == .unauthorized)
        #expect(refused.value.count == 3)
    }

    @Test func `a credential that was removed from the store is not sent again, and a replaced one neither`()
        async throws
    {
        let simba = PasswordCredential(user: "Simba", password: "Hakuna Matata")
        let seen = Watched<[String?]>([])
        let base = FakeTransport { request in
            let field = request.fields[.authorization]
            seen.update { $0.append(field) }
            let challenge = try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#])
            return field == nil ? request.response(.unauthorized, fields: challenge) : request.response(text: "ok")
        }
        let prompts = Watched<[PasswordPrompt]>([])
        let authorizer = prompt([mufasa, simba], prompts: prompts)
        let transport = base.authorizing(with: authorizer, at: origins)
        func send() async throws -> HTTPStatus { try await transport.send(HTTPRequest(.get, "http://h/")).status }
        #expect(try await send() == .ok)
        authorizer.store.removeAll()
        // No server has rejected it.
        #expect(try await send() == .ok && prompts.value.map(\.rejected) == [nil, nil])
        authorizer.store.set(mufasa, for: ProtectionSpace(try URL(httpString: "http://h/"), realm: "r"))
        #expect(try await send() == .ok && prompts.value.count == 2)
        let fields = try [mufasa, simba].map { try BasicAuthorizer.value(user: $0.user, password: $0.password) }
        #expect(seen.value == [nil, fields[0], nil, fields[1], fields[0]])
    }

    @Test func `after a sign-out the next user is asked, and nothing carries the former password`() async throws {
        let simba = PasswordCredential(user: "Simba", password: "Hakuna Matata")
        let seen = Watched<[String?]>([])
        let base = FakeTransport { request in
            let field = request.fields[.authorization]
            seen.update { $0.append(field) }
            let challenge = try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#])
            return field == nil ? request.response(.unauthorized, fields: challenge) : request.response(text: "ok")
        }
        let prompts = Watched<[PasswordPrompt]>([])
        let credentials = CredentialCache(prompt([mufasa, simba], prompts: prompts))
        let transport = base.authorizing(with: credentials, at: origins)
        func send() async throws -> HTTPStatus { try await transport.send(HTTPRequest(.get, "http://h/")).status }
        #expect(try await send() == .ok)
        credentials.removeAll()
        #expect(try await send() == .ok && prompts.value.map(\.rejected) == [nil, nil])
        let fields = try [mufasa, simba].map { try BasicAuthorizer.value(user: $0.user, password: $0.password) }
        #expect(seen.value == [nil, fields[0], nil, fields[1]])
    }

    @Test func `a password that is typed after the sign-out is not kept`() async throws {
        let (gate, prompts) = (Gate(), Watched<[PasswordPrompt]>([]))
        let authorizer = prompt([mufasa], prompts: prompts, gate: gate)
        let space = ProtectionSpace(try URL(httpString: "http://h/"), realm: "r")
        let asked = Task { try await authorizer.obtain(CredentialNeed(scope: space)) }
        _ = try await prompts.wait { $0.count == 1 }
        authorizer.forgetUsers()
        gate.open()
        #expect(try await asked.value.credential.credential == mufasa)
        #expect(authorizer.store.credential(for: space) == nil)
    }

    @Test func `a prompt that no call waits for any more is cancelled`() async throws {
        let (isShown, isCancelled) = (Gate(), Gate())
        let authorizer = PasswordAuthorizer.password { _ in
            isShown.open()
            do { try await Gate().wait() } catch { isCancelled.open() }
            return nil
        }
        let transport = FakeTransport { request in
            request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": "Basic realm=\"r\""]))
        }.authorizing(with: authorizer, at: try AllowedOrigins("https://api.example.com"))
        let call = Task { try await transport.send(HTTPRequest(.get, "https://api.example.com/")) }
        try await isShown.wait()
        call.cancel()
        _ = await call.result
        try await isCancelled.wait()
    }

    @Test func `a prompt without a credential is an error, and public paths stay reachable`() async throws {
        let service = DigestService { $0.publicPaths = ["/public"] }
        let transport = ServiceTransport(service).authorizing(with: prompt([]), at: origins)
        let error = await #expect(throws: AuthenticationError.self) {
            try await transport.send(HTTPRequest(.get, "http://h/"))
        }
        #expect(error?.code == .noCredential && error?.head?.status == .unauthorized)
        #expect(try await transport.send(HTTPRequest(.get, "http://h/public")).status == .ok)
        // A stream, whose prompt comes first, is sent without one, also after too many prompts.
        for path in ["public", "public", "public", ""] {
            let body = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
            let response = try await transport.send(HTTPRequest(.post, "http://h/\(path)", body: body))
            #expect(response.status == (path.isEmpty ? .unauthorized : .ok))
        }
    }

    @Test(arguments: [true, false])
    func `old nonces are replaced without a prompt`(reportsStale: Bool) async throws {
        let prompts = Watched<[PasswordPrompt]>([])
        let service = DigestService {
            $0.usesPerNonce = 2
            $0.reportsStale = reportsStale
        }
        let transport = ServiceTransport(service)
            .authorizing(with: prompt([mufasa], prompts: prompts), at: origins)
        for _ in 0..<6 { #expect(try await transport.send(HTTPRequest(.get, "http://h/")).status == .ok) }
        #expect(prompts.value.count == 1 && service.outcomes.count { $0 == .stale } == 2)
        service.restart()
        #expect(try await transport.send(HTTPRequest(.get, "http://h/")).status == .ok)
        #expect(prompts.value.count == 1)
    }

    @Test func `a redirect gets an authorization of its own, and none at another origin`() async throws {
        let digest = DigestService()
        let foreign = DigestService { $0.publicPaths = ["/target"] }
        try await LoopbackServer.serving(foreign) { other in
            let far = try other.url(of: "/target").absoluteString
            let service = ClosureService { request in
                let response = try await digest.respond(to: request)
                guard response.status == .ok, request.url.path() != "/near" else { return response }
                let location = request.url.path() == "/far" ? far : "/near"
                return request.response(.found, fields: try HTTPFields(["Location": location]))
            }
            try await LoopbackServer.serving(service) { server in
                let transport = URLSessionTransport(clock: ManualClock())
                    .authorizing(with: fixed, at: .chosenByAuthorizer).redirecting()
                let near = try await transport.send(HTTPRequest(.get, server.url(of: "/a")))
                #expect(near.body == Data("items".utf8))
                #expect(digest.outcomes == [.missing, .accepted, .accepted])
                let response = try await transport.send(HTTPRequest(.get, server.url(of: "/far")))
                #expect(response.body == Data("public".utf8))
                #expect(other.requests.map { $0.fields.contains(.authorization) } == [false])
            }
        }
    }

    @Test func `redirects below the layer never carry the credential to another origin`() async throws {
        let digest = DigestService()
        let plain = ClosureService { request in request.response(text: "far") }
        try await LoopbackServer.serving(plain) { other in
            let far = try other.url(of: "/").absoluteString
            let service = ClosureService { request in
                let response = try await digest.respond(to: request)
                guard response.status == .ok else { return response }
                return request.response(.temporaryRedirect, fields: try HTTPFields(["Location": far]))
            }
            try await LoopbackServer.serving(service) { server in
                let transport = URLSessionTransport(clock: ManualClock()).redirecting()
                    .authorizing(with: fixed, at: .chosenByAuthorizer)
                for _ in 0..<2 {
                    let response = try await transport.send(HTTPRequest(.get, server.url))
                    #expect(response.body == Data("far".utf8))
                }
                #expect(other.requests.map { $0.fields.contains(.authorization) } == [false, false])
            }
        }
        #expect(digest.outcomes == [.missing, .accepted, .accepted])
    }

    @Test func `a proxy and a server each get their credential`() async throws {
        let server = DigestService()
        let proxy = DigestService {
            $0.isProxy = true
            $0.users = ["proxy": "pw"]
        }
        let base = FakeTransport { request in
            let response = try await proxy.respond(to: request)
            return response.status == .ok ? try await server.respond(to: request) : response
        }
        let transport =
            base
            .authorizing(with: .password(user: "proxy", password: "pw", for: .proxy), at: .chosenByAuthorizer)
            .authorizing(with: fixed, at: origins)
        for path in ["/a", "/b"] {
            #expect(try await transport.send(HTTPRequest(.get, "http://h\(path)")).status == .ok)
        }
        #expect(proxy.outcomes == [.missing, .accepted, .accepted, .accepted])
        #expect(server.outcomes == [.missing, .accepted, .accepted])
    }

    @Test func `a server with status 407 gets no password of a proxy`() async throws {
        let challenges = ["Basic realm=r", "Digest realm=r, nonce=n", "Basic realm=r, charset=\"UTF-8\""]
        let status = try #require(HTTPStatus(407))
        let service = ClosureService { request in
            let index = Int(request.url.lastPathComponent) ?? 0
            return request.response(status, fields: try HTTPFields(["Proxy-Authenticate": challenges[index]]))
        }
        let questions = Watched(0)
        try await LoopbackServer.serving(service) { server in
            let base = TestTransport.withoutDeadlines
            let prompt = base.authorizing(
                with: .password(for: .proxy) { _ in
                    questions.update { $0 += 1 }
                    return PasswordCredential(user: "proxy", password: "hush")
                }, at: .chosenByAuthorizer)
            let password = base.authorizing(
                with: .password(user: "proxy", password: "hush", for: .proxy), at: .chosenByAuthorizer)
            let basic = base.authorizing(
                with: try .basic(user: "proxy", password: "hush\u{A3}", for: .proxy, encoding: .isoLatin1),
                at: .chosenByAuthorizer)
            for index in challenges.indices {
                let request = try HTTPRequest(.get, server.url(of: "/\(index)"))
                for transport in [prompt, password, basic] as [any Transport] {
                    for _ in 0..<2 { #expect(try await transport.send(request).status == status) }
                }
            }
            #expect(server.requests.count == 18 && questions.value == 0)
            #expect(server.requests.allSatisfy { $0.fields[.proxyAuthorization] == nil })
        }
    }

    @Test func `a streamed body is verified at its end`() async throws {
        let service = DigestService {
            $0.qop = "auth-int"
            $0.sendsProof = true
        }
        let tampering = FakeTransport { request in
            var response = try await service.respond(to: request)
            if response.status == .ok, request.url.path() == "/bad" { response.body = Data("forged".utf8) }
            return response
        }
        let transport = tampering.authorizing(with: fixed, at: origins)
        for _ in 0..<2 {
            let good = try await transport.stream(HTTPRequest(.get, "http://h/good"))
            #expect(try await good.body.collect(upTo: 100) == Data("items".utf8))
            // No download keeps a part of it.
            #expect(good.head.isCheckedAtEnd)
            let bad = try await transport.stream(HTTPRequest(.get, "http://h/bad"))
            let error = await #expect(throws: AuthenticationError.self) { try await bad.body.collect(upTo: 100) }
            #expect(error?.code == .serverNotAuthentic)
            let whole = await #expect(throws: AuthenticationError.self) {
                try await transport.send(HTTPRequest(.get, "http://h/bad"))
            }
            #expect(whole?.code == .serverNotAuthentic)
        }
    }

    @Test func `an unsupported challenge is the response`() async throws {
        let base = ScriptedTransport {
            $0.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": "Negotiate, NTLM"]))
        }
        let transport = base.authorizing(with: fixed, at: origins)
        #expect(try await transport.send(HTTPRequest(.get, "http://h/")).status == .unauthorized)
        #expect(base.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `a stream is sent with the credential once the challenge is known`(isFixed: Bool) async throws {
        let service = DigestService()
        let prompts = Watched<[PasswordPrompt]>([])
        let transport = ServiceTransport(service)
            .authorizing(with: isFixed ? fixed : prompt([mufasa], prompts: prompts), at: origins)
        func send() async throws -> HTTPStatus {
            let body = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
            return try await transport.send(HTTPRequest(.post, "http://h/", body: body)).status
        }
        #expect(try await send() == .unauthorized && prompts.value.isEmpty)
        for _ in 0..<2 { #expect(try await send() == .ok) }
        #expect(service.outcomes == [.missing, .accepted, .accepted])
        #expect(prompts.value.count == (isFixed ? 0 : 1))
    }

    @Test func `credentials of a store are shared between transports`() async throws {
        let service = DigestService()
        let store = CredentialStore()
        let spaces = Watched<[ProtectionSpace]>([])
        for _ in 0..<2 {
            let transport = ServiceTransport(service).authorizing(
                with: .password(store) { prompt in
                    spaces.update { $0.append(prompt.space) }
                    return mufasa
                }, at: origins)
            #expect(try await transport.send(HTTPRequest(.get, "http://h/")).status == .ok)
        }
        #expect(spaces.value.map(\.realm) == [service.settings.realm])
        #expect(try store.credential(at: URL(httpString: "http://h/"))?.credential == mufasa)
    }

    @Test func `descriptions have no secrets`() {
        var dumped = ""
        dump(fixed, to: &dumped)
        #expect("\(fixed)" == "a password for the server" && "\(prompt([]))" == "passwords of a prompt for the server")
        #expect(!dumped.contains("Mufasa") && !dumped.contains("Circle"))
    }
}
