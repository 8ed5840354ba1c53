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
        await #expect(throws: TransportError.self) { try await response.value }
        #expect(base.requests.count == 2)
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

    @Test func `1: the next attempt gets what is left of the total timeout`() async throws {
        let network = ManualNetworkMonitor(.unreachable)
        let clock = ManualClock()
        let base = ScriptedTransport([.failure(.unreachable), .status(.ok)])
        async let response = base.waitingForConnectivity(network, clock: clock).send(Self.request(total: .seconds(30)))
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(10))
        network.set(.reachable)
        #expect(try await response.status == .ok)
        #expect(base.requests.map(\.options.timeouts.total) == [.seconds(30), .seconds(20)])
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

    @Test func `a held call ends when its task is cancelled`() async throws {
        let network = ManualNetworkMonitor(.unreachable)
        let base = ScriptedTransport([.failure(.unreachable)])
        let task = Task { try await base.waitingForConnectivity(network).send(Self.request()) }
        try await base.requests(count: 1)
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .cancelled)
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
