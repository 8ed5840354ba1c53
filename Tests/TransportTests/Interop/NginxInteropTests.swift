import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot, .enabled(if: InteropServer.nginx.origin != nil, "PATCHBAY_NGINX is not set."))
struct NginxInteropTests {
    private let server = InteropServer.nginx
    private let transport = URLSessionTransport(configuration: .init(sessionCount: 1))

    private func send(
        _ method: HTTPMethod, _ path: String, _ fields: KeyValuePairs<String, String> = [:],
        body: HTTPBody = .empty
    ) async throws -> HTTPResponse {
        try await transport.send(server.request(method, path, fields, body: body))
    }

    @Test func `reuses connections until the server closes them`() async throws {
        var connections: [Substring: [Int]] = [:]
        // The server closes each connection after a hundred requests.
        for _ in 0..<250 {
            let text = String(decoding: try await send(.get, "/connection").body, as: UTF8.self)
            let words = text.split(separator: " ")
            connections[words[0], default: []].append(try #require(Int(words[1])))
        }
        #expect(connections.values.map(\.count).sorted() == [50, 100, 100])
        #expect(connections.values.allSatisfy { $0 == Array(1...$0.count) })
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
    func `sends methods unchanged`(name: String) async throws {
        let method = try HTTPMethod(name)
        let body: HTTPBody = method.allowsBody ? .text("body") : .empty
        let response = try await send(method, "/method?a=%20&b", body: body)
        #expect(String(decoding: response.body, as: UTF8.self) == "\(name) /method?a=%20&b")
    }

    @Test func `decodes a compressed, chunked text`() async throws {
        let response = try await send(.get, "/files/text.txt")
        #expect(response.status == .ok && !response.fields.contains(.contentEncoding))
        #expect(response.body.split(separator: 0x0A).count == 2000)
        let plain = try await send(.get, "/files/text.txt", ["Accept-Encoding": "identity"])
        #expect(plain.body == response.body)
        #expect(plain.fields[.contentLength] == "\(plain.body.count)")
        let head = try await send(.head, "/files/text.txt", ["Accept-Encoding": "identity"])
        #expect(head.body.isEmpty && head.fields[.contentLength] == "\(plain.body.count)")
    }

    @Test func `returns a partial response`() async throws {
        let part = try await send(.get, "/files/range.bin", ["Range": "bytes=5-9"])
        #expect(part.status == .partialContent && part.body == Data("56789".utf8))
        #expect(part.fields["Content-Range"] == "bytes 5-9/20")
        let last = try await send(.get, "/files/range.bin", ["Range": "bytes=-3"])
        #expect(last.body == Data("hij".utf8))
        #expect(try await send(.get, "/files/range.bin", ["Range": "bytes=90-"]).status.code == 416)
    }

    @Test func `returns 304 for an unchanged resource`() async throws {
        let etag = try #require(try await send(.get, "/files/range.bin").fields[.etag])
        let response = try await send(.get, "/files/range.bin", ["If-None-Match": etag])
        #expect(response.status == .notModified && response.body.isEmpty)
    }

    @Test(arguments: ["/relative", "/absolute"])
    func `follows relative and absolute redirects`(path: String) async throws {
        let response = try await Redirecting(base: transport).send(server.request(.get, path))
        #expect(response.status == .ok && response.body == Data("0123456789abcdefghij".utf8))
        #expect(response.url.path() == "/files/range.bin" && response.head.redirects.count == 1)
    }

    @Test func `detects redirect loops, and forwards a body with 307`() async throws {
        let layer = Redirecting(base: transport)
        let error = try await transportError { try await layer.send(server.request(.get, "/circle")) }
        #expect(error.code == .tooManyRedirects)
        let response = try await layer.send(server.request(.put, "/kept", body: .text("kept")))
        #expect(response.status == .created)
        #expect(try await send(.get, "/files/kept.bin").body == Data("kept".utf8))
    }

    @Test func `stores and sends cookies`() async throws {
        let layer = Redirecting(base: CookieKeeping(base: transport))
        let response = try await layer.send(server.request(.get, "/set"))
        #expect(String(decoding: response.body, as: UTF8.self) == "a=1; b=2")
    }

    @Test(arguments: [0, 1, 100_000, 20 << 20]) func `echoes a large body`(size: Int) async throws {
        let data = bytes(size)
        for body in [HTTPBody.bytes(data), .stream(stream([data]))] {
            let path = "/files/large-\(size)-\(body.isReplayable).bin"
            #expect(try await send(.put, path, body: body).status == .created)
            #expect(try await send(.get, path).body == data)
            #expect(try await send(.delete, path).status == .noContent)
            #expect(try await send(.get, path).status == .notFound)
        }
    }

    @Test func `a body that is too large is refused; the next request works`() async throws {
        for _ in 0..<3 {
            #expect(try await send(.put, "/small/x", body: .bytes(bytes(5 << 20))).status == .contentTooLarge)
            #expect(try await send(.put, "/small/x", body: .text("x")).status.isSuccessful)
        }
    }

    @Test func `a challenge is a response; credentials are accepted`() async throws {
        let refused = try await send(.get, "/private/file.txt")
        #expect(refused.status == .unauthorized && !refused.body.isEmpty)
        #expect(refused.fields[.wwwAuthenticate] == "Basic realm=\"patch bay\"")
        let wrong = try await send(.get, "/private/file.txt", ["Authorization": "Basic dXNlcjp3cm9uZw=="])
        #expect(wrong.status == .unauthorized)
        let right = try await send(.get, "/private/file.txt", ["Authorization": "Basic dXNlcjpwYXNz"])
        #expect(right.status == .ok && right.body == Data("secret\n".utf8))
    }

    @Test func `an empty reply is an error; no content is a response`() async throws {
        #expect(try await send(.get, "/empty").status == .noContent)
        let error = try await transportError { try await send(.post, "/closed", body: .text("x")) }
        #expect(error.code == .connectionLost)
    }

    @Test func `concurrent requests get their own responses`() async throws {
        try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            for number in 0..<200 {
                group.addTask { (number, try await send(.get, "/method?\(number)").body) }
            }
            for try await (number, body) in group { #expect(body == Data("GET /method?\(number)".utf8)) }
        }
    }
}
