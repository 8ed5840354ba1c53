import Connectivity
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct WaitingForConnectivityTests {
    private static func request(_ method: HTTPMethod = .get, total: Duration? = nil) throws -> HTTPRequest {
        var request = try HTTPRequest(method, "http://example.com/")
        request.options.timeouts.total = total
        return request
    }

    @Test func `1: a call that failed for lack of a network is sent again when there is one`() async throws {
        let network = ManualNetworkMonitor(.unreachable)
        let base = ScriptedTransport([.failure(.unreachable), .failure(.hostNotFound), .status(.ok)])
        let transport = base.waitingForConnectivity(network, clock: ManualClock())
        let response = Task { try await transport.send(Self.request()) }
        try await base.requests(count: 1)
        // Still without a server's address: held again, if the network is gone again.
        network.set(.reachable)
        let error = await #expect(throws: TransportError.self) { try await response.value }
        #expect(base.requests.count == 2)
        let message = "The script fails here."
        #expect(
            error?.attempts.map(\.cause) == [.failure(.unreachable, message), .failure(.hostNotFound, message)])
        network.set(.unreachable)
        let recovering = ScriptedTransport { request in
            guard network.isReachable else {
                throw TransportError(.unreachable, "m", request: request)
            }
            return request.response()
        }
        async let late = recovering.waitingForConnectivity(network).send(Self.request())
        try await recovering.requests(count: 1)
        network.set(.unknown)
        #expect(try await late.status == .ok)
    }

    @Test func `1: the total timeout spans the wait`() async throws {
        let network = ManualNetworkMonitor(.unreachable)
        let clock = ManualClock()
        let base = ScriptedTransport([.failure(.unreachable)])
        let transport = base.waitingForConnectivity(network, clock: clock)
        let response = Task { try await transport.send(Self.request(total: .seconds(30))) }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(30))
        let error = await #expect(throws: TransportError.self) { try await response.value }
        #expect(error?.code == .unreachable)
    }

    @Test func `1: the next attempt gets what is left of the total timeout, and its response lists the first one`()
        async throws
    {
        let network = ManualNetworkMonitor(.unreachable)
        let clock = ManualClock()
        let base = ScriptedTransport([.failure(.unreachable), .status(.ok)])
        async let call = base.waitingForConnectivity(network, clock: clock).send(Self.request(total: .seconds(30)))
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(10))
        network.set(.reachable)
        let response = try await call
        let first = TransportError.AttemptRecord(
            .failure(.unreachable, "The script fails here."), backoff: .seconds(10))
        #expect(response.status == .ok && response.attempts == [first])
        #expect(base.requests.map(\.options.timeouts.total) == [.seconds(30), .seconds(20)])
        #expect(base.requests.map(\.options.attemptReason) == [.initial, .retry])
    }

    @Test(arguments: [false, true])
    func `1: errors without a network open no circuit: all calls are held, and then sent`(
        isStream: Bool
    ) async throws {
        let network = ManualNetworkMonitor(.unreachable)
        // By default five failures open a circuit.
        let base = ScriptedTransport(Array(repeating: .failure(.unreachable), count: 5), then: .status(.ok))
        let transport = base.circuitBreaking(clock: ManualClock()).waitingForConnectivity(network)
        let request = try Self.request()
        let calls = (1...5).map { _ in
            Task {
                try await isStream
                    ? transport.stream(request, observer: nil).status : transport.send(request).status
            }
        }
        try await base.requests(count: 5)
        network.set(.reachable)
        for call in calls { #expect(try await call.value == .ok) }
    }

    @Test func `1: a call that started without a network is held, and opens no circuit`() async throws {
        let (network, gate) = (ManualNetworkMonitor(.unreachable), Gate())
        let base = ScriptedTransport([.after(gate, .failure(.unreachable)), .status(.ok), .failure(.unreachable)])
        let policy = CircuitPolicy(threshold: .failures(1, within: .seconds(10)))
        let transport = base.circuitBreaking(policy, clock: ManualClock()).waitingForConnectivity(network)
        let call = Task { try await transport.send(Self.request()).status }
        try await gate.waitForWaiters(1)
        network.set(.reachable)
        gate.open()
        #expect(try await call.value == .ok)
        // With a network the error counts.
        await #expect(throws: TransportError.self) { try await transport.send(Self.request()) }
        await #expect(throws: AdmissionError.self) { try await transport.send(Self.request()) }
    }

    @Test func `1: only idempotent and unsent requests are held, and only without a network`() async throws {
        let cases: [(HTTPMethod, ScriptedTransport.Step, NetworkState)] = [
            (.post, .failure(.unreachable), .unreachable), (.get, .failure(.unreachable), .unknown),
            (.get, .failure(.unreachable), .reachable), (.get, .failure(.tls), .reachable),
            (.get, .failure(.unsupported), .unreachable),
        ]
        for (method, step, state) in cases {
            let base = ScriptedTransport([step])
            let transport = base.waitingForConnectivity(ManualNetworkMonitor(state))
            await #expect(throws: TransportError.self) { try await transport.send(Self.request(method)) }
        }
        // No host was found: no server has got the request.
        let network = ManualNetworkMonitor(.unreachable)
        let base = ScriptedTransport([.failure(.hostNotFound), .status(.ok)])
        async let response = base.waitingForConnectivity(network).send(Self.request(.post))
        try await base.requests(count: 1)
        network.set(.reachable)
        #expect(try await response.status == .ok)
    }

    /// An error, the most attempts, and whether a PUT with it is held.
    static let limited: [(TransportError.Code, Int, Bool)] = [
        (.connectionLost, 1, false), (.unreachable, 1, false), (.hostNotFound, 1, true), (.connectionLost, 2, true),
    ]

    @Test(arguments: limited.indices) func `1: with one attempt only a request that was not sent is held`(
        index: Int
    ) async throws {
        let (code, count, isHeld) = Self.limited[index]
        let network = ManualNetworkMonitor(.unreachable)
        let base = ScriptedTransport([.failure(code)], then: .status(.ok))
        let transport = base.waitingForConnectivity(network).retrying(clock: ManualClock())
        let options = RequestOptions { $0.maximumAttempts = count }
        let request = try HTTPRequest(.put, "http://example.com/", options: options)
        async let response = transport.send(request)
        try await base.requests(count: 1)
        network.set(.reachable)
        let status = try? await response.status
        #expect(status == (isHeld ? .ok : nil) && base.requests.count == (isHeld ? 2 : 1))
    }

    @Test func `a limit that a layer sets counts, also below one that uses the limit of the call`() async throws {
        let network = ManualNetworkMonitor(.unreachable)
        let base = ScriptedTransport([.failure(.connectionLost)], then: .status(.ok))
        let transport = base.waitingForConnectivity(network)
            .modifyingRequests { $0.options.maximumAttempts = 1 }
            .hedging(after: .seconds(1), clock: ManualClock())
        let options = RequestOptions { $0.maximumAttempts = 2 }
        let request = try HTTPRequest(.put, "http://example.com/", options: options)
        async let response = transport.send(request)
        try await base.requests(count: 1)
        network.set(.reachable)
        let status = try? await response.status
        #expect(status == nil && base.requests.count == 1)
    }

    /// A monitor that tells when a call waits for it.
    private struct AwaitedMonitor: NetworkMonitor {
        let base = ManualNetworkMonitor(.unreachable)
        let isAwaited = Gate()
        var state: NetworkState { base.state }
        func subscribe(_ handler: @escaping @Sendable (NetworkState) -> Void) -> NetworkSubscription {
            defer { isAwaited.open() }
            return base.subscribe(handler)
        }
    }

    @Test func `a held call ends when its task is cancelled`() async throws {
        let network = AwaitedMonitor()
        let base = ScriptedTransport([.failure(.unreachable)])
        let task = Task { try await base.waitingForConnectivity(network).send(Self.request()) }
        try await network.isAwaited.wait()
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled && error?.attempts.count == 1)
    }

    @Test func `1: a stream is held until its head arrives`() async throws {
        let network = ManualNetworkMonitor(.unreachable)
        let base = ScriptedTransport([.failure(.unreachable), .text("body")])
        async let response = base.waitingForConnectivity(network).stream(Self.request(), observer: nil)
        try await base.requests(count: 1)
        network.set(.reachable)
        #expect(try await response.head.status == .ok)
    }
}
