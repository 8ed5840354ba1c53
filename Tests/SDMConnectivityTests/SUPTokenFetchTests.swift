import Authentication
import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// Whose token a write carries, and what its fetch sends and keeps.
@Suite(.needsSlot) struct SUPTokenFetchTests {
    private func session(_ transport: some Transport) -> SDMSession {
        let session = SDMSession.test(transport)
        session.isXCSRFEnabled = true
        return session
    }

    private func write(_ session: SDMSession, _ url: String = "http://example.com/p/Set") -> SDMHttpRequest {
        let write = session.get(URL(string: url))
        write.setRequestMethod("POST")
        return write
    }

    // MARK: Users

    /// A server with logins by cookie, whose tokens are those of its sessions.
    private static func logins() -> ScriptedTransport {
        ScriptedTransport { request in
            let user = request.cookiePairs.first { $0.hasPrefix("SAP_SESSIONID=") }
                .map { String($0.dropFirst("SAP_SESSIONID=".count)) }
            switch (request.method, request.url.query()) {
            case (.get, let name?):
                return request.response(fields: try HTTPFields(["Set-Cookie": "SAP_SESSIONID=\(name); Path=/"]))
            case (.get, nil):
                let fields = [
                    ("X-CSRF-Token", "token of \(user ?? "guest")"), ("Set-Cookie", "sap-XSRF=1; Path=/"),
                    ("Set-Cookie", "SAP_SESSIONID=\(user ?? "guest"); Path=/"),
                ]
                return request.response(fields: try HTTPFields(fields))
            default: return request.response(.created)
            }
        }
    }

    /// The methods of the requests, and the sessions and the tokens of writes.
    private func log(_ transport: ScriptedTransport) -> [String] {
        transport.requests.map { request in
            guard request.method == .post else { return request.method.name }
            let sessions = request.cookiePairs.filter { $0.hasPrefix("SAP") }
            return "\(sessions.joined()) \(request.fields["X-CSRF-Token"] ?? "no token")"
        }
    }

    @Test(arguments: [nil, "tech"])
    func `S38: after another login by cookie, a write has the new cookie and another token`(stated: String?)
        async throws
    {
        let transport = Self.logins()
        let session = session(transport)
        // A user that the server does not ask for.
        func send(_ request: SDMHttpRequest) async {
            (request.username, request.password) = (stated, stated)
            #expect(await request.ended() == nil)
        }
        await send(session.get(URL(string: "http://example.com/login?ann")))
        await send(session.get(URL(string: "http://example.com/p/Set")))
        await send(write(session))
        await send(session.get(URL(string: "http://example.com/login?bob")))
        for _ in 0..<2 { await send(write(session)) }
        let bob = "SAP_SESSIONID=bob token of bob"
        #expect(log(transport) == ["GET", "GET", "SAP_SESSIONID=ann token of ann", "GET", "GET", bob, bob])
    }

    @Test(arguments: [nil, "tech"])
    func `S38: the token of a session that its response starts is not for a later one`(stated: String?) async throws {
        let transport = Self.logins()
        let session = session(transport)
        let first = session.get(URL(string: "http://example.com/p/Set"))
        (first.username, first.password) = (stated, stated)
        #expect(await first.ended() == nil)
        session.cookies.removeAll()
        session.cookies.set(try Cookie("SAP_SESSIONID", "bob", domain: "example.com"))
        #expect(await write(session).ended() == nil)
        session.cookies.removeAll()
        // Nothing of the session of bob.
        let last = write(session)
        (last.username, last.password) = (stated, stated)
        #expect(await last.ended() == nil)
        let guest = "SAP_SESSIONID=guest token of guest"
        #expect(log(transport) == ["GET", "GET", "SAP_SESSIONID=bob token of bob", "GET", guest])
    }

