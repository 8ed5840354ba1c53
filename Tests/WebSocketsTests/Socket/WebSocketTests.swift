import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import WebSockets

@Suite(.needsSlot) struct WebSocketTests {
    @Test func `messages arrive in order, and end after the close frame of the peer`() async throws {
        let (socket, peer) = try await Peer.connected()
        try await peer.send("81 01 41 82 01 42 88 02 03 e8")
        var messages: [WebSocketMessage] = []
        for try await message in socket.messages { messages.append(message) }
        #expect(messages == [.text("A"), .binary(Data("B".utf8))])
        #expect(socket.closure == WebSocketClosure(code: .normal, isLocal: false) && socket.failure == nil)
        #expect(try await peer.receive(1) == [.close(.normal, reason: "")])
        try await peer.connection.waitForEnd()
        #expect(await code { try await socket.send(.text("late")) } == .closed)
        #expect(await code { try await socket.ping() } == .closed)
    }

    static let ends: [(String, WebSocketError.Code, WebSocketCloseCode?)] = [
        ("88 02 03 f3", .closedByPeer, .internalError),
        ("81 85 37 fa 21 3d 7f 9f 4d 51 58", .protocolViolation, .protocolError),
        ("81 01 ff", .invalidText, .invalidData), ("82 7f 7f ff ff ff ff ff ff ff", .messageTooLarge, .messageTooLarge),
    ]

    @Test(arguments: ends.indices) func `a problem is thrown after the messages before it, once`(index: Int)
        async throws
    {
        let (bytes, expected, closeCode) = Self.ends[index]
        let (socket, peer) = try await Peer.connected()
        try await peer.send("81 01 41" + bytes)
        var reader = socket.messages.makeAsyncIterator()
        #expect(try await reader.next() == .text("A"))
        #expect(await code { _ = try await reader.next() } == expected)
        #expect(try await reader.next() == nil)
        #expect(socket.failure?.code == expected && socket.failure?.closeCode == closeCode)
        #expect(try await peer.receive(1) == [.close(try #require(closeCode), reason: "")])
        try await peer.connection.waitForEnd()
    }

    @Test func `a connection that ends without a close frame is lost`() async throws {
        let (socket, peer) = try await Peer.connected()
        peer.connection.close()
        #expect(await code { for try await _ in socket.messages {} } == .connectionLost)
        #expect(socket.closure?.code == .abnormal)
    }

    @Test func `pings are answered, also while no one reads messages`() async throws {
        let (idle, peer) = try await Peer.connected()
        try await peer.send("89 02 01 02")
        #expect(try await peer.receive(1) == [.pong(Data([1, 2]))])
        withExtendedLifetime(idle) {}
    }

