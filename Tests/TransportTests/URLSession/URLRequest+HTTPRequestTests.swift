import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct URLRequestHTTPRequestTests {
    private static let large = bytes(3 << 20)

    /// Created for each test, because a stream can be sent only once.
    private static var cases: [(name: String, body: HTTPBody, bytes: Data, isChunked: Bool)] {
        let six = Data("abcdef".utf8)
        let halves = [six.prefix(3), six.suffix(3)]
        return [
            ("bytes", .bytes(six), six, false),
            ("no bytes", .bytes(Data()), Data(), false),
            ("sequence", .sequence([.text("abc"), .text(""), .text("def")]), six, false),
            ("empty sequence", .sequence([]), Data(), false),
            ("generated", ClosureReader.pieces(halves), six, true),
            ("generated, length stated", ClosureReader.pieces(halves, length: 6), six, false),
            ("generated, nothing", ClosureReader.pieces([]), Data(), true),
            ("stream", .stream(stream(halves)), six, false),
            ("stream, length stated", .stream(stream(halves), length: 6), six, false),
            ("stream, nothing", .stream(stream([])), Data(), false),
            (
                "sequence with a stream", .sequence([.text("abc"), .stream(stream(["def"].map { Data($0.utf8) }))]),
                six, false
            ),
            ("large", .bytes(large), large, false),
            (
                "large, chunked",
                ClosureReader.pieces(stride(from: 0, to: large.count, by: 4096).map { large[$0..<($0 + 4096)] }), large,
                true
            ),
            ("large stream", .stream(stream([large])), large, false),
        ]
    }

    @Test(
        arguments: cases.indices,
        RequestBodyUpload.Support.allCases)
    func `a body arrives complete, with its length or chunked, never both`(
        index: Int, support: RequestBodyUpload.Support
    ) async throws {
        let (name, body, expected, isGenerated) = Self.cases[index]
        let isChunked = isGenerated && support != .files
        try await withServer(support: support) { server, transport in
            let response = try await transport.send(server.request(.put, body: body))
            #expect(response.body == expected, "\(name)")
            let received = try #require(server.requests.first)
            #expect(received.body == expected, "\(name)")
            #expect(received.fields.contains(.transferEncoding) == isChunked, "\(name): \(received.headerLines)")
            #expect(received.fields[.contentLength] == (isChunked ? nil : "\(expected.count)"), "\(name)")
            #expect(received.fields[.contentType] == "application/octet-stream", "\(name)")
            #expect(received.fields["Expect"] == nil, "\(name)")
        }
    }

    @Test(arguments: RequestBodyUpload.Support.allCases)
    func `a file and a part of one are sent`(support: RequestBodyUpload.Support) async throws {
        let data = bytes(300_000)
        let file = try TemporaryFile(data)
        try await withServer(support: support) { server, transport in
            for range in [nil, 0..<300_000, 5..<70_001, 0..<0] as [Range<Int64>?] {
                let expected = range.map { data[$0.lowerBound..<$0.upperBound] } ?? data
                let body = try HTTPBody.file(at: file.url, range: range)
                let response = try await transport.send(server.request(.post, body: body))
                #expect(response.body == expected)
                #expect(server.requests.last?.fields[.contentLength] == "\(expected.count)")
            }
        }
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "get"])
    func `sends every method unchanged`(name: String) async throws {
        try await withServer { server, transport in
            let method = try HTTPMethod(name)
            let response = try await transport.send(server.request(method, "/a%2Fb?x=1&y=%20"))
            #expect(response.status == .ok && response.body.isEmpty)
            let received = try #require(server.requests.first)
            #expect(received.method == name || name == "get")
            #expect(received.target == "/a%2Fb?x=1&y=%20")
            // Without a body there is no Content-Type.
            #expect(received.fields[.contentType] == nil, "\(received.headerLines)")
            #expect(!received.fields.contains(.transferEncoding))
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
    func `every method that allows a body sends it`(name: String) async throws {
        try await withServer { server, transport in
            let response = try await transport.send(server.request(HTTPMethod(name), body: .text("body")))
            #expect(response.body == Data("body".utf8))
            #expect(server.requests.first?.method == name)
        }
    }

    @Test func `fields are sent unchanged, those of one name joined`() async throws {
        let fields = try HTTPFields([
            "X-One": "a b", "x-two": "ä€", "X-Many": "1", "Content-Type": "text/x", "X-MANY": "2, 3", "Cookie": "a=1",
            "cookie": "b=2", "X-Empty": "", "Accept-Encoding": "identity", "User-Agent": "mine/1",
            "Authorization": "Bearer t",
        ])
        try await withServer { server, transport in
            _ = try await transport.send(server.request(.post, fields: fields, body: .text("x")))
            let received = try #require(server.requests.first)
            let expected = [
                "X-One": "a b", "X-Two": "ä€", "X-Many": "1, 2, 3", "Content-Type": "text/x", "Cookie": "a=1; b=2",
                "X-Empty": "", "Accept-Encoding": "identity", "User-Agent": "mine/1", "Authorization": "Bearer t",
            ]
            for (name, value) in expected {
                #expect(try received.fields.values(of: HTTPFieldName(name)) == [value], "\(name)")
            }
        }
    }

    @Test(arguments: [
        "Connection", "content-length", "Expect", "HOST", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
        "Transfer-Encoding", "Upgrade",
    ])
    func `connection fields are refused`(name: String) async throws {
        let request = try HTTPRequest(.get, "http://127.0.0.1:1/", fields: HTTPFields([(name, "x")]))
        let error = try await transportError { try await URLSessionTransport.shared.send(request) }
        #expect(error.code == .reservedField && error.message.contains(name) && !error.message.contains("x;"))
    }

    @Test func `fields with line breaks are refused`() {
        for value in ["a\r\nX: y", "a\ny", "a\ry", "a\0b"] {
            #expect(throws: HTTPMessageError.self) { try HTTPFields(["X": value]) }
        }
        for name in ["", "a b", "a\r\nb", "a:", "ä"] {
            #expect(throws: HTTPMessageError.self) { try HTTPFields([(name, "x")]) }
        }
        #expect(throws: HTTPMessageError.self) { try HTTPMethod("GET / HTTP/1.1\r\nX: y\r\n\r\n") }
    }

    @Test(arguments: ["http://[::1]:9/", "https://[fe80::1%25eth0]/", "http://[::ffff:127.0.0.1]:9/"])
    func `IPv6 addresses are refused on Linux`(url: String) async throws {
        #if !canImport(Darwin)
            let request = try HTTPRequest(.get, url)
            #expect(
                try await transportError { try await URLSessionTransport.shared.send(request) }.code == .unsupported)
        #endif
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(1 << 40), .seconds(Int64.max), .nanoseconds(-1)])
    func `invalid timeouts are refused`(timeout: Duration) async throws {
        for timeouts in [Timeouts(response: timeout), Timeouts(idle: timeout), Timeouts(total: timeout)] {
            let request = try HTTPRequest(.get, "http://127.0.0.1:1/", options: RequestOptions(timeouts: timeouts))
            let error = await #expect(throws: HTTPMessageError.self) {
                try await URLSessionTransport.shared.send(request)
            }
            #expect(error?.code == .invalidTimeout)
        }
        #expect(throws: HTTPMessageError.self) { try Duration.timeout(seconds: .infinity) }
        #expect(throws: HTTPMessageError.self) { try Duration.timeout(seconds: .nan) }
    }

    @Test func `accepts the longest timeouts`() async throws {
        let century = Duration.seconds(100 * 365 * 86_400)
        let script: @Sendable (RecordedRequest) -> ServerScript = { [$0.number == 0 ? .respond(with: echo) : .stall] }
        try await LoopbackServer(script: script).stopping { server in
            let transport = URLSessionTransport()
            let request = try server.request(timeouts: Timeouts(response: century, idle: century, total: century))
            #expect(try await transport.send(request).status == .ok)
            let tiny = try server.request(timeouts: Timeouts(response: .seconds(1e-9), total: .nanoseconds(1)))
            #expect(try await transportError { try await transport.send(tiny) }.code == .timedOut)
        }
    }
}
