import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import WebSockets

/// A server that speaks frames by hand, over the other end of a socket's connection.
final class Peer: Sendable {
    let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    var isBlocked: Bool { connection.isBlocked }

    func send(_ hexadecimal: String) async throws { try await connection.write(hex(hexadecimal)) }
    func send(_ message: WebSocketMessage) async throws {
        var encoder = FrameEncoder(role: .server)
        var bytes = Data()
        try encoder.encode(message, to: &bytes)
        try await connection.write(bytes)
    }

    /// The next events from the client, until some number of them.
    func receive(_ count: Int) async throws -> [FrameEvent] {
        var decoder = FrameDecoder(role: .server, limit: 16 << 20)
        var events: [FrameEvent] = []
        while events.count < count, let bytes = try await connection.read() {
            decoder.supply(bytes)
            while let event = try decoder.next() { events.append(event) }
        }
        return events
    }

    /// Answers each message with itself, and the close frame.
    func echo() async throws {
        var decoder = FrameDecoder(role: .server, limit: 16 << 20)
        var encoder = FrameEncoder(role: .server)
        while let bytes = try await connection.read() {
            decoder.supply(bytes)
            var output = Data()
            while let event = try decoder.next() {
                switch event {
                case .message(let message): try encoder.encode(message, to: &output)
                case .ping(let payload): encoder.encodePong(payload, to: &output)
                case .pong: break
                case .close(let code, let reason): encoder.encodeClose(code, reason: reason, to: &output)
                }
            }
            if !output.isEmpty { try await connection.write(output) }
        }
    }

    /// A transport whose response to a valid handshake has a connection, whose other end the closure gets.
    static func transport(
        refusing status: HTTPStatus? = nil, _ serve: @escaping @Sendable (Peer) async -> Void
    ) -> FakeTransport {
        FakeTransport { request in
            if let status { return HTTPResponse(status: status, url: request.url) }
            let (client, server) = MemoryConnection.pair()
            var head = HTTPResponseHead(status: try #require(HTTPStatus(101)), url: request.url)
            let key = "dGhlIHNhbXBsZSBub25jZQ=="
            head.webSocketKey = key
            try head.fields.set("Sec-WebSocket-Accept", to: WebSocketHandshake.accept(for: key))
            head.upgradedStream = .bytes(client)
            Task { await serve(Peer(server)) }
            return HTTPResponse(head: head)
        }
    }

    /// A transport whose response to each handshake has a connection.
    static func transport(over stream: UpgradedStream, fields: [String: String] = [:]) -> FakeTransport {
        FakeTransport { request in
            var head = HTTPResponseHead(status: try #require(HTTPStatus(101)), url: request.url)
            head.webSocketKey = "dGhlIHNhbXBsZSBub25jZQ=="
            head.fields["Sec-WebSocket-Accept"] = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
            for (name, value) in fields { try head.fields.set(name, to: value) }
            head.upgradedStream = stream
            return HTTPResponse(head: head)
        }
    }

    /// An open socket and its peer.
    static func connected(
        _ options: WebSocketOptions = WebSocketOptions { $0.pingInterval = nil },
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> (WebSocket, Peer) {
        let peers = Watched<[Peer]>([])
        let transport = transport { peer in peers.update { $0.append(peer) } }
        let socket = try await transport.webSocket(
            HTTPRequest(.get, "https://example.com/"), options: options, clock: clock)
        return (socket, try await peers.wait { !$0.isEmpty }[0])
    }
}

extension WebSocketOptions {
    static var quiet: WebSocketOptions { WebSocketOptions { $0.pingInterval = nil } }
}
