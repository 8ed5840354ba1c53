import Foundation

/// The compressor of a socket's messages, for use outside the lock of the socket.
///
/// Messages refer to those before them, so there is one user at a time: ``SocketState`` gives it to one sender.
final class MessageCompressor: @unchecked Sendable {
    private let deflater: MessageDeflater

    init(_ deflater: MessageDeflater) { self.deflater = deflater }

    /// True for a message that is large enough.
    func accepts(_ message: WebSocketMessage) -> Bool { message.byteCount >= deflater.minimumBytes }

    func compress(_ message: WebSocketMessage) throws(WebSocketError) -> Data { try deflater.compress(message.data) }
}
