import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// Servers that send bytes after the end of a response, when the client has read it.
@Suite(.needsSlot) struct UnaskedResponseTests {
    private static let stolen = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen"

    /// The response of the request, and the bytes after it.
    private static let cases: [(HTTPMethod, String, String)] = [
        (.get, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", stolen),
        (.get, "HTTP/1.1 204 No Content\r\n\r\n", stolen),
        (.get, "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", stolen),
        (.get, "HTTP/1.1 304 Not Modified\r\n\r\n", stolen),
        (.head, "HTTP/1.1 200 OK\r\nContent-Length: \(stolen.utf8.count)\r\n\r\n", stolen),
        (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", stolen),
        (.get, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "x"),
    ]

    @Test(arguments: cases)
    func `bytes after a response are never given to the next request`(
        method: HTTPMethod, response: String, rest: String
    ) async throws {
        let rounds = 5
        let (asked, sent) = (Watched(0), Watched(0))
        try await LoopbackServer(connections: { connection in
            while let request = try connection.receiveRequest() {
                guard request.target == "/first" else {
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
                    continue
                }
                let number = asked.value
                try connection.send(response)
                // The client has the response, and so the connection is idle.
                _ = try await asked.wait { $0 > number }
                try connection.send(rest)
                sent.update { $0 += 1 }
            }
        }).stopping { server in
            let transport = try CurlTransport()
            let (first, next) = (try server.url(of: "/first"), try server.url(of: "/next"))
            for round in 1...rounds {
                _ = try await transport.send(HTTPRequest(method, first))
                asked.update { $0 += 1 }
                _ = try await sent.wait { $0 == round }
                // A request that is not idempotent, too: it was not sent on the old connection.
                let response = try await transport.send(HTTPRequest(round % 2 == 0 ? .get : .post, next))
                #expect(String(decoding: response.body, as: UTF8.self) == "next")
            }
            #expect(server.requestCount == 2 * rounds)
        }
    }

    @Test func `a connection without other bytes is used again`() async throws {
        try await LoopbackServer { $0.response(text: "ok") }.stopping { server in
            let transport = try CurlTransport()
            let request = try HTTPRequest(.post, server.url(of: "/"))
            for number in 0..<50 {
                let response = try await transport.send(request)
                #expect(response.head.transferReport?.metrics?.isConnectionReused == (number > 0))
            }
        }
    }
}
