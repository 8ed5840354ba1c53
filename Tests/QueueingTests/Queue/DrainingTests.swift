import Connectivity
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing

@testable import Transport

/// A drain counts calls: their further attempts are let in and waited for.
@Suite(.needsSlot) struct DrainingTests {
    /// A layer that sends further requests of a call, over a queue.
    enum Layer: CaseIterable {
        case retrying, balancing, waitingForConnectivity, hedging, redirecting, compressing

        /// The outcome of the first request.
        var firstStep: ScriptedTransport.Step {
            get throws {
                switch self {
                case .redirecting: .response(.found, fields: try HTTPFields(["Location": "/b"]))
                case .compressing: .status(.unsupportedMediaType)
                default: .failure(.connectionLost)
                }
            }
        }

        var request: HTTPRequest {
            get throws {
                guard self == .compressing else { return try .get("/a") }
                return try HTTPRequest(.post, "http://h/a", body: .text(String(repeating: "a", count: 10_000)))
            }
        }

        func transport(
            _ base: Queued<ScriptedTransport>, _ network: ManualNetworkMonitor, _ clock: ManualClock
        ) throws -> AnyTransport {
            switch self {
            case .retrying:
                let strategy = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(3))
                return AnyTransport(base.retrying(strategy))
            case .balancing: return AnyTransport(base.balancing(over: try HostList("http://h", "http://other")))
            case .waitingForConnectivity: return AnyTransport(base.waitingForConnectivity(network))
            case .hedging: return AnyTransport(base.hedging(after: .seconds(1), clock: clock))
            case .redirecting: return AnyTransport(base.redirecting())
            case .compressing:
                let codings = AcceptedCodings(preferring: [.gzip])
                codings.receive(
                    HTTPResponseHead(
                        status: .ok, fields: try HTTPFields(["Accept-Encoding": "gzip"]), url: try request.url))
                return AnyTransport(base.compressingRequests(codings))
            }
        }
    }

    private let executor = ObservedExecutor()
    private let queue = RequestQueue()

    private func drain(_ isDrained: Watched<Bool>) async throws -> Task<Void, any Error> {
        let task = Task(executorPreference: executor) {
            try await queue.drain()
            isDrained.update { $0 = true }
        }
        try await executor.waitUntilIdle()
        #expect(queue.snapshot.isDraining)
        return task
    }

    @Test(arguments: Layer.allCases)
    func `further attempts of a call are let in while the queue drains`(layer: Layer) async throws {
        let (gate, network, clock) = (Gate(), ManualNetworkMonitor(.unreachable), ManualClock())
        let base = ScriptedTransport([.after(gate, try layer.firstStep)], then: .status(.ok))
        let transport = try layer.transport(base.queued(in: queue), network, clock)
        let call = Task { try await transport.send(layer.request).status }
        try await base.requests(count: 1)
        let isDrained = Watched(false)
        let drained = try await drain(isDrained)
        #expect(!isDrained.value)
        if layer == .hedging {
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(1))
        } else {
            gate.open()
            network.set(.reachable)
        }
        #expect(try await call.value == .ok)
        try await drained.value
        #expect(base.requests.count == 2)
    }

    @Test func `a drain waits while a call waits before its retry, and refuses new calls`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([.status(.serviceUnavailable)], then: .status(.ok))
        let strategy = Retry(classifier: .standard, backoff: .constant(.seconds(1)), limiter: .attempts(3))
        let transport = Retrying(base: base.queued(in: queue), strategy: strategy, clock: clock)
        let call = Task { try await transport.send(HTTPRequest.get("/a")).status }
        try await clock.waitForSleepers(1)
        #expect(queue.runningCount == 0 && queue.waitingCount == 0)
        let isDrained = Watched(false)
        let drained = try await drain(isDrained)
        let refused = await #expect(throws: AdmissionError.self) { try await transport.send(HTTPRequest.get("/b")) }
        #expect(refused?.code == .queueDraining && refused?.attempts.count == 1 && !isDrained.value)
        await clock.advance(by: .seconds(1))
        #expect(try await call.value == .ok)
        try await drained.value
        #expect(base.requests.count == 2)
    }

    @Test func `of two attempts that begin at once, none is let in after the drain`() async throws {
        for _ in 0..<300 {
            let (queue, isDrained) = (RequestQueue(), Watched(false))
            let base = FakeTransport { request in
                #expect(!isDrained.value)
                return request.response()
            }
            let transport = base.queued(in: queue)
            var request = try HTTPRequest.get("/a")
            let call = request.options.openCall()
            let drained = Task {
                try await queue.drain()
                isDrained.update { $0 = true }
            }
            await withTaskGroup { group in
                for _ in 0..<2 { group.addTask { [request] in _ = try? await transport.send(request) } }
            }
            call.close()
            try await drained.value
            try await queue.drain()
        }
    }

    @Test func `a cancelled call between its attempts ends the drain`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport([], then: .status(.serviceUnavailable))
        let transport = Retrying(base: base.queued(in: queue), strategy: .standard, clock: clock)
        let call = Task { try await transport.send(HTTPRequest.get("/a")).status }
        try await clock.waitForSleepers(1)
        let drained = try await drain(Watched(false))
        #expect(queue.cancelAll() == 0)
        call.cancel()
        try await drained.value
        await #expect(throws: TransportError.self) { try await call.value }
    }

    @Test func `one call through two layers and two queues is counted once in each`() async throws {
        let inner = RequestQueue()
        let base = ScriptedTransport([.status(.serviceUnavailable), .status(.badGateway)], then: .status(.ok))
        let strategy = Retry(classifier: .standard, backoff: .immediate, limiter: .attempts(2))
        let transport = base.queued(in: inner).retrying(strategy).queued(in: queue).retrying(strategy)
        #expect(try await transport.send(HTTPRequest.get("/a")).status == .ok)
        #expect(base.requests.count == 3)
        try await queue.drain()
        try await inner.drain()
    }
}
