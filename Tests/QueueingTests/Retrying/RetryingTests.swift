import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct RetryingTests {
    private typealias Step = ScriptedTransport.Step

    private let quick = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(3))

    private func steady(_ seconds: Int) -> Retry<StandardRetryClassifier, ConstantBackoff, AttemptLimit> {
        Retry(classifier: .standard, backoff: .constant(.seconds(seconds)), limiter: .attempts(3))
    }

    @Test func `retries until an attempt succeeds`() async throws {
        let base = ScriptedTransport([.status(.serviceUnavailable), .failure(.connectionLost), .text("done")])
        let response = try await Retrying(base: base, strategy: quick).send(request())
        #expect(response.body == Data("done".utf8) && base.requests.count == 3)
    }

    @Test func `the last response is returned, regardless of its status`() async throws {
        let base = ScriptedTransport([.failure(.connectionLost)], then: .text("no", status: .badGateway))
        let response = try await Retrying(base: base, strategy: quick).send(request())
        #expect(response.status == .badGateway && response.body == Data("no".utf8) && base.requests.count == 3)
    }

    @Test func `a response is retried regardless of its length, and the last one is limited`() async throws {
        let long = Step.text("too long", status: .serviceUnavailable)
        var request = try request(.get)
        request.options.maximumResponseBytes = 4
        var base = ScriptedTransport([long, long], then: .text("done"))
        #expect(try await Retrying(base: base, strategy: quick).send(request).body == Data("done".utf8))
        #expect(base.requests.count == 3)
        base = ScriptedTransport([], then: long)
        let error = await #expect(throws: TransportError.self) {
            try await Retrying(base: base, strategy: quick).send(request)
        }
        #expect(error?.code == .responseTooLarge && error?.head?.status == .serviceUnavailable)
        #expect(error?.attempts.map(\.cause) == Array(repeating: .status(.serviceUnavailable), count: 3))
        base = ScriptedTransport([], then: .text("too long"))
        await #expect(throws: TransportError.self) { try await Retrying(base: base, strategy: quick).send(request) }
        #expect(base.requests.count == 1)
    }

    @Test func `an error lists all attempts`() async throws {
        let base = ScriptedTransport([.status(.serviceUnavailable)], then: .failure(.connectionLost))
        let clock = ManualClock()
        let transport = Retrying(base: base, strategy: steady(2), clock: clock)
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await transport.send(request()) }
        }
        let failure = TransportError.AttemptRecord.Cause.failure(.connectionLost, "The script fails here.")
        #expect(error?.code == .connectionLost)
        #expect(
            error?.attempts == [
                .init(.status(.serviceUnavailable), backoff: .seconds(2)), .init(failure, backoff: .seconds(2)),
                .init(failure),
            ])
        #expect(clock.now.offset == .seconds(4))
    }

    /// `maximumAttempts` applies regardless of the strategy and of the number of retrying layers.
    @Test func `maximumAttempts limits all layers together`() async throws {
        let generous = Retry(classifier: .standard, backoff: .immediate, limiter: RetryBudget(capacity: 10))
        for limit in 1...3 {
            let base = ScriptedTransport([], then: .failure(.connectionLost))
            let error = await #expect(throws: TransportError.self) {
                try await Retrying(base: base, strategy: generous).send(request(maximumAttempts: limit))
            }
            #expect(base.requests.count == limit && error?.attempts.count == limit)
        }
        let base = ScriptedTransport([], then: .failure(.connectionLost))
        let layers = Retrying(base: Retrying(base: base, strategy: quick), strategy: quick)
        await #expect(throws: TransportError.self) { try await layers.send(request(maximumAttempts: 2)) }
        #expect(base.requests.count == 2)
        #expect(base.requests.allSatisfy { $0.options.maximumAttempts == 1 })
    }

    @Test func `the attempts of a layer below are listed, too`() async throws {
        let base = ScriptedTransport([.status(.badGateway)], then: .failure(.connectionLost))
        let layers = Retrying(base: Retrying(base: base, strategy: quick), strategy: quick)
        let error = await #expect(throws: TransportError.self) { try await layers.send(request()) }
        #expect(base.requests.count == 9 && error?.attempts.count == 9)
        #expect(error?.attempts.first?.cause == .status(.badGateway))
    }

    @Test func `a queue that rejects a retry ends the call, with all attempts`() async throws {
        let base = ScriptedTransport([], then: .failure(.connectionLost))
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1, capacity: 0, overflowPolicy: .reject))
        let clock = ManualClock()
        let transport = Retrying(base: Queued(base: base, queue: queue), strategy: steady(2), clock: clock)
        let request = try request()
        let task = Task { try await transport.send(request) }
        try await clock.waitForSleepers(1)
        // Another request has the only slot meanwhile.
        let leases = Watched<[RequestQueue.Lease]>([])
        try queue.submit(request) { event in
            if case .started(let lease) = event { leases.update { $0.append(lease) } }
        }
        await clock.advance(by: .seconds(2))
        let error = await #expect(throws: AdmissionError.self) { try await task.value }
        #expect(error?.code == .queueFull && error?.attempts.count == 2 && leases.value.count == 1)
        #expect(error?.attempts.last?.description.hasPrefix("Queue is full") == true)
        #expect(error?.description.contains(", after 2 attempts with 2.0 s of backoff. [queueFull]") == true)
    }

    @Test(arguments: [
        (HTTPMethod.get, TransportError.Code.connectionLost, 3), (.put, .connectionLost, 3),
        (.post, .connectionLost, 1), (.patch, .connectionLost, 1), (.post, .timedOut, 1),
        (.post, .connectionRefused, 3), (.post, .hostNotFound, 3), (.get, .responseTooLarge, 1), (.get, .cancelled, 1),
    ])
    func `unsafe retries are not made`(method: HTTPMethod, code: TransportError.Code, count: Int) async throws {
        let base = ScriptedTransport([], then: .failure(code))
        let error = await #expect(throws: TransportError.self) {
            try await Retrying(base: base, strategy: quick).send(request(method))
        }
        #expect(error?.code == code && error?.attempts.count == count && base.requests.count == count)
    }

    @Test func `errors of other types pass through`() async throws {
        struct Stranger: Error {}
        let base = ScriptedTransport([], then: .failure(Stranger()))
        await #expect(throws: Stranger.self) { try await Retrying(base: base, strategy: quick).send(request()) }
        #expect(base.requests.count == 1)
    }

    @Test func `an idempotency key is made once for all attempts, unless there is one`() async throws {
        let counter = Counter()
        let base = ScriptedTransport([], then: .failure(.connectionLost))
        let transport = Retrying(base: base, strategy: quick, idempotencyKey: { "key-\(counter.next())" })
        for request in [
            try request(.post), try request(.get), try request(.put),
            try request(.post, fields: ["Idempotency-Key": "own"]),
        ] {
            await #expect(throws: TransportError.self) { try await transport.send(request) }
        }
        let keys = base.requests.map { $0.fields[.idempotencyKey] ?? "none" }
        #expect(keys[..<3] == ["key-1", "key-1", "key-1"] && Set(keys[3..<9]) == ["none"])
        #expect(keys[9...] == ["own", "own", "own"])
    }

    @Test func `an idempotency key of one request makes it safe to send twice`() async throws {
        let base = ScriptedTransport([.status(.serviceUnavailable)], then: .status(.ok))
        var request = try HTTPRequest(.post, "http://h/")
        request.options.idempotencyKey = "of the app"
        #expect(try await base.retrying(quick).send(request).status == .ok)
        #expect(base.requests.map { $0.fields[.idempotencyKey] } == ["of the app", "of the app"])
        // A field of the request's own wins.
        try request.fields.set(.idempotencyKey, to: "own")
        _ = try await base.retrying(quick).send(request)
        #expect(base.requests.last?.fields[.idempotencyKey] == "own")
    }

    @Test func `the modifier retries as the standard does, and takes a key`() async throws {
        let base = ScriptedTransport([.failure(.connectionLost)], then: .status(.ok))
        let clock = ManualClock()
        async let response = base.retrying(idempotencyKey: { "key" }, clock: clock).send(request(.post))
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(20))
        #expect(try await response.status == .ok)
        #expect(base.requests.map { $0.fields[.idempotencyKey] } == ["key", "key"])
    }

    @Test func `an invalid idempotency key fails the call`() async throws {
        let base = ScriptedTransport([], then: .status(.ok))
        let transport = Retrying(base: base, strategy: quick, idempotencyKey: { "a\r\nb" })
        await #expect(throws: HTTPMessageError.self) { try await transport.send(request(.post)) }
        #expect(base.requests.isEmpty)
    }

    @Test func `Retry-After is honored`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([
            .response(.serviceUnavailable, fields: try HTTPFields(["Retry-After": "7"])),
            .response(.tooManyRequests, fields: try HTTPFields(["Retry-After": "Sun, 06 Nov 1994 08:49:40 GMT"])),
            .status(.ok),
        ])
        let transport = Retrying(base: base, strategy: .standard, clock: clock, date: { someDate })
        let response = try await clock.autoAdvancing { try await transport.send(request(.post)) }
        #expect(response.status == .ok && clock.now.offset == .seconds(10))
    }

    @Test(arguments: ["0", "Sun, 06 Nov 1994 08:49:30 GMT"])
    func `a Retry-After of zero waits for the backoff`(text: String) async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([
            .response(.serviceUnavailable, fields: try HTTPFields(["Retry-After": text])), .status(.ok),
        ])
        let patient = Retry(
            classifier: .standard, backoff: .retryAfter(cap: .seconds(60), minimum: .constant(.seconds(4))),
            limiter: .attempts(3))
        let transport = Retrying(base: base, strategy: patient, clock: clock, date: { someDate })
        let response = try await clock.autoAdvancing { try await transport.send(request()) }
        #expect(response.status == .ok && clock.now.offset == .seconds(4))
    }

    @Test func `a Retry-After beyond the cap ends the call, and the error has its value`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([
            .failure(.connectionLost),
            .response(
                .serviceUnavailable, fields: try HTTPFields(["Retry-After": "3600"]), body: Data("back at noon".utf8)),
            .status(.ok),
        ])
        let transport = Retrying(base: base, strategy: .standard, clock: clock)
        let error = await #expect(throws: AdmissionError.self) {
            try await clock.autoAdvancing { try await transport.send(request(.get, "http://h/?token=hush")) }
        }
        #expect(error?.code == .retryAfterTooLong && base.requests.count == 2)
        #expect(error?.retryAfter == .seconds(3600) && error?.maximumRetryAfter == .seconds(60))
        #expect(error?.head?.status == .serviceUnavailable && error?.bodyPrefix == Data("back at noon".utf8))
        #expect(error?.attempts.count == 2 && error?.attempts.last?.cause == .status(.serviceUnavailable))
        let message =
            "GET http://h/?token=<redacted>: 503 Service Unavailable; the server asks to wait 3600.0 s before a retry (Retry-After), and `RetryAfterBackoff.cap` allows 60.0 s, after 2 attempts with "
        // The backoff has jitter.
        #expect(error?.description.hasPrefix(message) == true)
        #expect(error?.description.hasSuffix(" s of backoff. [retryAfterTooLong]") == true)
    }

    @Test func `equal seeds give equal waits`() async throws {
        func wait(seed: UInt64) async throws -> Duration {
            let clock = ManualClock()
            let transport = Retrying(
                base: ScriptedTransport([], then: .status(.badGateway)), strategy: .standard, clock: clock,
                random: SeededGenerator(seed: seed))
            _ = try await clock.autoAdvancing { try await transport.send(request()) }
            return clock.now.offset
        }
        let first = try await wait(seed: 1)
        #expect(try await wait(seed: 1) == first)
        #expect(try await wait(seed: 2) != first)
    }

    @Test func `the total timeout spans all attempts and waits`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.after(.seconds(3), on: clock, .status(.badGateway))], then: .status(.badGateway))
        let transport = Retrying(base: base, strategy: steady(4), clock: clock)
        let response = try await clock.autoAdvancing { try await transport.send(request(total: .seconds(10))) }
        #expect(response.status == .badGateway)
        // The second wait would end at 11 s, so it does not start.
        #expect(base.requests.map(\.options.timeouts.total) == [.seconds(10), .seconds(3)])
        #expect(clock.now.offset == .seconds(7))
    }

    @Test func `a retry is reported on an observer thread, so that one that blocks stops no other calls`() async throws
    {
        struct Observer: TransferObserver {
            let names = Watched<[String]>([])
            func transfer(didEmit event: TransferEvent) {
                if case .layer = event { names.update { $0.append(threadName()) } }
            }
        }
        let observer = Observer()
        let base = ScriptedTransport([.failure(.connectionLost), .text("yes")])
        _ = try await Retrying(base: base, strategy: quick).send(request(), observer: observer)
        #expect(observer.names.value == ["patchbay.events"])
    }

    @Test func `the observer gets the events of every attempt`() async throws {
        let base = ScriptedTransport([.text("no", status: .badGateway), .failure(.connectionLost), .text("yes")])
        let log = EventRecorder()
        _ = try await Retrying(base: base, strategy: quick).send(request(), observer: log)
        let kinds = log.events.map { event in
            switch event {
            case .sentBytes(let count, _): "sent \(count)"
            case .head(let head): "head \(head.status.code)"
            case .receivedBytes(let count, _): "received \(count)"
            case .layer(let event): "retry after \(event)"
            }
        }
        #expect(
            kinds == [
                "head 502", "received 2", "retry after 502 Bad Gateway, retried after 0.0 s",
                "retry after The script fails here. [connectionLost], retried after 0.0 s",
                "head 200", "received 3",
            ])
    }

    @Test func `cancellation ends a wait at once`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .status(.badGateway))
        let transport = Retrying(base: base, strategy: steady(3600), clock: clock)
        let request = try request()
        let once = ExactlyOnce<HTTPResponse>()
        let task = Task { await once.run { try await transport.send(request) } }
        try await clock.waitForSleepers(1)
        task.cancel()
        guard case .cancellation = try await once.outcome else { return #expect(Bool(false), "It went on.") }
        await task.value
        try once.check()
        #expect(base.requests.count == 1 && clock.sleeperCount == 0)
    }

    @Test func `cancellation between attempts ends the call`() async throws {
        let gate = Gate()
        // Responds although it is cancelled.
        let base = FakeTransport { request in
            try? await gate.wait()
            return request.response(.badGateway)
        }
        let transport = Retrying(base: Uncancelled(base: base), strategy: quick)
        let request = try request()
        let task = Task { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        task.cancel()
        gate.open()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled && error?.attempts.count == 1 && gate.waitCount == 1)
    }

    @Test func `a request has its own limit`() async throws {
        let base = ScriptedTransport([], then: .status(.badGateway))
        for count in [1, 2, 16] {
            _ = try await Retrying(base: base, strategy: quick).send(request(maximumAttempts: count))
        }
        #expect(base.requests.count == 1 + 2 + 16)
    }

    // MARK: Over the network

    @Test func `a server that is busy twice`() async throws {
        let script: @Sendable (RecordedRequest) -> ServerScript = { request in
            request.number < 2
                ? [.send("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n")]
                : [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")]
        }
        try await LoopbackServer(script: { script($0) }).stopping(after: { server in
            let transport = Retrying(base: URLSessionTransport(clock: ManualClock()), strategy: .standard)
            let once = ExactlyOnce<HTTPResponse>()
            let request = try HTTPRequest(.post, server.url(of: "/"), body: .text("hello"))
            await once.run { try await transport.send(request) }
            try once.check()
            guard case .success(let response) = try await once.outcome else { return #expect(Bool(false)) }
            #expect(response.body == Data("done".utf8))
            #expect(server.requests.map(\.body) == Array(repeating: Data("hello".utf8), count: 3))
        })
    }

    @Test(arguments: [(HTTPMethod.post, 1), (.put, 3), (.get, 3)])
    func `a server that resets the connection`(method: HTTPMethod, count: Int) async throws {
        try await LoopbackServer(script: { _ in [.reset] }).stopping(after: { server in
            let transport = Retrying(base: URLSessionTransport(clock: ManualClock()), strategy: quick)
            let request = try HTTPRequest(
                method, server.url(of: "/"), body: method.allowsBody ? .text("hello") : .empty)
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == .connectionLost && error?.attempts.count == count)
            // libcurl itself retries a GET without a response byte on a reused connection.
            #expect(method == .get ? server.requestCount >= count : server.requestCount == count)
        })
    }

    @Test func `a POST with a refused connection`() async throws {
        let port = try RefusedPort()
        let transport = Retrying(base: URLSessionTransport(clock: ManualClock()), strategy: quick)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(.post, port.url(of: "/"), body: .text("x")))
        }
        #expect(error?.code == .connectionRefused && error?.attempts.count == 3)
    }

    @Test func `the real clock waits and can be cancelled`() async throws {
        try await LoopbackServer { $0.response(.badGateway) }.stopping(after: { server in
            let request = try HTTPRequest(.get, server.url(of: "/"))
            let short = Retry(classifier: .standard, backoff: .constant(.milliseconds(30)), limiter: .attempts(3))
            let start = ContinuousClock.now
            _ = try await Retrying(base: URLSessionTransport(clock: ManualClock()), strategy: short).send(request)
            #expect(ContinuousClock.now - start >= .milliseconds(60) && server.requestCount == 3)
            let task = Task {
                try await Retrying(base: URLSessionTransport(clock: ManualClock()), strategy: steady(3600)).send(
                    request)
            }
            try await server.requests(count: 4)
            task.cancel()
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        })
    }
}

/// Hides the cancellation of the task from the base.
private struct Uncancelled<Base: Transport>: Transport {
    let base: Base
    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await Task { try await base.send(request, observer: observer) }.value
    }
}
