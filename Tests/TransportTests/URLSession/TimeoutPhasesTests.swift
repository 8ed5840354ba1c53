import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import PatchbayTestKit
@testable import Transport

/// Each timeout over real sockets: which one ended the call, and what was set.
@Suite(.needsSlot) struct TimeoutPhasesTests {
    private let clock = ManualClock()

    /// A server that runs a script for each request.
    private func serving(
        _ script: [ServerScript.Step], _ body: (LoopbackServer, URLSessionTransport) async throws -> Void
    ) async throws {
        let script = ServerScript(script)
        try await LoopbackServer(script: { _ in script }).stopping { server in
            try await body(
                server,
                URLSessionTransport(
                    configuration: URLSessionTransport.Configuration(maximumConnectionsPerOrigin: 1), clock: clock))
        }
    }

    private func request(_ server: LoopbackServer, _ timeouts: Timeouts) throws -> HTTPRequest {
        try HTTPRequest(.get, server.url(of: "/"), options: RequestOptions(timeouts: timeouts))
    }

    private func failure(_ call: Task<HTTPResponse, any Error>) async -> TransportError? {
        await #expect(throws: TransportError.self) { try await call.value }
    }

    @Test func `a server that accepts and sends nothing: response`() async throws {
        try await serving([.wait(for: Gate())]) { server, transport in
            let request = try request(server, Timeouts(response: .seconds(5), idle: nil))
            let call = Task { try await transport.send(request) }
            try await server.requests(count: 1)
            await clock.advance(by: .seconds(5))
            let error = await failure(call)
            #expect(error?.phase == .response && error?.timeout == .seconds(5) && error?.head == nil)
        }
    }

    @Test func `a head, then silence: idle`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"
        try await serving([.send(head), .wait(for: Gate())]) { server, transport in
            let request = try request(server, Timeouts(response: .seconds(50), idle: .seconds(7)))
            let events = EventRecorder()
            let call = Task { try await transport.send(request, observer: events) }
            try await events.wait { $0.contains(.receivedBytes(2, total: 5)) }
            await clock.advance(by: .seconds(7))
            let error = await failure(call)
            #expect(error?.phase == .idle && error?.timeout == .seconds(7) && error?.head?.status == .ok)
        }
    }

    @Test func `no slot for the origin: queue`() async throws {
        try await serving([.wait(for: Gate())]) { server, transport in
            let first = try request(server, Timeouts(response: .seconds(50), idle: nil, queue: .seconds(3)))
            let running = Task { try await transport.send(first) }
            try await server.requests(count: 1)
            let second = try request(server, Timeouts(response: .seconds(50), idle: nil, queue: .seconds(3)))
            let waiting = Task { try await transport.send(second) }
            try await clock.wait { $0.contains { $0.offset == .seconds(3) } }
            await clock.advance(by: .seconds(3))
            let error = await failure(waiting)
            #expect(error?.code == .timedOut && error?.phase == .queue && error?.timeout == .seconds(3))
            // The one that had its slot goes on.
            #expect(server.requestCount == 1)
            running.cancel()
            _ = await running.result
        }
    }

    @Test func `a server that reads nothing: send`() async throws {
        // It accepts no connection: the system does, and takes bytes until its buffers are full.
        let socket = try ListeningSocket(port: 0)
        let request = try HTTPRequest(
            .post, "http://127.0.0.1:\(socket.port)/", body: .bytes(Data(count: 64 << 20)),
            options: RequestOptions(timeouts: Timeouts(response: .seconds(50), idle: nil, send: .seconds(4))))
        let transport = URLSessionTransport(clock: clock)
        let events = EventLog()
        let call = Task { try await transport.send(request, observer: events) }
        try await events.wait { !$0.isEmpty }
        let error = await clock.autoAdvancing { await failure(call) }
        #expect(error?.code == .timedOut && error?.phase == .send && error?.timeout == .seconds(4))
        withExtendedLifetime(socket) {}
    }

    @Test func `everything: total, as it was set and not what was left of it`() async throws {
        try await serving([.wait(for: Gate())]) { server, transport in
            var request = try request(server, Timeouts(response: nil, idle: nil, total: .seconds(9)))
            request.options.timeouts.reduceTotal(to: .seconds(6))
            let call = Task { [request] in try await transport.send(request) }
            try await server.requests(count: 1)
            await clock.advance(by: .seconds(6))
            let error = await failure(call)
            #expect(error?.phase == .total && error?.timeout == .seconds(9))
        }
    }

    @Test func `a timeout for connecting is refused before anything is sent`() async throws {
        try await serving([]) { server, transport in
            let request = try request(server, Timeouts(connect: .seconds(1)))
            let errors = [
                await #expect(throws: TransportError.self) { try await transport.send(request) },
                await #expect(throws: TransportError.self) { try await transport.stream(request).status },
            ]
            #expect(errors.allSatisfy { $0?.code == .unsupported } && server.connectionCount == 0)
        }
    }
}
