import Foundation
import HTTPMessages
import RequestModel
import Testing

@Suite struct RequestDataTests {
    private let url = "http://h/x"

    @Test func `becomes a request`() async throws {
        let data = RequestData(
            fields: try HTTPFields(["Accept": "text/plain"]), query: ["q": "a b", "q": .flag], body: .text("hi"),
            options: RequestOptions(maximumResponseBytes: 9))
        let request = try data.request(.post, RequestURL(url + "?z=1"))
        #expect(request.method == .post)
        #expect(request.url.absoluteString == "http://h/x?z=1&q=a%20b&q")
        #expect(
            request.fields == (try HTTPFields(["Accept": "text/plain", "Content-Type": "text/plain;charset=utf-8"])))
        #expect(try await request.body.collect() == Data("hi".utf8))
        #expect(request.options.maximumResponseBytes == 9)
    }

    @Test func `empty data sends nothing`() throws {
        let request = try RequestData.empty.request(.get, RequestURL(url))
        #expect(request.fields.isEmpty && request.body.isEmpty)
        #expect(request.url.absoluteString == url)
        #expect(request.options == RequestOptions())
        #expect(RequestData.empty.isEmpty)
        #expect(!RequestData(query: ["a": .flag]).isEmpty)
        #expect(!RequestData(options: RequestOptions()).isEmpty)
        #expect(!RequestData(body: .bytes(Data())).isEmpty)
    }

    @Test func `content type field takes precedence`() throws {
        let fields = try HTTPFields(["content-type": "application/x-own"])
        let request = try RequestData(fields: fields, body: .json([1])).request(.put, RequestURL(url))
        #expect(request.fields.values(of: .contentType) == ["application/x-own"])
    }

    @Test func `codings are appended to those of the fields`() throws {
        let plain = try RequestData(body: .text("x").encoded(.gzip)).request(.put, RequestURL(url))
        #expect(plain.fields.values(of: .contentEncoding) == ["gzip"])
        let fields = try HTTPFields(["Content-Encoding": "br"])
        let both = try RequestData(fields: fields, body: .text("x").encoded(.gzip)).request(.put, RequestURL(url))
        #expect(both.fields[.contentEncoding] == "br, gzip")
    }

    @Test func `rejects invalid requests`() {
        let codes: [(String, HTTPMessageError.Code)] = [
            ("ftp://h/", .unsupportedScheme), ("//h/x", .invalidURL), ("h/x", .invalidURL), ("", .invalidURL),
            ("http://u:p@h/", .userInfoInURL), ("http://h:99999/", .invalidURL), ("http://", .invalidURL),
            ("http://h\r\nX: y/", .invalidURL),
        ]
        for (text, code) in codes {
            let error = #expect(throws: HTTPMessageError.self, "\(text)") {
                try RequestData(query: ["a": "1"]).request(.get, RequestURL(text))
            }
            #expect(error?.code == code, "\(text)")
        }
        let error = #expect(throws: HTTPMessageError.self) {
            try RequestData(body: .text("x")).request(.get, RequestURL(url))
        }
        #expect(error?.code == .bodyNotAllowed)
    }

    @Test func `descriptions show no secrets`() throws {
        let data = RequestData(
            fields: try HTTPFields(["Authorization": "hunter1"]), query: ["token": "hunter2"], body: .text("hunter3"))
        var dumped = ""
        dump(data, to: &dumped)
        for text in [data.description, dumped, String(reflecting: data)] { #expect(!text.contains("hunter")) }
    }
}
