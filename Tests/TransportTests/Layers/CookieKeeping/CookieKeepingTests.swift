import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct CookieKeepingTests {
    private func client(_ steps: ScriptedTransport.Step...) -> CookieKeeping<ScriptedTransport> {
        CookieKeeping(base: ScriptedTransport(steps, then: .status(.ok)))
    }

    private func setting(_ cookies: String..., status: HTTPStatus = .ok) throws -> ScriptedTransport.Step {
        .response(status, fields: try HTTPFields(cookies.map { ("Set-Cookie", $0) }))
    }

    @Test func `sends stored cookies`() async throws {
        let client = client(try setting("a=1", "b=2; Path=/x"), try setting("a=; Max-Age=0", status: .notFound))
        for path in ["/", "/x", "/x", "/"] { _ = try await client.send(HTTPRequest(.get, "http://h\(path)")) }
        #expect(client.base.requests.map { $0.fields[.cookie] } == [nil, "b=2; a=1", "b=2", nil])
    }

    @Test func `a request without cookies neither sends nor stores any`() async throws {
        let client = client(try setting("a=1"), try setting("b=2"), try setting("c=3"))
        let without = RequestOptions { $0.usesCookies = false }
        _ = try await client.send(HTTPRequest(.get, "http://h/"))
        _ = try await client.send(HTTPRequest(.get, "http://h/", options: without))
        _ = try await client.stream(
            HTTPRequest(.get, "http://h/", fields: HTTPFields(["Cookie": "own=1"]), options: without))
        _ = try await client.send(HTTPRequest(.get, "http://h/"))
        #expect(client.base.requests.map { $0.fields[.cookie] } == [nil, nil, "own=1", "a=1"])
    }

    @Test func `stores cookies when the head arrives`() async throws {
        let client = client(try setting("a=1"))
        let response = try await client.stream(HTTPRequest(.get, "http://h/"))
        _ = try await client.stream(HTTPRequest(.get, "http://h/"))
        #expect(client.base.requests.map { $0.fields[.cookie] } == [nil, "a=1"])
        #expect(try await response.collect().status == .ok)
    }

    @Test(arguments: [
        (["x=9"], "x=9; a=1; b=2"), (["a=9"], "a=9; b=2"), (["x=9; b = 9", "y"], "x=9; b = 9; y; a=1"),
        (["A=9"], "A=9; a=1; b=2"), ([""], "a=1; b=2"), (["a"], "a; a=1; b=2"),
    ])
    func `the callers own cookies come first`(own: [String], sent: String) async throws {
        let client = client(try setting("a=1", "b=2"))
        _ = try await client.send(HTTPRequest(.get, "http://h/"))
        let fields = try HTTPFields(own.map { ("Cookie", $0) })
        _ = try await client.send(HTTPRequest(.get, "http://h/", fields: fields))
        #expect(client.base.requests.last?.fields.values(of: .cookie) == [sent])
        // The caller's cookies are not stored.
        #expect(client.jar.cookies.count == 2)
    }

    @Test func `stores cookies of a response that fails after its head`() async throws {
        let client = client(
            .response(fields: try HTTPFields(["Set-Cookie": "a=1"]), body: Data("too much".utf8)),
            .failure(.connectionLost))
        let options = RequestOptions(maximumResponseBytes: 1)
        for _ in 0..<2 {
            await #expect(throws: TransportError.self) {
                try await client.send(HTTPRequest(.get, "http://h/", options: options))
            }
        }
        #expect(client.jar.cookies.map(\.name) == ["a"])
    }

    @Test(arguments: [true, false], [true, false])
    func `the response to a request from before the jar was emptied stores nothing`(
        keepsLasting: Bool, failsAfterHead: Bool
    ) async throws {
        let gate = Gate()
        let late = ScriptedTransport.Step.response(
            fields: try HTTPFields(["Set-Cookie": "s=ann; Max-Age=60"]), body: Data("too much".utf8))
        let client = client(.after(gate, late))
        let options = RequestOptions(maximumResponseBytes: failsAfterHead ? 1 : 100)
        let call = Task { try await client.send(HTTPRequest(.get, "http://h/", options: options)) }
        try await client.base.requests(count: 1)
        if keepsLasting { client.jar.removeSessionCookies() } else { client.jar.removeAll() }
        gate.open()
        let result = await call.result
        #expect(((try? result.get()) == nil) == failsAfterHead && client.jar.cookies.isEmpty)
    }

    @Test func `a redirect of a call from before the jar was emptied gets and stores no cookies`() async throws {
        let gate = Gate()
        let base = ScriptedTransport([
            .after(gate, .response(.temporaryRedirect, fields: try HTTPFields(["Location": "http://h/b"]))),
            .response(fields: try HTTPFields(["Set-Cookie": "s=ann"])),
        ])
        let jar = CookieJar()
        let client = Redirecting(base: CookieKeeping(base: base, jar: jar))
        let call = Task { try await client.send(HTTPRequest(.get, "http://h/a")) }
        try await base.requests(count: 1)
        jar.removeAll()
        jar.set(try Cookie("s", "bob", domain: "h"))
        gate.open()
        _ = try await call.value
        #expect(base.requests.last?.url.path == "/b" && base.requests.last?.fields[.cookie] == nil)
        #expect(jar.cookies.map(\.value) == ["bob"])
    }

    @Test func `each layer has its own jar`() async throws {
        let (first, second) = (client(try setting("a=1")), client())
        _ = try await first.send(HTTPRequest(.get, "http://h/"))
        #expect(second.jar.cookies.isEmpty)
        let shared = CookieKeeping(base: second.base, jar: first.jar)
        _ = try await shared.send(HTTPRequest(.get, "http://h/"))
        #expect(second.base.requests.first?.fields[.cookie] == "a=1")
    }

    @Test func `stores the cookies of redirects above the redirecting layer`() async throws {
        let base = ScriptedTransport(
            [
                .response(.found, fields: try HTTPFields(["Location": "http://i/", "Set-Cookie": "a=1"]))
            ], then: .status(.ok))
        let client = CookieKeeping(base: Redirecting(base: base))
        _ = try await client.send(HTTPRequest(.get, "http://h/"))
        #expect(client.jar.cookies.map(\.domain) == ["h"])
    }

    // MARK: Over the network

    @Test func `splits cookies that the engine joined`() async throws {
        let service = ClosureService { request in
            guard !request.fields.contains(.cookie) else { return request.response() }
            var fields = HTTPFields()
            try fields.append(.setCookie, "a=1; Expires=Fri, 31 Dec 2199 23:59:59 GMT; Path=/")
            try fields.append(.setCookie, "b=2,3; HttpOnly")
            try fields.append(.setCookie, "c=4; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
            try fields.append(.setCookie, "d=\"x, y=z\"")
            return request.response(fields: fields)
        }
        try await LoopbackServer.serving(service) { server in
            let client = CookieKeeping(base: URLSessionTransport(clock: ManualClock()))
            for _ in 0..<2 { _ = try await client.send(HTTPRequest(.get, server.url(of: "/"))) }
            #expect(server.requests.map { $0.fields[.cookie] } == [nil, "a=1; b=2,3; d=\"x, y=z\""])
            #expect(client.jar.cookies.map(\.expires).map { $0 == nil } == [false, true, true])
        }
    }

    @Test func `handles cookies of each redirect`() async throws {
        let service = ClosureService { request in
            switch request.url.path() {
            case "/login":
                return request.response(
                    .seeOther, fields: try HTTPFields(["Location": "/home", "Set-Cookie": "session=1; Path=/"]))
            case "/home" where request.fields[.cookie]?.contains("session=1") != true:
                return request.response(.found, fields: try HTTPFields(["Location": "/login"]))
            default:
                return request.response(text: request.fields[.cookie] ?? "nothing")
            }
        }
        try await LoopbackServer.serving(service) { server in
            let client = Redirecting(base: CookieKeeping(base: URLSessionTransport(clock: ManualClock())))
            // The same URL twice is not a loop, because a cookie was set.
            let response = try await client.send(HTTPRequest(.get, server.url(of: "/home")))
            #expect(response.body == Data("session=1".utf8))
            #expect(response.head.redirects.map { $0.url.path() } == ["/home", "/login"])
        }
    }

    @Test func `each host gets its own cookies`() async throws {
        // Cookies are not isolated by port (RFC 6265bis, section 8.5), so the host names differ.
        let echo = ClosureService { $0.response(text: $0.fields[.cookie] ?? "nothing") }
        try await LoopbackServer.serving(echo) { server in
            let target = "http://localhost:\(server.port)/"
            let home = ClosureService { request in
                request.response(.found, fields: try HTTPFields(["Location": target, "Set-Cookie": "home=1"]))
            }
            try await LoopbackServer.serving(home) { home in
                let client = Redirecting(base: CookieKeeping(base: URLSessionTransport(clock: ManualClock())))
                client.base.jar.set(try Cookie("away", "2", domain: "localhost"))
                let request = try HTTPRequest(.get, home.url(of: "/"), fields: HTTPFields(["Cookie": "own=3"]))
                let response = try await client.send(request)
                #expect(response.body == Data("away=2".utf8))
                #expect(home.requests.first?.fields[.cookie] == "own=3")
                #expect(client.base.jar.cookies.map(\.name) == ["away", "home"])
            }
        }
    }
}
