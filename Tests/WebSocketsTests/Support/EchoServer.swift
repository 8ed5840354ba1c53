import Foundation
import HTTPMessages
import PatchbayTestKit

@testable import WebSockets

extension RawConnection {
    /// Answers a handshake, with bytes behind the head in the same write, and serves the frames until the end.
    ///
    /// Messages come back; a text `drop` ends the connection in the middle of a frame.
    func serveWebSocket(
        to request: RecordedRequest, _ options: WebSocketOptions = WebSocketOptions(), greeting: Data = Data()
    ) throws {
        let (fields, agreement) = try WebSocketHandshake.response(to: request.fields, options)
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        try send(Data("HTTP/1.1 101 Switching Protocols\r\n\(lines)\r\n".utf8) + greeting)
        var decoder = FrameDecoder(
            role: .server, limit: options.maximumMessageBytes,
            inflater: try agreement.compression?.inflater(for: .server))
        var encoder = FrameEncoder(
            role: .server, deflater: try agreement.compression?.deflater(for: .server, minimumBytes: 0))
        while let bytes = try receive(), !bytes.isEmpty {
            decoder.supply(bytes)
            var output = Data()
            while let event = try decoder.next() {
                switch event {
                case .message(.text("drop")):
                    try send(Data([0x82, 0x7D]))
                    return close()
                case .message(let message): try encoder.encode(message, to: &output)
                case .ping(let payload): encoder.encodePong(payload, to: &output)
                case .pong: break
                case .close(let code, let reason):
                    encoder.encodeClose(code, reason: reason, to: &output)
                    try send(output)
                    return close()
                }
            }
            if !output.isEmpty { try send(output) }
        }
    }
}