    @Test func `a ping returns with its pong, or fails at its timeout`() async throws {
        let clock = ManualClock()
        let (socket, peer) = try await Peer.connected(.quiet, clock: clock)
        async let first = socket.ping()
        guard case .ping(let payload)? = try await peer.receive(1).first else { return #expect(Bool(false)) }
        try await peer.connection.write(RawFrame(first: 0x8A, payload: payload).bytes)
        #expect(try await first == .zero)
        // The timer of the first ping may still be there, at 20 seconds.
        await clock.advance(by: .seconds(1))
        async let second = code { try await socket.ping() }
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(21) } }
        await clock.advance(by: .seconds(20))
        #expect(await second == .pingTimedOut)
        #expect(socket.closure == nil)
    }

    @Test func `the keep-alive ends a connection without pongs`() async throws {
        let clock = ManualClock()
        let (socket, silent) = try await Peer.connected(WebSocketOptions(), clock: clock)
        async let end = code { for try await _ in socket.messages {} }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(30))
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(50) } }
        await clock.advance(by: .seconds(20))
        #expect(await end == .pingTimedOut)
        withExtendedLifetime(silent) {}
    }

    @Test func `a connection that delivers a large message is alive, though its pong is late`() async throws {
        let clock = ManualClock()
        let (socket, peer) = try await Peer.connected(WebSocketOptions(), clock: clock)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(30))
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(50) } }
        // A fragment, and a ping whose pong tells that both have arrived.
        try await peer.send("02 01 41 89 00")
        // The socket's own ping and the pong, perhaps in one write.
        #expect(try await peer.receive(2).last == .pong(Data()))
        await clock.advance(by: .seconds(20))
        // The next round, or the time for the last frames.
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(80) || $0.offset == .seconds(51) } }
        #expect(socket.closure == nil && socket.failure == nil)
    }

    @Test(arguments: [true, false])
    func `a connection that takes a large message slowly is alive, and one that takes none of it is not`(isAlive: Bool)
        async throws
    {
        let clock = ManualClock()
        let (socket, peer) = try await Peer.connected(WebSocketOptions { $0.compression = nil }, clock: clock)
        let sender = Task { try await socket.send(.binary(Data(count: 1 << 20))) }
        _ = try await peer.connection.read()
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(30))
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(50) } }
        let count = isAlive ? 400 << 10 : 0
        while peer.connection.readCount < count { _ = try await peer.connection.read() }
        await clock.advance(by: .seconds(20))
        if isAlive {
            _ = try await clock.wait { $0.contains { $0.offset == .seconds(80) } }
            #expect(socket.failure == nil)
            while peer.connection.readCount < 1 << 20 { _ = try await peer.connection.read() }
            try await sender.value
        } else {
            #expect(await code { for try await _ in socket.messages {} } == .pingTimedOut)
            peer.connection.close()
            _ = await sender.result
        }
    }

    @Test(arguments: [0, 1]) func `an engine that still sends a message has a connection that is alive`(count: Int)
        async throws
    {
        let (clock, network) = (ManualClock(), Gate())
        let connection = FramingConnection(over: network)
        let socket = try await Peer.transport(over: .webSocket(connection)).webSocket(
            HTTPRequest(.get, "https://example.com/"), clock: clock)
        let sender = Task { for _ in 0..<count { try await socket.send(.text("large")) } }
        _ = try await connection.sendCount.wait { $0 == count }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(30))
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(50) } }
        await clock.advance(by: .seconds(20))
        if count == 0 {
            _ = try await connection.closeCodes.wait { $0 == [1001] }
            #expect(socket.failure?.code == .pingTimedOut)
        } else {
            _ = try await clock.wait { $0.contains { $0.offset == .seconds(80) } }
            #expect(socket.failure == nil)
        }
        network.open()
        _ = await sender.result
    }

    @Test func `an interval of zero sends no pings, and buffers have any size`() async throws {
        let clock = ManualClock()
        let options = WebSocketOptions { ($0.pingInterval, $0.sendBufferBytes) = (.zero, .max) }
        let (socket, peer) = try await Peer.connected(options, clock: clock)
        try await peer.send("89 02 01 02")
        #expect(try await peer.receive(1) == [.pong(Data([1, 2]))])
        #expect(clock.sleeperCount == 0 && socket.closure == nil)
    }

    @Test func `a reader that lagged while a ping was on its way does not end the connection`() async throws {
        let clock = ManualClock()
        let options = WebSocketOptions { $0.receiveBufferBytes = 1 }
        let (socket, peer) = try await Peer.connected(options, clock: clock)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(30))
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(50) } }
        try await peer.send("82 01 41 82 01 42")
        var reader = socket.messages.makeAsyncIterator()
        for byte in ["A", "B"] { #expect(try await reader.next() == .binary(Data(byte.utf8))) }
        await clock.advance(by: .seconds(20))
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(80) } }
        #expect(socket.closure == nil)
    }

    @Test func `a send fails if the connection takes no bytes`() async throws {
        let connection = BrokenConnection()
        let socket = try await Peer.transport(over: .bytes(connection)).webSocket(
            HTTPRequest(.get, "https://example.com/"), options: .quiet)
        #expect(await code { try await socket.send(.text("first")) } == .connectionLost)
        #expect(await code { try await socket.send(.text("second")) } == .connectionLost)
    }

    @Test func `messages and the close frame that have arrived are delivered after a send has failed`() async throws {
        let connection = BrokenConnection(arrived: hex("82 01 41 82 01 42 88 02 03 f1"))
        let socket = try await Peer.transport(over: .bytes(connection)).webSocket(
            HTTPRequest(.get, "https://example.com/"), options: .quiet, clock: ManualClock())
        #expect(await code { try await socket.send(.text("too long")) } == .connectionLost)
        var reader = socket.messages.makeAsyncIterator()
        for byte in ["A", "B"] { #expect(try await reader.next() == .binary(Data(byte.utf8))) }
        #expect(await code { _ = try await reader.next() } == .closedByPeer)
        #expect(socket.closure == nil || socket.closure?.code == WebSocketCloseCode(1009))
        #expect(await code { try await socket.send(.text("later")) } == .closed)
    }

    @Test func `a connection that takes no bytes ends when none arrive for a second`() async throws {
        let clock = ManualClock()
        let socket = try await Peer.transport(over: .bytes(BrokenConnection())).webSocket(
            HTTPRequest(.get, "https://example.com/"), options: .quiet, clock: clock)
        #expect(await code { try await socket.send(.text("first")) } == .connectionLost)
        #expect(socket.failure == nil)
        let reader = Task { try await socket.messages.first { _ in true } }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        #expect(await code { _ = try await reader.value } == .connectionLost)
    }

    @Test func `a connection whose handshake is invalid is closed`() async throws {
        let framing = FramingConnection()
        let transport = Peer.transport(over: .webSocket(framing), fields: ["Sec-WebSocket-Protocol": "other"])
        #expect(await code { _ = try await transport.webSocket("ws://example.com/") } == .invalidHandshake)
        #expect(framing.closeCodes.value == [1002])
        let connection = BrokenConnection()
        let bytes = Peer.transport(over: .bytes(connection), fields: ["Sec-WebSocket-Protocol": "other"])
        #expect(await code { _ = try await bytes.webSocket("ws://example.com/") } == .invalidHandshake)
        #expect(connection.isClosed.value)
    }

    @Test func `closing waits for the peer, and drops what arrives meanwhile`() async throws {
        let (socket, peer) = try await Peer.connected()
        async let closure = socket.close(WebSocketCloseCode(4001), reason: "done")
        #expect(try await peer.receive(1) == [.close(WebSocketCloseCode(4001), reason: "done")])
        try await peer.send("81 01 41 88 02 0f a1")
        #expect(try await closure == WebSocketClosure(code: WebSocketCloseCode(4001), reason: "done", isLocal: true))
        var reader = socket.messages.makeAsyncIterator()
        #expect(try await reader.next() == nil)
        #expect(await code { try await socket.close(.abnormal) } == .invalidArgument)
        #expect(try await socket.close().isLocal)
    }

    @Test func `closing ends at its timeout`() async throws {
        let clock = ManualClock()
        let (socket, peer) = try await Peer.connected(.quiet, clock: clock)
        async let closure = socket.close()
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(10))
        #expect(try await closure.code == .abnormal)
        try await peer.connection.waitForEnd()
    }

    @Test func `a ping without a pong does not change the end of a socket that closes`() async throws {
        let clock = ManualClock()
        let (socket, silent) = try await Peer.connected(WebSocketOptions(), clock: clock)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(30))
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(50) } }
        await clock.advance(by: .seconds(15))
        async let closure = socket.close()
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(55) } }
        await clock.advance(by: .seconds(5))
        // The next round, or the time for the last frames.
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(80) || $0.offset == .seconds(51) } }
        #expect(socket.closure == nil)
        await clock.advance(by: .seconds(5))
        #expect(try await closure.isLocal && socket.failure == nil)
        withExtendedLifetime(silent) {}
    }

    @Test func `a socket that closes when a ping is due waits for the peer`() async throws {
        let clock = ManualClock()
        let (socket, peer) = try await Peer.connected(WebSocketOptions(), clock: clock)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(29))
        async let closure = socket.close()
        #expect(try await peer.receive(1) == [.close(.normal, reason: "")])
        await clock.advance(by: .seconds(1))
        _ = try await clock.wait { $0.contains { $0.offset == .seconds(60) || $0.offset == .seconds(31) } }
        #expect(socket.closure == nil)
        try await peer.send("88 02 03 e8")
        #expect(try await closure == WebSocketClosure(code: .normal, isLocal: true))
        #expect(socket.failure == nil)
    }

    @Test func `an invalid frame while the socket closes does not change its end`() async throws {
        let (socket, peer) = try await Peer.connected()
        async let closure = socket.close()
        #expect(try await peer.receive(1) == [.close(.normal, reason: "")])
        try await peer.send("83 00")
        #expect(try await closure == WebSocketClosure(code: .normal, isLocal: true))
        #expect(socket.failure == nil)
    }

    @Test func `cancelling the reader closes the connection`() async throws {
        let (socket, peer) = try await Peer.connected()
        let reader = Task { for try await _ in socket.messages {} }
        reader.cancel()
        let result = await reader.result
        #expect { try result.get() } throws: { ($0 as? WebSocketError)?.code == .cancelled && $0.isCancellation }
        #expect(try await peer.receive(1) == [.close(.goingAway, reason: "")])
        try await peer.connection.waitForEnd()
    }

    @Test func `a cancelled reader gets none of the messages that wait, and the connection closes`() async throws {
        let (socket, peer) = try await Peer.connected()
        // The pong tells that the messages have arrived.
        try await peer.send("81 01 41 81 01 42 89 00")
        #expect(try await peer.receive(1) == [.pong(Data())])
        let reader = Task {
            var reader = socket.messages.makeAsyncIterator()
            let first = try await reader.next()
            withUnsafeCurrentTask { $0?.cancel() }
            #expect(await code { _ = try await reader.next() } == .cancelled)
            return [first, try await reader.next()]
        }
        #expect(try await reader.value == [.text("A"), nil])
        #expect(try await peer.receive(1) == [.close(.goingAway, reason: "")])
    }

    @Test func `releasing the socket closes the connection`() async throws {
        var pair: (WebSocket, Peer)? = try await Peer.connected()
        let peer = try #require(pair?.1)
        pair = nil
        #expect(try await peer.receive(1) == [.close(.goingAway, reason: "")])
        try await peer.connection.waitForEnd()
    }

    @Test func `a reader that stops stops the reading`() async throws {
        let (socket, peer) = try await Peer.connected(
            WebSocketOptions { ($0.pingInterval, $0.receiveBufferBytes) = (nil, 10_000) })
        let sender = Task { while !Task.isCancelled { try await peer.send(.binary(Data(count: 1000))) } }
        // The reader's messages, a piece of the connection, and the bytes on their way: then the peer waits.
        try await eventually("the peer is blocked") { peer.isBlocked }
        #expect(socket.closure == nil)
        var reader = socket.messages.makeAsyncIterator()
        for _ in 0..<1000 { #expect(try await reader.next() == .binary(Data(count: 1000))) }
        sender.cancel()
        _ = await sender.result
    }

    @Test func `concurrent senders send whole messages, each in its order`() async throws {
        let (socket, peer) = try await Peer.connected(
            WebSocketOptions { ($0.pingInterval, $0.sendBufferBytes) = (nil, 4096) })
        async let events = peer.receive(800)
        try await withThrowingTaskGroup { group in
            for sender in 0..<8 {
                group.addTask {
                    for index in 0..<100 {
                        try await socket.send(.text("\(sender) \(index) \(String(repeating: "x", count: 500))"))
                    }
                }
            }
            try await group.waitForAll()
        }
        var next = Array(repeating: 0, count: 8)
        for case .message(.text(let text)) in try await events {
            let parts = text.split(separator: " ")
            let sender = try #require(Int(parts[0]))
            #expect(Int(parts[1]) == next[sender] && parts[2].count == 500)
            next[sender] += 1
        }
        #expect(next == Array(repeating: 100, count: 8))
    }

    @Test func `a refused handshake tells the status`() async throws {
        let transport = FakeTransport { $0.response(.forbidden) }
        await #expect {
            try await transport.webSocket(HTTPRequest(.get, "https://example.com/?token=secret"))
        } throws: {
            let error = $0 as? WebSocketError
            return error?.code == .handshakeRefused && error?.status == .forbidden && !"\($0)".contains("secret")
        }
        let silent = FakeTransport { HTTPResponse(status: HTTPStatus(101) ?? .ok, url: $0.url) }
        #expect(await code { _ = try await silent.webSocket("ws://example.com/") } == .invalidHandshake)
    }

    @Test func `URLSession on Linux fails before anything is sent`() async throws {
        #if !canImport(Darwin)
            let server = try LoopbackServer { $0.response(text: "") }
            await #expect {
                try await URLSessionTransport().webSocket("ws://127.0.0.1:\(server.port)/")
            } throws: { ($0 as? TransportError)?.code == .unsupported }
            #expect(server.connectionCount == 0)
            await server.stop()
        #endif
    }
}
