import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite struct RedirectingTests {
    private typealias Step = ScriptedTransport.Step

    private func redirect(_ status: HTTPStatus, to location: String, cookie: String? = nil) throws -> Step {
        var fields = try HTTPFields(["Location": location])
        if let cookie { try fields.append(.setCookie, cookie) }
        return .response(status, fields: fields, body: Data("moved".utf8))
    }

    private func request(
        _ method: HTTPMethod = .get, fields: KeyValuePairs<String, String> = [:], body: HTTPBody = .empty,
        timeouts: Timeouts = Timeouts()
    ) throws -> HTTPRequest {
        try HTTPRequest(
            method, "http://h/0", fields: HTTPFields(fields), body: body, options: RequestOptions(timeouts: timeouts))
    }

    @Test func `follows all redirects`() async throws {
        let base = ScriptedTransport([
            try redirect(.found, to: "/1"), try redirect(.permanentRedirect, to: "//i/2"), .text("here"),
        ])
        let response = try await Redirecting(base: base).send(request())
        #expect(response.body == Data("here".utf8) && response.url.absoluteString == "http://i/2")
        #expect(response.head.redirects.map(\.status) == [.found, .permanentRedirect])
        #expect(response.head.redirects.map(\.url.absoluteString) == ["http://h/0", "http://h/1"])
        #expect(base.requests.map(\.url.absoluteString) == ["http://h/0", "http://h/1", "http://i/2"])
    }

    /// An option, the URLs that are sent, and the status; nil for an error.
    static let choices: [(RequestRedirects, Int, HTTPStatus?)] = [
        (.byPolicy, 3, .ok), (.none, 1, .found), (.sameOrigin, 2, .found), (.limit(2), 3, .ok), (.limit(1), 2, nil),
        (.policy(.never), 1, .found), (.policy(.standard), 3, .ok),
    ]

    @Test(arguments: choices.indices) func `one request changes which redirects are followed`(index: Int) async throws {
        let (choice, count, status) = Self.choices[index]
        let base = ScriptedTransport(
            [try redirect(.found, to: "/1"), try redirect(.found, to: "http://i/2")], then: .text("here"))
        var request = try request()
        request.options.redirectPolicy = choice
        let result: Result<HTTPStatus, any Error>
        do { result = .success(try await Redirecting(base: base).send(request).status) } catch {
            result = .failure(error)
        }
        #expect((try? result.get()) == status && base.requests.count == count)
        if status == nil {
            let error = #expect(throws: TransportError.self) { try result.get() }
            #expect(error?.code == .tooManyRedirects)
        }
    }

    @Test func `the size limit applies to the final body`() async throws {
        let redirects = [try redirect(.found, to: "/1"), try redirect(.found, to: "/2")]
        let base = ScriptedTransport(redirects + [.text("here")] + redirects, then: .text("here"))
        var request = try request()
        request.options.maximumResponseBytes = 4
        let response = try await Redirecting(base: base).send(request)
        #expect(response.body == Data("here".utf8) && response.head.redirects.count == 2)

        request.options.maximumResponseBytes = 3
        let error = await #expect(throws: TransportError.self) { try await Redirecting(base: base).send(request) }
        #expect(error?.code == .responseTooLarge && error?.head?.status == .ok)
        // So a layer outside knows that another server may have processed the request.
        #expect(error?.head?.redirects.map(\.url.absoluteString) == ["http://h/0", "http://h/1"])
    }

    @Test func `the size limit applies to a redirect that is not followed`() async throws {
        var request = try request()
        request.options.maximumResponseBytes = 3
        let base = ScriptedTransport([], then: try redirect(.found, to: "/1"))
        for transport in [Redirecting(base: base, policy: .never), Redirecting(base: base, willFollow: { _ in nil })] {
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == .responseTooLarge && error?.head?.status == .found)
        }
        let error = await #expect(throws: TransportError.self) {
            try await Redirecting(base: base, policy: RedirectPolicy(limit: 0)).send(request)
        }
        #expect(error?.code == .tooManyRedirects)
    }

    @Test func `streams the final response`() async throws {
        let recorder = RecordingTransport(
            base: ScriptedTransport([
                try redirect(.found, to: "/1"), try redirect(.permanentRedirect, to: "//i/2"), .text("here"),
            ]))
        let response = try await Redirecting(base: recorder).stream(request())
        #expect(response.url.absoluteString == "http://i/2")
        #expect(response.head.redirects.map(\.status) == [.found, .permanentRedirect])
        // The bodies of the redirects were read to their end.
        #expect(recorder.exchanges.map { $0.response?.body } == [Data("moved".utf8), Data("moved".utf8), nil])
        #expect(try await response.collect().body == Data("here".utf8))
    }

    @Test func `abandons a long body of a redirect`() async throws {
        let recorder = RecordingTransport(
            base: ScriptedTransport([
                .response(.found, fields: try HTTPFields(["Location": "/1"]), body: Data(count: 1 << 20)),
                .text("here"),
            ]))
        let response = try await Redirecting(base: recorder).stream(request())
        #expect(recorder.exchanges[0].isCancelled)
        #expect(try await response.collect().body == Data("here".utf8))
    }

    /// Responds to one path with a redirect whose body never ends, and to others at once.
    private struct Stalling: StreamingTransport {
        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await stream(request, observer: observer).collect()
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            let isRedirect = request.url.path == "/0"
            let head = HTTPResponseHead(
                status: isRedirect ? .found : .ok, fields: try HTTPFields(["Location": "/1"]), url: request.url)
            let (body, continuation) = AsyncStream<Data>.makeStream()
            continuation.yield(Data("half".utf8))
            if !isRedirect { continuation.finish() }
            return HTTPResponseStream(head: head, body: body)
        }
    }

    @Test(.needsSlot) func `abandons a stalled body of a redirect`() async throws {
        let clock = ManualClock()
        let transport = Redirecting(base: Stalling(), clock: clock)
        let request = try request()
        let task = Task { try await transport.stream(request).collect() }
        try await clock.waitForSleepers(1)
        #expect(clock.nextDeadline == ManualClock.Instant(offset: .seconds(1)))
        await clock.advance(by: .seconds(1))
        #expect(try await task.value.body == Data("half".utf8))
    }

    @Test func `rethrows the error of a later request`() async throws {
        let base = ScriptedTransport([try redirect(.found, to: "/1"), .failure(.connectionLost)])
        let error = await #expect(throws: TransportError.self) { try await Redirecting(base: base).send(request()) }
        #expect(error?.code == .connectionLost && error?.request == "GET http://h/1")
    }

    @Test func `each request starts its events from zero`() async throws {
        let base = ScriptedTransport([try redirect(.found, to: "/1"), .text("here")])
        let recorder = EventRecorder()
        _ = try await Redirecting(base: base).send(request(), observer: recorder)
        let statuses = recorder.events.compactMap { if case .head(let head) = $0 { head.status } else { nil } }
        #expect(statuses == [.found, .ok])
        #expect(recorder.events.last == .receivedBytes(4, total: 4))
    }

    @Test func `will follow can decline a redirect`() async throws {
        let base = ScriptedTransport([try redirect(.found, to: "/1"), try redirect(.found, to: "/2")])
        let transport = Redirecting(base: base) { $0.head.redirects.isEmpty ? $0.target : nil }
        let response = try await transport.send(request())
        #expect(response.status == .found && response.body == Data("moved".utf8))
        #expect(response.head.redirects.count == 1)
    }

    @Test func `will follow can return another URL or throw`() async throws {
        struct Refusal: Error {}
        let elsewhere = try URL(httpString: "http://i/")
        let base = ScriptedTransport(
            [try redirect(.found, to: "/1"), .text("here")], then: try redirect(.found, to: "/1"))
        let response = try await Redirecting(base: base) { _ in elsewhere }.send(
            request(fields: ["Authorization": "x"]))
        #expect(response.url == elsewhere && base.requests[1].fields.isEmpty)
        await #expect(throws: Refusal.self) {
            try await Redirecting(base: base) { _ in throw Refusal() }.send(request())
        }
    }

    @Test func `the total timeout includes earlier requests`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([
            .after(.seconds(4), on: clock, try redirect(.found, to: "/1")),
            .after(.seconds(5), on: clock, try redirect(.found, to: "/2")), .text("here"),
        ])
        let transport = Redirecting(base: base, clock: clock)
        let response = try await clock.autoAdvancing {
            try await transport.send(request(timeouts: Timeouts(total: .seconds(10))))
        }
        #expect(response.status == .ok)
        #expect(base.requests.map(\.options.timeouts.total) == [.seconds(10), .seconds(6), .seconds(1)])
    }

    /// Streams a redirect whose body does not end, then an empty response.
    private struct Endless: StreamingTransport {
        let totals = Watched<[Duration?]>([])

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            request.response()
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            let number = totals.update { totals in
                totals.append(request.options.timeouts.total)
                return totals.count
            }
            guard number == 1 else {
                return HTTPResponseStream(head: request.response().head, body: AsyncStream<Data> { $0.finish() })
            }
            let head = request.response(.found, fields: try HTTPFields(["Location": "/1"])).head
            return HTTPResponseStream(head: head, body: AsyncStream<Data> { _ in })
        }
    }

    @Test(arguments: [10, 1]) func `the total timeout includes the body of a redirect`(seconds: Int) async throws {
        let (clock, base) = (ManualClock(), Endless())
        let transport = Redirecting(base: base, clock: clock)
        let request = try request(timeouts: Timeouts(total: .seconds(seconds)))
        let call = Task { try await transport.stream(request).head.status }
        let result = await clock.autoAdvancing { await call.result }
        // The body is read for a second at most.
        #expect(base.totals.value == (seconds == 1 ? [.seconds(1)] : [.seconds(10), .seconds(9)]))
        if seconds > 1 {
            #expect(try result.get() == .ok)
        } else {
            let error = #expect(throws: TransportError.self) { try result.get() }
            #expect(error?.code == .timedOut && error?.phase == .total && error?.head?.status == .found)
        }
    }

    @Test func `the total timeout includes will follow`() async throws {
        let clock = ManualClock()
        let transport = Redirecting(base: ScriptedTransport([try redirect(.found, to: "/1")]), clock: clock) {
            redirect in
            try await clock.sleep(for: .seconds(10))
            return redirect.target
        }
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await transport.send(request(timeouts: Timeouts(total: .seconds(10)))) }
        }
        #expect(error?.code == .timedOut && error?.phase == .total)
    }

    @Test func `can be cancelled between requests`() async throws {
        let base = ScriptedTransport([try redirect(.found, to: "/1"), .never])
        let request = try request()
        let task = Task { try await Redirecting(base: base).send(request) }
        try await base.requests(count: 2)
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    // MARK: Over the network

    /// Redirects to another path of the same server, which echoes the method and the body.
    private static let postOffice = ClosureService { request in
        let path = request.url.path()
        guard path.hasPrefix("/to/"), let status = Int(path.dropFirst(4)).flatMap({ HTTPStatus($0) }) else {
            return request.response(
                text: "\(request.method) \(String(decoding: try await request.body.collect(), as: UTF8.self))")
        }
        return request.response(status, fields: try HTTPFields(["Location": "../echo?a=%2F"]))
    }

    @Test(arguments: [(301, "GET "), (302, "GET "), (303, "GET "), (307, "POST hello"), (308, "POST hello")])
    func `sends the body according to the status`(code: Int, echo: String) async throws {
        try await LoopbackServer.serving(Self.postOffice) { server in
            let transport = Redirecting(base: URLSessionTransport(clock: ManualClock()))
            let request = try HTTPRequest(
                .post, server.url(of: "/to/\(code)"), fields: HTTPFields(["Content-Type": "text/plain"]),
                body: .text("hello"))
            let response = try await transport.send(request)
            #expect(String(decoding: response.body, as: UTF8.self) == echo)
            #expect(response.url == (try server.url(of: "/echo?a=%2F")))
            let last = try #require(server.requests.last)
            #expect(last.target == "/echo?a=%2F")
            #expect(last.fields.contains(.contentType) == (code > 303))
            #expect(last.fields[.contentLength] == (code > 303 ? "5" : nil))
        }
    }

    @Test func `sends a generated body again from its start`() async throws {
        try await LoopbackServer.serving(Self.postOffice) { server in
            let body = HTTPBody.sequence([.text("he"), .generated(length: 3) { try HTTPBody.text("llo").reader() }])
            let request = try HTTPRequest(.put, server.url(of: "/to/307"), body: body)
            let response = try await Redirecting(base: URLSessionTransport(clock: ManualClock())).send(request)
            #expect(String(decoding: response.body, as: UTF8.self) == "PUT hello")
        }
    }

    @Test func `does not resend a stream`() async throws {
        try await LoopbackServer.serving(Self.postOffice) { server in
            let (chunks, continuation) = AsyncStream<Data>.makeStream()
            continuation.yield(Data("hello".utf8))
            continuation.finish()
            let request = try HTTPRequest(.post, server.url(of: "/to/307"), body: .stream(chunks))
            let error = await #expect(throws: TransportError.self) {
                try await Redirecting(base: URLSessionTransport(clock: ManualClock())).send(request)
            }
            #expect(error?.code == .redirectRefused && error?.head?.status == .temporaryRedirect)
            #expect(server.requestCount == 1)
        }
    }

    @Test func `sends no credentials to another origin`() async throws {
        let stranger = ClosureService { $0.response(text: "hello, stranger") }
        try await LoopbackServer.serving(stranger) { stranger in
            let target = try stranger.url(of: "/x").absoluteString
            let home = ClosureService { $0.response(.temporaryRedirect, fields: try HTTPFields(["Location": target])) }
            try await LoopbackServer.serving(home) { home in
                let fields = try HTTPFields([
                    "Authorization": "Bearer x", "Cookie": "a=b", "X-Auth-Token": "x", "X-Trace": "1",
                ])
                let request = try HTTPRequest(.get, home.url(of: "/"), fields: fields)
                let response = try await Redirecting(base: URLSessionTransport(clock: ManualClock())).send(request)
                #expect(response.body == Data("hello, stranger".utf8))
                let (first, second) = (try #require(home.requests.first), try #require(stranger.requests.first))
                for field in fields { #expect(first.fields[field.name] == field.value) }
                #expect(second.fields["X-Trace"] == "1")
                for name in ["Authorization", "Cookie", "X-Auth-Token"] {
                    #expect(second.fields[name] == nil, "\(name)")
                }
                #expect(second.fields[.host] == "127.0.0.1:\(stranger.port)")
            }
        }
    }

    @Test func `returns redirects without a target`() async throws {
        let service = ClosureService { request in
            let status = Int(request.url.lastPathComponent).flatMap { HTTPStatus($0) } ?? .ok
            return request.response(status, fields: try HTTPFields(status == .found ? [:] : ["Location": "/302"]))
        }
        try await LoopbackServer.serving(service) { server in
            let transport = Redirecting(base: URLSessionTransport(clock: ManualClock()))
            for code in [300, 302, 304, 305, 306] {
                let response = try await transport.send(HTTPRequest(.get, server.url(of: "/\(code)")))
                #expect(response.status.code == code && response.head.redirects.isEmpty)
            }
        }
    }
}

extension HTTPBody {
    fileprivate func reader() throws -> any HTTPBodyReader { try #require(try makeReader()) }
}
