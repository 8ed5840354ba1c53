import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct HedgingStreamingTests {
    private func hedging<Base: Transport>(_ base: Base, _ clock: ManualClock) -> Hedging<Base> {
        Hedging(base: base, after: .seconds(1), clock: clock)
    }

    @Test func `a late head is overtaken and cancelled, and the winner heard to its end`() async throws {
        let base = RecordingTransport(base: ScriptedTransport([.never, .text("second")]))
        let (clock, log) = (ManualClock(), EventLog())
        let transport = hedging(base, clock)
        let request = try request()
        let call = Task { try await transport.stream(request, observer: log) }
        try await base.base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        let response = try await call.value
        #expect(base.exchanges.first?.isCancelled == true && log.events == [.head(response.head)])
        #expect(try await response.collect().body == Data("second".utf8))
        #expect(log.events == [.head(response.head), .received(6, of: 6)])
        #expect(base.exchanges.map(\.isCancelled) == [true, false])
    }

    @Test func `a slow body is not asked for again`() async throws {
        let (base, clock) = (ScriptedTransport([.text("first")]), ManualClock())
        let response = try await hedging(base, clock).stream(request())
        await clock.advance(by: .seconds(100))
        #expect(try await response.collect().body == Data("first".utf8))
        #expect(base.requests.count == 1 && clock.sleepers == 0)
    }

    @Test func `an answer that is not good is let go when another one wins`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let base = RecordingTransport(
            base: ScriptedTransport([.after(gate, .text("first")), .text("no", status: .badGateway)]))
        let transport = hedging(base, clock)
        let request = try request()
        let call = Task { try await transport.stream(request) }
        try await base.base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await base.exchanges(ended: 1)
        gate.open()
        #expect(try await call.value.collect().body == Data("first".utf8))
        #expect(base.exchanges.map(\.isCancelled) == [false, true])
    }

    @Test(arguments: [HTTPMethod.put, .delete, .post]) func `what is not safe is sent once`(
        method: HTTPMethod
    ) async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let transport = hedging(ScriptedTransport([.after(gate, .text("only"))]), clock)
        let request = try request(method)
        let call = Task { try await transport.stream(request) }
        try await gate.waitForArrivals(1)
        #expect(clock.sleepers == 0)
        gate.open()
        #expect(try await call.value.collect().body == Data("only".utf8))
    }

    @Test func `a server that stalls once, and whose second body is dropped`() async throws {
        let plan: @Sendable (RecordedRequest) -> FaultPlan = { request in
            request.number == 0
                ? [.stall] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"), .stall]
        }
        try await LoopbackServer(plan: { plan($0) }).stopping(after: { server in
            let transport = Hedging(base: URLSessionTransport(clock: ManualClock()), after: .milliseconds(20))
            let response = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            // The loser's connection goes while the winner's body comes.
            try await server.waitForOpenConnections(1)
            var bytes = Data()
            for try await chunk in response.body {
                bytes += chunk
                if bytes.count == 5 { break }
            }
            #expect(bytes == Data("01234".utf8) && server.requestCount == 2)
            try await server.waitForOpenConnections(0)
        })
    }
}
