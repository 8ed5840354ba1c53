import Coordination
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// What the caller of `requestTransport` sets for a request.
@Suite(.needsSlot) struct RequestTransportTests {
    private static func put(
        _ path: String = "a", _ change: (inout RequestOptions) -> Void
    ) throws -> HTTPMessages.HTTPRequest {
        try HTTPMessages.HTTPRequest(
            .put, "https://example.com/\(path)", body: .text("text"), options: RequestOptions(change))
    }

    /// A server that redirects `/a`.
    private static func redirecting(_ status: HTTPStatus, to location: String) -> ScriptedTransport {
        ScriptedTransport { request in
            guard request.url.path() == "/a" else { return request.response() }
            return request.response(status, fields: try HTTPFields(["Location": location]))
        }
    }

    @Test func `the options reach the transport of the session, which completes the timeouts`() async throws {
        let transport = ScriptedTransport { $0.response() }
        let session = SDMSession.test(transport, clock: ManualClock())
        let trailers = RequestTrailers(try HTTPFields(["Digest": "x"]))
        let request = try Self.put { options in
            options.timeouts = Timeouts(response: .seconds(5), total: .seconds(9), queue: .seconds(3))
            options.trailers = trailers
            options.cachePartition = "ann"
            options.acceptsContentCodings = false
        }
        _ = try await session.requestTransport().send(request)
        let sent = try #require(transport.requests.first)
        let timeouts = sent.options.timeouts
        #expect(timeouts.response == .seconds(5) && timeouts.total == .seconds(9) && timeouts.queue == .seconds(3))
        #expect(try timeouts.idle == SDMHttpRequest.timeouts(session.defaultTimeOutSeconds, bodyLength: 4).idle)
        #expect(sent.options.trailers == trailers && sent.options.cachePartition == "ann")
        #expect(sent.fields[.acceptEncoding] == "identity")
    }

    @Test(
        arguments: [
            (.byPolicy, "https://other.example/b", 2), (.none, "/b", 1), (.sameOrigin, "/b", 2),
            (.sameOrigin, "https://other.example/b", 1), (.limit(1), "/b", 2),
        ] as [(RequestRedirects, String, Int)])
    func `only the redirects that the request permits are followed`(
        redirects: RequestRedirects, location: String, count: Int
    ) async throws {
        let transport = Self.redirecting(.temporaryRedirect, to: location)
        let own = SDMSession.test(transport).requestTransport()
        let response = try await own.send(Self.put { $0.redirectPolicy = redirects })
        #expect(response.status == (count == 1 ? .temporaryRedirect : .ok) && transport.requests.count == count)
        #expect(response.head.redirects.map(\.status) == (count == 1 ? [] : [.temporaryRedirect]))
    }

    @Test func `a cached response at the target of a redirect has its method and the redirect`() async throws {
        let transport = Self.redirecting(.found, to: "https://other.example/b")
        let session = SDMSession.test(transport)
        session.defaultCache = session.downloadCache
        let own = session.requestTransport { $0.cachePolicy = .onlyLoadIfNotCached }
        _ = try await own.send(HTTPMessages.HTTPRequest(.get, "https://other.example/b"))
        let response = try await own.send(Self.put { _ in })
        #expect(transport.requests.map(\.method) == [.get, .put])
        #expect(response.head.method == .get && response.head.redirects.map(\.method) == [.put])
    }

