import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(
    .needsSlot,
    .enabled(if: InteropServer.httpbin.origin != nil, "PATCHBAY_HTTPBIN is not set."))
struct HTTPBinInteropTests {
    private let server = InteropServer.httpbin
    private let transport = URLSessionTransport()

    private func send(
        _ method: HTTPMethod, _ path: String, _ fields: KeyValuePairs<String, String> = [:],
        body: HTTPBody = .empty
    ) async throws -> HTTPResponse {
        try await transport.send(server.request(method, path, fields, body: body))
    }

    private func json(_ response: HTTPResponse) throws -> JSONValue { try JSONValue(parsing: response.body) }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    func `sends a request unchanged`(name: String) async throws {
        let method = try HTTPMethod(name)
        let body: HTTPBody = method.allowsBody ? .text("body of \(name) ä") : .empty
        let response = try await send(
            method, "/anything/a%20b?q=1&q=2&r=%26", ["X-Own": "ä", "Content-Type": "text/plain; charset=utf-8"],
            body: body)
        let echoed = try json(response)
        #expect(echoed["method"] == .string(name))
        #expect(echoed["args"]?["q"] == ["1", "2"] && echoed["args"]?["r"] == "&")
        #expect(echoed["data"] == .string(method.allowsBody ? "body of \(name) ä" : ""))
        #expect(response.status == .ok && response.mediaType?.essence == "application/json")
    }

    @Test func `echoes a large body`() async throws {
        let text = String(repeating: "0123456789abcdef", count: 200_000)
        for body in [HTTPBody.text(text), .stream(stream([Data(text.utf8)]))] {
            let response = try await send(.post, "/post", ["Content-Type": "text/plain"], body: body)
            #expect(try json(response)["data"] == .string(text))
        }
    }

    @Test(arguments: [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
    func `decodes compressed bodies`(path: String, mark: String) async throws {
        let response = try await send(.get, "/\(path)")
        #expect(try json(response)[mark] == true)
        #expect(!response.fields.contains(.contentEncoding))
    }

    @Test func `joins chunks`() async throws {
        let lines = try await send(.get, "/stream/50").body.split(separator: 0x0A)
        #expect(lines.count == 50)
        for (number, line) in lines.enumerated() {
            #expect(try JSONValue(parsing: Data(line))["id"] == .integer(Int64(number)))
        }
        #expect(try await send(.get, "/stream-bytes/100000?seed=1&chunk_size=999").body.count == 100_000)
    }

    @Test func `returns a partial response`() async throws {
        let part = try await send(.get, "/range/100", ["Range": "bytes=10-19"])
        #expect(part.status == .partialContent && part.body == Data("klmnopqrst".utf8))
    }

    @Test(arguments: ["/relative-redirect/3", "/absolute-redirect/3"])
    func `follows relative and absolute redirects`(path: String) async throws {
        let response = try await Redirecting(base: transport).send(server.request(.get, path))
        #expect(response.status == .ok && response.url.path() == "/get")
        #expect(response.head.redirects.map(\.status.code) == [302, 302, 302])
    }

    @Test(arguments: [(303, "GET", ""), (307, "POST", "kept")])
    func `a redirect keeps or drops the body according to its status`(status: Int, method: String, data: String)
        async throws
    {
        let response = try await Redirecting(base: transport).send(
            server.request(.post, "/redirect-to?url=/anything&status_code=\(status)", body: .text("kept")))
        let echoed = try json(response)
        #expect(echoed["method"] == .string(method) && echoed["data"] == .string(data))
    }

    @Test func `stores and expires cookies`() async throws {
        let layer = Redirecting(base: CookieKeeping(base: transport))
        let set = try await layer.send(server.request(.get, "/cookies/set?a=1&b=2"))
        #expect(try json(set)["cookies"] == ["a": "1", "b": "2"])
        let ended = try await layer.send(server.request(.get, "/cookies/delete?a="))
        #expect(try json(ended)["cookies"] == ["b": "2"])
    }

    @Test func `a challenge is a response; credentials are accepted`() async throws {
        let refused = try await send(.get, "/basic-auth/user/pass")
        #expect(refused.status == .unauthorized && refused.fields.contains(.wwwAuthenticate))
        let right = try await send(.get, "/basic-auth/user/pass", ["Authorization": "Basic dXNlcjpwYXNz"])
        #expect(try json(right)["authenticated"] == true)
        #expect(try await send(.get, "/bearer", ["Authorization": "Bearer t"]).status == .ok)
        #expect(try await send(.get, "/digest-auth/auth/user/pass").status == .unauthorized)
    }

    @Test(arguments: [200, 201, 204, 304, 400, 404, 407, 418, 429, 500, 503])
    func `every status is a response`(code: Int) async throws {
        #expect(try await send(.get, "/status/\(code)").status.code == code)
    }

    @Test func `timeouts apply; slow bytes are read`() async throws {
        var request = try server.request(.get, "/delay/10")
        request.options.timeouts.response = .milliseconds(300)
        let error = try await transportError { try await transport.send(request) }
        #expect(error.code == .timedOut && error.phase == .response)
        #expect(try await send(.get, "/drip?duration=0.5&numbytes=10&delay=0").body == Data("**********".utf8))
    }

    @Test func `returns 304 for an unchanged resource`() async throws {
        #expect(try await send(.get, "/etag/x", ["If-None-Match": "\"x\""]).status == .notModified)
    }
}
