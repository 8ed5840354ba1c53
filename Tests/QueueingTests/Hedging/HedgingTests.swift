import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct HedgingTests {
    private func hedging<Base: Transport>(
        _ base: Base, _ clock: ManualClock, attempts: Int = 2
    ) -> Hedging<Base> {
        Hedging(base: base, after: .seconds(1), maximumAttempts: attempts, clock: clock)
    }

    @Test func `a quick response needs one attempt`() async throws {
        let base = ScriptedTransport([.text("first")])
        let clock = ManualClock()
        let log = EventRecorder()
        let response = try await hedging(base, clock).send(request(), observer: log)
        #expect(response.body == Data("first".utf8) && base.requests.count == 1 && clock.sleeperCount == 0)
        #expect(log.events == [.head(response.head), .receivedBytes(5, total: 5)])
    }

    @Test func `a late attempt is overtaken and cancelled`() async throws {
        let base = RecordingTransport(base: ScriptedTransport([.never, .text("second")]))
        let clock = ManualClock()
        let log = EventRecorder()
        let transport = hedging(base, clock)
        let request = try request(.put, body: .text("abc"), total: .seconds(10))
        let task = Task { try await transport.send(request, observer: log) }
        try await base.base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .milliseconds(999))
        #expect(base.exchanges.count == 1)
        await clock.advance(by: .milliseconds(1))
        let response = try await task.value
        #expect(response.body == Data("second".utf8))
        #expect(base.exchanges.map(\.isCancelled) == [true, false])
        #expect(base.exchanges.map(\.request.options.timeouts.total) == [.seconds(10), .seconds(9)])
        // First the events of the first attempt, then those of the winner. The head of an event lists no attempts.
        var head = response.head
        head.attempts = []
        #expect(
            log.events == [
                .sentBytes(3, total: 3), .sentBytes(3, total: 3), .head(head), .receivedBytes(6, total: 6),
            ])
    }

    /// Blocks in its events, and notes their threads.
    private final class Blocked: TransferObserver {
        let names = Watched<[String]>([])
        let leave = DispatchSemaphore(value: 0)
        func transfer(didEmit event: TransferEvent) {
            names.update { $0.append(threadName()) }
            leave.wait()
        }
    }

    @Test(arguments: [nil, Duration.seconds(10)])
    func `the observer of a late attempt that wins may block until the total timeout, on an observer thread`(
        total: Duration?
    ) async throws {
        let (base, clock, observer) = (ScriptedTransport([.never, .text("second")]), ManualClock(), Blocked())
        let transport = hedging(base, clock)
        let request = try request(total: total)
        let task = Task { try await transport.send(request, observer: observer) }
        try await base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await observer.names.wait { !$0.isEmpty }
        if total == nil {
            for _ in 0..<2 { observer.leave.signal() }
        } else {
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(9))
        }
        #expect(try await task.value.body == Data("second".utf8))
        observer.leave.signal()
        #expect(observer.names.value == Array(repeating: "patchbay.events", count: total == nil ? 2 : 1))
    }

    @Test func `when all attempts fail, the error lists all of them`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let base = ScriptedTransport([.after(gate, .failure(.connectionLost)), .failure(.truncated)])
        let transport = hedging(base, clock)
        let request = try request()
        let task = Task { try await transport.send(request) }
        try await base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await base.requests(count: 2)
        gate.open()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        let codes = error?.attempts.map { attempt in
            if case .failure(let code, _) = attempt.cause { code } else { TransportError.Code.unknown }
        }
        #expect(codes.map(Set.init) == [.connectionLost, .truncated] && error?.attempts.count == 2)
    }

    @Test func `a request with one attempt is not hedged`() async throws {
        let base = ScriptedTransport([], then: .failure(.connectionLost))
        let clock = ManualClock()
        let quick = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(5))
        let transport = Retrying(base: hedging(base, clock), strategy: quick)
        await #expect(throws: TransportError.self) { try await transport.send(request(maximumAttempts: 2)) }
        #expect(base.requests.count == 2 && clock.sleeperCount == 0)
    }

    @Test func `a request for an upgrade is not hedged`() throws {
        let transport = hedging(ScriptedTransport([], then: .text("")), ManualClock())
        var upgrade = try request()
        #expect(transport.isHedged(upgrade))
        upgrade.options.upgradeProtocol = "websocket"
        #expect(!transport.isHedged(upgrade))
    }

    @Test func `the first attempt may still win`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let base = RecordingTransport(base: ScriptedTransport([.after(gate, .text("first")), .never, .never]))
        let transport = hedging(base, clock, attempts: 3)
        let request = try request()
        let task = Task { try await transport.send(request) }
        for attempts in 1...2 {
            try await base.base.requests(count: attempts)
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(1))
        }
        try await base.base.requests(count: 3)
        #expect(clock.sleeperCount == 0)
        gate.open()
        #expect(try await task.value.body == Data("first".utf8))
        #expect(base.exchanges.map(\.isCancelled) == [false, true, true])
    }

    @Test func `a failure waits for attempts in flight`() async throws {
        let (gate, clock, executor) = (Gate(), ManualClock(), ObservedExecutor())
        let base = ScriptedTransport([.after(gate, .text("first")), .failure(.connectionLost)])
        let recording = RecordingTransport(base: base)
        let transport = hedging(recording, clock)
        let request = try request()
        let task = Task(executorPreference: executor) { try await transport.send(request) }
        try await base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await recording.exchanges(ended: 1)
        // The layer has seen the end, too.
        try await executor.waitUntilIdle()
        gate.open()
        #expect(try await task.value.body == Data("first".utf8))
    }

    @Test func `a failure of the only attempt ends the call`() async throws {
        for step in [ScriptedTransport.Step.failure(.connectionLost), .status(.serviceUnavailable)] {
            let base = ScriptedTransport([step])
            let clock = ManualClock()
            _ = try? await hedging(base, clock).send(request())
            #expect(base.requests.count == 1 && clock.sleeperCount == 0)
        }
    }

    @Test func `without an acceptable response the last one counts`() async throws {
        let (gate, clock, executor) = (Gate(), ManualClock(), ObservedExecutor())
        let base = ScriptedTransport([.after(gate, .status(.badGateway)), .failure(.connectionLost)])
        let recording = RecordingTransport(base: base)
        let transport = hedging(recording, clock)
        let request = try request()
        let task = Task(executorPreference: executor) { try await transport.send(request) }
        try await base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await recording.exchanges(ended: 1)
        // The layer has seen the end, too.
        try await executor.waitUntilIdle()
        gate.open()
        #expect(try await task.value.status == .badGateway)
    }

    @Test func `requests that are not idempotent are sent once`() async throws {
        let clock = ManualClock()
        let chunks = AsyncStream<Data> { $0.finish() }
        for request in [
            try request(.post, body: .text("x")), try request(.put, body: .stream(chunks)),
            try request(maximumAttempts: 1),
        ] {
            let gate = Gate()
            let base = ScriptedTransport([.after(gate, .text("only"))], then: .text("again"))
            let transport = hedging(base, clock)
            let task = Task { try await transport.send(request) }
            try await gate.waitForWaiters(1)
            #expect(clock.sleeperCount == 0)
            gate.open()
            #expect(try await task.value.body == Data("only".utf8))
        }
    }

    @Test func `no attempt starts after the total timeout`() async throws {
        let clock = ManualClock()
        // It keeps no timeout.
        let late = ScriptedTransport.Step { request in
            try await clock.sleep(for: .seconds(2))
            return request.response(text: "first")
        }
        let base = ScriptedTransport([late], then: .text("again"))
        let transport = hedging(base, clock, attempts: 3)
        let request = try request(total: .seconds(1))
        let task = Task { try await transport.send(request) }
        try await clock.waitForSleepers(2)
        await clock.advance(by: .seconds(2))
        #expect(try await task.value.body == Data("first".utf8) && base.requests.count == 1)
    }

    @Test func `cancellation reaches all attempts, exactly once`() async throws {
        let clock = ManualClock()
        let base = RecordingTransport(base: ScriptedTransport([], then: .never))
        let transport = hedging(base, clock, attempts: 3)
        let request = try request()
        let once = ExactlyOnce<HTTPResponse>()
        let task = Task { await once.run { try await transport.send(request) } }
        try await base.base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await base.base.requests(count: 2)
        try await clock.waitForSleepers(1)
        task.cancel()
        guard case .cancellation = try await once.outcome else { return #expect(Bool(false), "It went on.") }
        await task.value
        try once.check()
        #expect(base.exchanges.map(\.isCancelled) == [true, true] && clock.sleeperCount == 0)
    }

    @Test func `a server that stalls once`() async throws {
        let script: @Sendable (RecordedRequest) -> ServerScript = { request in
            request.number == 0 ? [.stall] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")]
        }
        try await LoopbackServer(script: { script($0) }).stopping(after: { server in
            let transport = Hedging(base: URLSessionTransport(clock: ManualClock()), after: .milliseconds(20))
            let response = try await transport.send(HTTPRequest(.get, server.url(of: "/")))
            #expect(response.body == Data("done".utf8) && server.requestCount == 2)
        })
    }
}
