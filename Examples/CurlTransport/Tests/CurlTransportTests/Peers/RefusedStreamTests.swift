import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import CurlTransport

/// A server of HTTP/2 that processes no request, and says so (RFC 9113, section 8.7).
@Suite(.needsSlot) struct RefusedStreamTests {
    private static let preface = Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    /// Frames: the server's empty SETTINGS, its acknowledgment of the client's, and RST_STREAM of the first stream.
    private static let settings = Data([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0])
    private static let refusal = Data([0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 7])

    /// True when a frame of the client's is HEADERS.
    private static func hasRequest(_ bytes: Data) -> Bool {
        var rest = Array(bytes.dropFirst(preface.count))
        while rest.count >= 9 {
            if rest[3] == 1 { return true }
            rest = Array(rest.dropFirst(9 + (Int(rest[0]) << 16 | Int(rest[1]) << 8 | Int(rest[2]))))
        }
        return false
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `a refused GET is sent again, a refused POST is not, and both fail`(method: HTTPMethod) async throws {
        let count = Watched(0)
        try await LoopbackServer(connections: { connection in
            var received = Data()
            while let bytes = try connection.receive() {
                if received.isEmpty { try connection.send(Self.settings) }
                received += bytes
                guard Self.hasRequest(received) else { continue }
                count.update { $0 += 1 }
                try connection.send(Self.refusal)
                connection.stall()
                return
            }
        }).stopping { server in
            var options = CurlTransport.NetworkOptions()
            options.httpVersion = .http2PriorKnowledge
            let transport = try CurlTransport(network: options)
            let error = await transportError { _ = try await transport.send(HTTPRequest(method, server.url(of: "/"))) }
            #expect(error?.code == .connectionLost, "\(error as Any)")
            // An old libcurl cannot be told to leave a POST alone.
            let isSentAgain = try method == .get || !CurlLibrary.system.get().version.hasRequestCallback
            #expect((count.value > 1) == isSentAgain)
        }
    }
}
