import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// The timeout for sending, where the conformance suite does not reach.
@Suite(.needsSlot) struct SendTimeoutTests {
    private static let timeouts = Timeouts(response: .seconds(50), idle: nil, send: .seconds(4))

    @Test func `a server that reads nothing: send`() async throws {
        let clock = ManualClock()
        try await LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest(readsBody: false)
            try await Gate().wait()
        }).stopping { server in
            let request = try HTTPRequest(
                .post, server.url(of: "/"), body: .bytes(Data(count: 64 << 20)),
                options: RequestOptions(timeouts: Self.timeouts))
            let transport = try CurlTransport(clock: clock)
            let call = Task { try await transport.send(request) }
            try await server.requests(count: 1)
            let error = await transportError { _ = try await clock.autoAdvancing { try await call.value } }
            #expect(error?.phase == .send && error?.timeout == .seconds(4), "\(error as Any)")
        }
    }

    // A byte each five seconds: each pause is longer than both timeouts.
    @Test func `a limit of the bandwidth is not a pause`() async throws {
        let clock = ManualClock()
        try await LoopbackServer { $0.response(text: "\(try await $0.body.collect().count)") }.stopping { server in
            let timeouts = Timeouts(response: .seconds(3), idle: nil, send: .seconds(2))
            let request = try HTTPRequest(
                .post, server.url(of: "/"), body: .text("hello"), options: RequestOptions(timeouts: timeouts))
            let limiter = BandwidthLimiter(Bandwidth(upload: 1), clock: clock)
            let transport = try CurlTransport(clock: clock).limitingBandwidth(by: limiter)
            let response = try await clock.autoAdvancing { try await transport.send(request) }
            #expect(response.body == Data("5".utf8) && clock.now.offset >= .seconds(4))
        }
    }
}