    @Test func `more redirects than the request permits are an error`() async throws {
        let transport = Self.redirecting(.temporaryRedirect, to: "/b")
        let own = SDMSession.test(transport).requestTransport()
        let error = await #expect(throws: SDMError.self) {
            try await own.send(Self.put { $0.redirectPolicy = .limit(0) })
        }
        #expect(error?.code == .tooMuchRedirection && error?.message.contains("(limit 0)") == true)
        #expect(transport.requests.count == 1)
    }

    @Test(
        arguments: [
            (.temporaryRedirect, "https://other.example/b", false), (.temporaryRedirect, "/b", true),
            (.seeOther, "https://other.example/b", true),
        ] as [(HTTPStatus, String, Bool)])
    func `a redirect to another origin does not get a body with credentials`(
        status: HTTPStatus, location: String, isFollowed: Bool
    ) async throws {
        let transport = Self.redirecting(status, to: location)
        let own = SDMSession.test(transport).requestTransport()
        let request = try Self.put { $0.hasSecretBody = true }
        var code: TransportError.Code?
        do { _ = try await own.send(request) } catch let error as TransportError { code = error.code }
        #expect(code == (isFollowed ? nil : .redirectRefused))
        #expect(transport.requests.count == (isFollowed ? 2 : 1))
        #expect(status == .temporaryRedirect || transport.requests.last?.body.isEmpty == true)
    }

    @Test func `the total timeout spans a request and its redirects`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport { request in
            await clock.advance(by: .milliseconds(1500))
            return request.response(.temporaryRedirect, fields: try HTTPFields(["Location": "/b"]))
        }
        let own = SDMSession.test(transport, clock: clock).requestTransport()
        let request = try Self.put { $0.timeouts.total = .seconds(2) }
        let error = await #expect(throws: TransportError.self) { try await own.send(request) }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.timeout == .seconds(2))
        #expect(transport.requests.map(\.options.timeouts.total) == [.seconds(2), .milliseconds(500)])
    }

    @Test func `the total timeout spans the wait for the decision of a delegate`() async throws {
        let clock = ManualClock()
        let transport = Self.redirecting(.temporaryRedirect, to: "/b")
        let delegate = LoggingDelegate(onRedirect: { _, _ in })
        let own = SDMSession.test(transport, clock: clock).requestTransport { $0.delegate = delegate }
        let request = try Self.put { $0.timeouts.total = .seconds(2) }
        let end = Task { try await own.send(request) }
        try await delegate.wait(for: "will redirect to /b")
        await clock.advance(by: .seconds(2))
        let error = await #expect(throws: TransportError.self) { try await end.value }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.timeout == .seconds(2))
        #expect(try await delegate.ended().last == "failed 2")
        #expect(transport.requests.count == 1)
    }

    @Test func `at the end of the total timeout a response that has arrived waits for no delegate`() async throws {
        let (clock, queue) = (ManualClock(), DispatchQueue(label: "delegate"))
        queue.suspend()
        defer { queue.resume() }
        let delegate = LoggingDelegate()
        let sent = Watched<SDMHttpRequest?>(nil)
        let session = SDMSession.test(ScriptedTransport { $0.response(.created) }, clock: clock) {
            $0.delivery = .queue(queue)
        }
        let own = session.requestTransport { call in
            call.delegate = delegate
            sent.update { $0 = call }
        }
        let request = try Self.put { $0.timeouts.total = .seconds(2) }
        let end = Task { try await own.send(request) }
        let found = try await sent.wait { $0 != nil }
        let call = try #require(found)
        let error = await call.completion.value
        #expect(error == nil)
        await clock.advance(by: .seconds(2))
        #expect(try await end.value.status == .created)
    }

    @Test func `the total timeout spans the wait in the queue of the session`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = ScriptedTransport { request in
            try await gate.wait()
            return request.response()
        }
        let session = SDMSession.test(transport, clock: clock)
        let others = (0..<SDMSession.maximumConcurrentRequests).map { session.get(URL(string: "https://h/\($0)")) }
        for other in others { other.startAsynchronous() }
        try await transport.requests(count: others.count)
        let request = try Self.put { $0.timeouts.total = .seconds(2) }
        let end = Task { try await session.requestTransport().send(request) }
        try await clock.wait { $0.contains { $0.offset == .seconds(2) } }
        await clock.advance(by: .seconds(2))
        let error = await #expect(throws: TransportError.self) { try await end.value }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.timeout == .seconds(2))
        gate.open()
        for other in others { #expect(await other.ended() == nil) }
        #expect(transport.requests.count == others.count)
    }

    @Test func `a write that times out while it waits for a token leaves the fetch to the other writes`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = ScriptedTransport { request in
            guard request.method == .get else { return request.response() }
            try await gate.wait()
            return request.response(fields: try HTTPFields(["X-CSRF-Token": "T"]))
        }
        let session = SDMSession.test(transport, clock: clock)
        session.isXCSRFEnabled = true
        let own = session.requestTransport()
        let (first, second) = (try Self.put { $0.timeouts.total = .seconds(2) }, try Self.put { _ in })
        let end = Task { try await own.send(first) }
        try await transport.requests(count: 1)
        let other = Task { try await own.send(second) }
        try await eventually("both writes wait") { session.sap.read(\.tokens).waiterCount == 2 }
        await clock.advance(by: .seconds(2))
        let error = await #expect(throws: TransportError.self) { try await end.value }
        #expect(error?.code == .timedOut && error?.phase == .total)
        gate.open()
        #expect(try await other.value.status == .ok)
        #expect(transport.requests.map(\.method) == [.get, .put])
    }

    @Test func `at the end of the total timeout a cached response replaces the failure`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = ScriptedTransport([.text("cached"), .after(gate, .text("late"))])
        let session = SDMSession.test(transport, clock: clock)
        session.defaultCache = session.downloadCache
        let own = session.requestTransport { $0.cachePolicy = .useCacheIfLoadFails }
        let options = RequestOptions { $0.timeouts.total = .seconds(2) }
        let request = try HTTPMessages.HTTPRequest(.get, "https://example.com/a", options: options)
        _ = try await own.send(request)
        let end = Task { try await own.send(request) }
        try await transport.requests(count: 2)
        await clock.advance(by: .seconds(2))
        #expect(try await end.value.body == Data("cached".utf8))
    }

    @Test func `the limit of the response is that of the request`() async throws {
        let transport = ScriptedTransport { $0.response(body: Data(count: 100)) }
        let own = SDMSession.test(transport).requestTransport()
        let error = await #expect(throws: TransportError.self) {
            try await own.send(Self.put { $0.maximumResponseBytes = 10 })
        }
        #expect(error?.code == .responseTooLarge)
        #expect(try await own.send(Self.put { $0.maximumResponseBytes = 100 }).body.count == 100)
    }

    @Test func `the observer gets the events`() async throws {
        let events = EventRecorder()
        let own = SDMSession.test(ScriptedTransport { $0.response(text: "abc") }).requestTransport()
        _ = try await own.send(Self.put { _ in }, observer: events)
        #expect(events.events.contains(.sentBytes(4, total: 4)))
    }

    @Test(arguments: [false, true])
    func `an observer that is immediate is one for the session's transport, too, which calls no delegate in place`(
        isImmediate: Bool
    ) async throws {
        let (details, transport) = (DetailObserver(isImmediate: isImmediate), DetailTransport())
        let progress = PlacedProgress(transport)
        let own = SDMSession.test(transport).requestTransport { $0.uploadProgressDelegate = progress }
        _ = try await own.send(Self.put { _ in }, observer: details)
        #expect(details.count.value == (isImmediate ? 1 : 0))
        try await progress.calls.wait { !$0.isEmpty }
        #expect(progress.calls.value == [!isImmediate])
    }

    @Test func `a cached response is for the user of the request only`() async throws {
        let transport = ScriptedTransport { $0.response(text: "of its user") }
        let session = SDMSession.test(transport)
        session.defaultCache = session.downloadCache
        // The cache keeps one response of a URL.
        for (user, count) in [("ann", 1), ("ann", 1), ("bob", 2), ("bob", 2), ("ann", 3)] {
            let options = RequestOptions { $0.cachePartition = CachePartition(user) }
            let request = try HTTPMessages.HTTPRequest(.get, "https://example.com/a", options: options)
            _ = try await session.requestTransport { $0.cachePolicy = .onlyLoadIfNotCached }.send(request)
            #expect(transport.requests.count == count, "\(user)")
        }
    }

    @Test func `an option that a session cannot honor is an error, and nothing is sent`() async throws {
        let transport = ScriptedTransport { $0.response() }
        let session = SDMSession.test(transport)
        session.defaultCache = session.downloadCache
        let others = [
            ("upgradeProtocol", RequestOptions { $0.upgradeProtocol = "other" }),
            ("redirectPolicy = .policy", RequestOptions { $0.redirectPolicy = .policy(.never) }),
            ("cachePolicy", RequestOptions { $0.cachePolicy = .reload }),
        ]
        for (name, options) in others {
            let request = try HTTPMessages.HTTPRequest(.get, "https://example.com/a", options: options)
            let error = await #expect(throws: TransportError.self) {
                try await session.requestTransport().send(request)
            }
            #expect(error?.code == .unsupported && error?.message.contains("`\(name)`") == true)
        }
        #expect(transport.requests.isEmpty)
    }
}

