import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// `Expect: 100-continue`, beyond the conformance suite.
@Suite(.needsSlot) struct ExpectationTests {
    private static let refusal = "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno"
    private static let small = Data("hello".utf8)

    private func request(
        _ server: LoopbackServer, _ body: HTTPBody, waiting time: Duration = .seconds(3600),
        _ timeouts: Timeouts = Timeouts(response: nil, idle: nil)
    ) throws -> HTTPRequest {
        var request = try HTTPRequest(.post, server.url(of: "/"), body: body, options: .init(timeouts: timeouts))
        request.options.continueTimeout = time
        return request
    }

    private static func stream(_ pieces: Data...) -> HTTPBody {
        .stream(
            AsyncStream<Data> { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            })
    }

    /// Refuses expectations after `count` bytes of the body, and echoes other bodies.
    private func refusing(after count: Int = 0) throws -> LoopbackServer {
        try LoopbackServer(connections: { connection in
            while let request = try connection.receiveRequest(readsBody: false) {
                guard request.fields["Expect"] == nil else {
                    var received = 0
                    while received < count, let bytes = try connection.receive() { received += bytes.count }
                    try connection.send(Self.refusal)
                    continue
                }
                let body = try connection.receiveBody()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                try connection.send(body)
            }
        })
    }

    // A stream can be read once, but none of it was sent.
    @Test(arguments: [HTTPBody.bytes(small), stream(small)])
    func `after 417 the body is sent once, and its bytes count once`(body: HTTPBody) async throws {
        try await refusing().stopping { server in
            let events = EventRecorder()
            let response = try await CurlTransport().send(request(server, body), observer: events)
            #expect(response.status == .ok && response.body == Self.small)
            #expect(server.requests.map { $0.fields["Expect"] } == ["100-continue", nil])
            let heads = events.events.count { if case .head = $0 { true } else { false } }
            #expect(heads == 1 && events.events.contains { if case .sentBytes(5, _) = $0 { true } else { false } })
        }
    }

    @Test func `after 417 for a part of the body it is read again, if it can be`() async throws {
        // More than the buffers of both sockets, so that the request is still being sent.
        let large = Data(repeating: 7, count: 16 << 20)
        try await refusing(after: 100_000).stopping { server in
            let response = try await CurlTransport().send(
                request(server, .bytes(large), waiting: .milliseconds(10)))
            #expect(response.body == large)
            let body = Self.stream(large)
            let request = try request(server, body, waiting: .milliseconds(10))
            let error = await transportError { _ = try await CurlTransport().send(request) }
            #expect(error?.code == .unreadableBody && error?.message.contains("417") == true, "\(error as Any)")
        }
    }

    @Test func `a body under a limit of the bandwidth cannot be read again, and the error says so`() async throws {
        try await refusing(after: 1000).stopping { server in
            let transport = try CurlTransport().limitingBandwidth(.bytesPerSecond(upload: 1_000_000))
            let request = try request(server, .bytes(Data(count: 16 << 20)), waiting: .milliseconds(10))
            let error = await transportError { _ = try await transport.send(request) }
            #expect(error?.code == .unreadableBody && error?.message.contains("bandwidth") == true, "\(error as Any)")
        }
    }

    @Test(arguments: [nil, 100_000])
    func `a body that the server refuses by its head is not read`(limit: Int?) async throws {
        try await LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest(readsBody: false)
            try connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
            while try connection.receive() != nil {}
        }).stopping { server in
            let reads = Watched(0)
            let body = AsyncThrowingStream<Data, any Error>(unfolding: {
                reads.update { $0 += 1 }
                return reads.value == 1 ? Self.small : nil
            })
            let transport = try CurlTransport().limitingBandwidth(.bytesPerSecond(upload: limit))
            let response = try await transport.send(request(server, .stream(body)))
            #expect(response.status == .contentTooLarge && reads.value == 0)
        }
    }

    @Test func `the wait counts for the response timeout, not for that of sending`() async throws {
        let clock = ManualClock()
        try await LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest(readsBody: false)
            connection.stall()
        }).stopping { server in
            let timeouts = Timeouts(response: .seconds(10), idle: nil, send: .seconds(2))
            let request = try request(server, .bytes(Self.small), timeouts)
            let transport = try CurlTransport(clock: clock)
            let call = Task { try await transport.send(request) }
            try await server.requests(count: 1)
            let error = await transportError { _ = try await clock.autoAdvancing { try await call.value } }
            #expect(error?.phase == .response && clock.now.offset == .seconds(10), "\(error as Any)")
        }
    }

    // Test 158 of curl.
    @Test func `a connection that closes after 100 (Continue) is lost`() async throws {
        try await LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest(readsBody: false)
            try connection.send("HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\n")
            _ = try connection.receiveBody(sendsContinue: false)
        }).stopping { server in
            let request = try request(server, .bytes(Self.small))
            let error = await transportError { _ = try await CurlTransport().send(request) }
            #expect(error?.code == .connectionLost, "\(error as Any)")
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max)])
    func `an invalid time is refused before anything is sent`(time: Duration) async throws {
        try await refusing().stopping { server in
            let request = try request(server, .bytes(Self.small), waiting: time)
            for transport: any Transport in [try CurlTransport(), URLSessionTransport()] {
                let error = await #expect(throws: HTTPMessageError.self) { try await transport.send(request) }
                #expect(error?.code == .invalidTimeout && error?.message.contains("continueTimeout") == true)
            }
            #expect(server.connectionCount == 0)
        }
    }
}
