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

    // A byte each second: each pause is longer than both timeouts.
    @Test func `a limit of the bandwidth is not a pause`() async throws {
        let clock = ManualClock()
        let received = Watched(0)
        let timeouts = Timeouts(response: .milliseconds(600), idle: nil, send: .milliseconds(500))
        try await LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest(readsBody: false)
            while received.value < 5, let bytes = try connection.receive() { received.update { $0 += bytes.count } }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }).stopping { server in
            try await LoopbackServer { $0.response() }.stopping { other in
                let transport = try CurlTransport(clock: clock)
                let paced = transport.limitingBandwidth(.bytesPerSecond(upload: 1), clock: clock)
                let request = try HTTPRequest(
                    .post, server.url(of: "/"), body: .text("hello"), options: RequestOptions(timeouts: timeouts))
                let call = Task { try await paced.send(request) }
                try await server.requests(count: 1)
                while received.value < 5 {
                    // Each of these is a round of the event thread, in which it would end the call.
                    for _ in 0..<5 { _ = try await transport.send(HTTPRequest(.get, other.url(of: "/"))) }
                    await clock.advance(by: .milliseconds(100))
                    guard clock.now.offset < .seconds(60) else { break }
                }
                #expect(try await call.value.body == Data("ok".utf8))
                #expect(clock.now.offset >= .seconds(4))
            }
        }
    }
}
