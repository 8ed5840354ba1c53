import Authentication
import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// What a user, a server or a session must not get of another one.
@Suite(.needsSlot) struct IsolationTests {
    private let url = URL(string: "http://example.com/data")

    /// Redirects `example.com` to `other.example.net` with 307, or with 302 for a path `/302`.
    private func redirecting() -> ScriptedTransport {
        ScriptedTransport { request in
            guard request.url.host() == "example.com" else { return request.response(text: "other") }
            let fields = try HTTPFields(["Location": "http://other.example.net/"])
            return request.response(request.url.path() == "/302" ? .found : .temporaryRedirect, fields: fields)
        }
    }

    @Test func `S45, S47: a copy goes to the app's URL, not with its credentials to the target of a redirect`()
        async throws
    {
        let transport = redirecting()
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/302"))
        request.setRequestMethod("PUT")
        request.appendPost(Data("body".utf8))
        request.addRequestHeader("X-App", value: "1")
        request.username = "ann"
        request.password = "hush"
        request.authenticationScheme = "Basic"
        #expect(await request.ended() == nil && request.url?.host() == "other.example.net")
        let copy = try #require(request.copy() as? SDMHttpRequest)
        #expect(copy.url == request.originalURL && copy.requestMethod == "PUT" && copy.requestHeader("X-App") == "1")
        #expect(await copy.ended() == nil)
        #expect(transport.requests.count == 4)
        for sent in transport.requests {
            #expect((sent.fields[.authorization] != nil) == (sent.url.host() == "example.com"))
        }
    }

    @Test func `S36, S47: another origin does not get the identifier of the application connection`() async throws {
        let transport = redirecting()
        let request = SDMSession.test(transport).get(url)
        for name in ["X-SUP-APPCID", "x-smp-appcid", "MYSAPSSO2"] { request.addRequestHeader(name, value: "hush") }
        #expect(await request.ended() == nil)
        #expect(transport.requests.first?.fields["X-SUP-APPCID"] == "hush")
        let last = try #require(transport.requests.last)
        #expect(last.url.host() == "other.example.net" && last.fields.allSatisfy { $0.value != "hush" })
    }

    @Test func `a request in flight keeps nothing in a session that was cleared`() async throws {
        for isCleared in [false, true] {
            let gate = Gate()
            let transport = ScriptedTransport { request in
                guard request.fields[.authorization] != nil else {
                    let fields = try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#])
                    return request.response(.unauthorized, fields: fields)
                }
                try await gate.wait()
                let fields = try HTTPFields(["Set-Cookie": "user=ann", "Cache-Control": "max-age=60"])
                return request.response(fields: fields, body: Data("ann".utf8))
            }
            let session = SDMSession.test(transport)
            let request = session.get(url)
            request.username = "ann"
            request.password = "hush"
            request.downloadCache = session.downloadCache
            request.startAsynchronous()
            try await gate.waitForWaiters(1)
            if isCleared { session.clear() }
            gate.open()
            #expect(await request.ended() == nil && request.responseString == "ann")
            let url = try #require(url)
            #expect((session.credentials.credential(at: url) == nil) == isCleared)
            #expect(session.cookies.cookies.isEmpty == isCleared)
            #expect((session.downloadCache.cachedResponse(for: url) == nil) == isCleared)
        }
    }

    /// Demands a password.
    private func secret(_ request: HTTPMessages.HTTPRequest) throws -> HTTPResponse {
        guard request.fields[.authorization] == nil else { return request.response(text: "welcome") }
        return request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
    }

