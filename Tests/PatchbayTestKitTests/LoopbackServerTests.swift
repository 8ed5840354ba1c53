import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import PatchbayTestKit

@Suite(.needsSlot) struct LoopbackServerTests {
    static let echo = ClosureService { request in
        let body = try await request.body.collect()
        return request.response(
            text: "\(request.method) \(request.url.path()) \(String(decoding: body, as: UTF8.self))")
    }

    private func exchange(_ bytes: String, limits: LoopbackServer.Limits = .init()) async throws -> String? {
        try await LoopbackServer.serving(Self.echo, limits: limits) { server in
            let client = try RawClient(port: server.port)
            try client.send(bytes)
            return await client.readToEnd()
        }
    }

    @Test func `keeps a connection alive`() async throws {
        try await LoopbackServer.serving(Self.echo) { server in
            let client = try RawClient(port: server.port)
            for number in 0..<5 {
                try client.send("GET /\(number)?q=%20 HTTP/1.1\r\nHost: a\r\n\r\n")
                let response = try await client.readResponse()
                #expect(response.statusLine == "HTTP/1.1 200 OK")
                #expect(response.body == "GET /\(number) ")
            }
            #expect(server.connectionCount == 1)
            #expect(server.requests.map(\.connection) == [0, 0, 0, 0, 0])
        }
    }

    @Test func `serves pipelined requests in order`() async throws {
        try await LoopbackServer.serving(Self.echo) { server in
            let client = try RawClient(port: server.port)
            let post = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none"
            try client.send(post + "GET /b HTTP/1.1\r\nHost: a\r\n\r\n" + post)
            var bodies: [String] = []
            for _ in 0..<3 { bodies.append(try await client.readResponse().body) }
            #expect(bodies == ["POST /a one", "GET /b ", "POST /a one"])
        }
    }

    @Test func `reads requests byte by byte`() async throws {
        try await LoopbackServer.serving(Self.echo) { server in
            let client = try RawClient(port: server.port)
            let request = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            for byte in request.utf8 { try client.socket.write([byte]) }
            #expect(try await client.readResponse().body == "POST /x abc")
        }
    }

    @Test func `decodes chunks with extensions and trailers`() async throws {
        try await LoopbackServer.serving(Self.echo) { server in
            let client = try RawClient(port: server.port)
            try client.send(
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
                    + "5;name=\"a b\"\r\nhello\r\nA \r\n, world!!!\r\n000;last\r\nDigest: x\r\n\r\n")
            #expect(try await client.readResponse().body == "PUT / hello, world!!!")
            #expect(server.requests.first?.trailers == Data("Digest: x\r\n".utf8))
        }
    }

    @Test func `sends a chunked body when the response declares it`() async throws {
        let service = ClosureService { request in
            var fields = HTTPFields()
            try fields.set(.transferEncoding, to: "chunked")
            return request.response(fields: fields, body: Data(request.url.path() == "/empty" ? "".utf8 : "hello".utf8))
        }
        try await LoopbackServer.serving(service) { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try await client.readResponse()
            #expect(response.body == "5\r\nhello\r\n0\r\n\r\n")
            #expect(response.fields == ["Transfer-Encoding: chunked"])
            try client.send("GET /empty HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.readResponse().body == "0\r\n\r\n")
            try client.send("GET / HTTP/1.0\r\n\r\n")
            #expect(await client.readToEnd()?.hasSuffix("Content-Length: 5\r\nConnection: close\r\n\r\nhello") == true)
        }
    }

    @Test(arguments: [32_768, 32_769, 5_000_000]) func `sends a large body completely`(size: Int)
        async throws
    {
        let service = ClosureService { $0.response(body: Data(repeating: 0x61, count: size)) }
        try await LoopbackServer.serving(service) { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = try #require(await client.readToEnd())
            #expect(text.hasSuffix("\r\n\r\n" + String(repeating: "a", count: size)))
        }
    }

    @Test func `serves HEAD with the fields of GET and no body`() async throws {
        let service = ClosureService { $0.response(text: "12345") }
        try await LoopbackServer.serving(service) { server in
            let client = try RawClient(port: server.port)
            try client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try await client.readResponse(hasBody: false)
            #expect(response.fields.contains("Content-Length: 5"))
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.readResponse().body == "12345")
        }
    }

