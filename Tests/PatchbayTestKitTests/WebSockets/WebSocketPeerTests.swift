import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import WebSockets

@Suite(.needsSlot) struct WebSocketPeerTests {
    @Test func `a test receives, sends and closes, and reads afterwards what the app has sent`() async throws {
        let peer = WebSocketPeer()
        let transport = FakeTransport { try peer.response(to: $0) }
        let socket = try await transport.webSocket("wss://a/prices")
        try await socket.send(.text("subscribe"))
        #expect(try await peer.receive() == .text("subscribe"))
        try await peer.send(.binary(Data([1, 2])))
        try await peer.send(.text("tea 3"))
        await peer.close(.goingAway, reason: "bye")
        var messages: [WebSocketMessage] = []
        for try await message in socket.messages { messages.append(message) }
        #expect(messages == [.binary(Data([1, 2])), .text("tea 3")])
        #expect(socket.closure == WebSocketClosure(code: .goingAway, reason: "bye", isLocal: false))
        #expect(try await peer.receive() == nil)
        #expect(peer.closure == WebSocketClosure(code: .goingAway, reason: "bye", isLocal: true))
        #expect(peer.received == [.text("subscribe")])
        let error = await #expect(throws: TransportError.self) { try await peer.send(.text("late")) }
        #expect(error?.code == .connectionLost)
    }

    @Test func `an app that closes gets its close frame back, and its code is the peer's end`() async throws {
        let peer = WebSocketPeer()
        try await peer.send(.text("early"))
        let socket = try await FakeTransport { try peer.response(to: $0) }.webSocket("wss://a/prices")
        var reader = socket.messages.makeAsyncIterator()
        #expect(try await reader.next() == .text("early"))
        try await socket.send(.text("done"))
        #expect(peer.closure == nil)
        let closure = WebSocketClosure(code: WebSocketCloseCode(4001), reason: "enough", isLocal: true)
        #expect(try await socket.close(closure.code, reason: closure.reason) == closure)
        #expect(peer.closure == WebSocketClosure(code: closure.code, reason: closure.reason, isLocal: false))
        #expect(peer.received == [.text("done")])
    }

    @Test(arguments: [true, false])
    func `a cut, and a script that fails, lose the connection after what was sent`(fails: Bool) async throws {
        let peer = WebSocketPeer { peer in
            try await peer.send(.text("A"))
            if fails { throw CancellationError() }
            peer.cut()
        }
        let socket = try await FakeTransport { try peer.response(to: $0) }.webSocket("wss://a/prices")
        var reader = socket.messages.makeAsyncIterator()
        #expect(try await reader.next() == .text("A"))
        let error = await #expect(throws: WebSocketError.self) { for try await _ in socket.messages {} }
        #expect(error?.code == .connectionLost)
        #expect(peer.closure == WebSocketClosure(code: .abnormal, isLocal: true))
        #expect((peer.scriptError is CancellationError) == fails && (peer.scriptError == nil) == !fails)
    }

    @Test func `each transport of the kit gives the connection, and pings and messages of all sizes come back`()
        async throws
    {
        let respond: @Sendable (HTTPRequest) async throws -> HTTPResponse = { request in
            try WebSocketPeer(subprotocols: ["v2", "v1"]) { try await $0.echo() }.response(to: request)
        }
        let transports: [any Transport] = [
            FakeTransport(respond), ScriptedTransport(respond), ServiceTransport(respond),
            try RoutedTransport([.get("/prices", ScriptedTransport.Step(respond))]),
        ]
        for transport in transports {
            let socket = try await transport.webSocket(
                "wss://a/prices", options: WebSocketOptions { $0.subprotocols = ["v1", "v3"] })
            #expect(socket.subprotocol == "v1" && !socket.isCompressing)
            var reader = socket.messages.makeAsyncIterator()
            for size in [0, 200, 1 << 20] {
                async let sent: Void = socket.send(.binary(Data(count: size)))
                #expect(try await reader.next() == .binary(Data(count: size)))
                try await sent
            }
            try await socket.ping()
            #expect(try await socket.close().code == .normal)
        }
    }

    @Test func `a request without a handshake and a second handshake fail`() async throws {
        let peer = WebSocketPeer()
        let transport = FakeTransport { try peer.response(to: $0) }
        let plain = await #expect(throws: WebSocketError.self) {
            try await transport.send(HTTPRequest(.get, "https://a/prices"))
        }
        #expect(plain?.code == .invalidHandshake)
        let socket = try await transport.webSocket("wss://a/prices")
        let second = await #expect(throws: RoutingError.self) { try await transport.webSocket("wss://a/prices") }
        #expect(second?.code == .unexpectedRequest && socket.closure == nil)
    }
}
