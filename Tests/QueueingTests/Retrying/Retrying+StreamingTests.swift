import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct RetryingStreamingTests {
    private let quick = Retry(triage: .standard, delay: .immediate, permission: .attempts(3))
    private let steady = Retry(triage: .standard, delay: .constant(.seconds(2)), permission: .attempts(3))

    @Test func `repeats until a head is good, and gives its body`() async throws {
        let base = ScriptedTransport([.status(.serviceUnavailable), .failure(.connectionLost), .text("done")])
        let log = EventLog()
        let response = try await Retrying(base: base, strategy: quick).stream(request(), observer: log)
        #expect(try await response.collect().body == Data("done".utf8) && base.requests.count == 3)
        let retries = log.events.count { if case .retry = $0 { true } else { false } }
        #expect(retries == 2 && log.events.last == .received(4, of: 4))
    }

    @Test func `the last answer is given, whatever its status, with its body`() async throws {
        let base = ScriptedTransport([], then: .text("no", status: .badGateway))
        let response = try await Retrying(base: base, strategy: quick).stream(request())
        #expect(response.status == .badGateway && base.requests.count == 3)
        #expect(try await response.collect().body == Data("no".utf8))
    }

    @Test func `an error before the head tells of all attempts`() async throws {
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

    @Test func `each attempt has the time that is left`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .text("no", status: .badGateway))
        let transport = Retrying(base: base, strategy: steady, clock: clock)
        let response = try await clock.run { try await transport.stream(request(total: .seconds(3))) }
        #expect(try await response.collect().body == Data("no".utf8))
        // The second wait would end after the deadline, so it is not begun.
        #expect(base.requests.map(\.options.timeouts.total) == [.seconds(3), .seconds(1)])
    }

    @Test func `who wakes after the deadline fails by it`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .text("no", status: .badGateway))
        let transport = Retrying(base: base, strategy: steady, clock: Sleepyhead(clock: clock))
        let error = await #expect(throws: TransportError.self) {
            try await clock.run { try await transport.stream(request(total: .seconds(3))) }
        }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.attempts.count == 1)
        #expect(base.requests.count == 1)
    }

    /// The next attempt needs the only place there is, which the answer before it has to give back.
    @Test(arguments: [nil, "t"]) func `an answer that is repeated is let go before the next attempt`(
        tag: String?
    ) async throws {
        let base = ScriptedTransport([.text("no", status: .badGateway)], then: .text("done"))
        let queue = RequestQueue(limits: QueueLimits(running: 1))
        let transport = Retrying(base: Queued(base: base, queue: queue), strategy: quick)
        let response = try await transport.stream(HTTPRequest.get(tag: tag))
        #expect(try await response.collect().body == Data("done".utf8) && queue.runningCount == 0)
    }

    @Test func `an answer that is repeated takes no place during the wait`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.text("no", status: .badGateway)], then: .text("done"))
        let queue = RequestQueue(limits: QueueLimits(running: 1))
        let transport = Retrying(base: Queued(base: base, queue: queue), strategy: steady, clock: clock)
        let request = try request()
        let call = Task { try await transport.stream(request) }
        try await clock.waitForSleepers(1)
        await queue.waitForRunning(0)
        await clock.advance(by: .seconds(2))
        #expect(try await call.value.collect().body == Data("done".utf8))
    }

    // MARK: Over the network

    private static let good: FaultPlan = [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")]

    /// Does something with a transport whose first request is answered by a plan, and the others well.
    private func withServer(
        _ first: FaultPlan, delay: Duration = .milliseconds(20), attempts: Int = 3,
        _ body: (Retrying<URLSessionTransport, Retry<StandardTriage, ConstantDelay, AttemptLimit>>, LoopbackServer)
            async throws -> Void
    ) async throws {
        try await LoopbackServer(plan: { $0.number == 0 ? first : Self.good }).stopping(after: { server in
            let strategy = Retry(triage: .standard, delay: .constant(delay), permission: .attempts(attempts))
            try await body(Retrying(base: URLSessionTransport(clock: ManualClock()), strategy: strategy), server)
        })
    }

    @Test(arguments: [FaultPlan.Step.close, .reset].indices) func `a connection that is lost before the head`(
        way: Int
    ) async throws {
        try await withServer([[FaultPlan.Step.close, .reset][way]]) { transport, server in
            let response = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            #expect(try await response.collect().body == Data("done".utf8) && server.requestCount == 2)
        }
    }

    @Test func `after the head nothing is repeated, and the error tells of all attempts`() async throws {
        let busy: FaultPlan = [.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")]
        let cut: FaultPlan = [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"), .close]
        try await LoopbackServer(plan: { $0.number == 0 ? busy : cut }).stopping(after: { server in
            let transport = Retrying(base: URLSessionTransport(clock: ManualClock()), strategy: quick)
            let response = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            var bytes = Data()
            let error = await #expect(throws: TransportError.self) {
                for try await chunk in response.body { bytes += chunk }
            }
            #expect(bytes == Data("01234".utf8) && server.requestCount == 2)
            #expect(error?.code == .truncated && error?.head?.status == .ok)
            #expect(error?.attempts.first == .init(.status(.serviceUnavailable), delay: .zero))
            guard case .failure(.truncated, _) = error?.attempts.last?.cause else { return #expect(Bool(false)) }
            #expect(error?.attempts.count == 2)
        })
    }

    @Test func `the body of an answer that is repeated is read during the wait, and its connection used again`()
        async throws
    {
        let body = String(repeating: "x", count: 30_000)
        let busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 30000\r\n\r\n\(body)"
        try await LoopbackServer(plan: { $0.number == 0 ? [.send(busy)] : Self.good }).stopping(after: { server in
            let clock = CountingClock()
            let network = URLSessionTransport(clock: ManualClock())
            let transport = Retrying(base: network, strategy: steady, clock: clock)
            let request = try HTTPRequest(.get, server.url(of: "/"))
            let call = Task { try await transport.stream(request) }
            // The first sleep limits the reading of the body; the second is the rest of the wait after that.
            try await clock.sleeps.wait { $0 == 2 }
            await clock.clock.advance(by: .seconds(2))
            #expect(try await call.value.collect().body == Data("done".utf8))
            #expect(server.requestCount == 2 && server.connectionCount == 1)
        })
    }

    /// Neither the wait nor the next attempt is held up.
    @Test(arguments: [Duration.zero, .milliseconds(20)]) func `a body that never ends is dropped after the wait`(
        delay: Duration
    ) async throws {
        let endless: FaultPlan = [
            .send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 10\r\n\r\n01234"), .stall,
        ]
        try await withServer(endless, delay: delay) { transport, server in
            let response = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            #expect(try await response.collect().body == Data("done".utf8) && server.requestCount == 2)
            try await server.waitForOpenConnections(1)
        }
    }

    @Test func `is cancelled during a wait at once, with the body that is dropped then`() async throws {
        let endless: FaultPlan = [
            .send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 10\r\n\r\n01234"), .stall,
        ]
        try await withServer(endless, delay: .seconds(3600)) { transport, server in
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

/// Opens a gate when a wait begins.
private final class WaitLog: TransferObserver {
    let hasRetried = Gate()
    func transfer(didReach event: TransferEvent) { if case .retry = event { hasRetried.open() } }
}

/// A clock that counts the sleeps that begin.
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
