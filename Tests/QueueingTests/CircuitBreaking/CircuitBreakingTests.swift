import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct CircuitBreakingTests {
    private let policy = CircuitPolicy(threshold: .failures(2, within: .seconds(10)), openTime: .seconds(30))

    @Test func `fails at once while it is open, and says how long`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport(
            [.status(.serviceUnavailable), .failure(.connectionLost)], then: .status(.ok))
        let transport = CircuitBreaking(base: base, policy: policy, clock: clock)
        let copy = transport
        #expect(try await transport.send(request()).status == .serviceUnavailable)
        await #expect(throws: TransportError.self) { try await transport.send(request()) }
        await clock.advance(by: .seconds(10))
        let error = await #expect(throws: TransportError.self) { try await copy.send(request()) }
        #expect(error?.code == .circuitOpen && error?.retryAfter == .seconds(20) && error?.request == "GET http://h/")
        #expect(base.requests.count == 2)
        #expect(try await transport.send(request(.get, "http://other/")).status == .ok)
    }

    @Test func `probes, and closes`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let base = ScriptedTransport(
            [.failure(.timedOut), .failure(.timedOut), .after(gate, .status(.ok))], then: .status(.notFound))
        let transport = CircuitBreaking(base: base, policy: policy, clock: clock)
        let request = try request()
        for _ in 0..<2 { await #expect(throws: TransportError.self) { try await transport.send(request) } }
        await clock.advance(by: .seconds(30))
        let probe = Task { try await transport.send(request) }
        try await gate.waitForArrivals(1)
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.code == .circuitOpen && error?.retryAfter == nil)
        gate.open()
        #expect(try await probe.value.status == .ok)
        #expect(try await transport.send(request).status == .notFound)
    }

    @Test func `a cancelled probe gives its place back`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.failure(.timedOut), .failure(.timedOut), .never], then: .status(.ok))
        let transport = CircuitBreaking(base: base, policy: policy, clock: clock)
        let request = try request()
        for _ in 0..<2 { await #expect(throws: TransportError.self) { try await transport.send(request) } }
        await clock.advance(by: .seconds(30))
        let probe = Task { try await transport.send(request) }
        try await base.requests(count: 3)
        probe.cancel()
        await #expect(throws: TransportError.self) { try await probe.value }
        #expect(try await transport.send(request).status == .ok)
    }

    @Test func `errors of other kinds say nothing`() async throws {
        struct Stranger: Error {}
        let base = ScriptedTransport([], then: .failure(Stranger()))
        let transport = CircuitBreaking(base: base, policy: policy)
        for _ in 0..<10 { await #expect(throws: Stranger.self) { try await transport.send(request()) } }
        #expect(base.requests.count == 10)
    }

    @Test func `a retry waits until it is tried again, also for a POST`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.failure(.connectionLost), .failure(.connectionLost)], then: .status(.ok))
        let breaking = CircuitBreaking(base: base, policy: policy, clock: clock)
        for _ in 0..<2 { await #expect(throws: TransportError.self) { try await breaking.send(request()) } }
        let transport = Retrying(base: breaking, strategy: .standard, clock: clock)
        let response = try await clock.run { try await transport.send(request(.post)) }
        #expect(response.status == .ok && clock.now.offset == .seconds(30))
    }
}
