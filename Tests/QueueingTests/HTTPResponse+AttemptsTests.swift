import Connectivity
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct HTTPResponseAttemptsTests {
    private let quick = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(3))
    private let busy = TransportError.AttemptRecord(.status(.serviceUnavailable), backoff: .zero)
    private let lost = TransportError.AttemptRecord(
        .failure(.connectionLost, "The script fails here."), backoff: .zero)
    private let overtaken = TransportError.AttemptRecord(
        .failure(.cancelled, "Cancelled: another attempt had the first response."))

    /// The steps of the base, and the attempts that the response lists.
    private var scripts: [([ScriptedTransport.Step], [TransportError.AttemptRecord])] {
        [
            ([.status(.ok)], []), ([.status(.notFound)], []), ([.status(.serviceUnavailable), .status(.ok)], [busy]),
            ([.status(.serviceUnavailable), .failure(.connectionLost), .status(.ok)], [busy, lost]),
            ([.failure(.connectionLost), .status(.notFound)], [lost]),
            ([.failure(.connectionLost), .status(.serviceUnavailable), .status(.serviceUnavailable)], [lost, busy]),
        ]
    }

    @Test func `a response lists the attempts before it`() async throws {
        for (steps, attempts) in scripts {
            let response = try await Retrying(base: ScriptedTransport(steps), strategy: quick).send(request())
            #expect(response.attempts == attempts && response.head.attempts == attempts)
            let stream = try await Retrying(base: ScriptedTransport(steps), strategy: quick).stream(request())
            #expect(stream.attempts == attempts)
            #expect(try await stream.collect().attempts == attempts)
        }
    }

    @Test func `attempts of layers below come first`() async throws {
        let base = ScriptedTransport([.failure(.connectionLost)], then: .status(.ok))
        let layers = Retrying(base: Retrying(base: base, strategy: quick), strategy: quick)
        #expect(try await layers.send(request()).attempts == [lost])

        let single = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(2))
        let failing = ScriptedTransport(
            [.failure(.connectionLost), .status(.serviceUnavailable), .failure(.connectionLost)], then: .status(.ok))
        let both = Retrying(base: Retrying(base: failing, strategy: single), strategy: single)
        #expect(try await both.send(request()).attempts == [lost, busy, lost])
    }

    @Test func `an error of the body lists each attempt once`() async throws {
        let single = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(2))
        let cut: ServerScript = [.send("HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\n01234"), .close]
        try await LoopbackServer(script: { _ in cut }).stopping(after: { server in
            let base = URLSessionTransport(clock: ManualClock())
            let layers = Retrying(base: Retrying(base: base, strategy: single), strategy: single)
            let response = try await layers.stream(HTTPRequest(.get, server.url(of: "/")))
            #expect(response.attempts.map(\.cause) == Array(repeating: .status(.serviceUnavailable), count: 3))
            let error = await #expect(throws: TransportError.self) { try await response.collect() }
            #expect(error?.code == .truncated && error?.attempts.count == 4)
            #expect(error?.attempts.dropLast() == response.attempts[...])
        })
    }

    /// Refuses its first request; the body of each further response is cut.
    private struct CuttingTransport: StreamingTransport {
        let count = Counter()
        var refuse: @Sendable () async throws -> Void = {}

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await stream(request, observer: observer).collect()
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            guard count.next() > 1 else {
                try await refuse()
                throw TransportError(.connectionRefused, "Refused.", request: request)
            }
            let head = HTTPResponseHead(status: .ok, url: request.url)
            let cut = TransportError(.truncated, "Cut.", request: request, head: head)
            return HTTPResponseStream(
                head: head, body: AsyncThrowingStream<Data, any Error> { $0.finish(throwing: cut) })
        }
    }

    @Test func `an error of the body has the attempts of all layers below, each once`() async throws {
        let hosts = try HostList("http://h", "http://i")
        let network = ManualNetworkMonitor(.unreachable)
        let layers: [any StreamingTransport] = [
            Balancing(base: CuttingTransport(), hosts: hosts),
            Retrying(base: Balancing(base: CuttingTransport(), hosts: hosts), strategy: quick),
            Balancing(base: Retrying(base: CuttingTransport(), strategy: quick), hosts: hosts),
            CuttingTransport { network.set(.reachable) }.waitingForConnectivity(network),
            Hedging(base: CuttingTransport { try await Gate().wait() }, after: .zero),
        ]
        for layer in layers {
            let response = try await layer.stream(request(), observer: nil)
            #expect(response.attempts.count == 1)
            let error = await #expect(throws: TransportError.self) { try await response.collect() }
            #expect(error?.attempts.first == response.attempts.first)
            #expect(error?.attempts.dropFirst().map(\.cause) == [.failure(.truncated, "Cut.")])
        }
    }

    /// Runs a call whose first attempt is late, and opens the gate after the second one has ended.
    private func hedged<Response: Sendable>(
        _ base: ScriptedTransport, opening gate: Gate?,
        _ send: @escaping @Sendable (Hedging<RecordingTransport<ScriptedTransport>>) async throws -> Response
    ) async throws -> Response {
        let (clock, executor) = (ManualClock(), ObservedExecutor())
        let recording = RecordingTransport(base: base)
        let transport = Hedging(base: recording, after: .seconds(1), clock: clock)
        let call = Task(executorPreference: executor) { try await send(transport) }
        try await base.requests(count: 1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        if let gate {
            try await recording.exchanges(ended: 1)
            // The layer has seen the end, too.
            try await executor.waitUntilIdle()
            gate.open()
        }
        return try await call.value
    }

    @Test func `a response lists the attempt that it overtook`() async throws {
        let request = try request()
        let response = try await hedged(ScriptedTransport([.never, .text("x")]), opening: nil) {
            try await $0.send(request)
        }
        #expect(response.attempts == [overtaken])
        let stream = try await hedged(ScriptedTransport([.never, .text("x")]), opening: nil) {
            try await $0.stream(request)
        }
        #expect(stream.attempts == [overtaken])
    }

    @Test func `a response lists the attempts that failed before it`() async throws {
        let request = try request()
        let cause = TransportError.AttemptRecord(.failure(.connectionLost, "The script fails here."))
        for status in [HTTPStatus.ok, .badGateway] {
            let gate = Gate()
            let base = ScriptedTransport([.after(gate, .status(status)), .failure(.connectionLost)])
            let response = try await hedged(base, opening: gate) { try await $0.send(request) }
            #expect(response.status == status && response.attempts == [cause])
        }
        let single = try await Hedging(base: ScriptedTransport([.status(.ok)]), after: .seconds(1)).send(request)
        #expect(single.attempts.isEmpty)
    }

    @Test func `a layer outside adds its own attempts`() async throws {
        let base = FakeTransport { request in
            var response = request.response(request.fields.contains(.idempotencyKey) ? .ok : .serviceUnavailable)
            response.head.attempts = [TransportError.AttemptRecord(.notSent("below"))]
            return response
        }
        let keyed = try request(fields: ["Idempotency-Key": "1"])
        #expect(try await Retrying(base: base, strategy: quick).send(keyed).attempts.map(\.description) == ["below"])
        let busy = try await Retrying(base: base, strategy: quick).send(request())
        #expect(
            busy.attempts.map(\.cause) == [
                .notSent("below"), .status(.serviceUnavailable), .notSent("below"), .status(.serviceUnavailable),
                .notSent("below"),
            ])
    }
}
