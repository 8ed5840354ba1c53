import CurlTransport
import Foundation
import TestSupport
import Testing
import Transport
import WebSockets

private let peer = ProcessInfo.processInfo.environment["PATCHBAY_WEBSOCKETS_TLS"]

/// The server of PyPI's `websockets`, with a certificate of the script's authority.
@Suite(.needsSlot, .enabled(if: peer != nil, "PATCHBAY_WEBSOCKETS_TLS is not set."))
struct WebSocketTLSTests {
    private let options = WebSocketOptions { $0.subprotocols = ["echo"] }

    @Test func `messages of all sizes come back over TLS`() async throws {
        let transport = try CurlTransport(network: .test())
        let socket = try await transport.webSocket(try #require(peer), options: options)
        var reader = socket.messages.makeAsyncIterator()
        for size in [0, 1, 16_384, 16_385, 300_000, 3 << 20] {
            let message = WebSocketMessage.binary(Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) }))
            async let sent: Void = socket.send(message)
            #expect(try await reader.next() == message)
            try await sent
        }
        // A reader that pauses, while more arrives than a record of TLS, and than the buffers hold.
        for _ in 0..<300 { try await socket.send(.binary(Data(count: 5000))) }
        for _ in 0..<300 { #expect(try await reader.next() == .binary(Data(count: 5000))) }
        #expect(try await socket.close().code == .normal)
    }

    @Test func `a certificate that is not trusted is refused`() async throws {
        let error = await transportError {
            _ = try await CurlTransport(.init(proxy: .none)).webSocket(try #require(peer), options: options)
        }
        #expect(error?.code == .tls && error?.tlsFailure == .untrustedCertificate)
    }
}
