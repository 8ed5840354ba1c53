import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct SessionDelegateTests {
    private static func service(_ status: Int, _ fields: KeyValuePairs<String, String> = [:], body: String = "body")
        -> ClosureService
    {
        ClosureService { [fields = Array(fields)] request in
            let pairs = fields.map { ($0.key, $0.value) }
            return request.response(
                try #require(HTTPStatus(status)), fields: try HTTPFields(pairs), body: Data(body.utf8))
        }
    }

    @Test(arguments: [200, 201, 206, 299, 400, 403, 404, 407, 413, 418, 500, 503, 599, 999])
    func `every status is a response`(status: Int) async throws {
        try await withServer(service: Self.service(status)) { server, transport in
            for method in [HTTPMethod.get, .post] {
                let response = try await transport.send(
                    server.request(method, body: method == .post ? .text("x") : .empty))
                #expect(response.status.code == status && response.body == Data("body".utf8))
                #expect(response.url.port == server.port)
            }
        }
    }

    @Test(arguments: [204, 304]) func `responses without a body`(status: Int) async throws {
        let fields: KeyValuePairs = ["ETag": "\"a\"", "X-A": "b"]
        try await withServer(service: Self.service(status, fields)) { server, transport in
            for _ in 0..<2 {
                let response = try await transport.send(server.request())
                #expect(response.status.code == status && response.body.isEmpty)
                #expect(response.fields[.etag] == "\"a\"")
            }
        }
    }

    @Test func `the Content-Length of a HEAD response is not awaited`() async throws {
        try await withServer(service: Self.service(200, ["Content-Length": "1000000000000"])) { server, transport in
            let response = try await transport.send(server.request(.head, limit: 10))
            #expect(response.status == .ok && response.body.isEmpty)
            #expect(response.fields[.contentLength] == "1000000000000")
        }
    }

    @Test func `interim responses are skipped`() async throws {
        let script: ServerScript = [
            .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nX-I: 1\r\n\r\n"),
            .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), .respond(with: echo),
        ]
        try await withServer(script: { _ in script }) { server, transport in
            let log = EventLog()
            let response = try await transport.send(server.request(.post, body: .text("abc")), observer: log)
            #expect(response.status == .ok && response.body == Data("abc".utf8) && response.fields["X-I"] == nil)
            let heads = log.events.filter { if case .head = $0 { true } else { false } }
            #expect(heads == [.head(response.head)])
        }
    }

    @Test(arguments: [300, 301, 302, 303, 305, 307, 308])
    func `redirects are returned and not followed`(status: Int) async throws {
        let service = Self.service(status, ["Location": "/elsewhere?a=b"])
        try await withServer(service: service) { server, transport in
            for method in [HTTPMethod.get, .post, .put] {
                let body: HTTPBody = method == .get ? .empty : .text("x")
                let response = try await transport.send(server.request(method, body: body))
                #expect(response.status.code == status && response.fields[.location] == "/elsewhere?a=b")
                #expect(response.body == Data("body".utf8), "\(method)")
            }
            #expect(server.requests.map(\.target) == ["/", "/", "/"])
        }
    }

    // Foundation on Linux reports such a response only on completion, without its body.
    @Test(arguments: [301, 302, 307]) func `a redirect without a Location is a response`(status: Int)
        async throws
    {
        try await withServer(service: Self.service(status, ["X-A": "b"])) { server, transport in
            let response = try await transport.send(server.request())
            #expect(response.status.code == status && response.fields["X-A"] == "b")
            #expect(response.body.isEmpty || response.body == Data("body".utf8))
        }
    }

    @Test(arguments: [
        "Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"", "Bearer", "Negotiate", "NTLM",
        "Basic", "",
    ])
    func `a challenge is returned as a response with its body, without hanging`(challenge: String) async throws {
        let service = Self.service(401, ["WWW-Authenticate": challenge], body: "who are you")
        try await LoopbackServer.serving(service) { server in
            // One connection: each response has to release its slot for the next request.
            let transport = URLSessionTransport(
                configuration: .init(maximumConnectionsPerOrigin: 1), clock: ManualClock())
            let requests = try [
                server.request(), server.request(.post, body: .text("x")),
                server.request(.put, body: .bytes(bytes(200_000))),
                server.request(.post, body: ClosureReader.pieces([Data("abc".utf8)])), server.request(.head),
                server.request(fields: HTTPFields(["Authorization": "Basic YTpi"])),
            ]
            for request in requests {
                let log = EventLog()
                let response = try await transport.send(request, observer: log)
                #expect(response.status == .unauthorized && response.fields[.wwwAuthenticate] == challenge)
                #expect(response.body == Data((request.method == .head ? "" : "who are you").utf8), "\(request.method)")
            }
            #expect(server.requestCount == requests.count)
        }
    }
}
