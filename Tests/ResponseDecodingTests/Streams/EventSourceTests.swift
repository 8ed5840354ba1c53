import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct EventSourceTests {
    typealias Step = ScriptedTransport.Step
    private static let policy = ReconnectionPolicy(initialBackoff: .seconds(3), jitter: 0)

    private let clock = ManualClock()

    private func events(_ text: String) throws -> Step {
        .response(fields: try HTTPFields(["Content-Type": "text/event-stream"]), body: Data(text.utf8))
    }

    private func source(
        _ transport: ScriptedTransport, policy: ReconnectionPolicy = policy, lastEventID: String = ""
    ) throws -> EventSource {
        EventSource(
            try HTTPRequest(.get, "http://h/events", fields: HTTPFields(["Accept": "text/plain", "X-A": "b"])),
            policy: policy, lastEventID: lastEventID, clock: clock, generator: SeededGenerator(seed: 1)
        ) { try await transport.stream($0) }
    }

    /// The events until the end or an error, and the time of each connection.
    private func collect(_ source: EventSource) async throws -> (data: [String], error: (any Error)?) {
        var data: [String] = []
        return await clock.autoAdvancing {
            do {
                for try await event in source { data.append(event.data) }
                return (data, nil)
            } catch {
                return (data, error)
            }
        }
    }

    @Test func `reconnects with the last event ID until 204`()
        async throws
    {
        let transport = ScriptedTransport([
            try events("id: 1\ndata: a\n\ndata: b\n\n"), try events("id: 2\nretry: 500\n\n"),
            .failure(TransportError.Code.connectionRefused), try events("data: c\n\ndata: cut"), .status(.noContent),
        ])
        let result = try await collect(source(transport))
        #expect(result.data == ["a", "b", "c"] && result.error == nil)
        #expect(transport.requests.map { $0.fields["Last-Event-ID"] } == [nil, "1", "2", "2", "2"])
        #expect(transport.requests.allSatisfy { $0.fields["Accept"] == "text/event-stream" && $0.fields["X-A"] == "b" })
        // The initial backoff of three seconds, then the requested half second, three times.
        #expect(clock.now == .init(offset: .seconds(4.5)))
    }

    @Test(arguments: [(.standard, .noStore), (.reload, .reload)] as [(CachePolicy, CachePolicy)])
    func `no connection is served by a cache, unless the request has a policy`(
        policy: CachePolicy, sent: CachePolicy
    ) async throws {
        let transport = ScriptedTransport([try events("data: a\n\n")], then: .status(.noContent))
        let request = try HTTPRequest(.get, "http://h/", options: RequestOptions { $0.cachePolicy = policy })
        let source = EventSource(request, policy: Self.policy, clock: clock) { try await transport.stream($0) }
        #expect(try await collect(source).data == ["a"])
        #expect(transport.requests.map(\.options.cachePolicy) == [sent, sent])
    }

    @Test func `starts with a given last event ID and exposes the current one`() async throws {
        let transport = ScriptedTransport([try events("data: a\n\nid: 8\ndata: b\n\n")])
        var iterator = try source(transport, lastEventID: "7").makeAsyncIterator()
        #expect(try await iterator.next()?.lastEventID == "7" && iterator.lastEventID == "7")
        #expect(try await iterator.next()?.lastEventID == "8" && iterator.lastEventID == "8")
        #expect(transport.requests.map { $0.fields["Last-Event-ID"] } == ["7"])
    }

    @Test(arguments: [
        (Step.status(.notFound), EventSourceError.Code.unacceptableStatus),
        (.text("data: a\n\n"), .unacceptableMediaType), (.failure(TransportError.Code.timedOut), .tooManyFailures),
    ])
    func `a response that is not an event stream is an error`(step: Step, expected: EventSourceError.Code) async throws
    {
        let transport = ScriptedTransport([], then: step)
        let policy = ReconnectionPolicy(jitter: 0, maximumFailures: 2)
        let result = try await collect(source(transport, policy: policy))
        #expect((result.error as? EventSourceError)?.code == expected && result.data.isEmpty)
        #expect(transport.requests.count == (expected == .tooManyFailures ? 3 : 1))
    }

    @Test func `errors that are not temporary end the sequence`() async throws {
        let transport = ScriptedTransport([.failure(HTTPMessageError(.invalidTimeout, "x"))])
        #expect(try await collect(source(transport)).error is HTTPMessageError)
        let own = ScriptedTransport([.failure(TransportError.Code.tls), .status(.noContent)])
        let strict = EventSource(
            try HTTPRequest(.get, "http://h/"), clock: clock, isTemporary: { _ in false }
        ) { try await own.stream($0) }
        #expect(try await collect(strict).error is TransportError && own.requests.count == 1)
        let large = ScriptedTransport([try events("data: " + String(repeating: "x", count: 100) + "\n\n")])
        let limited = EventSource(try HTTPRequest(.get, "http://h/"), maximumLength: 50, clock: clock) {
            try await large.stream($0)
        }
        #expect(try await collect(limited).error is StreamDecodingError && large.requests.count == 1)
    }

    @Test(arguments: [
        TransportError(.redirectRefused, "x"), TransportError(.unsupported, "x"), TransportError(.cancelled, "x"),
        TransportError(.tls, "x", tlsFailure: .untrustedCertificate), TransportError(.malformedResponse, "x"),
    ])
    func `an error that another connection would meet too ends the sequence`(error: TransportError) async throws {
        let transport = ScriptedTransport([.failure(error)], then: .status(.noContent))
        let result = try await collect(source(transport))
        #expect((result.error as? TransportError)?.code == error.code && transport.requests.count == 1)
    }

    @Test(
        arguments: [
            TransportError(.hostNotFound, "x"), TransportError(.timedOut, "x"), TransportError(.unknown, "x"),
            TransportError(.tls, "x", tlsFailure: .handshake), TransportError(.truncated, "x"),
            URLError(.networkConnectionLost),
        ] as [any Error])
    func `after an error that may pass, and one of another module, it reconnects`(error: any Error) async throws {
        let transport = ScriptedTransport([.failure(error)], then: .status(.noContent))
        #expect(try await collect(source(transport)).error == nil && transport.requests.count == 2)
    }

    @Test func `a body that is not replayable does not reconnect`() async throws {
        let transport = ScriptedTransport([], then: try events("data: a\n\n"))
        let body = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        let source = EventSource(try HTTPRequest(.post, "http://h/", body: body), policy: Self.policy, clock: clock) {
            try await transport.stream($0)
        }
        let result = try await collect(source)
        #expect(result.data == ["a"] && (result.error as? HTTPMessageError)?.code == .bodyAlreadyRead)
    }

    @Test(arguments: ["connecting", "waiting", "reading"]) func `cancellation ends the sequence at once`(
        when: String
    )
        async throws
    {
        let gate = Gate()
        let isReading = when == "reading"
        let server = try LoopbackServer(script: { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\n"), .stall]
        })
        try await server.stopping(after: { server in
            let network = URLSessionTransport(clock: ManualClock())
            let transport = ScriptedTransport(
                [when == "connecting" ? .after(gate, .status(.ok)) : .failure(TransportError.Code.connectionLost)])
            let source = EventSource(try HTTPRequest(.get, server.url(of: "/")), policy: Self.policy, clock: clock) {
                isReading ? try await network.stream($0) : try await transport.stream($0)
            }
            let read = Gate()
            let task = Task { for try await _ in source { read.open() } }
            switch when {
            case "connecting": try await gate.waitForWaiters(1)
            case "waiting": try await clock.waitForSleepers(1)
            default: try await read.wait()
            }
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
            #expect(clock.sleeperCount == 0)
            if isReading { try await server.waitForOpenConnections(0) }
        })
    }

    @Test func `over a network: events arrive one by one, and leaving closes the connection`() async throws {
        let gate = Gate()
        let server = try LoopbackServer(script: { request in
            let id = request.fields["Last-Event-ID"] ?? "none"
            let start: [ServerScript.Step] = [
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"),
                .send("id: \(request.number)\ndata: from \(id)\n\n"),
            ]
            return ServerScript(start + (request.number == 0 ? [.wait(for: gate), .close] : [.stall]))
        })
        try await server.stopping(after: { server in
            let transport = URLSessionTransport(clock: ManualClock())
            let policy = ReconnectionPolicy(initialBackoff: .zero, limits: .zero...(.zero), jitter: 0)
            let source = EventSource(try HTTPRequest(.get, server.url(of: "/")), policy: policy) {
                try await transport.stream($0)
            }
            var data: [String] = []
            for try await event in source {
                data.append(event.data)
                gate.open()
                if data.count == 2 { break }
            }
            #expect(data == ["from none", "from 0"])
            try await server.waitForOpenConnections(0)
        })
    }
}
