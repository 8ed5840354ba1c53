import Authentication
import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@testable import SDMConnectivity

@Suite(.needsSlot) struct SUPCSRFTests {
    private static let password = "open sesame"

    /// A registered SUP connection to a server, with tokens on.
    private func connected(to server: LoopbackServer, _ session: SDMSession = .test()) async throws -> SDMSession {
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.profile = try SMPConnectionProfile(baseURL: server.url)
        session.clientConnection = connection
        try await connection.register(user: "ann", password: Self.password)
        session.isXCSRFEnabled = true
        return session
    }

    private func request(_ server: LoopbackServer, _ session: SDMSession, _ method: String, _ path: String) throws
        -> SUPRequest
    {
        let request = SUPRequest(url: try server.url(of: "/FlightProxy/" + path), session: session)
        request.setRequestMethod(method)
        request.setUserName("ann")
        request.setPassword(Self.password)
        if method != "GET", method != "DELETE" {
            request.addRequestHeader("Content-Type", value: "application/json")
            request.appendPost(Data(#"{"Seats":100}"#.utf8))
        }
        return request
    }

    private func methods(_ server: LoopbackServer, since count: Int) -> [String] {
        server.requests.dropFirst(count).map(\.method)
    }

    @Test func `S38: a GET brings the token, and a write sends it with its cookie`() async throws {
        try await LoopbackServer.serving(SAPService()) { server in
            let session = try await connected(to: server)
            #expect(try await request(server, session, "GET", "Flights").response().status == .ok)
            let get = try #require(server.requests.last)
            #expect(get.fields["x-csrf-token"] == "Fetch")
            let count = server.requestCount
            #expect(try await request(server, session, "MERGE", "Flights('LH400')").response().status == .noContent)
            #expect(methods(server, since: count) == ["MERGE"])
            let write = try #require(server.requests.last)
            #expect(write.fields["X-CSRF-Token"]?.hasSuffix("==") == true)
            #expect(write.fields[.cookie]?.contains("sap-XSRF_GWD_100=") == true)
            // The token is known by now.
            _ = try await request(server, session, "GET", "Flights").response()
            #expect(server.requests.last?.fields["X-CSRF-Token"] == nil)
        }
    }

    @Test func `S38: a write without a known token fetches one at the service document`() async throws {
        let service = SAPService()
        try await LoopbackServer.serving(service) { server in
            let session = try await connected(to: server)
            let count = server.requestCount
            let write = try request(server, session, "MERGE", "Flights('LH400')")
            #expect(try await write.response().status == .noContent)
            let fetch = try #require(server.requests.dropFirst(count).first)
            #expect(fetch.method == "GET" && fetch.target == "/FlightProxy/" && fetch.fields["X-CSRF-Token"] == "Fetch")
            #expect(fetch.fields[.contentType] == nil && fetch.body.isEmpty)
            #expect(service.counts.tokens == 1 && service.counts.tokenRejections == 0)
        }
    }

    @Test func `S38: without persistent cookies the pair is complete too`() async throws {
        let service = SAPService()
        try await LoopbackServer.serving(service) { server in
            let session = try await connected(to: server)
            let write = try request(server, session, "MERGE", "Flights('LH400')")
            write.useCookiePersistence = false
            #expect(try await write.response().status == .noContent)
            #expect(session.cookies.cookies.allSatisfy { !$0.name.hasPrefix("sap-XSRF") })
            #expect(service.counts.tokenRejections == 0)
        }
    }

    @Test func `S38: a stale token is fetched once more, and the write sent once more`() async throws {
        let service = SAPService()
        try await LoopbackServer.serving(service) { server in
            let session = try await connected(to: server)
            _ = try await request(server, session, "MERGE", "Flights('LH400')").response()
            service.expireTokens()
            let count = server.requestCount
            let write = try request(server, session, "MERGE", "Flights('LH400')")
            #expect(try await write.response().status == .noContent)
            #expect(methods(server, since: count) == ["MERGE", "GET", "MERGE"])
            #expect(service.counts.tokenRejections == 1)
        }
    }

    @Test func `S38: a server that rejects every token gets two attempts, and the request finishes with 403`()
        async throws
    {
        let methods = Watched<[String]>([])
        let session = SDMSession.test(
            FakeTransport { request in
                methods.update { $0.append(request.method.name) }
                var response = request.response(
                    request.method == .get ? .ok : .forbidden, text: "CSRF token validation failed")
                try response.head.fields.set("x-csrf-token", to: request.method == .get ? "T" : "required")
                return response
            })
        session.isXCSRFEnabled = true
        let write = session.get(URL(string: "http://example.com/p/Set"))
        write.setRequestMethod("POST")
        write.appendPost(Data("x".utf8))
        let response = try await write.response()
        #expect(response.status == .forbidden && write.error == nil)
        #expect(write.responseString == "CSRF token validation failed")
        #expect(methods.value == ["GET", "POST", "GET", "POST"])
    }

    @Test func `S38: off by default, and a field of the app's own is left alone`() async throws {
        let fields = Watched<[String?]>([])
        let session = SDMSession.test(
            FakeTransport { request in
                fields.update { $0.append(request.fields["X-CSRF-Token"]) }
                var response = request.response(.forbidden, text: "")
                try response.head.fields.set("X-CSRF-Token", to: "Required")
                return response
            })
        func post(_ token: String? = nil) async throws {
            let write = session.get(URL(string: "http://example.com/p/Set"))
            write.setRequestMethod("POST")
            if let token { write.addRequestHeader("x-csrf-token", value: token) }
            #expect(try await write.response().status == .forbidden)
        }
        try await session.get(URL(string: "http://example.com/p/")).response()
        try await post()
        #expect(fields.value == [nil, nil])
        session.isXCSRFEnabled = true
        try await post("own")
        #expect(fields.value == [nil, nil, "own"])
    }

    @Test func `S38: concurrent writes fetch the token once`() async throws {
        let gate = Gate()
        let gets = Watched(0)
        let session = SDMSession.test(
            FakeTransport { request in
                var response = request.response(text: "ok")
                if request.method == .get {
                    gets.update { $0 += 1 }
                    try await gate.wait()
                    try response.head.fields.set("X-CSRF-Token", to: "T")
                } else {
                    #expect(request.fields["X-CSRF-Token"] == "T")
                }
                return response
            })
        session.isXCSRFEnabled = true
        try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for number in 0..<5 {
                let write = session.get(URL(string: "http://example.com/p/\(number)"))
                write.setRequestMethod("POST")
                group.addTask { try await write.response().status }
            }
            try await eventually("all writes wait for the token") { session.sap.read(\.tokens).waiterCount == 5 }
            gate.open()
            for try await status in group { #expect(status == .ok) }
        }
        #expect(gets.value == 1 && session.sap.read(\.tokens).waiterCount == 0)
    }

    @Test func `S38: cancelling one write leaves the others, and the last one ends the fetch`() async throws {
        let gate = Gate()
        let cancelled = Watched(0)
        let session = SDMSession.test(
            FakeTransport { request in
                guard request.method == .get else { return request.response(text: "ok") }
                do {
                    try await gate.wait()
                } catch {
                    cancelled.update { $0 += 1 }
                    throw TransportError(.cancelled, "The call was cancelled.", request: request)
                }
                return request.response(text: "ok")
            })
        session.isXCSRFEnabled = true
        func write() -> SDMHttpRequest {
            let write = session.get(URL(string: "http://example.com/p/Set"))
            write.setRequestMethod("POST")
            return write
        }
        let (first, second) = (write(), write())
        first.startAsynchronous()
        try await eventually("the first write waits") { session.sap.read(\.tokens).waiterCount == 1 }
        second.startAsynchronous()
        try await eventually("both writes wait") { session.sap.read(\.tokens).waiterCount == 2 }
        try await gate.waitForWaiters(1)
        first.cancel()
        #expect(await first.ended()?.code == .requestCancelled)
        #expect(session.sap.read(\.tokens).waiterCount == 1 && cancelled.value == 0)
        second.cancel()
        #expect(await second.ended()?.code == .requestCancelled)
        try await cancelled.wait { $0 == 1 }
        #expect(session.sap.read(\.tokens).waiterCount == 0)

        // A new write starts another fetch. Its server has no token, so the write goes out without one.
        let third = write()
        gate.open()
        #expect(try await third.response().status == .ok)
    }

    @Test func `S38: a failed fetch fails the write, without sending it`() async throws {
        let session = SDMSession.test(
            FakeTransport { request in
                #expect(request.method == .get)
                throw TransportError(.connectionRefused, "Connection refused.", request: request)
            })
        session.isXCSRFEnabled = true
        let write = session.get(URL(string: "http://example.com/p/Set"))
        write.setRequestMethod("POST")
        let error = try #require(await write.ended())
        #expect(error.code == .connectionFailure && error.underlying is TransportError)
        #expect(error.message.hasPrefix("The CSRF token of the POST could not be fetched: "))
        #expect(error.message.contains("Connection refused."))
    }

    @Test func `S38: more writes than slots of the queue get one token without a deadlock`() async throws {
        let service = SAPService()
        try await LoopbackServer.serving(service) { server in
            let session = try await connected(to: server)
            let writes = try (0..<6).map { _ in try request(server, session, "MERGE", "Flights('LH400')") }
            for write in writes { write.startAsynchronous() }
            for write in writes { #expect(try await write.response().status == .noContent) }
            #expect(service.counts.tokenRejections == 0)
        }
    }

    /// A server whose services have tokens of their own, which are valid with the cookie that came with them.
    private static func services() -> ScriptedTransport {
        ScriptedTransport { request in
            let service = String(request.url.path().split(separator: "/")[0])
            guard request.method == .post else {
                let fields = try HTTPFields([
                    "X-CSRF-Token": "token of \(service)", "Set-Cookie": "sap-XSRF=\(service); Path=/",
                ])
                return request.response(fields: fields)
            }
            let isValid =
                request.fields["X-CSRF-Token"] == "token of \(service)"
                && request.fields[.cookie] == "sap-XSRF=\(service)"
            return request.response(
                isValid ? .created : .forbidden, fields: try HTTPFields(isValid ? [:] : ["X-CSRF-Token": "Required"]))
        }
    }

    @Test func `S38: two services of one server have tokens of their own`() async throws {
        let transport = Self.services()
        let session = SDMSession.test(transport)
        session.isXCSRFEnabled = true
        let writes = (0..<20).map { index in
            let write = session.get(URL(string: "http://example.com/\(index % 2 == 0 ? "Flights" : "Hotels")/Set"))
            write.setRequestMethod("POST")
            return write
        }
        for write in writes { write.startAsynchronous() }
        for write in writes { #expect(try await write.response().status == .created) }
        // One fetch for each service, and no write was refused.
        #expect(transport.requests.count == 22)
        // That of a GET is for its service only, too.
        let other = SDMSession.test(transport)
        other.isXCSRFEnabled = true
        try await other.get(URL(string: "http://example.com/Flights/Set")).response()
        let write = other.get(URL(string: "http://example.com/Hotels/Set"))
        write.setRequestMethod("POST")
        #expect(try await write.response().status == .created)
        #expect(transport.requests.suffix(3).map(\.method) == [.get, .get, .post])
    }

    @Test func `S38: a token of the session's user is not for the next one`() async throws {
        let transport = ScriptedTransport { request in
            guard let user = request.fields[.authorization] else {
                return request.response(
                    .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
            }
            return request.response(fields: try HTTPFields(["X-CSRF-Token": user]))
        }
        let session = SDMSession.test(transport)
        session.isXCSRFEnabled = true
        for user in ["ann", "bob"] {
            let login = session.get(URL(string: "http://example.com/p/"))
            (login.username, login.password) = (user, "secret")
            #expect(await login.ended() == nil)
            let write = session.get(URL(string: "http://example.com/p/Set"))
            write.setRequestMethod("POST")
            #expect(await write.ended() == nil)
            let sent = try #require(transport.requests.last)
            #expect(sent.method == .post && sent.fields["X-CSRF-Token"] == sent.fields[.authorization])
            session.credentials.removeAll()
        }
    }

    @Test func `clearing the session leaves a fetch in flight to the writes before it`() async throws {
        let (gate, fetches) = (Gate(), Watched(0))
        let transport = ScriptedTransport { request in
            guard request.method == .get else { return request.response() }
            let number = fetches.update { count in
                count += 1
                return count
            }
            try await gate.wait()
            return request.response(fields: try HTTPFields([CSRFToken.field: "T\(number)"]))
        }
        let session = SDMSession.test(transport)
        session.isXCSRFEnabled = true
        let writes = (0..<3).map { _ in session.get(URL(string: "http://example.com/p/Set")) }
        for write in writes { write.setRequestMethod("POST") }
        writes[0].startAsynchronous()
        try await gate.waitForWaiters(1)
        session.clear()
        writes[1].startAsynchronous()
        try await gate.waitForWaiters(2)
        gate.open()
        for write in writes { #expect(await write.ended() == nil) }
        let tokens = transport.requests.filter { $0.method == .post }.map { $0.fields[CSRFToken.field] }
        #expect(Set(tokens.prefix(2)) == ["T1", "T2"] && tokens.last == "T2")
        #expect(fetches.value == 2)
    }

    @Test func `clearing the session forgets the tokens`() async throws {
        let service = SAPService()
        try await LoopbackServer.serving(service) { server in
            let session = try await connected(to: server)
            _ = try await request(server, session, "MERGE", "Flights('LH400')").response()
            session.clear()
            let count = server.requestCount
            _ = try await request(server, session, "MERGE", "Flights('LH400')").response()
            #expect(methods(server, since: count).contains("GET"))
        }
    }
}
