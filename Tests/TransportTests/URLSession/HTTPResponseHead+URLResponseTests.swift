import Foundation
import HTTPMessages
import PatchbayTestKit
import SystemLibraries
import TestSupport
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.needsSlot) struct HTTPResponseHeadURLResponseTests {
    private func head(
        _ fields: [String: String], status: Int = 200, method: HTTPMethod = .get
    ) throws -> HTTPResponseHead {
        let request = try HTTPRequest(method, "http://host/")
        let response = HTTPURLResponse(
            url: request.url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        return try HTTPResponseHead(#require(response), for: request)
    }

    @Test(arguments: ["gzip", "GZIP", "deflate", "br", "deflate, gzip"])
    func `a decoded body loses the fields of its encoded form`(coding: String) throws {
        let fields = ["Content-Encoding": coding, "Content-Length": "9", "X": "y"]
        let decoded = try head(fields)
        #expect(decoded.fields[.contentEncoding] == nil && decoded.contentLength == nil && decoded.fields["x"] == "y")
        for (status, method) in [(200, HTTPMethod.head), (304, .get), (204, .get)] {
            let kept = try head(fields, status: status, method: method)
            #expect(kept.fields[.contentEncoding] == coding && kept.contentLength == 9)
        }
    }

    @Test(arguments: ["identity", "x-own", "gzip, x-own", ","]) func `keeps other codings`(coding: String) throws {
        let kept = try head(["Content-Encoding": coding, "Content-Length": "9"])
        #expect(kept.fields[.contentEncoding] == coding && kept.contentLength == 9)
    }

    private static let unframed = [
        ["Content-Length": ""], ["Content-Length": "-1"], ["Content-Length": "1, 2"],
        ["Content-Length": "99999999999999999999"], ["Content-Length": "5x", "Content-Encoding": "gzip"],
        ["Transfer-Encoding": "gzip, chunked"], ["Transfer-Encoding ": "chunked"],
    ]

    @Test(arguments: unframed)
    func `refuses a body without a reliable end, and only a body`(fields: [String: String]) throws {
        let error = #expect(throws: TransportError.self) { try head(fields) }
        #expect(error?.code == .malformedResponse && error?.request == "GET http://host/")
        for (status, method) in [(200, HTTPMethod.head), (304, .get), (204, .get), (103, .get)] {
            #expect(try head(fields, status: status, method: method).status.code == status)
        }
    }

    @Test func `Transfer-Encoding overrides Content-Length`() throws {
        #expect(try head(["Content-Length": "5", "Transfer-Encoding": "chunked"]).contentLength == nil)
    }

    @Test func `a response that is not HTTP is an error`() throws {
        let request = try HTTPRequest(.get, "http://host/")
        let response = URLResponse(url: request.url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        let error = #expect(throws: TransportError.self) { try HTTPResponseHead(response, for: request) }
        #expect(error?.code == .malformedResponse)
        #expect(throws: TransportError.self) { try head([:], status: 99) }
    }

    @Test(arguments: [ZlibFormat.gzip, .zlib]) func `compressed bodies arrive decoded`(format: ZlibFormat)
        async throws
    {
        let text = Data(String(repeating: "hello, ", count: 50_000).utf8)
        let coded = try Deflater.deflate(text, as: format)
        let service = ClosureService { request in
            let coding = format == .gzip ? "gzip" : "deflate"
            return request.response(fields: try HTTPFields(["Content-Encoding": coding, "X-A": "1"]), body: coded)
        }
        try await withServer(service: service) { server, transport in
            let log = EventLog()
            let response = try await transport.send(server.request(), observer: log)
            #expect(response.body == text)
            #expect(!response.fields.contains(.contentEncoding) && !response.fields.contains(.contentLength))
            #expect(response.fields["X-A"] == "1")
            #expect(log.events.last == .receivedBytes(Int64(text.count), total: nil))
            let head = try await transport.send(server.request(.head))
            #expect(head.fields[.contentEncoding] != nil)
        }
    }

    @Test(arguments: [("x-unknown", Data("abc".utf8)), ("gzip", Data("this is no gzip".utf8))])
    func `undecodable codings are errors`(coding: String, body: Data) async throws {
        let service = ClosureService { $0.response(fields: try HTTPFields(["Content-Encoding": coding]), body: body) }
        try await withServer(service: service) { server, transport in
            let error = try await transportError { try await transport.send(server.request()) }
            #expect(error.code == .undecodableContent, "\(error)")
        }
    }

    @Test func `field names are case-insensitive, and fields of one name are joined`() async throws {
        let lines = "x-a: 1\r\nX-A: 2\r\neTaG: \"q\"\r\nX-B: one\r\nX-B: two\r\nX-Blank:   v  \r\nX-Empty: \r\n"
        try await withServer(script: { _ in [.send("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")] }) {
            server, transport in
            let response = try await transport.send(server.request())
            let both = try #require(response.fields["X-a"]).split(separator: ", ").sorted()
            #expect(both == ["1", "2"])
            #expect(response.fields[.etag] == "\"q\"")
            #expect(response.fields["x-b"] == "one, two")
            #expect(response.fields["x-blank"] == "v" && response.fields["X-EMPTY"] == "")
        }
    }

    @Test func `lines of Set-Cookie and Location are split again`() async throws {
        let lines =
            "Set-Cookie: a=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT\r\nLocation: /x\r\nSet-Cookie: b=2\r\n"
            + "Location: /x\r\nSet-Cookie: c=x, y\r\n"
        try await withServer(script: { _ in [.send("HTTP/1.1 302 Found\r\n\(lines)Content-Length: 0\r\n\r\n")] }) {
            server, transport in
            let fields = try await transport.send(server.request()).fields
            #expect(
                fields.values(of: .setCookie) == ["a=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "b=2", "c=x, y"])
            #expect(fields.values(of: .location) == ["/x", "/x"])
        }
    }

    @Test func `a field with a control character is dropped, and a head that is not UTF-8 fails`()
        async throws
    {
        let control = Data("HTTP/1.1 200 OK\r\nX-A: a\u{1}b\r\nX-B: c\r\nContent-Length: 0\r\n\r\n".utf8)
        let latin = try #require(
            "HTTP/1.1 200 OK\r\nX-A: \u{E4}\r\nContent-Length: 0\r\n\r\n".data(using: .isoLatin1))
        try await withServer(script: { request in [.send(request.target == "/latin" ? latin : control)] }) {
            server, transport in
            let fields = try await transport.send(server.request()).fields
            #expect(fields["X-A"] == nil && fields["X-B"] == "c")
            #if !canImport(Darwin)
                let error = try await transportError { try await transport.send(server.request(.get, "/latin")) }
                #expect(error.code == .malformedResponse)
            #endif
        }
    }

    @Test(
        arguments: [
            ([], true, 5, false, false), (["gzip"], true, -1, true, true), (["gzip"], true, 5, true, false),
            (["gzip"], false, -1, true, true), (["x-own"], false, -1, false, false),
            (["x-own"], true, 5, false, false), (["zstd"], true, -1, true, true), (["zstd"], true, 9, true, false),
            (["gzip", "x-own"], true, 5, false, false),
        ] as [([String], Bool, Int64, Bool, Bool)])
    func `the response tells what CFNetwork has decoded, a list what libcurl has`(
        codings: [String], declaresLength: Bool, expectedLength: Int64, libcurl: Bool, cfNetwork: Bool
    ) {
        for (engine, expected) in [(EngineKind.libcurl, libcurl), (.cfNetwork, cfNetwork)] {
            let isDecoded = HTTPResponseHead.isDecoded(
                codings, declaresLength: declaresLength, expectedLength: expectedLength, by: engine)
            #expect(isDecoded == expected, "\(codings) \(engine)")
        }
    }

    @Test func `a coded body has no length that CFNetwork delivers`() throws {
        var head = HTTPResponseHead(status: .ok, url: try URL(httpString: "http://h/"))
        try head.fields.set("Content-Length", to: "11")
        #expect(EngineKind.allCases.map { head.deliveredLength(by: $0) } == [11, 11])
        try head.fields.set("Content-Encoding", to: "zstd")
        #expect(head.deliveredLength(by: .cfNetwork) == nil && head.deliveredLength(by: .libcurl) == 11)
    }
}
