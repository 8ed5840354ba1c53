import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct RetryingStreamingTests {
    private let quick = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(3))
    private let steady = Retry(classifier: .standard, backoff: .constant(.seconds(2)), limiter: .attempts(3))

    @Test func `retries until a head is successful, and streams its body`() async throws {
        let base = ScriptedTransport([.status(.serviceUnavailable), .failure(.connectionLost), .text("done")])
        let log = EventRecorder()
        let response = try await Retrying(base: base, strategy: quick).stream(request(), observer: log)
        #expect(try await response.collect().body == Data("done".utf8) && base.requests.count == 3)
        let retries = log.events.count { $0.retriedAttempt != nil }
        #expect(retries == 2 && log.events.last == .receivedBytes(4, total: 4))
    }

    @Test func `the last response is returned with its body, regardless of its status`() async throws {
        let base = ScriptedTransport([], then: .text("no", status: .badGateway))
        let response = try await Retrying(base: base, strategy: quick).stream(request())
        #expect(response.status == .badGateway && base.requests.count == 3)
        #expect(try await response.collect().body == Data("no".utf8))
    }

    @Test func `an error before the head lists all attempts`() async throws {
        let base = ScriptedTransport([.status(.serviceUnavailable)], then: .failure(.connectionLost))
        let error = await #expect(throws: TransportError.self) {
            try await Retrying(base: base, strategy: quick).stream(request())
        }
        #expect(error?.code == .connectionLost && error?.attempts.count == 3)
        #expect(error?.attempts.first?.cause == .status(.serviceUnavailable))
    }

    @Test(arguments: [false, true]) func `a body that can be sent once is sent once`(isAnswered: Bool) async throws {
        let base = ScriptedTransport([isAnswered ? .status(.serviceUnavailable) : .failure(.connectionLost)])
        let chunks = AsyncStream<Data> { $0.finish() }
        let once = try request(.put, body: .stream(chunks))
        let status = try? await Retrying(base: base, strategy: quick).stream(once).status
        #expect(status == (isAnswered ? .serviceUnavailable : nil) && base.requests.count == 1)
    }

    @Test func `each attempt has the remaining time`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .text("no", status: .badGateway))
        let transport = Retrying(base: base, strategy: steady, clock: clock)
        let response = try await clock.autoAdvancing { try await transport.stream(request(total: .seconds(3))) }
        #expect(try await response.collect().body == Data("no".utf8))
        // The second wait would end after the deadline, so it does not start.
        #expect(base.requests.map(\.options.timeouts.total) == [.seconds(3), .seconds(1)])
    }

    @Test func `a wait that ends after the deadline times out`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .text("no", status: .badGateway))
        let transport = Retrying(base: base, strategy: steady, clock: Sleepyhead(clock: clock))
        let error = await #expect(throws: TransportError.self) {
            try await clock.autoAdvancing { try await transport.stream(request(total: .seconds(3))) }
        }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.attempts.count == 1)
        #expect(base.requests.count == 1)
    }

    /// The next attempt needs the only slot, which the previous response must free.
    @Test(arguments: [nil, "t"]) func `a response that is retried is released before the next attempt`(
        tag: String?
    ) async throws {
        let base = ScriptedTransport([.text("no", status: .badGateway)], then: .text("done"))
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let transport = Retrying(base: Queued(base: base, queue: queue), strategy: quick)
        let response = try await transport.stream(HTTPRequest.get(tag: tag))
        #expect(try await response.collect().body == Data("done".utf8) && queue.runningCount == 0)
    }

    @Test func `a response with a Retry-After beyond the cap is released`() async throws {
        let fields = try HTTPFields(["Retry-After": "61"])
        let base = ScriptedTransport([.response(.serviceUnavailable, fields: fields, body: Data("no".utf8))])
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let transport = Retrying(base: Queued(base: base, queue: queue), strategy: .standard)
        let error = await #expect(throws: AdmissionError.self) { try await transport.stream(HTTPRequest.get(tag: "t")) }
        #expect(error?.retryAfter == .seconds(61) && error?.bodyPrefix.isEmpty == true)
        try await queue.drain()
    }

    @Test func `a response that is retried has no slot during the wait`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.text("no", status: .badGateway)], then: .text("done"))
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1))
        let transport = Retrying(base: Queued(base: base, queue: queue), strategy: steady, clock: clock)
        let request = try request()
        let call = Task { try await transport.stream(request) }
        try await clock.waitForSleepers(1)
        try await queue.waitForFreeSlot()
        await clock.advance(by: .seconds(2))
        #expect(try await call.value.collect().body == Data("done".utf8))
    }

    // MARK: Over the network

    private static let good: ServerScript = [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")]

    /// Runs a body with a transport whose first request gets a script, and all others a success.
    private func withServer(
        _ first: ServerScript, backoff: Duration = .milliseconds(20), attempts: Int = 3,
        _ body: (
            Retrying<URLSessionTransport, Retry<StandardRetryClassifier, ConstantBackoff, AttemptLimit>>, LoopbackServer
        )
            async throws -> Void
    ) async throws {
        try await LoopbackServer(script: { $0.number == 0 ? first : Self.good }).stopping(after: { server in
            let strategy = Retry(classifier: .standard, backoff: .constant(backoff), limiter: .attempts(attempts))
            try await body(Retrying(base: URLSessionTransport(clock: ManualClock()), strategy: strategy), server)
        })
    }

    @Test(arguments: [ServerScript.Step.close, .reset].indices) func `a connection lost before the head`(
        way: Int
    ) async throws {
        try await withServer([[ServerScript.Step.close, .reset][way]]) { transport, server in
            let response = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            #expect(try await response.collect().body == Data("done".utf8) && server.requestCount == 2)
        }
    }

    @Test func `nothing is retried after the head, and the error lists all attempts`() async throws {
        let busy: ServerScript = [.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")]
        let cut: ServerScript = [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"), .close]
        try await LoopbackServer(script: { $0.number == 0 ? busy : cut }).stopping(after: { server in
            let transport = Retrying(base: URLSessionTransport(clock: ManualClock()), strategy: quick)
            let response = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            var bytes = Data()
            let error = await #expect(throws: TransportError.self) {
                for try await chunk in response.body { bytes += chunk }
            }
            #expect(bytes == Data("01234".utf8) && server.requestCount == 2)
            #expect(error?.code == .truncated && error?.head?.status == .ok)
            #expect(error?.attempts.first == .init(.status(.serviceUnavailable), backoff: .zero))
            guard case .failure(.truncated, _) = error?.attempts.last?.cause else { return #expect(Bool(false)) }
            #expect(error?.attempts.count == 2)
        })
    }

    @Test func `the body of a retried response is read during the wait, and its connection reused`()
        async throws
    {
        let body = String(repeating: "x", count: 30_000)
        let busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 30000\r\n\r\n\(body)"
        try await LoopbackServer(script: { $0.number == 0 ? [.send(busy)] : Self.good }).stopping(after: { server in
            let clock = CountingClock()
            let network = URLSessionTransport(clock: ManualClock())
            let transport = Retrying(base: network, strategy: steady, clock: clock)
            let request = try HTTPRequest(.get, server.url(of: "/"))
            let call = Task { try await transport.stream(request) }
            // The first sleep bounds the reading of the body; the second one is the rest of the wait.
            try await clock.sleeps.wait { $0 == 2 }
            await clock.clock.advance(by: .seconds(2))
            #expect(try await call.value.collect().body == Data("done".utf8))
            #expect(server.requestCount == 2 && server.connectionCount == 1)
        })
    }

    /// Delays neither the wait nor the next attempt.
    @Test(arguments: [Duration.zero, .milliseconds(20)]) func `a body that never ends is dropped after the wait`(
        backoff: Duration
    ) async throws {
        let endless: ServerScript = [
            .send(
                "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n01234"),
            .stall,
        ]
        try await withServer(endless, backoff: backoff) { transport, server in
            let response = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            #expect(try await response.collect().body == Data("done".utf8) && server.requestCount == 2)
            try await server.waitForOpenConnections(1)
        }
    }

    @Test func `a body that stalls keeps its slot for a second of the wait`() async throws {
        let endless: ServerScript = [
            .send("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 30\r\nContent-Length: 10\r\n\r\n01234"), .stall,
        ]
        try await LoopbackServer(script: { $0.number == 0 ? endless : Self.good }).stopping(after: { server in
            let (clock, queue) = (ManualClock(), RequestQueue(limits: QueueLimits(maximumConcurrent: 1)))
            let base = URLSessionTransport(clock: ManualClock()).queued(in: queue)
            let transport = Retrying(base: base, strategy: .standard, clock: clock)
            let request = try HTTPRequest(.get, server.url(of: "/"))
            let call = Task { try await transport.stream(request) }
            try await clock.waitForSleepers(1)
            #expect(queue.runningCount == 1 && clock.nextDeadline?.offset == .seconds(1))
            await clock.advance(by: .seconds(1))
            try await queue.waitForFreeSlot()
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(29))
            #expect(try await call.value.collect().body == Data("done".utf8))
        })
    }

    @Test func `cancellation ends a wait at once, and drops the body`() async throws {
        let endless: ServerScript = [
            .send(
                "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n01234"),
            .stall,
        ]
        try await withServer(endless, backoff: .seconds(3600)) { transport, server in
            let log = WaitLog()
            let request = try HTTPRequest(.get, server.url(of: "/"))
            let call = Task { try await transport.stream(request, observer: log) }
            try await log.hasRetried.wait()
            call.cancel()
            let error = await #expect(throws: TransportError.self) { try await call.value }
            #expect(error?.code == .cancelled && error?.attempts.count == 1)
            try await server.waitForOpenConnections(0)
        }
    }
}

/// Opens a gate when a wait starts.
private final class WaitLog: TransferObserver {
    let hasRetried = Gate()
    func transfer(didEmit event: TransferEvent) { if event.retriedAttempt != nil { hasRetried.open() } }
}

/// A clock that counts its sleeps.
private struct CountingClock: Clock {
    let clock = ManualClock()
    let sleeps = Watched(0)
    var now: ManualClock.Instant { clock.now }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        sleeps.update { $0 += 1 }
        try await clock.sleep(until: deadline, tolerance: tolerance)
    }
}

/// A clock whose sleepers wake two seconds late.
private struct Sleepyhead: Clock {
    let clock: ManualClock
    var now: ManualClock.Instant { clock.now }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: deadline.advanced(by: .seconds(2)), tolerance: tolerance)
    }
}
