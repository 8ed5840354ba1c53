import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

@testable import PatchbayTestKit

@Suite(.needsSlot) struct ScriptedTransportTests {
    private struct Failure: Error {}
    private let request = Result { try HTTPRequest(.get, "http://a/") }

    @Test func `returns its steps in order`() async throws {
        let transport = ScriptedTransport([
            .status(.serviceUnavailable), .failure(.connectionLost), .failure(Failure()), .text("t"), .json([1]),
            .service(LoopbackServerTests.echo), .response(.created, body: Data("b".utf8)),
        ])
        let request = try request.get()
        #expect(try await transport.send(request).status == .serviceUnavailable)
        await expectFailure(.connectionLost) { try await transport.send(request) }
        await #expect(throws: Failure.self) { try await transport.send(request) }
        #expect(transport.remainingSteps == 4)
        var bodies: [String] = []
        for _ in 0..<4 { bodies.append(String(decoding: try await transport.send(request).body, as: UTF8.self)) }
        #expect(bodies == ["t", "[1]", "GET / ", "b"])
        #expect(transport.remainingSteps == 0 && transport.requests.count == 7)
        // Of another type than those that retries take for transient.
        let error = await #expect(throws: RoutingError.self) { try await transport.send(request) }
        #expect(error?.code == .unexpectedRequest && error?.message.contains("7 steps") == true)
    }

    @Test func `repeats its last step, or calls a closure`() async throws {
        let transport = ScriptedTransport([.status(.found)], then: .status(.ok))
        var statuses: [HTTPStatus] = []
        for _ in 0..<3 { statuses.append(try await transport.send(request.get()).status) }
        #expect(statuses == [.found, .ok, .ok])
        let closure = ScriptedTransport { _ in throw Failure() }
        await #expect(throws: Failure.self) { try await closure.send(request.get()) }
    }

    @Test func `records requests with their bodies`() async throws {
        let transport = ScriptedTransport([], then: .status(.ok))
        async let requests = transport.requests(count: 2)
        let stream = AsyncStream<Data> { continuation in
            continuation.yield(Data("xyz".utf8))
            continuation.finish()
        }
        _ = try await transport.send(HTTPRequest(.post, "http://a/1", body: .stream(stream)))
        _ = try await transport.send(HTTPRequest(.get, "http://a/2"))
        let paths = try await requests.map { $0.url.path() }
        #expect(paths == ["/1", "/2"])
        #expect(try await transport.requests[0].body.collect() == Data("xyz".utf8))
        #expect(transport.requests[1].body.isEmpty)
    }

    @Test func `never returns until it is cancelled`() async throws {
        let transport = ScriptedTransport([.never])
        let request = try request.get()
        let call = Task { try await transport.send(request) }
        try await transport.requests(count: 1)
        call.cancel()
        await expectFailure(.cancelled) { try await call.value }
    }

    @Test func `waits for a gate or a clock`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let transport = ScriptedTransport([
            .after(gate, .status(.created)), .after(.seconds(3), on: clock, .failure(.timedOut)),
        ])
        let request = try request.get()
        let first = Task { try await transport.send(request) }
        try await gate.waitForWaiters(1)
        gate.open()
        #expect(try await first.value.status == .created)
        let second = Task { try await transport.send(request) }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(3))
        await expectFailure(.timedOut) { try await second.value }
    }

    @Test(
        arguments: [
            (Timeouts(response: .seconds(5)), .response), (Timeouts(response: nil, total: .seconds(5)), .total),
            (Timeouts(response: .seconds(7), total: .seconds(5)), .total),
        ] as [(Timeouts, Timeouts.Phase)])
    func `the shortest timeout ends the wait of a step with a clock`(timeouts: Timeouts, phase: Timeouts.Phase)
        async throws
    {
        let clock = ManualClock()
        let transport = ScriptedTransport([.after(.seconds(60), on: clock, .status(.ok))])
        let request = try HTTPRequest(.get, "http://a/", options: RequestOptions(timeouts: timeouts))
        let error = await clock.autoAdvancing {
            await #expect(throws: TransportError.self) { try await transport.send(request) }
        }
        #expect(error?.code == .timedOut && error?.phase == phase && clock.now.offset == .seconds(5))
    }

    @Test func `calls that complete and are cancelled at the same time end exactly once`() async throws {
        let request = try request.get()
        for _ in 0..<50 {
            let gate = Gate()
            let transport = ScriptedTransport([], then: .after(gate, .status(.ok)))
            let ledger = CompletionLedger<HTTPResponse>()
            let calls = (0..<10).map { index in
                let once = ledger.call("call \(index)")
                return Task { await once.run { try await transport.send(request) } }
            }
            try await gate.waitForWaiters(10)
            let opener = Task { gate.open() }
            for call in calls { call.cancel() }
            await opener.value
            for call in calls { await call.value }
            try ledger.check()
        }
    }
}
