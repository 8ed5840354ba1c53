import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

@testable import PatchbayTestKit

@Suite(.needsSlot) struct FaultServiceTests {
    private static let service = ClosureService { request in
        let path = request.url.path()
        if path == "/trailers" {
            return try request.response(body: Data("abcdef".utf8), trailers: HTTPFields(["X-Sum": "7"]))
        }
        var response = request.response(body: Data((path == "/empty" ? "" : "abcdef").utf8))
        if path != "/" { try response.head.fields.set(.transferEncoding, to: "chunked") }
        return response
    }
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"

    private func sent(_ fault: Fault, path: String = "/") async throws -> String? {
        try await LoopbackServer(script: { _ in [.respond(with: Self.service, fault: fault)] }).stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return await client.readToEnd()
        }
    }

    @Test(
        arguments: [
            (.close(.beforeHead), ""), (.close(.inHead), "HTTP/1.1 200 OK\r\nCo"), (.close(.inBody), head + "abc"),
            (.overstatedLength, "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nabcdef"),
            (.understatedLength, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef"),
            (.status(.badGateway), "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
            (.latency(.milliseconds(1)), "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nabcdef"),
            (.reset(.beforeHead), nil), (.reset(.inHead), nil), (.reset(.inBody), nil),
        ] as [(Fault, String?)])
    func `the bytes of each fault`(fault: Fault, expected: String?) async throws {
        #expect(try await sent(fault) == expected)
    }

    @Test func `a fault in a chunked body is in its middle`() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try await sent(.close(.inBody), path: "/chunked") == head + "6\r\nabc")
        let stated = try await sent(.overstatedLength, path: "/chunked")
        #expect(stated == "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nabcdef")
    }

    /// The bytes of a step's response, whose connection is then closed.
    private func sent(_ step: ServerScript.Step, _ method: HTTPMethod = .get, path: String) async throws -> String? {
        try await LoopbackServer(script: { _ in [step, .close] }).stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            return await client.readToEnd()
        }
    }

    @Test(
        arguments: [
            .reset(.inBody), .close(.inBody), .stall(.inBody), .drip(size: 1, every: .zero), .overstatedLength,
            .understatedLength,
        ] as [Fault])
    func `a chunked response without a body has its end under a fault in the body`(fault: Fault) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let step = ServerScript.Step.respond(with: Self.service, fault: fault)
        #expect(try await sent(step, path: "/empty") == head + "0\r\n\r\n")
        #expect(try await sent(step, .head, path: "/empty") == head)
    }

    @Test func `trailers come after a body that arrives slowly`() async throws {
        let expected = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n0\r\nX-Sum: 7\r\n\r\n"
        let dripped = ServerScript.Step.respond(with: Self.service, fault: .drip(size: 4, every: .zero))
        #expect(try await sent(dripped, path: "/trailers") == expected)
        let slow = ServerScript.Step.respond(with: Self.service, over: NetworkProfile(download: 1 << 30))
        #expect(try await sent(slow, path: "/trailers") == expected)
    }

    @Test func `drips on its clock`() async throws {
        let clock = ManualClock()
        let fault = Fault.drip(size: 4, every: .seconds(1))
        let script: ServerScript = [.respond(with: Self.service, fault: fault, clock: clock), .close]
        try await LoopbackServer(script: { _ in script }).stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.read(exactly: Self.head.utf8.count) == Self.head)
            for piece in ["abcd", "ef"] {
                #expect(try await client.read(exactly: piece.utf8.count) == piece)
                try await clock.waitForSleepers(1)
                await clock.advance(by: .seconds(1))
            }
            #expect(await client.readToEnd() == "")
        }
    }

    @Test(arguments: [(Fault.Position.beforeHead, 0), (.inHead, 19), (.inBody, 41)])
    func `stalls at each position`(position: Fault.Position, count: Int) async throws {
        let script: ServerScript = [.respond(with: Self.service, fault: .stall(position)), .send("never")]
        try await LoopbackServer(script: { _ in script }).stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(
                try await client.read(exactly: count)
                    == String(decoding: Data((Self.head + "abcdef").utf8).prefix(count), as: UTF8.self))
            try await server.requests(count: 1)
            #expect(server.openConnectionCount == 1)
            client.socket.stop()
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func `keeps the connection alive after a complete response`() async throws {
        let faults: [Fault?] = [.status(.serviceUnavailable), .latency(.zero), .drip(size: 6, every: .zero), nil]
        let script: @Sendable (RecordedRequest) -> ServerScript = {
            [.respond(with: Self.service, fault: faults[$0.number])]
        }
        try await LoopbackServer(script: script).stopping { server in
            let client = try RawClient(port: server.port)
            var statuses: [Int?] = []
            for _ in faults {
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                statuses.append(try await client.readResponse().status)
            }
            #expect(statuses == [503, 200, 200, 200])
        }
    }

    @Test func `times faults on the script's clock`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport([
            .service(Self.service, with: .latency(.seconds(5)), clock: clock),
            .service(Self.service, with: .stall(.beforeHead), clock: clock), .service(Self.service, with: nil),
        ])
        let request = try HTTPRequest(.get, "http://a/")
        let late = Task { try await transport.send(request) }
        try await clock.waitForSleepers(1)
        #expect(clock.nextDeadline == .init(offset: .seconds(5)))
        await clock.advance(by: .seconds(5))
        #expect(try await late.value.body == Data("abcdef".utf8))
        let stalled = Task { try await transport.send(request) }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(60))
        await expectFailure(.timedOut) { try await stalled.value }
        #expect(try await transport.send(request).status == .ok)
    }

    @Test(
        arguments: [
            (.reset(.inBody), "abc", .connectionLost, .zero), (.close(.inBody), "abc", .truncated, .zero),
            (.overstatedLength, "abcdef", .truncated, .zero), (.stall(.inBody), "abc", .timedOut, .seconds(5)),
            (.drip(size: 4, every: .seconds(2)), "abcdef", nil, .seconds(2)),
            (.drip(size: 4, every: .seconds(5)), "abcd", .timedOut, .seconds(5)),
        ] as [(Fault, String, TransportError.Code?, Duration)])
    func `a stream has the head at once, the bytes before a fault in the body, and then the fault`(
        fault: Fault, bytes: String, code: TransportError.Code?, end: Duration
    ) async throws {
        let options = RequestOptions(timeouts: Timeouts(response: nil, idle: .seconds(5)))
        let request = try HTTPRequest(.get, "http://a/", options: options)
        for isScripted in [true, false] {
            let clock = ManualClock()
            let transport: any StreamingTransport =
                isScripted
                ? ScriptedTransport([.service(Self.service, with: fault, clock: clock)])
                : FakeTransport { try await fault.respond(to: $0, with: Self.service, clock: clock) }
            let events = EventRecorder()
            let response = try await transport.stream(request, observer: events)
            #expect(response.status == .ok && events.events == [.head(response.head)])
            var received = Data()
            let error = await clock.autoAdvancing { () -> (any Error)? in
                do {
                    for try await chunk in response.body { received += chunk }
                    return nil
                } catch {
                    return error
                }
            }
            #expect(String(decoding: received, as: UTF8.self) == bytes && clock.now.offset == end)
            #expect((error as? TransportError)?.code == code)
        }
    }

    @Test func `an endless fault ends when the call is cancelled`() async throws {
        let transport = ScriptedTransport([.service(Self.service, with: .stall(.inBody))])
        let options = RequestOptions(timeouts: Timeouts(response: nil, idle: nil))
        let request = try HTTPRequest(.get, "http://a/", options: options)
        let call = Task { try await transport.send(request) }
        try await transport.requests(count: 1)
        call.cancel()
        await expectFailure(.cancelled) { try await call.value }
    }

    @Test(
        arguments: [
            (.reset(.beforeHead), 0), (.status(.badGateway), 0), (.reset(.inHead), 1), (.close(.inBody), 1),
        ] as [(Fault, Int)])
    func `calls the service only if its response is sent`(fault: Fault, count: Int) async throws {
        let asked = Watched(0)
        let service = ClosureService { request in
            asked.update { $0 += 1 }
            return request.response(text: "abc")
        }
        let transport = ScriptedTransport([.service(service, with: fault)])
        let response = try? await transport.send(HTTPRequest(.get, "http://a/"))
        #expect(response?.status == (fault == .status(.badGateway) ? .badGateway : nil) && asked.value == count)
        try await LoopbackServer(script: { _ in [.respond(with: service, fault: fault)] }).stopping { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            _ = await client.readToEnd()
        }
        #expect(asked.value == 2 * count)
    }
}