private struct Detail: DetailEvent { var description: String { "detail" } }

/// Counts the details that it gets.
private struct DetailObserver: TransferObserver {
    let isImmediate: Bool
    let count = Watched(0)

    func transfer(didEmit event: TransferEvent) {
        if case .layer(is Detail) = event { count.update { $0 += 1 } }
    }
}

/// Reports a detail and the body of each request in place.
private struct DetailTransport: StreamingTransport {
    private let reporting = Watched<ObjectIdentifier?>(nil)

    /// True on the thread that reports now.
    var isReporting: Bool { reporting.value == ObjectIdentifier(Thread.current) }

    func send(
        _ request: HTTPMessages.HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponse {
        try await stream(request, observer: observer).collect()
    }

    func stream(
        _ request: HTTPMessages.HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        report(to: observer)
        return HTTPResponseStream(head: request.response().head, body: AsyncStream<Data> { $0.finish() })
    }

    private func report(to observer: (any TransferObserver)?) {
        reporting.update { $0 = ObjectIdentifier(Thread.current) }
        observer?.report(Detail())
        observer?.transfer(didEmit: .sentBytes(4, total: 4))
        reporting.update { $0 = nil }
    }
}

/// Records of each report of sent bytes whether the transport has called it in place.
private final class PlacedProgress: SDMProgressDelegate, Sendable {
    let calls = Watched<[Bool]>([])
    private let transport: DetailTransport

    init(_ transport: DetailTransport) { self.transport = transport }

    func request(_ request: SDMHttpRequest, didSendBytes count: Int64) {
        let isInPlace = transport.isReporting
        calls.update { $0.append(isInPlace) }
    }
}