    @Test func `a request in flight uses no cookies and credentials of a session that was cleared`() async throws {
        let address = try #require(url)
        for isCleared in [false, true] {
            let gate = Gate()
            let transport = ScriptedTransport { request in
                guard request.url.path() == "/data" else { return try secret(request) }
                try await gate.wait()
                return request.response(.found, fields: try HTTPFields(["Location": "/secret"]))
            }
            let session = SDMSession.test(transport)
            let request = session.get(address)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            request.startAsynchronous()
            try await gate.waitForWaiters(1)
            if isCleared { session.clear() }
            session.credentials.set(
                PasswordCredential(user: "bob", password: "hush"), for: ProtectionSpace(address, realm: "r"))
            session.cookies.receive(
                HTTPResponseHead(status: .ok, fields: try HTTPFields(["Set-Cookie": "user=bob"]), url: address))
            gate.open()
            #expect(await request.ended()?.errorCode == (isCleared ? 3 : nil))
            let sent = transport.requests.dropFirst()
            #expect(sent.count == (isCleared ? 1 : 2))
            #expect(sent.allSatisfy { ($0.fields[.cookie] == nil) == isCleared })
            #expect(sent.allSatisfy { $0.fields[.authorization] == nil } == isCleared)
            #expect(delegate.events.contains("authentication needed") == isCleared)
        }
    }

    @Test func `credentials that a delegate supplies after the session was cleared are for its request only`()
        async throws
    {
        let session = SDMSession.test(ScriptedTransport { try secret($0) })
        let request = session.get(URL(string: "http://example.com/secret"))
        let delegate = LoggingDelegate(onChallenge: { request in
            request.session.clear()
            (request.username, request.password) = ("ann", "hush")
            request.retryUsingSuppliedCredentials()
        })
        request.delegate = delegate
        #expect(await request.ended() == nil && request.responseString == "welcome")
        #expect(session.credentials.credential(at: try #require(url)) == nil)
        #expect(delegate.events.count { $0 == "authentication needed" } == 1)
    }

    @Test func `S38: a write of a session that was cleared leaves no token, cookies and password in it`() async throws {
        let transport = ScriptedTransport { request in
            var response = try secret(request)
            if request.method == .get, response.status == .ok {
                response.head.fields = try HTTPFields(["X-CSRF-Token": "T", "Set-Cookie": "user=ann"])
            }
            return response
        }
        let session = SDMSession.test(transport)
        session.isXCSRFEnabled = true
        // Called between the start of the write and that of the fetch.
        session.csrfTokenURL = { [weak session] url in
            session?.clear()
            return url
        }
        let write = session.get(url)
        write.setRequestMethod("POST")
        (write.username, write.password) = ("ann", "hush")
        #expect(await write.ended() == nil && write.responseString == "welcome")
        let sent = transport.requests.filter { $0.method == .post }
        #expect(!sent.isEmpty && sent.allSatisfy { $0.fields["X-CSRF-Token"] == "T" })
        #expect(session.cookies.cookies.isEmpty)
        #expect(session.credentials.credential(at: try #require(url)) == nil)
        let plain = try HTTPMessages.HTTPRequest(.post, "http://example.com/data")
        let scope = CSRFScope(plain, service: plain.url, user: "ann")
        #expect(session.sap.read(\.tokens).token(for: scope) == nil)
    }

