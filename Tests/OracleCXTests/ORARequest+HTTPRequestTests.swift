import Foundation
import HTTPMessages
import Queueing
import Testing

@testable import OracleCX

@Suite struct ORARequestHTTPRequestTests {
    private func request(_ change: (ORARequest) -> Void = { _ in }) -> ORARequest {
        let request = ORARequest(url: "https://example.com/x")
        change(request)
        return request
    }

    private func text(_ request: ORARequest) async throws -> String? {
        let body = try request.httpRequest().body
        return body.isEmpty ? nil : String(decoding: try await body.collect(), as: UTF8.self)
    }

    @Test func `Oracle 4: requestBody takes precedence over payload; both may be nil`() async throws {
        try await #expect(text(request()) == nil)
        try await #expect(text(request { $0.payload = [:] }) == "{}")
        try await #expect(
            text(request { $0.payload = ["b": 1, "a": [true, NSNull()]] }) == #"{"a":[true,null],"b":1}"#)
        try await #expect(text(request { $0.requestBody = Data("raw".utf8) }) == "raw")
        let both = request {
            $0.payload = ["a": 1]
            $0.requestBody = Data("raw".utf8)
        }
        try await #expect(text(both) == "raw")
        try #expect(both.httpRequest().fields[.contentType] == nil)
    }

    @Test func `a payload has Content-Type application/json, unless a header sets another`() throws {
        try #expect(
            request { $0.payload = ["a": 1] }.httpRequest().fields[.contentType] == "application/json")
        let own = request {
            $0.payload = ["a": 1]
            $0.headers = ["content-type": "application/vnd.example+json"]
        }
        try #expect(own.httpRequest().fields[.contentType] == "application/vnd.example+json")
        try #expect(request().httpRequest().fields.isEmpty)
    }

    @Test func `a GET adds its payload to the query, and sends no body`() throws {
        let sent = try request {
            $0.url = "https://example.com/x?first=1"
            $0.requestType = GET
            $0.payload = ["b": "ä &=", "a": 7, "c": true, "d": NSNull(), "e": 1.5]
            $0.requestBody = Data("raw".utf8)
            $0.compression = true
        }.httpRequest()
        #expect(sent.method == .get && sent.body.isEmpty && sent.fields.isEmpty)
        #expect(sent.url.absoluteString == "https://example.com/x?first=1&a=7&b=%C3%A4%20%26%3D&c=true&d&e=1.5")
    }

    @Test func `a body is marked for compression, not compressed on the caller's thread`() throws {
        let body = Data(repeating: 7, count: 100_000)
        let sent = try request {
            $0.requestBody = body
            $0.compression = true
        }.httpRequest()
        #expect(sent.options.compressesBody && sent.body.length == 100_000)
        #expect(sent.fields[.contentEncoding] == nil)
        try #expect(!request { $0.requestBody = body }.httpRequest().options.compressesBody)
    }

    @Test func `a body given by the caller replaces requestBody and payload; a GET refuses it`() throws {
        let post = request {
            $0.payload = ["a": 1]
            $0.requestBody = Data("raw".utf8)
        }
        let sent = try post.httpRequest(body: .text("other"))
        #expect(sent.body.length == 5 && sent.fields.isEmpty)
        let error = #expect(throws: ORAError.self) {
            try request { $0.requestType = GET }.httpRequest(body: .text("x"))
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("POST") == true)
    }

    @Test func `priority, tag and number of attempts become request options`() throws {
        let usual = try request().httpRequest().options
        #expect(usual.priority == .normal && usual.tag == nil && usual.maximumAttempts == 2)
        let sent = try request {
            $0.priotity = Immediate
            $0.requestTag = "t"
            $0.retryCount = 15
        }.httpRequest().options
        #expect(sent.priority == .high && sent.tag == "t" && sent.maximumAttempts == 16)
    }

    @Test func `header values are strings, numbers or Booleans`() throws {
        let sent = try request {
            $0.headers = ["X-B": "b", NSString("X-A"): NSString("a"), "X-N": 7, "X-F": true]
        }.httpRequest()
        #expect(sent.fields.map(\.description) == ["X-A: a", "X-B: b", "X-F: true", "X-N: 7"])
    }

    static let bad: [(String, ORAError.Code, String, @Sendable (ORARequest) -> Void)] = [
        ("no URL", .invalidURL, "no URL", { $0.url = nil }),
        ("an empty URL", .invalidURL, "no URL", { $0.url = "" }),
        ("the vendor's sample", .unsupportedURL, "http://", { $0.url = "www.abc.come/xyz" }),
        ("a path", .unsupportedURL, "http://", { $0.url = "/xyz" }),
        ("another scheme", .unsupportedURL, "http://", { $0.url = "ftp://example.com/x" }),
        ("no host", .invalidURL, "host", { $0.url = "https:///x" }),
        ("a line break", .invalidURL, "line break", { $0.url = "https://example.com/a\nb" }),
        ("a password", .invalidURL, "Authorization", { $0.url = "https://ann:hush@example.com/" }),
        ("a header's name", .invalidRequest, "name", { $0.headers = ["X A": "1"] }),
        ("a header's name that is not a string", .invalidRequest, "String keys", { $0.headers = [7: "1"] }),
        ("a header's value with a line break", .invalidRequest, "X-A", { $0.headers = ["X-A": "hush\r\nX-B: 1"] }),
        ("a header's value that is a list", .invalidRequest, "X-A", { $0.headers = ["X-A": ["hush"]] }),
        ("a header's value that is a date", .invalidRequest, "X-A", { $0.headers = ["X-A": Date()] }),
        (
            "a header in two spellings", .invalidRequest, "Keep one",
            { $0.headers = ["Content-Type": "hush", "content-type": "hush2"] }
        ),
        ("a payload's name", .invalidRequest, "`String` keys", { $0.payload = [1: "hush"] }),
        ("a payload's value", .invalidRequest, "Data", { $0.payload = ["a": Data("hush".utf8)] }),
        ("a payload's number", .invalidRequest, "infinity", { $0.payload = ["a": Double.infinity] }),
        ("a payload's long number", .invalidRequest, "use a string", { $0.payload = ["a": UInt64.max] }),
        (
            "a list in a query", .invalidRequest, "POST",
            {
                $0.requestType = GET
                $0.payload = ["a": ["hush"]]
            }
        ),
    ]

    @Test(arguments: bad.indices)
    func `invalid requests are refused with a helpful message without secrets`(index: Int) {
        let (name, code, words, change) = Self.bad[index]
        let error = #expect(throws: ORAError.self) { try request(change).httpRequest() }
        #expect(error?.code == code, "\(name)")
        #expect(error?.message.contains(words) == true, "\(name): \(error?.message ?? "")")
        #expect(error?.description.contains("hush") == false, "\(name)")
    }
}
