import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import WebSockets

/// Real sockets, over an engine that has them.
@Suite(
    .needsSlot,
    .enabled(if: TestTransport.engine != "urlsession", "URLSession on Linux has no WebSockets."))
struct WebSocketEngineTests {
    private let transport = TestTransport.make()

    private func url(_ server: LoopbackServer) -> String { "ws://127.0.0.1:\(server.port)/socket?a=1" }

    private func echo(_ options: WebSocketOptions = WebSocketOptions(), greeting: Data = Data()) throws
        -> LoopbackServer
    {
        try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            try connection.serveWebSocket(to: request, options, greeting: greeting)
        })
    }

    @Test(arguments: [
        nil, WebSocketCompression(),
        WebSocketCompression(
            serverContextTakeover: false, clientContextTakeover: false, serverWindowBits: 9, clientWindowBits: 9),
    ])
    func `messages of all sizes come back`(compression: WebSocketCompression?) async throws {
        try await echo().stopping { server in
            let socket = try await transport.webSocket(
                url(server), options: WebSocketOptions { ($0.compression, $0.pingInterval) = (compression, nil) })
            #expect(socket.isCompressing == (compression != nil) && socket.head.status.code == 101)
            var reader = socket.messages.makeAsyncIterator()
            for size in [0, 1, 100, 125, 126, 65_535, 65_536, 3 << 20] {
                let message = WebSocketMessage.binary(Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) }))
                async let sent: Void = socket.send(message)
                #expect(try await reader.next() == message)
                try await sent
            }
            for index in 0..<500 { try await socket.send(.text("message \(index) ä")) }
            for index in 0..<500 { #expect(try await reader.next() == .text("message \(index) ä")) }
            try await socket.ping()
            #expect(try await socket.close(WebSocketCloseCode(4000), reason: "done").code.rawValue == 4000)
            try await server.waitForOpenConnections(0)
            let request = try #require(server.requests.first)
            #expect(request.target == "/socket?a=1" && request.fields["Host"] == "127.0.0.1:\(server.port)")
        }
    }

    @Test func `frames behind the head of the response are delivered`() async throws {
        try await echo(greeting: hex("81 02 68 69")).stopping { server in
            let socket = try await transport.webSocket(url(server), options: .quiet)
            var reader = socket.messages.makeAsyncIterator()
            #expect(try await reader.next() == .text("hi"))
        }
    }

    @Test func `layers add cookies and credentials, and follow redirects`() async throws {
        let server = try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            switch (request.target, request.fields["Authorization"]) {
            case ("/", _):
                try connection.send(
                    "HTTP/1.1 307 Elsewhere\r\nLocation: /socket\r\nSet-Cookie: a=1\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5;x=y\r\nmoved\r\n0\r\nX: y\r\n\r\n")
            case (_, nil):
                try connection.send(
                    "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 4\r\n\r\nwho?")
            default: try connection.serveWebSocket(to: request)
            }
        })
        try await server.stopping { server in
            let origins = try AllowedOrigins(server.url.absoluteString)
            let stack = transport.keepingCookies().redirecting()
                .authorizing(with: try .basic(user: "app", password: "secret"), at: origins)
            let socket = try await stack.webSocket("ws://127.0.0.1:\(server.port)/", options: .quiet)
            try await socket.send(.text("hello"))
            var reader = socket.messages.makeAsyncIterator()
            #expect(try await reader.next() == .text("hello"))
            let last = try #require(server.requests.last)
            #expect(last.fields["Cookie"] == "a=1" && last.fields["Authorization"]?.hasPrefix("Basic ") == true)
            #expect(last.fields["Upgrade"] == "websocket" && last.fields["Connection"] == "Upgrade")
        }
    }

    @Test func `each connection of a handshake has a key of its own`() async throws {
        let target = try echo()
        try await target.stopping { target in
            let server = try LoopbackServer(connections: { connection in
                guard let request = try connection.receiveRequest() else { return }
                let next = request.target == "/" ? "/again" : "http://127.0.0.1:\(target.port)/socket"
                try connection.send("HTTP/1.1 307 Elsewhere\r\nLocation: \(next)\r\nContent-Length: 0\r\n\r\n")
            })
            try await server.stopping { server in
                let socket = try await transport.redirecting().webSocket(
                    "ws://127.0.0.1:\(server.port)/", options: .quiet)
                try await socket.send(.text("hello"))
                var reader = socket.messages.makeAsyncIterator()
                #expect(try await reader.next() == .text("hello"))
                let keys = (server.requests + target.requests).map { $0.fields["Sec-WebSocket-Key"] ?? "none" }
                #expect(keys.count == 3 && Set(keys).count == 3)
                #expect(keys.allSatisfy { Data(base64Encoded: $0)?.count == 16 })
            }
        }
    }

    @Test func `a refusal may be larger than the messages`() async throws {
        let body = String(repeating: "x", count: 2048)
        let response = "HTTP/1.1 401 No\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        try await LoopbackServer(script: { _ in [.send(response), .close] }).stopping { server in
            let options = WebSocketOptions { $0.maximumMessageBytes = 1024 }
            let error = await #expect(throws: WebSocketError.self) {
                try await transport.webSocket(url(server), options: options)
            }
            #expect(error?.status == .unauthorized)
        }
    }

    @Test func `a refused handshake is a response with its body`() async throws {
        for response in [
            "HTTP/1.1 403 No\r\nContent-Length: 6\r\n\r\nno way", "HTTP/1.1 403 No\r\n\r\nno way",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nno \r\n3\r\nway\r\n0\r\n\r\n",
        ] {
            try await LoopbackServer(script: { _ in [.send(response), .close] }).stopping { server in
                var request = try HTTPRequest(webSocket: url(server))
                request.options.upgradeProtocol = "websocket"
                let refused = try await transport.send(request)
                #expect(refused.status == .forbidden && refused.body == Data("no way".utf8))
                await #expect { try await transport.webSocket(url(server)) } throws: {
                    ($0 as? WebSocketError)?.status == .forbidden
                }
            }
        }
    }

    @Test(arguments: [
        "", "nonsense\r\n\r\n", "HTTP/1.1 101 Other\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        "HTTP/1.1 101 Other\r\nConnection: keep-alive\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 403 No\r\nContent-Length: 9\r\n\r\nx",
    ])
    func `a broken response is an error of the transport`(response: String) async throws {
        try await LoopbackServer(script: { _ in [.send(response), .close] }).stopping { server in
            let error = await #expect(throws: TransportError.self) { try await transport.webSocket(url(server)) }
            #expect([.connectionLost, .malformedResponse, .truncated].contains(error?.code))
        }
    }

    @Test func `a handshake that hangs ends at its timeout, or when it is cancelled`() async throws {
        try await LoopbackServer(script: { _ in [.stall] }).stopping { server in
            let clock = ManualClock()
            var request = try HTTPRequest(webSocket: url(server))
            request.options.timeouts.response = .seconds(5)
            let timed = TestTransport.make(clock: clock)
            async let result = timed.webSocket(request)
            try await server.requests(count: 1)
            try await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(5))
            do {
                _ = try await result
                Issue.record("no error")
            } catch { #expect((error as? TransportError)?.code == .timedOut) }
            let task = Task { [url = url(server), transport] in try await transport.webSocket(url) }
            try await server.requests(count: 2)
            task.cancel()
            let cancelled = await task.result
            #expect { try cancelled.get() } throws: { $0.isCancellation }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func `a connection that is cut is lost, and its senders fail`() async throws {
        try await echo().stopping { server in
            let socket = try await transport.webSocket(url(server), options: .quiet)
            try await socket.send(.text("drop"))
            let error = await #expect(throws: WebSocketError.self) { for try await _ in socket.messages {} }
            #expect(error?.code == .connectionLost)
            await #expect(throws: WebSocketError.self) { try await socket.send(.text("late")) }
        }
    }

    @Test func `a reader that stops stops the server`() async throws {
        let sent = Watched(0)
        let server = try LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            let (fields, _) = try WebSocketHandshake.response(to: request.fields, .quiet)
            try connection.send(
                "HTTP/1.1 101 Switching Protocols\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n")
            var encoder = FrameEncoder(role: .server)
            var frame = Data()
            try encoder.encode(.binary(Data(count: 65_000)), to: &frame)
            while true {
                try connection.send(frame)
                sent.update { $0 += 1 }
            }
        })
        try await server.stopping { server in
            let socket = try await transport.webSocket(url(server), options: .quiet)
            var reader = socket.messages.makeAsyncIterator()
            for _ in 0..<100 { #expect(try await reader.next()?.byteCount == 65_000) }
            // Each message read makes room for about one more: the rest is what the system and the buffers hold.
            #expect(sent.value < 100 + 500)
            _ = try await sent.wait { $0 > 100 }
            for _ in 0..<400 { _ = try await reader.next() }
            #expect(sent.value < 500 + 500)
        }
    }

    @Test func `many sockets share a transport, and each echoes its own`() async throws {
        try await echo().stopping { server in
            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    group.addTask { [transport, url = url(server)] in
                        let socket = try await transport.webSocket(url, options: .quiet)
                        var reader = socket.messages.makeAsyncIterator()
                        for index in 0..<20 {
                            try await socket.send(.text("\(number) \(index)"))
                            #expect(try await reader.next() == .text("\(number) \(index)"))
                        }
                        try await socket.close()
                    }
                }
                try await group.waitForAll()
            }
            try await server.waitForOpenConnections(0)
        }
    }
}
