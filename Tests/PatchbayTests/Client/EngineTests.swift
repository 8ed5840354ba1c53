import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

/// The client over real sockets, with the engine of the tests.
@Suite(.needsSlot) struct EngineTests {
    private func withClient(
        _ handler: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse,
        _ body: (APIClient, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer(handler: handler).stopping { server in
            try await body(
                APIClient(server.url.absoluteString, over: .standard(over: TestTransport.withoutDeadlines)), server)
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"])
    func `2: each method arrives with its body`(name: String) async throws {
        try await withClient { request in
            request.response(json: .string("\(request.method) \(try await request.body.collect(upTo: 100).count)"))
        } _: { client, _ in
            let method = try HTTPMethod(name)
            let body: EndpointBody = method == .get ? .empty : .json([1, 2])
            let received: String = try await client.send(EndpointRequest(method, "a", body: body))
            #expect(received == "\(name) \(method == .get ? 0 : 5)")
        }
    }

    @Test func `9: the error of a failed status has the start of the body, also of a stream`() async throws {
        try await withClient {
            $0.response(.badRequest, text: String(repeating: "x", count: 200_000))
        } _: { client, _ in
            let client = client.with { $0.maximumErrorBytes = 1000 }
            for stream in [false, true] {
                let error = await #expect(throws: ServerError<JSONValue>.self) {
                    if stream { _ = try await client.stream(.get("a")) } else { try await client.get("a") }
                }
                #expect(error?.status == .badRequest && error?.bytes == Data(repeating: 0x78, count: 1000))
            }
        }
    }

    @Test func `2: a stream of records is read as it arrives`() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ -> ServerScript in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n"),
                .send("{\"number\":1,\"title\":\"a\"}\n"), .wait(for: gate),
                .send("{\"number\":2,\"title\":\"b\"}\n"), .close,
            ]
        }
        try await server.stopping { server in
            let client = try APIClient(server.url.absoluteString, over: Stack(over: TestTransport.withoutDeadlines))
            var numbers: [Int] = []
            for try await issue in try await client.records("a", of: Ticket.self) {
                numbers.append(issue.number)
                gate.open()
            }
            #expect(numbers == [1, 2])
        }
    }

    @Test func `2: elements of an array are read as they arrive, through all layers, and a cut body is an error`()
        async throws
    {
        let gate = Gate()
        let server = try LoopbackServer { request -> ServerScript in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"),
                .send("{\"data\":{\"rows\":[1,2"), .wait(for: gate), .send(",3,"), .close,
            ]
        }
        try await server.stopping { server in
            let stack = Stack.standard(over: TestTransport.withoutDeadlines).queued().circuitBreaking().keepingCookies()
            let client = try APIClient(server.url.absoluteString, over: stack)
            var numbers: [Int] = []
            let error = await #expect(throws: TransportError.self) {
                for try await number in try await client.elements("a", of: Int.self, at: "data.rows") {
                    numbers.append(number)
                    gate.open()
                }
            }
            #expect(numbers == [1, 2, 3] && error?.code == .truncated)
        }
    }

    @Test func `2: a reader of elements that is cancelled ends`() async throws {
        let (begun, gate) = (Gate(), Gate())
        let server = try LoopbackServer { _ -> ServerScript in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[1,2,"), .wait(for: gate), .close]
        }
        try await server.stopping { server in
            let client = try APIClient(server.url.absoluteString, over: Stack(over: TestTransport.withoutDeadlines))
            let reader = Task {
                for try await _ in try await client.elements("a", of: Int.self) { begun.open() }
            }
            try await begun.wait()
            reader.cancel()
            let error = await #expect(throws: (any Error).self) { try await reader.value }
            #expect(error?.isCancellation == true)
            gate.open()
        }
    }

    @Test func `11: many calls over few connections`() async throws {
        try await withClient {
            $0.response(json: .string($0.url.lastPathComponent))
        } _: { client, _ in
            let names: [String] = try await client.map((0..<60).map { .get("items/\($0)") }, inFlight: 12)
            #expect(names == (0..<60).map { "\($0)" })
        }
    }
}
