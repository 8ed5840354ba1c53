import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

@testable import PatchbayTestKit

@Suite(.needsSlot) struct HTTPServiceTests {
    /// A service with responses for each case of framing, by path and method.
    private static let service = ClosureService { request in
        var fields = try HTTPFields(["X-Seen": request.method.name])
        switch request.url.path() {
        case "/throws": throw CancellationError()
        case "/empty": return request.response(fields: fields)
        case "/none": return request.response(.noContent, fields: fields, body: Data("hidden".utf8))
        case "/same":
            try fields.set(.contentLength, to: "77")
            return request.response(.notModified, fields: fields, body: Data("hidden".utf8))
        case "/wrong":
            try fields.set(.contentLength, to: "77")
            return request.response(fields: fields, body: Data("right".utf8))
        case "/json": return request.response(.created, json: ["a": [1, true]])
        case "/elsewhere": return HTTPResponse(status: .ok, body: Data("x".utf8), url: URL(filePath: "/tmp"))
        default: return request.response(text: "hé")
        }
    }

    @Test(
        arguments: ["/throws", "/empty", "/none", "/same", "/wrong", "/json", "/text", "/elsewhere"],
        [HTTPMethod.get, .head, .delete])
    func `responses have the same framing in process and over a socket`(path: String, method: HTTPMethod) async throws {
        try await LoopbackServer.serving(Self.service) { server in
            let client = try RawClient(port: server.port)
            try client.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let parts = try #require(await client.readToEnd()).components(separatedBy: "\r\n\r\n")
            let lines = parts[0].components(separatedBy: "\r\n").filter { $0 != "Connection: close" }

            let url = try server.url(of: path)
            let response = try await ServiceTransport(Self.service).send(HTTPRequest(method, url))
            #expect(lines.first == "HTTP/1.1 \(response.status)")
            #expect(Array(lines.dropFirst()) == response.fields.map { "\($0.name): \($0.value)" })
            #expect(parts[1] == String(decoding: response.body, as: UTF8.self))
            #expect(response.url == url)
        }
    }

    @Test func `a response with JSON or a text may have fields, among them its type`() async throws {
        let fields = try HTTPFields(["X-A": "1", "Content-Type": "application/problem+json"])
        let request = try HTTPRequest(.get, "http://a/")
        let problem = request.response(.conflict, fields: fields, json: ["title": "no"])
        #expect(problem.status == .conflict && problem.fields == fields)
        #expect(problem.body == Data(#"{"title":"no"}"#.utf8))
        let text = request.response(fields: try HTTPFields(["X-A": "1"]), text: "a")
        #expect(text.fields["X-A"] == "1" && text.fields[.contentType] == "text/plain; charset=utf-8")
        let script = ScriptedTransport([.json(["a": 1], fields: fields), .text("b", status: .notFound, fields: fields)])
        #expect(try await script.send(request).fields["X-A"] == "1")
        #expect(try await script.send(request).status == .notFound)
    }

    @Test func `sets Content-Length and removes bodies`() async throws {
        let transport = ServiceTransport(Self.service)
        let wrong = try await transport.send(HTTPRequest(.get, "http://a/wrong"))
        #expect(wrong.fields[.contentLength] == "5")
        let head = try await transport.send(HTTPRequest(.head, "http://a/text"))
        #expect(head.fields[.contentLength] == "3" && head.body.isEmpty)
        let same = try await transport.send(HTTPRequest(.get, "http://a/same"))
        #expect(same.fields[.contentLength] == "77" && same.body.isEmpty)
        let none = try await transport.send(HTTPRequest(.get, "http://a/none"))
        #expect(!none.fields.contains(.contentLength) && none.body.isEmpty)
        let json = try await transport.send(HTTPRequest(.get, "http://a/json"))
        #expect(json.status == .created && json.fields[.contentType] == "application/json")
        #expect(String(decoding: json.body, as: UTF8.self) == #"{"a":[1,true]}"#)
        let failed = try await transport.send(HTTPRequest(.get, "http://a/throws"))
        #expect(failed.status == .internalServerError && failed.body.isEmpty)
    }
}