    @Test(arguments: [false, true])
    func `a request that waited for a slot while the session was cleared keeps nothing in it`(isBatch: Bool)
        async throws
    {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            if request.url.path() == "/first" { try await gate.wait() }
            return request.response(fields: try HTTPFields(["Set-Cookie": "user=ann"]))
        }
        let session = SDMSession.test(transport)
        let queue = isBatch ? SDMNetworkQueue(session: session) : session.sharedQueue
        queue.maxConcurrentOperationCount = 1
        let (first, second) = (session.get(URL(string: "http://example.com/first")), session.get(url))
        for request in [first, second] { queue.addOperation(request) }
        if isBatch { queue.startBatch() }
        try await gate.waitForWaiters(1)
        session.clear()
        #expect(!second.inProgress)
        gate.open()
        #expect(await second.ended() == nil && session.cookies.cookies.isEmpty)
    }

    @Test func `S37: a request has the SAP client and the connection that the session had at its start`() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            if request.url.path() == "/first" { try await gate.wait() }
            return request.response()
        }
        let session = SDMSession.test(transport)
        session.sharedQueue.maxConcurrentOperationCount = 1
        session.get(URL(string: "http://example.com/first")).startAsynchronous()
        try await gate.waitForWaiters(1)
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithUrl("http://example.com/")
        try connection.setRegistration(connectionID: "id-1")
        session.clientConnection = connection
        session.sapClient = "100"
        let write = SUPRequest(url: url, session: session)
        write.setRequestMethod("POST")
        write.startAsynchronous()
        session.clientConnection = nil
        session.sapClient = "200"
        session.isXCSRFEnabled = true
        gate.open()
        #expect(await write.ended() == nil)
        // The token would need a further request.
        #expect(transport.requests.count == 2)
        let sent = try #require(transport.requests.last)
        #expect(sent.fields["sap-client"] == "100" && sent.fields["X-SUP-APPCID"] == "id-1")
    }

    @Test func `S36: a response to a request from before the deletion does not bring the registration back`()
        async throws
    {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            guard request.method == .get else { return request.response() }
            try await gate.wait()
            return request.response(fields: try HTTPFields(["Set-Cookie": "X-SMP-APPCID=old; Path=/"]))
        }
        let session = SDMSession.test(transport)
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithUrl("http://example.com/")
        try connection.setRegistration(connectionID: "old")
        session.clientConnection = connection
        let request = SUPRequest(url: url, session: session)
        request.startAsynchronous()
        try await gate.waitForWaiters(1)
        try await connection.delete()
        gate.open()
        #expect(await request.ended() == nil)
        #expect(try connection.registration() == nil && session.cookies.cookies.isEmpty)
    }

    @Test func `S43: clearing the session clears its default cache, also one of the app`() async throws {
        let cache = SDMDownloadCache()
        let session = SDMSession.test(ScriptedTransport { $0.response(text: "ok") })
        session.defaultCache = cache
        let url = try #require(url)
        #expect(await session.get(url).ended() == nil && cache.cachedResponse(for: url) != nil)
        session.clear()
        #expect(cache.cachedResponse(for: url) == nil)
    }

    @Test func `S43: a cached response of one user is not used for another`() async throws {
        let session = SDMSession.test(ScriptedTransport { $0.response(text: $0.fields[.authorization] ?? "none") })
        let users: [(String, (SDMHttpRequest) -> Void)] = [
            ("ann", { $0.username = "ann" }), ("bob", { $0.username = "bob" }), ("none", { _ in }),
            ("header", { $0.addBasicAuthenticationHeader(withUsername: "cid", andPassword: "hush") }),
            ("token", { $0.addRequestHeader("Authorization", value: "Bearer t") }),
        ]
        for (name, change) in users {
            for isCached in [false, true] {
                let request = session.get(url)
                request.downloadCache = session.downloadCache
                request.cachePolicy = .onlyLoadIfNotCached
                change(request)
                #expect(await request.ended() == nil && request.didUseCachedResponse == isCached, "\(name)")
            }
        }
    }

    @Test func `S38: users by URL or by header have tokens of their own`() async throws {
        let session = SDMSession.test(ScriptedTransport { $0.response() })
        let requests = ["http://ann:p@example.com/", "http://bob:p@example.com/", "http://example.com/"].map {
            session.get(URL(string: $0))
        }
        let header = session.get(url)
        header.addRequestHeader("Authorization", value: "Bearer t")
        let plain = try HTTPMessages.HTTPRequest(.get, "http://example.com/")
        let users = (requests + [header]).map { $0.userName(of: plain) }
        #expect(Set(users.map { CSRFScope(plain, service: plain.url, user: $0) }).count == 4)
        #expect(header.userName(of: plain)?.contains("Bearer") == false)
    }

    @Test func `S38: a token is not fetched from another origin, which would get the fields of the request`() async {
        let transport = ScriptedTransport { $0.response(fields: try HTTPFields(["X-CSRF-Token": "T"])) }
        let session = SDMSession.test(transport)
        session.isXCSRFEnabled = true
        session.csrfTokenURL = { _ in URL(string: "http://other.example.net/")! }
        let write = session.get(url)
        write.setRequestMethod("POST")
        write.addRequestHeader("X-Api-Key", value: "hush")
        let error = await write.ended()
        #expect(error?.errorCode == 6 && error?.message.contains("csrfTokenURL") == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func `S36: a registration stays with its server when the app sets another one meanwhile`() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            try await gate.wait()
            return request.response(.created, fields: try HTTPFields(["Set-Cookie": "X-SUP-APPCID=id-1"]))
        }
        let session = SDMSession.test(transport)
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithUrl("http://first.example.com/")
        async let registration = connection.register(user: "ann", password: "hush")
        try await gate.waitForWaiters(1)
        connection.setConnectionProfileWithUrl("http://second.example.com/")
        gate.open()
        #expect(try await registration.connectionID == "id-1")
        #expect(try connection.registration() == nil)
        connection.setConnectionProfileWithUrl("http://first.example.com/")
        #expect(try connection.registration()?.connectionID == "id-1")
    }

    @Test func `S36: errors do not show the identifier of the application connection, which is in its URL`()
        async throws
    {
        let transport = ScriptedTransport { request in
            request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
        }
        let connection = SMPClientConnection(applicationID: "app", session: .test(transport))
        connection.setConnectionProfileWithUrl("http://example.com/")
        try connection.setRegistration(connectionID: "id-hush")
        let error = await #expect(throws: SMPError.self) { try await connection.delete() }
        #expect(transport.requests.first?.url.path().contains("id-hush") == true)
        #expect(error?.message.contains("Connections(") == true && error?.message.contains("hush") == false)
    }

    @Test func `settings and results show no secrets`() async throws {
        let transport = ScriptedTransport { $0.response(fields: try HTTPFields(["Set-Cookie": "a=hush"])) }
        let request = SDMSession.test(transport).get(URL(string: "http://ann:hush@example.com/?token=hush"))
        request.password = "hush"
        request.proxyPassword = "hush"
        await request.ended()
        var text = ""
        dump(request.state.withLock(\.settings), to: &text)
        dump(request.state.withLock(\.results), to: &text)
        #expect(!text.contains("hush") && text.contains("GET") && text.contains("200"))
    }

    /// An object that calls its request when it is released, as delegates do.
    private final class Owner {
        weak var request: SDMHttpRequest?
        deinit { request?.clearDelegatesAndCancel() }
    }

    @Test func `values of the app may call the request when they are released`() async {
        let request = SDMSession.test(ScriptedTransport { $0.response() }).get(url)
        func own() {
            let owner = Owner()
            owner.request = request
            request.userInfo = ["owner": owner]
        }
        own()
        request.userInfo = nil
        #expect(await request.ended()?.errorCode == 4)
    }

    @Test func `a body that a delegate receives is not collected for the cache beyond the limit in memory`()
        async throws
    {
        let url = try #require(url)
        for limit in [10, 100] {
            let session = SDMSession.test(ScriptedTransport { $0.response(body: Data(count: 50)) }) {
                $0.maximumResponseBytes = limit
            }
            let request = session.get(url)
            let delegate = CollectingDelegate()
            request.delegate = delegate
            // The first chunk would exceed the limit while it is not known that the delegate takes it.
            request.state.withLock { state in
                state.delivery.willDeliverData()
                state.didDeliverData(wasCalled: true)
            }
            request.downloadCache = session.downloadCache
            #expect(await request.ended() == nil && delegate.bytes.value.count == 50)
            #expect((session.downloadCache.cachedResponse(for: url) != nil) == (limit == 100))
        }
    }

    @Test func `a reset of the session's queue keeps the progress settings of later requests`() {
        let session = SDMSession.test(ScriptedTransport { $0.response() })
        session.sharedQueue.reset()
        let request = session.get(url)
        session.sharedQueue.addOperation(request)
        #expect(request.showAccurateProgress)
    }
}