    @Test func `sends 100 Continue to a client that expects it`() async throws {
        try await LoopbackServer.serving(Self.echo) { server in
            let client = try RawClient(port: server.port)
            try client.send("PUT /e HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n")
            #expect(try await client.readResponse(hasBody: false).statusLine == "HTTP/1.1 100 Continue")
            try client.send("ok")
            #expect(try await client.readResponse().body == "PUT /e ok")
            try client.send("GET /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.readResponse().statusLine == "HTTP/1.1 200 OK")
        }
    }

    @Test func `sends no 100 Continue for a body over the limit`() async throws {
        let response = try await exchange(
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\nExpect: 100-continue\r\n\r\n", limits: .init(body: 10))
        #expect(response?.hasPrefix("HTTP/1.1 413 Content Too Large\r\n") == true)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
    ])
    func `closes the connection when the client asks for it`(request: String) async throws {
        let response = try #require(try await exchange(request))
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(response.contains("\r\nConnection: close\r\n"))
    }

    @Test func `keeps an HTTP/1.0 connection alive on request`() async throws {
        try await LoopbackServer.serving(Self.echo) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
                #expect(try await client.readResponse().fields.contains("Connection: keep-alive"))
            }
        }
    }

    @Test func `closes the connection when the response says so`() async throws {
        let service = ClosureService { request in
            request.response(fields: try HTTPFields(["Connection": "close"]), body: Data("bye".utf8))
        }
        try await LoopbackServer.serving(service) { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(
                await client.readToEnd() == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbye")
        }
    }

    @Test func `skips an empty line before a request`() async throws {
        let response = try await exchange("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(response?.hasPrefix("HTTP/1.1 200") == true)
    }

    @Test func `refuses heads and bodies over the limit`() async throws {
        let limits = LoopbackServer.Limits(head: 1000, body: 10)
        let long = String(repeating: "a", count: 1_000_000)
        let requests = [
            ("GET /\(long) HTTP/1.1\r\n", 431), ("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n", 431),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(long.prefix(980))\r\n\r\n", 431),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n\(long)", 413),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\naaaaaa\r\n5\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", 413),
        ]
        for (request, status) in requests {
            let response = try await exchange(request, limits: limits)
            #expect(response?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(request.prefix(60)): \(response ?? "reset")")
        }
    }

    @Test func `a client that is still sending can read the error response`() async throws {
        let body = String(repeating: "a", count: 30_000_000)
        let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30000000\r\n\r\n"
        let response = try await exchange(request + body, limits: .init(body: 10))
        #expect(response?.hasPrefix("HTTP/1.1 413 ") == true)
    }

    @Test func `sends 400 to a request that HTTPRequest does not allow`() async throws {
        try await LoopbackServer.serving(Self.echo) { server in
            let withBody = "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
            for request in [withBody, "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"] {
                let client = try RawClient(port: server.port)
                try client.send(request)
                #expect(await client.readToEnd()?.hasPrefix("HTTP/1.1 400 ") == true)
            }
            // They are recorded anyway.
            #expect(server.requests.map(\.body) == [Data("x".utf8), Data()])
        }
    }

    @Test func `sends 500 when the service throws`() async throws {
        try await LoopbackServer.serving(ClosureService { _ in throw URLError(.unknown) }) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.readResponse().statusLine == "HTTP/1.1 500 Internal Server Error")
            }
        }
    }

    @Test func `records requests as they were sent`() async throws {
        try await LoopbackServer.serving(Self.echo) { server in
            async let received = server.requests(count: 2)
            let client = try RawClient(port: server.port)
            try client.send("POST /a%2Fb?x=1#f HTTP/1.1\r\nhOST:  a \r\nX-A:1\r\nx-a: 2\r\nContent-Length: 2\r\n\r\nhi")
            _ = try await client.readResponse()
            try client.send("GET http://other/y HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.readResponse().body == "GET /y ")
            let requests = try await received
            let first = try #require(requests.first)
            #expect(first.requestLine == "POST /a%2Fb?x=1#f HTTP/1.1")
            #expect(first.headerLines == ["hOST:  a ", "X-A:1", "x-a: 2", "Content-Length: 2"])
            #expect(first.target == "/a%2Fb?x=1#f" && first.method == "POST")
            #expect(first.fields["X-A"] == "1, 2" && first.fields[.host] == "a")
            #expect(first.body == Data("hi".utf8))
            #expect(requests.map(\.number) == [0, 1])
            #expect(!"\(first)".contains("x=1"))
        }
    }

    @Test func `counts requests beyond the recording limit without recording them`() async throws {
        try await LoopbackServer.serving(Self.echo, limits: .init(recordedRequests: 1)) { server in
            let client = try RawClient(port: server.port)
            let executor = ObservedExecutor()
            let waiting = Task(executorPreference: executor) { try await server.requests(count: 3).count }
            try await executor.waitUntilIdle()
            for _ in 0..<3 {
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await client.readResponse()
            }
            #expect(try await waiting.value == 1)
            #expect(server.requests.count == 1 && server.requestCount == 3)
        }
    }

    @Test func `a port in use is an error`() async throws {
        try await LoopbackServer.serving(Self.echo) { server in
            let error = #expect(throws: LoopbackError.self) {
                _ = try LoopbackServer(port: server.port, service: Self.echo)
            }
            #expect(error?.code == .cannotListen)
            #expect(throws: LoopbackError.self) { _ = try LoopbackServer(port: 70_000, service: Self.echo) }
        }
    }
}
