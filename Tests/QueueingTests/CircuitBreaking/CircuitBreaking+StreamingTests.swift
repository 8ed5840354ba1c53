import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct CircuitBreakingStreamingTests {
    private let policy = CircuitPolicy(threshold: .failures(2, within: .seconds(10)), openTime: .seconds(30))

    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
    private static let good: FaultPlan = [.send(head + "0123456789")]
    private static let cut: FaultPlan = [.send(head + "01234"), .close]
    private static let stalled: FaultPlan = [.send(head + "01234"), .stall]

    /// Does something with a transport whose requests are answered by these plans, and then well.
    private func withServer(
        _ plans: [FaultPlan], policy: CircuitPolicy? = nil,
        _ body: (CircuitBreaking<URLSessionTransport>, HTTPRequest, ManualClock) async throws -> Void
    ) async throws {
        try await LoopbackServer(plan: { $0.number < plans.count ? plans[$0.number] : Self.good })
            .stopping(after: { server in
                let clock = ManualClock()
                let transport = CircuitBreaking(
                    base: URLSessionTransport(clock: ManualClock()), policy: policy ?? self.policy, clock: clock)
                // What is sent once arrives once.
                let request = try HTTPRequest(.post, server.url(of: "/"))
                try await body(transport, request, clock)
            })
    }

    /// What comes of a streamed call: the length of its body, or the code of its error.
    private func outcome(
        _ transport: CircuitBreaking<URLSessionTransport>, _ request: HTTPRequest
    ) async throws -> String {
        do {
            return "\(try await transport.stream(request).collect().body.count)"
        } catch let error as TransportError {
            return "\(error.code)"
        }
    }

    @Test func `bodies that break off open it, and heads that are failures`() async throws {
        let bad: FaultPlan = [.send("HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno")]
        for (plans, outcomes) in [
            ([Self.cut, Self.cut], ["truncated", "truncated"]), ([bad, Self.cut], ["2", "truncated"]),
            ([bad, bad], ["2", "2"]), ([[.close], bad], ["connectionLost", "2"]),
        ] {
            try await withServer(plans) { transport, request, _ in
                for expected in outcomes + ["circuitOpen"] {
                    let outcome = try await outcome(transport, request)
                    #expect(outcome == expected)
                }
            }
        }
    }

    @Test func `a body counts when it is over, and a reader who leaves says nothing`() async throws {
        try await withServer([Self.cut, Self.stalled, Self.cut]) { transport, request, _ in
            let first = try await transport.stream(request)
            for way in 0..<2 {
                let left = try await transport.stream(request)
                if way == 1 { for try await _ in left.body { break } }
            }
            // One failure is not read yet, the other was left unread.
            #expect(try await outcome(transport, request) == "10")
            await #expect(throws: TransportError.self) { try await first.collect() }
            #expect(try await outcome(transport, request) == "10")
        }
    }

    private func opened(_ transport: CircuitBreaking<URLSessionTransport>, _ request: HTTPRequest) async throws {
        for _ in 0..<2 { _ = try await outcome(transport, request) }
        #expect(try await outcome(transport, request) == "circuitOpen")
    }

    @Test(arguments: ["held", "dropped", "left", "cancelled"]) func `a probe has done its part with its head`(
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
            // Nobody is held up by a body that is read for long, or for ever.
            for _ in 0..<3 { #expect(try await outcome(transport, request) == "10") }
            withExtendedLifetime(probe) {}
        }
    }

    @Test func `a probe whose body breaks off counts as one more failure`() async throws {
        try await withServer([Self.cut, Self.cut, Self.cut, Self.cut]) { transport, request, clock in
            try await opened(transport, request)
            await clock.advance(by: .seconds(30))
            // Its head closes the circuit, and then two bodies have broken off again.
            for _ in 0..<2 { #expect(try await outcome(transport, request) == "truncated") }
            #expect(try await outcome(transport, request) == "circuitOpen")
        }
    }

    @Test func `of two probes one that breaks off opens it again`() async throws {
        var policy = policy
        policy.probes = 2
        try await withServer([Self.cut, Self.cut, Self.cut], policy: policy) { transport, request, clock in
            try await opened(transport, request)
            await clock.advance(by: .seconds(30))
            #expect(try await outcome(transport, request) == "truncated")
            #expect(try await outcome(transport, request) == "circuitOpen")
        }
    }

    @Test func `a probe that is cancelled before its head gives its place back`() async throws {
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