    @Test func `S38: users by a key field or a certificate have tokens of their own`() async throws {
        let changes: [(SDMHttpRequest) -> Void] = [
            { _ in }, { $0.addRequestHeader("X-Api-Key", value: "one") },
            { $0.addRequestHeader("X-Api-Key", value: "two") },
            { $0.clientCertificateIdentity = .init(pkcs12: Data("certificate".utf8), password: "") },
        ]
        let transport = ScriptedTransport { $0.response(fields: try HTTPFields(["X-CSRF-Token": "T"])) }
        let session = session(transport)
        for change in changes {
            for _ in 0..<2 {
                let write = write(session)
                change(write)
                #expect(await write.ended() == nil)
            }
        }
        let user: [HTTPMethod] = [.get, .post, .post]
        #expect(transport.requests.map(\.method) == user + user + user + user)
    }

    @Test func `S38: a key for one write, and the deletion of a cookie that no request had, need no other token`()
        async throws
    {
        let transport = ScriptedTransport { request in
            let fields: KeyValuePairs = ["X-CSRF-Token": "T", "Set-Cookie": "MYSAPSSO2=; Path=/; Max-Age=0"]
            return request.response(fields: try HTTPFields(request.method == .get ? fields : [:]))
        }
        let session = session(transport)
        for number in 1...3 {
            let write = write(session)
            write.addRequestHeader("Idempotency-Key", value: "\(number)")
            #expect(await write.ended() == nil)
        }
        #expect(transport.requests.map(\.method) == [.get, .post, .post, .post])
        #expect(transport.requests.last?.fields["Idempotency-Key"] == "3")
    }

    // MARK: Registrations

    @Test(arguments: ["Set-Cookie", "X-SUP-APPCID"], [false, true])
    func `S36, S38: a write carries the identifier that the server assigns in the response to its fetch`(
        field: String, hasToken: Bool
    ) async throws {
        let count = Watched(0)
        let transport = ScriptedTransport { request in
            var response = request.response()
            if request.method == .get, hasToken { try response.head.fields.set("X-CSRF-Token", to: "T") }
            let hasCookie = request.cookiePairs.contains { $0.hasPrefix("X-SUP-APPCID=") }
            guard request.fields["X-SUP-APPCID"] == nil, !hasCookie else { return response }
            let number = count.update { count in
                count += 1
                return count
            }
            let isCookie = field == "Set-Cookie"
            try response.head.fields.append(field, isCookie ? "X-SUP-APPCID=id-\(number); Path=/" : "id-\(number)")
            return response
        }
        let session = session(transport)
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithUrl("http://example.com/")
        session.clientConnection = connection
        for _ in 0..<2 {
            let write = SUPRequest(url: URL(string: "http://example.com/p/Set"), session: session)
            write.setRequestMethod("POST")
            #expect(await write.ended() == nil)
            #expect(try connection.registration()?.connectionID == "id-1")
        }
        let writes = transport.requests.filter { $0.method == .post }
        #expect(writes.map { $0.fields["X-SUP-APPCID"] } == ["id-1", "id-1"])
    }

    // MARK: Redirects

    /// A request whose subclass adds the fields of its credentials and cookies itself.
    private final class OwnFieldsRequest: SDMHttpRequest, @unchecked Sendable {
        override func buildRequestHeaders() {
            super.buildRequestHeaders()
            applyAuthorizationHeader()
            applyCookieHeader()
        }
    }

