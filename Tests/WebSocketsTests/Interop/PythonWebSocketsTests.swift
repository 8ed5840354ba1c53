import Foundation
import TestSupport
import Testing
import Transport

@testable import WebSockets

private let peers = ["PATCHBAY_WEBSOCKETS", "PATCHBAY_AUTOBAHN"].compactMap {
    ProcessInfo.processInfo.environment[$0]
}

/// The servers of PyPI's `websockets` and `autobahn`, which `.ci/check-curl` starts.
@Suite(
    .needsSlot, .enabled(if: !peers.isEmpty, "Neither PATCHBAY_WEBSOCKETS nor PATCHBAY_AUTOBAHN is set."),
    .enabled(if: TestTransport.engine != "urlsession", "URLSession on Linux has no WebSockets."))
struct PythonWebSocketsTests {
    @Test(
        arguments: peers,
        [nil, WebSocketCompression(), WebSocketCompression(serverContextTakeover: false, clientWindowBits: 9)])
    func `it echoes messages, pings and the close code`(
        peer: String, compression: WebSocketCompression?
    ) async throws {
        let socket = try await TestTransport.make().webSocket(
            peer,
            options: WebSocketOptions { ($0.compression, $0.subprotocols) = (compression, ["other", "echo"]) })
        #expect(socket.subprotocol == "echo" && socket.isCompressing == (compression != nil))
        var reader = socket.messages.makeAsyncIterator()
        for size in [0, 1, 125, 126, 65_536, 1 << 20] {
            let message = WebSocketMessage.text(String(repeating: "aé€😀", count: size / 4))
            async let sent: Void = socket.send(message)
            #expect(try await reader.next() == message)
            try await sent
        }
        try await socket.ping()
        #expect(try await socket.close(WebSocketCloseCode(4321), reason: "bye").code.rawValue == 4321)
    }

    @Test(arguments: peers) func `its close code is an error`(peer: String) async throws {
        let socket = try await TestTransport.make().webSocket(
            peer, options: WebSocketOptions { $0.subprotocols = ["echo"] })
        try await socket.send(.text("close 4001"))
        let error = await #expect(throws: WebSocketError.self) { for try await _ in socket.messages {} }
        #expect(error?.code == .closedByPeer && error?.closeCode?.rawValue == 4001)
        #expect(socket.closure?.reason == "asked for")
    }
}
