import Foundation
import PatchbayTestKit
import Transport

/// A connection of an engine that frames the messages itself, whose peer sends what a test tells.
final class FramingConnection: WebSocketConnection {
    /// What the peer has sent; nil for its close frame.
    let incoming = Watched<[WebSocketConnectionMessage?]>([])
    /// The codes of the close frames of this side.
    let closeCodes = Watched<[Int]>([])

    func receive() async throws -> WebSocketConnectionMessage? {
        _ = try await incoming.wait { !$0.isEmpty }
        return incoming.update { $0.removeFirst() }
    }

    func send(_ message: WebSocketConnectionMessage) async throws {}
    func ping() async throws {}
    func close(code: Int, reason: Data) { closeCodes.update { $0.append(code) } }
    var closeCode: (code: Int, reason: Data)? { nil }
}
