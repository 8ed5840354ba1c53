import Foundation
import PatchbayTestKit
import Transport

/// A connection of an engine that frames the messages itself, whose peer sends what a test tells.
final class FramingConnection: WebSocketConnection {
    /// What the peer has sent; nil for its close frame.
    let incoming = Watched<[WebSocketConnectionMessage?]>([])
    /// The number of messages that this side has begun to receive.
    let receiveCount = Watched(0)
    /// The close frame of the peer, once it has sent it.
    let closeFrame = Watched<(code: Int, reason: Data)?>(nil)
    /// The codes of the close frames of this side.
    let closeCodes = Watched<[Int]>([])
    /// The number of messages that this side has begun to send.
    let sendCount = Watched(0)
    /// Holds messages and pings back until it is open.
    private let network: Gate?

    init(over network: Gate? = nil) { self.network = network }

    func receive() async throws -> WebSocketConnectionMessage? {
        receiveCount.update { $0 += 1 }
        _ = try await incoming.wait { !$0.isEmpty }
        return incoming.update { $0.removeFirst() }
    }

    func send(_ message: WebSocketConnectionMessage) async throws {
        sendCount.update { $0 += 1 }
        try await network?.wait()
    }
    func ping() async throws { try await network?.wait() }
    func close(code: Int, reason: Data) { closeCodes.update { $0.append(code) } }
    var closeCode: (code: Int, reason: Data)? { closeFrame.value }
}
