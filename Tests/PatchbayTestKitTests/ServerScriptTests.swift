import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import PatchbayTestKit

@Suite(.needsSlot) struct ServerScriptTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func withScript<Result>(
        _ script: ServerScript, _ body: (RawClient, LoopbackServer) async throws -> Result
    ) async throws -> Result {
        try await LoopbackServer(script: { _ in script }).stopping { server in
            let client = try RawClient(port: server.port)
            try client.send(Self.get)
            return try await body(client, server)
        }
    }

    @Test func `sends half a head, then closes`() async throws {
        try await withScript([.send("HTTP/1.1 200 OK\r\nContent-Le"), .close]) { client, _ in
            #expect(await client.readToEnd() == "HTTP/1.1 200 OK\r\nContent-Le")
        }
    }

    @Test func `sends half a body, then resets`() async throws {
        let half = Data("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".utf8)
        try await withScript([.send(half), .reset]) { client, _ in
            #expect(await client.readToEnd() == nil)
        }
    }

    @Test func `closes the connection after a response without Connection: close`() async throws {
        let service = ClosureService { $0.response(text: "x") }
        try await withScript([.respond(with: service), .close]) { client, server in
            let response = try await client.readResponse()
            #expect(response.body == "x" && !response.fields.contains("Connection: close"))
            #expect(await client.readToEnd() == "")
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func `stalls until the client disconnects`() async throws {
        try await withScript([.stall, .send("never")]) { client, server in
            try await server.requests(count: 1)
            #expect(server.openConnectionCount == 1)
            client.socket.stop()
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func `continues when a gate opens`() async throws {
        let gate = Gate()
        try await withScript([.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .wait(for: gate), .send("ok")]) {
            client, _ in
            #expect(try await client.readResponse(hasBody: false).status == 200)
            try await gate.waitForWaiters(1)
            gate.open()
            #expect(try await client.read(exactly: 2) == "ok")
        }
    }

    @Test func `drips bytes on a clock`() async throws {
        let clock = ManualClock()
        let steps: ServerScript = [.drip(Data("abcde".utf8), size: 2, every: .seconds(1), clock: clock), .close]
        try await withScript(steps) { client, _ in
            for piece in ["ab", "cd", "e"] {
                #expect(try await client.read(exactly: piece.count) == piece)
                try await clock.waitForSleepers(1)
                await clock.advance(by: .seconds(1))
            }
            #expect(await client.readToEnd() == "")
        }
    }

    @Test func `runs another script for each request of a connection`() async throws {
        let script: @Sendable (RecordedRequest) -> ServerScript = { request in
            request.number < 2
                ? [.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")]
                : [.respond(with: LoopbackServerTests.echo)]
        }
        try await LoopbackServer(script: script).stopping { server in
            let client = try RawClient(port: server.port)
            var statuses: [Int?] = []
            for _ in 0..<3 {
                try client.send(Self.get)
                statuses.append(try await client.readResponse().status)
            }
            #expect(statuses == [503, 503, 200])
        }
    }
}
