import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct BadInputTests {
    /// Checks that the call fails with the same error in every form, once, and that nothing is sent.
    private func expectRefusal(
        _ fixture: Fixture, _ verb: Verb = .post, _ endpoint: String = "/x", _ data: AKHTTPRequestData? = nil,
        code: AKError.Code = .invalidRequest, says: String, _ comment: Comment? = nil
    ) async {
        let asyncError = await #expect(throws: AKError.self, comment) {
            try await verb.sendAsync(fixture.agent, endpoint, data)
        }
        let blockingError = #expect(throws: AKError.self, comment) {
            try verb.sendBlocking(fixture.agent, endpoint, data)
        }
        var error: NSError?
        #expect(verb.sendBlocking(fixture.agent, endpoint, data, &error) == nil, comment)
        let log = EventLog()
        await verb.start(fixture.agent, endpoint, data, Handlers.raw(log)).wait()

        #expect(asyncError?.code == code, comment)
        #expect(asyncError?.message.contains(says) == true, "\(asyncError?.message ?? "")")
        #expect(blockingError?.message == asyncError?.message, comment)
        #expect(error?.code == (code == .configuration ? -1 : -2), comment)
        #expect(log.events == ["failure \(code) -", "done"], comment)
        #expect(fixture.requests.isEmpty, comment)
        #expect(fixture.server.map { $0.requestCount == 0 } != false, comment)
    }

    @Test(
        arguments: [
            "/a\r\nX-Evil: 1", "/a\nb", "/a\u{0}", "/a\tb", "/a?q=\r\n", "\u{7F}", "http://127.0.0.1/", "http://a b/",
            "HTTPS://elsewhere.test/x",
        ], Route.allCases)
    func `invalid endpoints are refused`(endpoint: String, route: Route) async throws {
        try await Fixture.run(route) { fixture in
            for verb in Verb.allCases { await expectRefusal(fixture, verb, endpoint, says: "URL") }
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: [
        ("", "URL"), ("/relative", "http:// or https://"), ("relative", "http"), ("127.0.0.1", "http"),
        ("http://", "host"),
        ("http:///x", "host"), ("ftp://h/x", "scheme ftp"), ("file:///etc/passwd", "scheme file"),
        ("javascript:x", "javascript"),
        ("http://ann:hush@h/x", "Authorization"), ("http://h:0/", "port"), ("http://h:99999/", "port"),
        ("http://h o/", "URL"),
        ("http://h\r\n/x", "URL"), ("http://h/\r\n", "URL"), ("//h/x", "http"), ("?a=1", "http"),
        ("http://h:port/", "URL"),
    ])
    func `invalid URLs of a plain agent are refused`(row: (url: String, says: String)) async throws {
        let agent = HTTPAgent(transport: unreachableTransport)
        agent.delivery = .inline
        let thrown = await #expect(throws: AKError.self) { try await agent.get(row.url) }
        #expect(thrown?.code == .invalidRequest)
        #expect(thrown?.message.contains(row.says) == true, "\(thrown?.message ?? "")")
        #expect(thrown.map { "\($0)".contains("hush") } == false)
        #expect(throws: AKError.self) { try agent.postSync(row.url) }
        let log = EventLog()
        await agent.delete(row.url, delegate: Handlers.json(log)).wait()
        #expect(log.events == ["failure invalidRequest - nil", "done"])
    }

    @Test(arguments: ["", " ", "a b", "a:b", "X-\r\n", "X\u{0}", "имя", "a\tb", "(x)"], Route.allCases)
    func `invalid header names are refused, in agent data and call data`(name: String, route: Route) async throws {
        try await Fixture.run(route) { fixture in
            let data = AKHTTPRequestData()
            data.addHeader(name, value: "v")
            await expectRefusal(fixture, .post, "/x", data, says: "header")
            fixture.agent.requestData.addHeader(name, value: "v")
            await expectRefusal(fixture, says: "header")
        } respond: {
            $0.response()
        }
    }

    @Test(
        arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\u{0}b", "\u{1}", "a\u{7F}"],
        Route.allCases)
    func `invalid header values are refused, and are not in the error`(value: String, route: Route) async throws {
        try await Fixture.run(route) { fixture in
            let data = AKHTTPRequestData()
            data.addHeader("X-Test", value: "hush" + value)
            await expectRefusal(fixture, .post, "/x", data, says: "X-Test")
            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/x", requestData: data) }
            #expect(thrown.map { String(reflecting: $0).contains("hush") } == false)
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: ["Host", "content-length", "Transfer-Encoding", "Connection", "Upgrade"])
    func `headers reserved for the transport are refused`(name: String) async throws {
        try await Fixture.run(.socket) { fixture in
            let data = AKHTTPRequestData()
            data.addHeader(name, value: "1")
            await expectRefusal(fixture, .post, "/x", data, says: name)
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `a call's body on a GET is refused; the agent's body is omitted`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            let data = AKHTTPRequestData()
            data.bodyData = AKTextHTTPBody(string: "body")
            await expectRefusal(fixture, .get, "/x", data, says: "POST")
            data.bodyData = AKDataHTTPBody(data: Data())
            await expectRefusal(fixture, .get, "/x", data, says: "POST")
            fixture.agent.requestData.bodyData = AKTextHTTPBody(string: "body")
            try await fixture.agent.get("/x")
            #expect(fixture.requests.map(\.text) == [""])
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases) func `objects that cannot be encoded as JSON are refused`(
        route: Route
    ) async throws {
        final class Thing {}
        struct Refusing: Encodable {
            func encode(to encoder: any Encoder) throws { throw CancellationError() }
        }
        var nested: Any = "end"
        for _ in 0..<5_000 { nested = [nested] }
        let bodies: [(any AKHTTPBody, String)] = [
            (AKJSONHTTPBody(object: Thing()), "Thing"), (AKJSONHTTPBody(object: ["a": Date()]), "Date"),
            (AKJSONHTTPBody(object: [[1, Data()]]), "Data"), (AKJSONHTTPBody(object: [Double.nan]), "NaN"),
            (AKJSONHTTPBody(object: ["x": Double.infinity]), "infinity"), (AKJSONHTTPBody(object: nested), "flatten"),
            (AKJSONHTTPBody(encoding: ["x": Double.nan]), "JSON"),
            (AKJSONHTTPBody(encoding: Refusing()), "Refusing"), (AKJSONHTTPBody(.number(-.infinity)), "infinity"),
        ]
        try await Fixture.run(route) { fixture in
            for (body, says) in bodies {
                let data = AKHTTPRequestData()
                data.bodyData = body
                await expectRefusal(fixture, .post, "/x", data, says: says)
            }
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: ["", "text", "/", "text/", "a/b\r\nX: y", "a b/c"])
    func `invalid media types are refused`(type: String) async throws {
        try await Fixture.run { fixture in
            let data = AKHTTPRequestData()
            data.bodyData = AKDataHTTPBody(data: Data("hush".utf8), contentType: type)
            await expectRefusal(fixture, .post, "/x", data, says: "media type")
        } respond: {
            $0.response()
        }
    }

    @Test func `files that cannot be read are refused`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "body")
        #expect(throws: HTTPMessageError.self) { try RequestBody.file(at: file) }
        #expect(throws: HTTPMessageError.self) { try RequestBody.file(at: folder.url) }

        try Data("body".utf8).write(to: file)
        let data = AKHTTPRequestData()
        data.bodyData = try RequestBody.file(at: file)
        try await Fixture.run { fixture in
            try await fixture.agent.post("/x", requestData: data)
            #expect(fixture.requests.map(\.text) == ["body"])
            // The file is removed between two calls, which is detected only when it is sent.
            try FileManager.default.removeItem(at: file)
            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.post("/x", requestData: data) }
            #expect(thrown?.code == .invalidRequest)
            let log = EventLog()
            await fixture.agent.post("/x", requestData: data, delegate: Handlers.raw(log)).wait()
            #expect(log.events == ["failure invalidRequest -", "done"])
            #expect(fixture.requests.count == 1)
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: [-1, .min, .max, 100 * 366 * 86_400_000], Route.allCases)
    func `invalid timeouts are refused`(timeout: Int, route: Route) async throws {
        try await Fixture.run(route) { fixture in
            let options = AKHTTPRequestOptions(timeout: timeout)
            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/x", options: options) }
            #expect(thrown?.code == .invalidRequest)
            #expect(thrown?.message.contains("timeout is \(timeout) ms") == true)
            #expect(thrown?.message.contains("0 for the default") == true)
            #expect(throws: AKError.self) { try fixture.agent.getSync("/x", options: options) }
            let log = EventLog()
            await fixture.agent.get("/x", options: options, delegate: Handlers.raw(log)).wait()
            #expect(log.events == ["failure invalidRequest -", "done"])
            #expect(fixture.requests.isEmpty)
            for good in [0, 1_000_000, 86_400_000] {
                try await fixture.agent.get("/x", options: AKHTTPRequestOptions(timeout: good))
            }
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `invalid idle and total timeouts and size limits are refused, and named in the error`(route: Route)
        async throws
    {
        let bad: [(AKHTTPRequestOptions, String)] = [
            (AKHTTPRequestOptions(idleTimeout: .zero), "idleTimeout is 0.0 seconds"),
            (AKHTTPRequestOptions(idleTimeout: .seconds(-1)), "idleTimeout is -1.0 seconds"),
            (AKHTTPRequestOptions(totalTimeout: .milliseconds(-5)), "totalTimeout is -0.005 seconds"),
            (AKHTTPRequestOptions(totalTimeout: .seconds(101 * 366 * 86_400)), "at most 100 years, or nil"),
            (AKHTTPRequestOptions(maximumResponseBytes: 0), "maximumResponseBytes is 0"),
            (AKHTTPRequestOptions(maximumResponseBytes: .min), "use 1 or more"),
        ]
        try await Fixture.run(route) { fixture in
            for (options, says) in bad {
                let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/x", options: options) }
                #expect(thrown?.code == .invalidRequest)
                #expect(thrown?.message.contains(says) == true, "\(thrown?.message ?? "")")
            }
            #expect(fixture.requests.isEmpty)
            let good = AKHTTPRequestOptions(idleTimeout: nil, totalTimeout: .seconds(86_400), maximumResponseBytes: 4)
            try await fixture.agent.get("/x", options: good)
            try await fixture.agent.get("/x", options: AKHTTPRequestOptions(idleTimeout: .seconds(1)))
        } respond: {
            $0.response(text: "text")
        }
    }

    @Test(arguments: Route.allCases)
    func `a response larger than the call's limit is an error`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            let options = AKHTTPRequestOptions(maximumResponseBytes: 3)
            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/x", options: options) }
            #expect(thrown?.code == .transport)
            #expect((thrown?.underlying as? TransportError)?.code == .responseTooLarge)
        } respond: {
            $0.response(text: "text")
        }
    }

    @Test(arguments: [true, false])
    func `total and idle timeouts end a call whose body stalls`(isTotal: Bool) async throws {
        let clock = ManualClock()
        try await LoopbackServer { _ in
            // No part of the body: it could postpone the idle timeout after the wait for it.
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .stall]
        }.stopping { server in
            let scope = try AKAppScope("http://127.0.0.1:\(server.port)")
            let agent = ServerAgent(transport: TestTransport.make(clock: clock), scope: scope)
            let limit = Duration.milliseconds(700)
            let options = AKHTTPRequestOptions(idleTimeout: isTotal ? nil : limit, totalTimeout: isTotal ? limit : nil)
            async let error = #expect(throws: AKError.self) { try await agent.get("/slow", options: options) }
            // The idle timeout starts when the head was received; before, the default response timeout is the next.
            try await clock.wait { $0.first?.offset == limit }
            await clock.advance(by: limit)
            let failure = await error?.underlying as? TransportError
            #expect(failure?.code == .timedOut)
            #expect(failure?.phase == (isTotal ? .total : .idle))
        }
    }

    @Test(arguments: [nil, AKHTTPRequestOptions()])
    func `by default a call waits 60 seconds for the response, and for each part of the body`(
        options: AKHTTPRequestOptions?
    ) async throws {
        let transport = ScriptedTransport([], then: .status(.ok))
        let agent = ServerAgent(transport: transport, scope: try AKAppScope("http://a.test"))
        try await agent.get("/x", options: options)
        let timeouts = try #require(transport.requests.last).options.timeouts
        #expect(timeouts.response == .seconds(60) && timeouts.idle == .seconds(60) && timeouts.total == nil)
    }

    @Test func `a timeout ends a call without a response`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        try await LoopbackServer { (request: HTTPRequest) in
            try await gate.wait()
            return request.response()
        }.stopping { server in
            let scope = try AKAppScope("http://127.0.0.1:\(server.port)")
            let agent = ServerAgent(transport: TestTransport.make(clock: clock), scope: scope)
            async let error = #expect(throws: AKError.self) {
                try await agent.get("/slow", options: AKHTTPRequestOptions(timeout: 1500))
            }
            try await gate.waitForWaiters(1)
            try await clock.waitForSleepers(1)
            try #require(clock.nextDeadline == ManualClock.Instant(offset: .milliseconds(1500)))
            await clock.advance(by: .milliseconds(1500))
            let thrown = await error
            #expect(thrown?.code == .transport)
            #expect((thrown?.underlying as? TransportError)?.code == .timedOut)
        }
    }

    @Test func `binary bodies arrive unchanged`() async throws {
        let bytes = Data((0...255).map(UInt8.init))
        try await Fixture.run { fixture in
            let data = AKHTTPRequestData()
            data.bodyData = AKDataHTTPBody(data: bytes)
            let response = try blocking { try fixture.agent.postSync("/x", requestData: data) }
            #expect(response.data == bytes)
            #expect(!response.text.isEmpty)
            #expect(throws: AKError.self) { try response.json() }
        } respond: { request in
            request.response(body: try await request.body.collect())
        }
    }
}
