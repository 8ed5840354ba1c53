import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct CircuitBreakingTests {
    private let policy = CircuitPolicy(threshold: .failures(2, within: .seconds(10)), openDuration: .seconds(30))

    @Test func `an open circuit fails fast, with the remaining time`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport(
            [.status(.serviceUnavailable), .failure(.connectionLost)], then: .status(.ok))
        let transport = CircuitBreaking(base: base, policy: policy, clock: clock)
        let copy = transport
        #expect(try await transport.send(request()).status == .serviceUnavailable)
        await #expect(throws: TransportError.self) { try await transport.send(request()) }
        await clock.advance(by: .seconds(10))
        let error = await #expect(throws: AdmissionError.self) { try await copy.send(request()) }
        #expect(error?.code == .circuitOpen && error?.retryAfter == .seconds(20) && error?.request == "GET http://h/")
        #expect(base.requests.count == 2)
        #expect(try await transport.send(request(.get, "http://other/")).status == .ok)
    }

    @Test func `a half-open circuit closes after a success`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let base = ScriptedTransport(
            [.failure(.timedOut), .failure(.timedOut), .after(gate, .status(.ok))], then: .status(.notFound))
        let transport = CircuitBreaking(base: base, policy: policy, clock: clock)
        let request = try request()
        for _ in 0..<2 { await #expect(throws: TransportError.self) { try await transport.send(request) } }
        await clock.advance(by: .seconds(30))
        let probe = Task { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        let error = await #expect(throws: AdmissionError.self) { try await transport.send(request) }
        #expect(error?.code == .circuitOpen && error?.retryAfter == nil)
        gate.open()
        #expect(try await probe.value.status == .ok)
        #expect(try await transport.send(request).status == .notFound)
    }

    @Test func `a cancelled half-open call frees its place`() async throws {
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

    @Test(
        arguments: [true, false],
        [
            ("http://h/", RequestOptions { $0.unixSocketPath = "/run/gone.sock" }),
            ("http://h/", RequestOptions { $0.nameOverrides = ["h": "192.0.2.1"] }),
            ("http://[::1]/", RequestOptions { $0.nameOverrides = ["::1": "192.0.2.1"] }),
        ])
    func `a request that is not sent to the host of its URL passes, and does not count`(
        isStreamed: Bool, call: (url: String, options: RequestOptions)
    ) async throws {
        let failures = [ScriptedTransport.Step](repeating: .failure(.connectionRefused), count: 3)
        let transport = CircuitBreaking(
            base: ScriptedTransport(failures, then: .status(.ok)), policy: policy, clock: ManualClock())
        let local = try HTTPRequest(.get, call.url, options: call.options)
        for _ in failures {
            await #expect(throws: TransportError.self) {
                _ = isStreamed ? try await transport.stream(local).head : try await transport.send(local).head
            }
        }
        #expect(try await transport.send(request(.get, call.url)).status == .ok)
    }

    @Test func `errors of other types do not count`() async throws {
        struct Stranger: Error {}
        let base = ScriptedTransport([], then: .failure(Stranger()))
        let transport = CircuitBreaking(base: base, policy: policy)
        for _ in 0..<10 { await #expect(throws: Stranger.self) { try await transport.send(request()) } }
        #expect(base.requests.count == 10)
    }

    @Test func `requests that a layer below rejects do not count`() async throws {
        let base = FakeTransport { request in throw AdmissionError(.expired, "x", request: request) }
        let transport = CircuitBreaking(base: base, policy: CircuitPolicy(threshold: policy.threshold) { _ in true })
        for _ in 0..<10 {
            let error = await #expect(throws: AdmissionError.self) { try await transport.send(request()) }
            #expect(error?.code == .expired)
        }
    }

    @Test func `responses that a layer below has made do not count`() async throws {
        let clock = ManualClock()
        let local = ScriptedTransport.Step { $0.localResponse(.gatewayTimeout) }
        let base = ScriptedTransport(
            [local, local, .failure(.timedOut), .failure(.timedOut), local, local, .failure(.timedOut)],
            then: .status(.ok))
        let transport = CircuitBreaking(base: base, policy: policy, clock: clock)
        let request = try request()
        // Such a response neither opens a circuit,
        #expect(try await transport.send(request).status == .gatewayTimeout)
        #expect(try await transport.stream(request).status == .gatewayTimeout)
        for _ in 0..<2 { await #expect(throws: TransportError.self) { try await transport.send(request) } }
        await clock.advance(by: .seconds(30))
        // nor closes a half-open one: there the next failure is enough.
        #expect(try await transport.send(request).status == .gatewayTimeout)
        #expect(try await transport.stream(request).status == .gatewayTimeout)
        await #expect(throws: TransportError.self) { try await transport.send(request) }
        await #expect(throws: AdmissionError.self) { try await transport.send(request) }
    }

    /// A circuit opened by two failures.
    private func open(_ base: ScriptedTransport, clock: ManualClock) async -> CircuitBreaking<ScriptedTransport> {
        let breaking = CircuitBreaking(base: base, policy: policy, clock: clock)
        for _ in 0..<2 { await #expect(throws: TransportError.self) { try await breaking.send(request()) } }
        return breaking
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `a standard retry fails fast at an open circuit`(method: HTTPMethod) async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.failure(.connectionLost), .failure(.connectionLost)], then: .status(.ok))
        let transport = Retrying(base: await open(base, clock: clock), strategy: .standard, clock: clock)
        let error = await #expect(throws: AdmissionError.self) { try await transport.send(request(method)) }
        #expect(error?.code == .circuitOpen && error?.retryAfter == .seconds(30) && error?.attempts.count == 1)
        #expect(base.requests.count == 2)
    }

    @Test func `a retry ends when its own attempt opened the circuit`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .failure(.connectionLost))
        let breaking = CircuitBreaking(base: base, policy: policy, clock: clock)
        let retry = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(5))
        let error = await #expect(throws: AdmissionError.self) {
            try await Retrying(base: breaking, strategy: retry, clock: clock).send(request())
        }
        #expect(error?.code == .circuitOpen && error?.attempts.count == 3 && base.requests.count == 2)
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `a retry can wait until the circuit is half-open`(method: HTTPMethod) async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.failure(.connectionLost), .failure(.connectionLost)], then: .status(.ok))
        let breaking = await open(base, clock: clock)
        var strategy: StandardRetry = .standard
        strategy.classifier.waitsForOpenCircuits = true
        let transport = Retrying(base: breaking, strategy: strategy, clock: clock)
        let response = try await clock.autoAdvancing { try await transport.send(request(method)) }
        #expect(response.status == .ok && clock.now.offset == .seconds(30))
    }

    @Test func `a failing status counts, regardless of its length`() async throws {
        let base = ScriptedTransport([], then: .text("too long", status: .serviceUnavailable))
        let transport = CircuitBreaking(base: base, policy: policy)
        var request = try request()
        request.options.maximumResponseBytes = 1
        for _ in 0..<2 {
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == .responseTooLarge)
        }
        let error = await #expect(throws: AdmissionError.self) { try await transport.send(request) }
        #expect(error?.code == .circuitOpen)
    }
}
