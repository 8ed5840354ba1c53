import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// Fields after the body, beyond the conformance suite.
@Suite(.needsSlot) struct TrailerTests {
    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"

    private func serving(_ trailers: String, _ body: (HTTPRequest) async throws -> Void) async throws {
        try await LoopbackServer(script: { _ in [.send(Self.head + trailers), .close] }).stopping { server in
            try await body(HTTPRequest(.get, server.url(of: "/")))
        }
    }

    @Test func `a stream has its trailers at its end`() async throws {
        let trailers = try HTTPFields(["Digest": "sha-256=x", "X-Rows": "12"])
        try await LoopbackServer { $0.response(body: Data(count: 100_000), trailers: trailers) }.stopping { server in
            let response = try await CurlTransport().stream(HTTPRequest(.get, server.url(of: "/")))
            var count = 0
            for try await chunk in response.body { count += chunk.count }
            #expect(count == 100_000 && response.trailers == trailers)
            #expect(response.fields["Digest"] == nil)
        }
    }

    @Test func `a response without trailers has an empty list, and URLSession tells nothing`() async throws {
        try await LoopbackServer { $0.response(text: "x") }.stopping { server in
            let request = try HTTPRequest(.get, server.url(of: "/"))
            #expect(try await CurlTransport().send(request).trailers == HTTPFields())
            #expect(try await URLSessionTransport().send(request).trailers == nil)
        }
    }

    /// Produces a body that sets the trailers at its end.
    private func post(
        _ server: LoopbackServer, _ name: String, length: Int64? = nil, options: RequestOptions = RequestOptions()
    ) throws -> HTTPRequest {
        let trailers = RequestTrailers(try HTTPFields(["X-Sum": ""]))
        var options = options
        options.trailers = trailers
        let reads = Watched(0)
        let body = AsyncThrowingStream<Data, any Error>(unfolding: {
            let read = reads.update { reads in
                reads += 1
                return reads
            }
            if read == 1 { return Data("hello".utf8) }
            trailers.fields = try HTTPFields([(name, "7"), ("X-Empty", "")])
            return nil
        })
        return try HTTPRequest(.post, server.url(of: "/"), body: .stream(body, length: length), options: options)
    }

    @Test(arguments: [5 as Int64, nil])
    func `a request sends the fields that its body has set, after it`(length: Int64?) async throws {
        try await LoopbackServer { $0.response(body: try await $0.body.collect()) }.stopping { server in
            let response = try await CurlTransport().send(post(server, "X-Sum", length: length))
            #expect(response.body == Data("hello".utf8))
            let request = try #require(server.requests.first)
            #expect(request.trailers == Data("X-Sum: 7\r\nX-Empty: \r\n".utf8))
            #expect(request.fields["Trailer"] == "X-Sum")
            #expect(request.fields[.contentLength] == nil && request.fields["X-Empty"] == nil)
        }
    }

    private static let forbidden = [
        "Content-Length", "authorization", "Transfer-Encoding", "Trailer", "If-Match", "X-HTTP-Method-Override",
    ]

    @Test(arguments: forbidden)
    func `fields that no trailer may have fail the request before anything is sent`(name: String) async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            var request = try HTTPRequest(.post, server.url(of: "/"), body: .text("hello"))
            request.options.trailers = RequestTrailers(try HTTPFields([name: ""]))
            for transport: any Transport in [try CurlTransport(), URLSessionTransport()] {
                let error = await transportError { _ = try await transport.send(request) }
                #expect(error?.code == .reservedField && error?.message.contains(name) == true, "\(error as Any)")
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test(arguments: forbidden)
    func `a body that sets fields that no trailer may have fails the request`(name: String) async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try post(server, name)
            let error = await transportError { _ = try await CurlTransport().send(request) }
            #expect(error?.code == .reservedField && error?.message.contains(name) == true, "\(error as Any)")
        }
    }

    @Test func `trailers are refused where they cannot be sent`() async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            var options = RequestOptions()
            options.trailers = RequestTrailers()
            let get = try HTTPRequest(.get, server.url(of: "/"), options: options)
            options.httpVersion = .http2
            let http2 = try post(server, "X-Sum", options: options)
            let post = try post(server, "X-Sum")
            for (transport, request): (any Transport, HTTPRequest) in [
                (try CurlTransport(), get), (try CurlTransport(), http2), (URLSessionTransport(), post),
            ] {
                let error = await transportError { _ = try await transport.send(request) }
                #expect(error?.code == .unsupported && error?.message.contains("trailers") == true, "\(error as Any)")
            }
            #expect(server.connectionCount == 0)
        }
    }

    // What a field of the head would change.
    @Test func `trailers change neither framing nor cookies nor credentials`() async throws {
        let lines =
            "Content-Length: 5\r\nTransfer-Encoding: gzip\r\nContent-Encoding: br\r\nSet-Cookie: a=b\r\n"
            + "Location: http://other/\r\nWWW-Authenticate: Basic\r\n\r\n"
        try await serving(lines) { request in
            let jar = CookieJar()
            let response = try await CurlTransport().keepingCookies(in: jar).redirecting().send(request)
            #expect(response.body == Data("ok".utf8) && response.fields.map(\.name.rawName) == ["Transfer-Encoding"])
            #expect(response.trailers?.count == 6 && jar.cookies(for: request.url).isEmpty)
        }
    }

    @Test(arguments: [
        (
            String(repeating: "X: \(String(repeating: "y", count: 1000))\r\n", count: 1000) + "\r\n",
            TransportError.Code.malformedResponse
        ),
        ("X: " + String(repeating: "y", count: 1_000_000) + "\r\n\r\n", .malformedResponse),
        ("nonsense\r\n\r\n", .malformedResponse), ("X : 1\r\n", .truncated), ("X: 1\r\n", .truncated),
        ("HTTP/1.1 200 OK\r\n\r\n", .malformedResponse),
    ])
    func `trailers that are too large, malformed or cut are an error, after the body`(
        lines: String, code: TransportError.Code
    ) async throws {
        try await serving(lines) { request in
            let response = try await CurlTransport().stream(request)
            var body = Data()
            let error = await transportError { for try await chunk in response.body { body += chunk } }
            #expect(error?.code == code && body == Data("ok".utf8), "\(error as Any)")
            #expect(response.trailers == nil)
        }
    }
}
