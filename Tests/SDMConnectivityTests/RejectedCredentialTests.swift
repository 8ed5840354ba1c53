import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// Credentials that a server rejects, or has accepted, and where they are kept and sent.
@Suite(.needsSlot) struct RejectedCredentialTests {
    private static let url = URL(string: "http://example.com/")

    private func challenge(_ realm: String = "r") throws -> HTTPFields {
        try HTTPFields(["WWW-Authenticate": "Basic realm=\"\(realm)\""])
    }

    /// Sets credentials and retries.
    @Sendable private func supply(_ request: SDMHttpRequest, _ password: String) {
        (request.username, request.password) = ("ann", password)
        request.retryUsingSuppliedCredentials()
    }

    @Test func `S18: a delegate that supplies the same wrong password fails with 3 after ten attempts`() async throws {
        let transport = ScriptedTransport { try $0.response(.unauthorized, fields: challenge(), body: Data("no".utf8)) }
        let request = SDMSession.test(transport).get(Self.url)
        let delegate = LoggingDelegate(onChallenge: { supply($0, "hush") })
        request.delegate = delegate
        let error = try #require(await request.ended())
        #expect(error.errorCode == 3 && error.message.contains("rejected") && !error.message.contains("hush"))
        #expect(transport.requests.count == 1 + AUTHENTICATION_RETRY_COUNT && AUTHENTICATION_RETRY_COUNT == 10)
        #expect(request.session.credentials.credential(at: try #require(Self.url)) == nil)
        #expect(request.authenticationRetryCount == 10 && request.responseString == "no" && delegate.endCount == 1)
    }

