import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct CircuitBreakingStreamingTests {
    private let policy = CircuitPolicy(threshold: .failures(2, within: .seconds(10)), openDuration: .seconds(30))

    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
    private static let good: ServerScript = [.send(head + "0123456789")]
    private static let cut: ServerScript = [.send(head + "01234"), .close]
    private static let stalled: ServerScript = [.send(head + "01234"), .stall]

    /// Runs a body with a transport whose requests get these scripts, and then successes.
    private func withServer(
        _ scripts: [ServerScript], policy: CircuitPolicy? = nil,
        _ body: (CircuitBreaking<URLSessionTransport>, HTTPRequest, ManualClock) async throws -> Void
    ) async throws {
        try await LoopbackServer(script: { $0.number < scripts.count ? scripts[$0.number] : Self.good })
            .stopping(after: { server in
                let clock = ManualClock()
                let transport = CircuitBreaking(
                    base: URLSessionTransport(clock: ManualClock()), policy: policy ?? self.policy, clock: clock)
                // A POST is never sent twice by the engine.
                let request = try HTTPRequest(.post, server.url(of: "/"))
                try await body(transport, request, clock)
            })
    }

    /// The outcome of a streamed call: the length of its body, or the code of its error.
    private func outcome(
        _ transport: CircuitBreaking<URLSessionTransport>, _ request: HTTPRequest
    ) async throws -> String {
        do {
            return "\(try await transport.stream(request).collect().body.count)"
        } catch let error as TransportError {
            return "\(error.code)"
        } catch let error as AdmissionError {
            return "\(error.code)"
        }
    }

    @Test func `truncated bodies and failing heads open the circuit`() async throws {
        let bad: ServerScript = [.send("HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno")]
        for (scripts, outcomes) in [
            ([Self.cut, Self.cut], ["truncated", "truncated"]), ([bad, Self.cut], ["2", "truncated"]),
            ([bad, bad], ["2", "2"]), ([[.close], bad], ["connectionLost", "2"]),
        ] {
            try await withServer(scripts) { transport, request, _ in
                for expected in outcomes + ["circuitOpen"] {
                    let outcome = try await outcome(transport, request)
                    #expect(outcome == expected)
                }
            }
        }
    }

    @Test func `a body counts at its end, and a released one not at all`() async throws {
        try await withServer([Self.cut, Self.stalled, Self.cut]) { transport, request, _ in
            let first = try await transport.stream(request)
            for way in 0..<2 {
                let left = try await transport.stream(request)
                if way == 1 { for try await _ in left.body { break } }
            }
            // One failure is not read yet, and the others were released.
            #expect(try await outcome(transport, request) == "10")
            await #expect(throws: TransportError.self) { try await first.collect() }
            #expect(try await outcome(transport, request) == "10")
        }
    }

    private func opened(_ transport: CircuitBreaking<URLSessionTransport>, _ request: HTTPRequest) async throws {
        for _ in 0..<2 { _ = try await outcome(transport, request) }
        #expect(try await outcome(transport, request) == "circuitOpen")
    }

    @Test(arguments: ["held", "dropped", "left", "cancelled"]) func `a half-open call counts with its head`(
        way: String
    ) async throws {
        try await withServer([Self.cut, Self.cut, Self.stalled]) { transport, request, clock in
            try await opened(transport, request)
            await clock.advance(by: .seconds(30))
            var probe: HTTPResponseStream? = try await transport.stream(request)
            switch way {
            case "dropped": probe = nil
            case "left": for try await _ in try #require(probe).body { break }
            case "cancelled":
                let reader = Task { [probe] in try await probe?.collect() }
                reader.cancel()
                await #expect(throws: TransportError.self) { try await reader.value }
            default: break
            }
            // A body that takes long does not block other calls.
            for _ in 0..<3 { #expect(try await outcome(transport, request) == "10") }
            withExtendedLifetime(probe) {}
        }
    }

    @Test func `a half-open call with a truncated body counts as a further failure`() async throws {
        try await withServer([Self.cut, Self.cut, Self.cut, Self.cut]) { transport, request, clock in
            try await opened(transport, request)
            await clock.advance(by: .seconds(30))
            // Its head closes the circuit, then two truncated bodies open it.
            for _ in 0..<2 { #expect(try await outcome(transport, request) == "truncated") }
            #expect(try await outcome(transport, request) == "circuitOpen")
        }
    }

    @Test func `a truncated body of one of two half-open calls opens the circuit`() async throws {
        var policy = policy
        policy.halfOpenCalls = 2
        try await withServer([Self.cut, Self.cut, Self.cut], policy: policy) { transport, request, clock in
            try await opened(transport, request)
            await clock.advance(by: .seconds(30))
            #expect(try await outcome(transport, request) == "truncated")
            #expect(try await outcome(transport, request) == "circuitOpen")
        }
    }

    @Test func `a half-open call cancelled before its head frees its place`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.failure(.timedOut), .failure(.timedOut), .never], then: .text("ok"))
        let transport = CircuitBreaking(base: base, policy: policy, clock: clock)
        let request = try request()
        for _ in 0..<2 { await #expect(throws: TransportError.self) { try await transport.stream(request) } }
        await clock.advance(by: .seconds(30))
        let probe = Task { try await transport.stream(request) }
        try await base.requests(count: 3)
        probe.cancel()
        await #expect(throws: TransportError.self) { try await probe.value }
        #expect(try await transport.stream(request).collect().body == Data("ok".utf8))
    }
}