    @Test func `S38, S47: the fetch for the target of a redirect carries no password and no cookie of the app`()
        async throws
    {
        let transport = ScriptedTransport { request in
            let isFirst = request.url.host() == "a.example"
            if request.method == .get {
                return request.response(fields: try HTTPFields(["X-CSRF-Token": isFirst ? "of a" : "of b"]))
            }
            guard isFirst else { return request.response(.created) }
            let status = try #require(HTTPStatus(307))
            return request.response(status, fields: try HTTPFields(["Location": "http://b.example/p/Set"]))
        }
        let write = OwnFieldsRequest(url: URL(string: "http://a.example/p/Set"), session: session(transport))
        write.setRequestMethod("POST")
        (write.username, write.password, write.authenticationScheme) = ("ann", "hush", SDMAuthenticationSchemeBasic)
        write.addRequestHeader("Cookie", value: "login=hush")
        #expect(await write.ended() == nil && write.responseStatusCode == 201)
        for request in transport.requests {
            let isFirst = request.url.host() == "a.example"
            #expect((request.fields[.authorization] != nil) == isFirst)
            #expect((request.fields[.cookie] != nil) == isFirst)
            let token = request.method == .get ? "Fetch" : isFirst ? "of a" : "of b"
            #expect(request.fields["X-CSRF-Token"] == token)
        }
        #expect(transport.requests.map(\.method) == [.get, .post, .get, .post])
    }

    @Test func `S38, S47: the fetch for the target of a redirect leaves the Unix socket of the write`() async throws {
        let transport = ScriptedTransport { request in
            guard request.method == .put, request.url.host() == "a.example" else {
                return request.response(fields: try HTTPFields(["X-CSRF-Token": "T"]))
            }
            return request.response(
                .temporaryRedirect, fields: try HTTPFields(["Location": "http://b.example/p/Set"]))
        }
        let write = try HTTPMessages.HTTPRequest(
            .put, "http://a.example/p/Set", body: .text("text"),
            options: RequestOptions { $0.unixSocketPath = "/run/a.sock" })
        _ = try await session(transport).requestTransport().send(write)
        #expect(transport.requests.map(\.method) == [.get, .put, .get, .put])
        let sockets = transport.requests.map(\.options.unixSocketPath)
        #expect(sockets == ["/run/a.sock", "/run/a.sock", nil, nil])
    }

    @Test func `S38: a cache in the transport may serve a GET that asks for a token, but not the fetch of a write`()
        async throws
    {
        let transport = ScriptedTransport { $0.response() }
        let session = session(transport)
        #expect(await session.get(URL(string: "http://example.com/p/Set")).ended() == nil)
        #expect(await write(session).ended() == nil)
        #expect(transport.requests.map { $0.fields["X-CSRF-Token"] } == ["Fetch", "Fetch", nil])
        #expect(transport.requests.map(\.options.cachePolicy) == [.standard, .noStore, .standard])
    }

    @Test func `S38, S47: a token of another origin, to which the fetch is redirected, is not sent`() async throws {
        let transport = ScriptedTransport { request in
            guard request.method == .get, request.url.host() == "a.example" else {
                return request.response(fields: try HTTPFields(["X-CSRF-Token": "of b"]))
            }
            return request.response(.found, fields: try HTTPFields(["Location": "http://b.example/"]))
        }
        #expect(await write(session(transport), "http://a.example/p/Set").ended() == nil)
        #expect(transport.requests.map { $0.url.host() } == ["a.example", "b.example", "a.example"])
        #expect(transport.requests.last?.method == .post && transport.requests.last?.fields["X-CSRF-Token"] == nil)
    }

    @Test
    func `S38, S47: a password that another origin rejects, to which the fetch is redirected, is not the write's`()
        async throws
    {
        let transport = ScriptedTransport { request in
            guard request.url.host() == "a.example" else {
                return request.response(
                    .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
            }
            guard request.method == .get else { return request.response(.created) }
            return request.response(.found, fields: try HTTPFields(["Location": "http://b.example/"]))
        }
        let session = session(transport)
        let space = ProtectionSpace(try URL(httpString: "http://b.example/"), realm: "r")
        session.credentials.set(PasswordCredential(user: "ann", password: "old"), for: space)
        let write = write(session, "http://a.example/p/Set")
        #expect(await write.ended() == nil && write.responseStatusCode == 201)
        let hosts = transport.requests.map { $0.url.host() }
        #expect(hosts == ["a.example", "b.example", "b.example", "a.example"])
    }
}
