import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// Heads that do not say where their body ends.
@Suite(.needsSlot) struct FramingTests {
    private static let heads = [
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\nhello",
    ]

    @Test(arguments: heads) func `a body without a reliable end is an error`(response: String) async throws {
        try await LoopbackServer(script: { _ in [.send(response), .close] }).stopping { server in
            let transport = try CurlTransport()
            let url = try server.url(of: "/")
            let error = await transportError { _ = try await transport.send(HTTPRequest(.get, url)) }
            #expect(error?.code == .malformedResponse, "\(error as Any)")
            let streamed = await transportError { _ = try await transport.stream(HTTPRequest(.get, url)) }
            #expect(streamed?.code == .malformedResponse, "\(streamed as Any)")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 005\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ])
    func `an unusual form of a valid head is accepted`(response: String) async throws {
        try await LoopbackServer(script: { _ in [.send(response), .close] }).stopping { server in
            let response = try await CurlTransport().send(HTTPRequest(.get, server.url(of: "/")))
            #expect(response.body == Data("hello".utf8))
        }
    }

    // The bytes after it would extend the timeout.
    @Test func `a 101 that was not requested ends the request at once`() async throws {
        try await LoopbackServer(script: { _ in
            [.send("HTTP/1.1 101 Switching Protocols\r\n\r\n"), .stall]
        }).stopping { server in
            let options = RequestOptions(timeouts: Timeouts(response: nil, idle: nil))
            let error = await transportError {
                _ = try await CurlTransport().send(HTTPRequest(.get, server.url(of: "/"), options: options))
            }
            #expect(error?.code == .malformedResponse, "\(error as Any)")
        }
    }

    @Test func `bytes of a field that are not UTF-8 are kept`() async throws {
        let head = Data("HTTP/1.1 200 OK\r\nX-A: gr\u{FC}n".utf8.filter { $0 != 0xC3 }.map { $0 == 0xBC ? 0xFC : $0 })
        let rest = Data("\r\nX-B: grün\r\nLocation: /".utf8) + [0xFF] + Data("\r\nContent-Length: 0\r\n\r\n".utf8)
        try await LoopbackServer(script: { _ in [.send(head + rest)] }).stopping { server in
            let response = try await CurlTransport().send(HTTPRequest(.get, server.url(of: "/")))
            #expect(response.fields["X-A"] == "grün" && response.fields["X-B"] == "grün")
            #expect(response.fields[.location] == "/%FF")
        }
    }

    @Test func `a server without TLS that claims HTTP/2 keeps the limit of connections`() async throws {
        let gate = Gate()
        try await LoopbackServer(script: { request in
            request.target == "/claim"
                ? [.send("HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n")]
                : [.wait(for: gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]
        }).stopping { server in
            let transport = try CurlTransport(configuration: .init(maximumConnectionsPerOrigin: 1))
            _ = try await transport.send(HTTPRequest(.get, server.url(of: "/claim")))
            let url = try server.url(of: "/wait")
            let requests = (0..<3).map { _ in Task { try await transport.send(HTTPRequest(.get, url)).status } }
            _ = try await server.requests(count: 2)
            // Another origin's request is handled after those.
            let port = try RefusedPort()
            _ = await transportError { _ = try await transport.send(HTTPRequest(.get, port.url)) }
            #expect(server.requestCount == 2)
            gate.open()
            for request in requests { #expect(try await request.value == .ok) }
        }
    }
}
