import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct FailureTests {
    @Test func `a server of HTTP 1_0 gets no body of unknown length`() async throws {
        let script: @Sendable (RecordedRequest) -> ServerScript = { _ in
            [.send("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n")]
        }
        try await LoopbackServer(script: script).stopping { server in
            let transport = try CurlTransport()
            let url = try server.url(of: "/")
            _ = try await transport.send(HTTPRequest(.get, url))
            let body = HTTPBody.stream(AsyncStream { $0.finish() })
            let error = await transportError { _ = try await transport.send(HTTPRequest(.put, url, body: body)) }
            #expect(error?.code == .unsupported && error?.message.contains("length") == true, "\(error as Any)")
            #expect(server.requestCount == 1)
        }
    }

    // In Brotli, so that all of the body arrives at once, and most of it waits for the reader in the decoder.
    @Test func `a slow reader gets what can be decoded, then the error`() async throws {
        let zeros = try #require(Data(base64Encoded: "m///fwAkAOKxQHLv/wA="))
        let fields = "Content-Encoding: br\r\nContent-Length: \(zeros.count + 1)"
        try await LoopbackServer(script: { request in
            request.target == "/next"
                ? [.respond(with: ClosureService { $0.response() })]
                : [.send(Data("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8) + zeros), .close]
        }).stopping { server in
            let transport = try CurlTransport(configuration: .init(streamBufferBytes: 1000))
            let stream = try await transport.stream(HTTPRequest(.get, server.url(of: "/")))
            try await server.waitForOpenConnections(0)
            // The thread handles this request after the end of the other connection.
            _ = try await transport.send(HTTPRequest(.get, server.url(of: "/next")))
            var count = 0
            let error = await transportError { for try await chunk in stream.body { count += chunk.count } }
            #expect(count == 8 << 20)
            #expect(error?.code == .truncated, "\(error as Any)")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "y", count: 1000))\r\n", count: 1000)
            + "\r\n",
        "HTTP/1.1 200 OK\r\nX: " + String(repeating: "y", count: 1_000_000) + "\r\n\r\n", "nonsense\r\n\r\n",
        "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", "",
    ])
    func `a tunnel that a proxy does not open is a proxy error`(response: String) async throws {
        try await LoopbackServer(connections: { connection in
            _ = try connection.receiveRequest()
            try connection.send(response)
        }).stopping { proxy in
            let transport = try CurlTransport(.init(proxy: .server(.init(host: "127.0.0.1", port: UInt16(proxy.port)))))
            let error = await transportError { _ = try await transport.send(HTTPRequest(.get, "https://localhost/")) }
            #expect(error?.code == .proxy, "\(error as Any)")
        }
    }
}
