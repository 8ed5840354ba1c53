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
        let (client, server) = MemoryConnection.pair()
        let socket = try await transport(over: .bytes(client)).webSocket(
            HTTPRequest(.get, "https://example.com/"), options: options, clock: clock)
        return (socket, Peer(server))
    }
}

extension WebSocketOptions {
    static var quiet: WebSocketOptions { WebSocketOptions { $0.pingInterval = nil } }
}
