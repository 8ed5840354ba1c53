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
        Hedging(base: base, after: .seconds(1), attempts: attempts, clock: clock)
    }

    @Test func `a quick answer is the only one`() async throws {
        let base = ScriptedTransport([.text("first")])
        let clock = ManualClock()
        let log = EventLog()
        let response = try await hedging(base, clock).send(request(), observer: log)
        #expect(response.body == Data("first".utf8) && base.requests.count == 1 && clock.sleepers == 0)
        #expect(log.events == [.head(response.head), .received(5, of: 5)])
    }

    @Test func `a late one is overtaken and cancelled`() async throws {
        let base = RecordingTransport(base: ScriptedTransport([.never, .text("second")]))
        let clock = ManualClock()
        let log = EventLog()
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
        // First what the first attempt had to say, then what the winner had.
        #expect(log.events == [.sent(3, of: 3), .sent(3, of: 3), .head(response.head), .received(6, of: 6)])
    }

    @Test func `when all fail the error tells of all`() async throws {
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

    @Test func `a request that may be sent once is`() async throws {
        let base = ScriptedTransport([], then: .failure(.connectionLost))
        let clock = ManualClock()
        let quick = Retry(triage: .standard, delay: .immediate, permission: .attempts(5))
        let transport = Retrying(base: hedging(base, clock), strategy: quick)
        await #expect(throws: TransportError.self) { try await transport.send(request(maximumAttempts: 2)) }
        #expect(base.requests.count == 2 && clock.sleepers == 0)
    }

    @Test func `the first may still win`() async throws {
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
        #expect(clock.sleepers == 0)
        gate.open()
        #expect(try await task.value.body == Data("first".utf8))
        #expect(base.exchanges.map(\.isCancelled) == [false, true, true])
    }

    @Test func `a failure waits for what is under way`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let base = ScriptedTransport([.after(gate, .text("first")), .failure(.connectionLost)])
        let transport = hedging(base, clock)
        let request = try request()
        let task = Task { try await transport.send(request) }
        try await base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await base.requests(count: 2)
        gate.open()
        #expect(try await task.value.body == Data("first".utf8))
    }

    @Test func `a failure alone ends the call`() async throws {
        for step in [ScriptedTransport.Step.failure(.connectionLost), .status(.serviceUnavailable)] {
            let base = ScriptedTransport([step])
            let clock = ManualClock()
            _ = try? await hedging(base, clock).send(request())
            #expect(base.requests.count == 1 && clock.sleepers == 0)
        }
    }

    @Test func `when none is good the last counts`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let base = ScriptedTransport([.after(gate, .status(.badGateway)), .failure(.connectionLost)])
        let recording = RecordingTransport(base: base)
        let transport = hedging(recording, clock)
        let request = try request()
        let task = Task { try await transport.send(request) }
        try await base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await recording.exchanges(ended: 1)
        gate.open()
        #expect(try await task.value.status == .badGateway)
    }

    @Test func `what does harm is sent once`() async throws {
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
            try await gate.waitForArrivals(1)
            #expect(clock.sleepers == 0)
            gate.open()
            #expect(try await task.value.body == Data("only".utf8))
        }
    }

    @Test func `no attempt begins when no time is left`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.after(.seconds(2), on: clock, .text("first"))], then: .text("again"))
        let transport = hedging(base, clock, attempts: 3)
        let request = try request(total: .seconds(1))
        let task = Task { try await transport.send(request) }
        try await clock.waitForSleepers(2)
        await clock.advance(by: .seconds(2))
        #expect(try await task.value.body == Data("first".utf8) && base.requests.count == 1)
    }

    @Test func `is cancelled with all its attempts, exactly once`() async throws {
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
        #expect(base.exchanges.map(\.isCancelled) == [true, true] && clock.sleepers == 0)
    }

    @Test func `a server that stalls once`() async throws {
        let plan: @Sendable (RecordedRequest) -> FaultPlan = { request in
            request.number == 0 ? [.stall] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")]
        }
        try await LoopbackServer(plan: { plan($0) }).stopping(after: { server in
            let transport = Hedging(base: URLSessionTransport(clock: ManualClock()), after: .milliseconds(20))
            let response = try await transport.send(HTTPRequest(.get, server.url(of: "/")))
            #expect(response.body == Data("done".utf8) && server.requestCount == 2)
        })
    }
}
