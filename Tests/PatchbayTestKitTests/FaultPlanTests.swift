import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import PatchbayTestKit

@Suite("FaultPlan", .needsSlot) struct FaultPlanTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func withPlan<Result>(
        _ plan: FaultPlan, _ body: (RawClient, LoopbackServer) async throws -> Result
    ) async throws -> Result {
        try await LoopbackServer(plan: { _ in plan }).stopping { server in
            let client = try RawClient(port: server.port)
            try client.send(Self.get)
            return try await body(client, server)
        }
    }

    @Test("half a head, then an orderly end") func halfHead() async throws {
        try await withPlan([.send("HTTP/1.1 200 OK\r\nContent-Le"), .close]) { client, _ in
            #expect(client.readToEnd() == "HTTP/1.1 200 OK\r\nContent-Le")
        }
    }

    @Test("half a body, then a reset") func reset() async throws {
        let half = Data("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".utf8)
        try await withPlan([.send(half), .reset]) { client, _ in
            #expect(client.readToEnd() == nil)
        }
    }

    @Test("a response, and then the connection is closed without a word") func closesKeepAlive() async throws {
        let service = ClosureService { $0.reply(text: "x") }
        try await withPlan([.answer(by: service), .close]) { client, server in
            let response = try client.readResponse()
            #expect(response.body == "x" && !response.fields.contains("Connection: close"))
            #expect(client.readToEnd() == "")
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("nothing, until the client gives up") func stall() async throws {
        try await withPlan([.stall, .send("never")]) { client, server in
            try await server.requests(count: 1)
            #expect(server.openConnectionCount == 1)
            client.socket.stop()
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("the rest after a gate") func gate() async throws {
        let gate = Gate()
        try await withPlan([.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .wait(for: gate), .send("ok")]) {
            client, _ in
            #expect(try client.readResponse(hasBody: false).status == 200)
            try await gate.waitForArrivals(1)
            gate.open()
            #expect(try client.read(exactly: 2) == "ok")
        }
    }

    @Test("byte after byte, as a clock allows") func drip() async throws {
        let clock = ManualClock()
        let steps: FaultPlan = [.drip(Data("abcde".utf8), size: 2, every: .seconds(1), clock: clock), .close]
        try await withPlan(steps) { client, _ in
            for piece in ["ab", "cd", "e"] {
                #expect(try client.read(exactly: piece.count) == piece)
                try await clock.waitForSleepers(1)
                await clock.advance(by: .seconds(1))
            }
            #expect(client.readToEnd() == "")
        }
    }

    @Test("another plan for each request of a connection") func perRequest() async throws {
        let plan: @Sendable (RecordedRequest) -> FaultPlan = { request in
            request.number < 2
                ? [.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")]
                : [.answer(by: LoopbackServerTests.echo)]
        }
        try await LoopbackServer(plan: plan).stopping { server in
            let client = try RawClient(port: server.port)
            var statuses: [Int?] = []
            for _ in 0..<3 {
                try client.send(Self.get)
                statuses.append(try client.readResponse().status)
            }
            #expect(statuses == [503, 503, 200])
        }
    }
}
