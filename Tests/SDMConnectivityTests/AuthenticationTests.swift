import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct AuthenticationTests {
    /// A server that demands `ann` and `secret` for its realms: that of a path, by its last component.
    private func run(_ body: (LoopbackServer) async throws -> Void) async throws {
        try await LoopbackServer { request in
            guard request.fields[.authorization] == "Basic " + Data("ann:secret".utf8).base64EncodedString() else {
                let challenge = "Basic realm=\"\(request.url.lastPathComponent)\""
                return request.response(
                    .unauthorized, fields: try HTTPFields(["WWW-Authenticate": challenge]), body: Data("sign in".utf8))
            }
            return request.response(text: "welcome")
        }.stopping(after: body)
    }

    @Sendable private func authorize(_ request: SDMHttpRequest, _ password: String = "secret") {
        request.setUserName("ann")
        request.setPassword(password)
    }

    @Test func `S17, S20: without credentials it fails with 3, and the response can be read`() async throws {
        try await run { server in
            let request = try SDMSession.test().get(server, "/realm")
            #expect(await request.ended()?.errorCode == 3)
            #expect(request.responseStatusCode == 401 && request.responseString == "sign in")
            #expect(request.authenticationRealm == "realm" && request.authenticationRetryCount == 0)
            #expect(request.responseHeaders?["Www-Authenticate"] ?? request.responseHeaders?["WWW-Authenticate"] != nil)
        }
    }

    @Test func `S17: wrong credentials are tried once`() async throws {
        try await run { server in
            let request = try SDMSession.test().get(server, "/realm")
            authorize(request, "wrong")
            #expect(await request.ended()?.errorCode == 3)
            #expect(server.requestCount == 2 && request.authenticationRetryCount == 1)
            #expect(request.session.credentials.credential(at: request.url!) == nil)
        }
    }

    @Test func `S17: right credentials wait for the challenge, and the session reuses them`() async throws {
        try await run { server in
            let session = SDMSession.test()
            let request = try session.get(server, "/realm")
            authorize(request)
            #expect(await request.ended() == nil && request.authenticationRetryCount == 1)
            #expect(server.requests.first?.fields[.authorization] == nil)
            // Known now: no challenge, and no credentials of its own.
            let next = try session.get(server, "/realm")
            #expect(await next.ended() == nil && next.authenticationRetryCount == 0)
            #expect(server.requestCount == 3)
            // Not without the session, nor after it is cleared.
            let alone = try session.get(server, "/realm")
            alone.useSessionPersistence = false
            #expect(await alone.ended()?.errorCode == 3)
            session.clear()
            try await #expect(session.get(server, "/realm").ended()?.errorCode == 3)
        }
    }

    @Test func `S17: Basic as the scheme presents the credentials before the challenge`() async throws {
        try await run { server in
            for isPresented in [true, false] {
                let request = try SDMSession.test().get(server, "/realm")
                authorize(request)
                request.authenticationScheme = SDMAuthenticationSchemeBasic
                request.shouldPresentCredentialsBeforeChallenge = isPresented
                #expect(await request.ended() == nil)
                #expect(request.authenticationRetryCount == (isPresented ? 0 : 1))
            }
            #expect(server.requestCount == 3)
        }
    }

    @Test func `the user and the password of the URL are credentials too, and are not sent in it`() async throws {
        try await run { server in
            let url = try #require(URL(string: "http://ann:secret@127.0.0.1:\(server.port)/realm"))
            let request = SDMSession.test().get(url)
            #expect(await request.ended() == nil && server.requests.last?.target == "/realm")
        }
    }

    @Test func `S18: the delegate supplies credentials, right at the fifth attempt`() async throws {
        try await run { server in
            let count = Watched(0)
            let request = try SDMSession.test().get(server, "/realm")
            let delegate = LoggingDelegate(onChallenge: { request in
                let number = count.update { count in
                    count += 1
                    return count
                }
                authorize(request, number == 5 ? "secret" : "wrong \(number)")
                request.retryUsingSuppliedCredentials()
            })
            request.delegate = delegate
            #expect(await request.ended() == nil && request.responseString == "welcome")
            #expect(server.requestCount == 6 && count.value == 5)
            // S16: each attempt is announced.
            let events = try await delegate.ended()
            #expect(events.count { $0 == "started" } == 6)
        }
    }

    @Test func `S18: the delegate cancels`() async throws {
        try await run { server in
            let request = try SDMSession.test().get(server, "/realm")
            let delegate = LoggingDelegate()
            request.delegate = delegate
            let error = try #require(await request.ended())
            #expect(error.errorCode == 3 && error.message == "The delegate has cancelled the authentication.")
            #expect(request.responseString == "sign in")
            try await #expect(delegate.ended() == ["started", "authentication needed", "failed 3"])
        }
    }

    @Test func `S18: the delegate may change the URL`() async throws {
        try await run { server in
            try await LoopbackServer { $0.response(text: "elsewhere") }.stopping { other in
                let url = try other.url(of: "/")
                let request = try SDMSession.test().get(server, "/realm")
                let delegate = LoggingDelegate(onChallenge: { request in
                    request.url = url
                    authorize(request)
                    request.retryUsingSuppliedCredentials()
                })
                request.delegate = delegate
                #expect(await request.ended() == nil && request.responseString == "elsewhere")
                #expect(other.requests.first?.fields[.authorization] == nil && server.requestCount == 1)
            }
        }
    }

    @Test func `S18: the delegate may change the URL instead of supplying credentials`() async throws {
        try await LoopbackServer { request in
            guard request.url.path() == "/realm" else { return request.response(text: "open") }
            return request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
        }.stopping { server in
            let session = SDMSession.test()
            let url = try server.url(of: "/open")
            let delegate = LoggingDelegate(onChallenge: { request in
                request.url = url
                request.retryUsingSuppliedCredentials()
            })
            // The delegate is asked for the others of the realm too, which wait for the decision about the first one.
            let requests = try (0..<3).map { _ in try session.get(server, "/realm") }
            for request in requests {
                request.delegate = delegate
                request.startAsynchronous()
            }
            for request in requests { #expect(await request.ended() == nil && request.responseString == "open") }
            #expect(delegate.events.count { $0 == "authentication needed" } == 3)
            #expect(server.requests.allSatisfy { $0.fields[.authorization] == nil })
        }
    }

    @Test func `S18: the delegate sees realm and scheme; a retry without credentials at the same URL fails`()
        async throws
    {
        try await run { server in
            let request = try SDMSession.test().get(server, "/realm")
            let seen = Watched<[String?]>([])
            let delegate = LoggingDelegate(onChallenge: { request in
                seen.update { $0 = [request.authenticationRealm, request.authenticationScheme] }
                request.retryUsingSuppliedCredentials()
            })
            request.delegate = delegate
            let error = try #require(await request.ended())
            #expect(error.errorCode == 3 && server.requestCount == 1 && seen.value == ["realm", "Basic"])
            #expect(error.message.contains("`retryUsingSuppliedCredentials()` was called without credentials"))
        }
    }

    @Test func `S18: five parallel requests ask once`() async throws {
        try await run { server in
            let session = SDMSession.test()
            let delegate = LoggingDelegate(onChallenge: { request in
                Task {
                    try await server.requests(count: 5)
                    authorize(request)
                    request.retryUsingSuppliedCredentials()
                }
            })
            let requests = try (0..<5).map { _ in try session.get(server, "/realm") }
            for request in requests {
                request.delegate = delegate
                request.startAsynchronous()
            }
            for request in requests { #expect(await request.ended() == nil) }
            #expect(delegate.events.count { $0 == "authentication needed" } == 1)
        }
    }

    @Test func `S19: credentials are for one origin and one realm`() async throws {
        try await run { first in
            try await run { second in
                let session = SDMSession.test()
                let request = try session.get(first, "/realm")
                authorize(request)
                #expect(await request.ended() == nil)
                try await #expect(session.get(second, "/realm").ended()?.errorCode == 3)
                #expect(second.requests.allSatisfy { $0.fields[.authorization] == nil })
            }
        }
        let session = SDMSession.test()
        let space = ProtectionSpace(try #require(URL(string: "http://127.0.0.1/")), realm: "one")
        session.credentials.set(PasswordCredential(user: "ann", password: "secret"), for: space)
        try await run { server in
            try await #expect(session.get(server, "/two").ended()?.errorCode == 3)
            #expect(server.requests.allSatisfy { $0.fields[.authorization] == nil })
        }
    }

    @Test func `S19: a request with credentials of its own does not present others`() async throws {
        try await run { server in
            let session = SDMSession.test()
            let request = try session.get(server, "/realm")
            authorize(request)
            await request.ended()
            let other = try session.get(server, "/realm")
            authorize(other, "different")
            #expect(await other.ended()?.errorCode == 3)
            let own = "Basic " + Data("ann:different".utf8).base64EncodedString()
            #expect(server.requests.dropFirst(2).map { $0.fields[.authorization] } == [nil, own])
        }
    }

    @Test func `S19: after its own credentials are rejected, a request asks, and does not use those of another user`()
        async throws
    {
        try await run { server in
            let session = SDMSession.test()
            let request = try session.get(server, "/realm")
            authorize(request)
            await request.ended()
            let other = try session.get(server, "/realm")
            (other.username, other.password) = ("bob", "wrong")
            let delegate = LoggingDelegate()
            other.delegate = delegate
            #expect(await other.ended()?.errorCode == 3)
            let own = "Basic " + Data("bob:wrong".utf8).base64EncodedString()
            #expect(server.requests.dropFirst(2).map { $0.fields[.authorization] } == [nil, own])
            try await #expect(delegate.ended() == ["started", "started", "authentication needed", "failed 3"])
        }
    }

    @Test func `S19: credentials for the first server do not displace the session's for the target of a redirect`()
        async throws
    {
        let transport = ScriptedTransport { request in
            if request.url.host() == "a.example.com" {
                return request.response(.found, fields: try HTTPFields(["Location": "http://b.example.com/"]))
            }
            guard request.fields[.authorization] == nil else { return request.response(text: "welcome") }
            return request.response(
                .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="b""#]))
        }
        let session = SDMSession.test(transport)
        let first = session.get(URL(string: "http://b.example.com/"))
        authorize(first)
        #expect(await first.ended() == nil)
        let redirected = session.get(URL(string: "http://a.example.com/"))
        (redirected.username, redirected.password) = ("bob", "hush")
        #expect(await redirected.ended() == nil && redirected.responseString == "welcome")
        let own = transport.requests[1].fields[.authorization]
        #expect(own != nil && transport.requests.last?.fields[.authorization] == own)
    }

    @Test func `S38: the token of a user in the URL is fetched as that user`() async throws {
        let transport = ScriptedTransport { request in
            guard let user = request.fields[.authorization] else {
                return request.response(
                    .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
            }
            return request.response(fields: try HTTPFields(["X-CSRF-Token": user.replacing("=", with: "")]))
        }
        let session = SDMSession.test(transport)
        let first = session.get(URL(string: "http://example.com/"))
        authorize(first)
        #expect(await first.ended() == nil)
        session.isXCSRFEnabled = true
        let write = session.get(URL(string: "http://bob:hush@example.com/data"))
        write.setRequestMethod("POST")
        #expect(await write.ended() == nil)
        let bob = "Basic " + Data("bob:hush".utf8).base64EncodedString()
        #expect(Set(transport.requests.dropFirst(2).map { $0.fields[.authorization] }) == [nil, bob])
        #expect(transport.requests.last?.fields["X-CSRF-Token"] == bob.replacing("=", with: ""))
    }

    @Test func `S19: a request with credentials of its own for the proxy does not present others`() async throws {
        let transport = ScriptedTransport { request in
            guard request.fields["Proxy-Authorization"] == nil else { return request.response(text: "welcome") }
            return try request.proxyChallenge(#"Basic realm="p""#)
        }
        let session = SDMSession.test(transport)
        var expected: [String?] = []
        for user in ["ann", "bob"] {
            let request = session.get(URL(string: "http://example.com/"))
            (request.proxyUsername, request.proxyPassword) = (user, "secret")
            #expect(await request.ended() == nil)
            expected.append(nil)
            expected.append("Basic " + Data("\(user):secret".utf8).base64EncodedString())
        }
        #expect(transport.requests.map { $0.fields["Proxy-Authorization"] } == expected)
    }

    @Test func `S19, S47: a server with status 407 gets no password of a proxy`() async throws {
        let status = try #require(HTTPStatus(407))
        let challenge = try HTTPFields(["Proxy-Authenticate": #"Basic realm="p""#])
        let service = ClosureService { $0.response(status, fields: challenge) }
        try await LoopbackServer.serving(service) { server in
            // One host is behind a proxy; the server is not.
            let network = FakeTransport { request in
                guard request.url.host() == "proxied.example" else {
                    return try await TestTransport.withoutDeadlines.send(request)
                }
                return request.fields[.proxyAuthorization] == nil
                    ? try request.proxyChallenge(#"Basic realm="p""#) : request.response(text: "welcome")
            }
            let session = SDMSession.test(network)
            let delegate = LoggingDelegate()
            let proxied = try URL(httpString: "http://proxied.example/")
            for url in [proxied, try server.url(of: "/"), try server.url(of: "/later")] {
                let request = session.get(url)
                (request.proxyUsername, request.proxyPassword) = ("ann", "hush")
                request.delegate = delegate
                #expect(await request.ended() == nil)
                #expect(request.responseStatusCode == (url == proxied ? 200 : 407))
                #expect(request.proxyAuthenticationRetryCount == (url == proxied ? 1 : 0))
            }
            #expect(server.requests.count == 2)
            #expect(server.requests.allSatisfy { $0.fields[.proxyAuthorization] == nil })
            #expect(!delegate.events.contains("proxy authentication needed"))
        }
    }

    @Test func `S17: Digest is answered with the credentials`() async throws {
        let service = ClosureService { request in
            guard request.fields[.authorization]?.hasPrefix("Digest ") == true else {
                let challenge = #"Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#
                return request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": challenge]))
            }
            return request.response(text: "welcome")
        }
        try await LoopbackServer.serving(service) { server in
            let request = try SDMSession.test().get(server)
            authorize(request)
            #expect(await request.ended() == nil && request.responseString == "welcome")
            #expect(server.requests.last?.fields[.authorization]?.contains(#"username="ann""#) == true)
        }
    }

    @Test func `a scheme that is not supported fails with 3 and names it`() async throws {
        let transport = ScriptedTransport {
            $0.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": "NTLM"]))
        }
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        authorize(request)
        let error = try #require(await request.ended())
        #expect(error.errorCode == 3 && error.message.contains("NTLM") && !error.description.contains("secret"))
    }

    /// Passwords in memory.
    private final class Saved: SDMCredentialStorage {
        let passwords = Watched<[ProtectionSpace: PasswordCredential]>([:])
        func credential(for space: ProtectionSpace) -> PasswordCredential? { passwords.value[space] }
        func save(_ credential: PasswordCredential, for space: ProtectionSpace) {
            passwords.update { $0[space] = credential }
        }
        func remove(for space: ProtectionSpace) { passwords.update { $0[space] = nil } }
    }

    @Test func `accepted credentials are saved and used by a later session`() async throws {
        try await run { server in
            let saved = Saved()
            for isFirst in [true, false] {
                let request = try SDMSession.test { $0.savedCredentials = saved }.get(server, "/realm")
                request.useKeychainPersistence = true
                if isFirst { authorize(request) }
                #expect(await request.ended() == nil && saved.passwords.value.count == 1)
            }
        }
    }
}
