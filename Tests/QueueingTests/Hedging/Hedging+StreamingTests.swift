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

    @Test func `a late head is overtaken and cancelled, and the events of the winner are complete`() async throws {
        let base = RecordingTransport(base: ScriptedTransport([.never, .text("second")]))
        let (clock, log) = (ManualClock(), EventRecorder())
        let transport = hedging(base, clock)
        let request = try request()
        let call = Task { try await transport.stream(request, observer: log) }
        try await base.base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        let response = try await call.value
        var head = response.head
        head.attempts = []
        #expect(base.exchanges.first?.isCancelled == true && log.events == [.head(head)])
        #expect(try await response.collect().body == Data("second".utf8))
        #expect(log.events == [.head(head), .receivedBytes(6, total: 6)])
        #expect(base.exchanges.map(\.isCancelled) == [true, false])
    }

    @Test func `a slow body is not hedged`() async throws {
        let (base, clock) = (ScriptedTransport([.text("first")]), ManualClock())
        let response = try await hedging(base, clock).stream(request())
        await clock.advance(by: .seconds(100))
        #expect(try await response.collect().body == Data("first".utf8))
        #expect(base.requests.count == 1 && clock.sleeperCount == 0)
    }

    @Test func `a 5xx response is released when another attempt wins`() async throws {
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

    @Test(arguments: [HTTPMethod.put, .delete, .post]) func `unsafe requests are sent once`(
        method: HTTPMethod
    ) async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let transport = hedging(ScriptedTransport([.after(gate, .text("only"))]), clock)
        let request = try request(method)
        let call = Task { try await transport.stream(request) }
        try await gate.waitForWaiters(1)
        #expect(clock.sleeperCount == 0)
        gate.open()
        #expect(try await call.value.collect().body == Data("only".utf8))
    }

    @Test func `a stalled server and a released body`() async throws {
        let script: @Sendable (RecordedRequest) -> ServerScript = { request in
            request.number == 0
                ? [.stall]
                : [
                    .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n01234"),
                    .stall,
                ]
        }
        try await LoopbackServer(script: { script($0) }).stopping(after: { server in
            let transport = Hedging(base: URLSessionTransport(clock: ManualClock()), after: .milliseconds(20))
            let response = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            // The loser's connection closes while the winner's body arrives.
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
