import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// Servers that send faster than the client reads, in pieces that cost much.
@Suite(.needsSlot) struct FloodTests {
    private static let emptyMember: [UInt8] = [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    private static let emptyFrame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x58, 1, 0, 0]
    private static let cases: [(fields: String, piece: Data)] = [
        ("Transfer-Encoding: chunked", Data(repeatElement("1\r\nx\r\n", count: 10_000).joined().utf8)),
        ("Content-Type: text/plain", Data(repeating: 0x78, count: 1 << 20)),
        // Empty members of gzip, and empty frames of zstd.
        ("Content-Encoding: gzip", Data(repeatElement(emptyMember, count: 10_000).joined())),
        ("Content-Encoding: zstd", Data(repeatElement(emptyFrame, count: 20_000).joined())),
    ]

    // Its end would be that of the stream, which has none.
    @Test(arguments: cases)
    func `requests to other servers finish beside a stream without an end`(fields: String, piece: Data) async throws {
        let flooding = try LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            try connection.send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n")
            while true { try connection.send(piece) }
        })
        try await flooding.stopping { flooding in
            try await LoopbackServer { $0.response(text: "ok") }.stopping { server in
                let transport = try CurlTransport()
                let stream = try await transport.stream(HTTPRequest(.get, flooding.url(of: "/")))
                let reading = Task {
                    var count = 0
                    for try await chunk in stream.body { count += chunk.count }
                    return count
                }
                for _ in 0..<100 {
                    let response = try await transport.send(HTTPRequest(.get, server.url(of: "/")))
                    #expect(response.body == Data("ok".utf8))
                }
                reading.cancel()
                _ = try? await reading.value
                await transport.shutdown(.cancelling)
            }
        }
    }

    @Test(arguments: [(1, 2), (80, 1)])
    func `a connection is used again after rows, but not after a response of single bytes`(
        size: Int, connections: Int
    ) async throws {
        let count = Watched(0)
        let chunk = String(size, radix: 16) + "\r\n" + String(repeating: "x", count: size) + "\r\n"
        let server = try LoopbackServer(connections: { connection in
            count.update { $0 += 1 }
            while true {
                _ = try connection.receiveRequest()
                try connection.send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + String(repeating: chunk, count: 1000) + "0\r\n\r\n")
            }
        })
        try await server.stopping { server in
            let transport = try CurlTransport()
            for _ in 0..<2 {
                let response = try await transport.send(HTTPRequest(.get, server.url(of: "/")))
                #expect(response.body.count == 1000 * size)
            }
            #expect(count.value == connections)
        }
    }

    @Test func `a server with interim heads without an end gets an error`() async throws {
        try await LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            while true { try connection.send(String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 1000)) }
        }).stopping { server in
            let transport = try CurlTransport()
            let error = await transportError { _ = try await transport.send(HTTPRequest(.get, server.url(of: "/"))) }
            #expect(error?.code == .malformedResponse, "\(error as Any)")
        }
    }
}