    @Test func `S17: a server with another realm in each challenge does not get the password without end`() async throws
    {
        let count = Watched(0)
        let transport = ScriptedTransport { request in
            let number = count.update { count in
                count += 1
                return count
            }
            return try request.response(.unauthorized, fields: challenge("realm \(number)"))
        }
        let request = SDMSession.test(transport).get(Self.url)
        (request.username, request.password) = ("ann", "hush")
        #expect(await request.ended()?.errorCode == 3 && transport.requests.count == 11)
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

    @Test(arguments: ["right", "wrong"])
    func `saved credentials are removed when they are rejected, not when others are`(password: String) async throws {
        let right = "Basic " + Data("ann:right".utf8).base64EncodedString()
        let transport = ScriptedTransport { request in
            guard request.fields[.authorization] != right else { return request.response() }
            return try request.response(.unauthorized, fields: challenge())
        }
        let saved = Saved()
        let space = ProtectionSpace(try #require(Self.url), realm: "r")
        saved.save(PasswordCredential(user: "ann", password: password), for: space)
        let request = SDMSession.test(transport) { $0.savedCredentials = saved }.get(Self.url)
        request.useKeychainPersistence = true
        (request.username, request.password) = ("ann", "other")
        #expect(await request.ended()?.errorCode == (password == "right" ? nil : 3))
        #expect(saved.credential(for: space)?.password == (password == "right" ? "right" : nil))
        #expect(transport.requests.count == 3)
    }

    /// Where a request has its credentials from.
    private enum Source: CaseIterable { case request, delegate, storage }

    @Test(arguments: Source.allCases, ["right", "wrong"])
    private func `S17: credentials are not kept when the response is a redirect, but when its target demands them`(
        source: Source, password: String
    ) async throws {
        // A wrong password leads to the form of a login, as with portals.
        let transport = ScriptedTransport { request in
            let isRight = request.fields[.authorization] == "Basic " + Data("ann:right".utf8).base64EncodedString()
            let hasPassword = request.fields[.authorization] != nil
            switch request.url.path() {
            case "/login": return request.response(text: "login")
            case "/home" where isRight: return request.response(text: "home")
            case _ where !hasPassword: return try request.response(.unauthorized, fields: challenge())
            default:
                return request.response(.found, fields: try HTTPFields(["Location": isRight ? "/home" : "/login"]))
            }
        }
        let (saved, url) = (Saved(), try #require(Self.url))
        let space = ProtectionSpace(url, realm: "r")
        let session = SDMSession.test(transport) { $0.savedCredentials = saved }
        let request = session.get(Self.url)
        let delegate = LoggingDelegate(onChallenge: { supply($0, password) })
        request.delegate = delegate
        switch source {
        case .request: (request.username, request.password) = ("ann", password)
        case .delegate: break
        case .storage: saved.save(PasswordCredential(user: "ann", password: password), for: space)
        }
        request.useKeychainPersistence = source != .delegate
        #expect(await request.ended() == nil)
        #expect(request.responseString == (password == "right" ? "home" : "login"))
        #expect(delegate.events.count { $0 == "authentication needed" } == (source == .delegate ? 1 : 0))
        let kept = password == "right" ? "right" : nil
        #expect(session.credentials.credential(for: space)?.password == kept)
        if source == .request { #expect(saved.credential(for: space)?.password == kept) }
    }

    @Test func `S9, S17: a redirect that is not followed does not accept a password`() async throws {
        let transport = ScriptedTransport { request in
            guard request.fields[.authorization] != nil else {
                return try request.response(.unauthorized, fields: challenge())
            }
            return request.response(.found, fields: try HTTPFields(["Location": "/login"]))
        }
        let session = SDMSession.test(transport)
        let request = session.get(Self.url)
        (request.username, request.password) = ("ann", "wrong")
        request.shouldRedirect = false
        #expect(await request.ended() == nil && request.responseStatusCode == 302)
        #expect(session.credentials.credential(at: try #require(Self.url)) == nil)
    }

    @Test func `S47: credentials that a delegate supplies for another origin do not go to the first one`() async throws
    {
        let transport = ScriptedTransport { request in
            let isOther = request.url.host() == "other.example.net"
            switch (request.url.path(), request.fields[.authorization]) {
            case ("/", _):
                return request.response(
                    .found, fields: try HTTPFields(["Location": "http://other.example.net/secret"]))
            case (_, nil): return try request.response(.unauthorized, fields: challenge(isOther ? "other" : "first"))
            default:
                guard isOther else { return request.response(text: "welcome") }
                return request.response(.found, fields: try HTTPFields(["Location": "http://example.com/secret"]))
            }
        }
        let request = SDMSession.test(transport).get(Self.url)
        let delegate = LoggingDelegate(onChallenge: { supply($0, $0.url?.host() == "example.com" ? "first" : "other") })
        request.delegate = delegate
        request.authenticationScheme = SDMAuthenticationSchemeBasic
        #expect(await request.ended() == nil && request.responseString == "welcome")
        #expect(delegate.events.count { $0 == "authentication needed" } == 2)
        let other = "Basic " + Data("ann:other".utf8).base64EncodedString()
        for sent in transport.requests where sent.fields[.authorization] == other {
            #expect(sent.url.host() == "other.example.net")
        }
    }

    @Test func `S45, S47: a copy has no credentials that a delegate supplied for another origin`() async throws {
        let transport = ScriptedTransport([
            .response(.found, fields: try HTTPFields(["Location": "http://other.example.net/"])),
            .response(.unauthorized, fields: try challenge()), .text("other"),
        ])
        let request = SDMSession.test(transport).get(Self.url)
        let delegate = LoggingDelegate(onChallenge: { supply($0, "hush") })
        request.delegate = delegate
        #expect(await request.ended() == nil && request.password == "hush")
        let copy = try #require(request.copy() as? SDMHttpRequest)
        #expect(copy.url == Self.url && copy.username == nil && copy.password == nil)
    }

    @Test func `a redirect to https after a proxy's challenge is followed, without the proxy's password`() async throws
    {
        let transport = ScriptedTransport([
            .init { try $0.proxyChallenge(#"Basic realm="p""#) },
            .response(.found, fields: try HTTPFields(["Location": "https://example.com/"])), .text("safe"),
        ])
        let request = SDMSession.test(transport).get(Self.url)
        (request.proxyUsername, request.proxyPassword) = ("ann", "hush")
        #expect(await request.ended() == nil && request.responseString == "safe")
        #expect(transport.requests.map { $0.fields["Proxy-Authorization"] != nil } == [false, true, false])
    }
}
