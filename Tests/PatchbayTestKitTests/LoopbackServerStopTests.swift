import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import PatchbayTestKit

@Suite(.needsSlot) struct LoopbackServerStopTests {
    @Test func `closes idle connections and stops listening`() async throws {
        let server = try LoopbackServer { $0.response(text: "x") }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.readResponse()
        #expect(server.openConnectionCount == 1)
        await server.stop()
        #expect(server.openConnectionCount == 0)
        // A FIN, or a reset if the server has not yet seen that the response was read.
        #expect(await client.readToEnd() ?? "" == "")
        // Several times: the system may choose the port for the client itself, which then connects to itself.
        #expect((1...3).contains { _ in (try? RawClient(port: server.port)) == nil })
        await server.stop()
    }

    @Test func `no server has the port of an earlier one, to which a client may still keep a connection`() throws {
        let ports = try (0..<500).map { _ in
            let socket = try ListeningSocket(port: 0)
            defer { socket.close() }
            return socket.port
        }
        #expect(Set(ports).count == ports.count)
    }

    @Test func `cancels a waiting service`() async throws {
        let gate = Gate()
        let ended = Gate()
        let server = try LoopbackServer { request in
            defer { ended.open() }
            try await gate.wait()
            return request.response()
        }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try await gate.waitForWaiters(1)
        await server.stop()
        #expect(ended.isOpen && !gate.isOpen)
    }

    /// With a FIN instead, a partial response would look complete.
    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-T", "HTTP/1.1 200 OK\r\n\r\nhalf"])
    func `resets a connection whose response is incomplete`(part: String) async throws {
        let server = try LoopbackServer(script: { _ in [.send(part), .stall] })
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        if part.isEmpty { try await server.requests(count: 1) }
        #expect(try await client.read(exactly: part.utf8.count) == part)
        await server.stop()
        #expect(await client.readToEnd() == nil)
    }

    @Test func `resets a connection whose client does not read`() async throws {
        let server = try LoopbackServer { $0.response(body: Data(count: 64 << 20)) }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.read(exactly: 1)
        await server.stop()
        #expect(await client.readToEnd() == nil)
    }

    @Test func `a wait that a stopped server cannot meet is an error`() async throws {
        let server = try LoopbackServer { $0.response() }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.readResponse()
        let early = Task { try await server.requests(count: 2) }
        await server.stop()
        let late = Task { try await server.requests(count: 3) }
        for wait in [early, late] {
            let error = await #expect(throws: LoopbackError.self) { try await wait.value }
            #expect(error?.code == .connectionLost && error?.message.contains("has received 1 requests") == true)
        }
        let error = await #expect(throws: LoopbackError.self) { try await server.waitForOpenConnections(1) }
        #expect(error?.message.hasPrefix("The server has stopped") == true)
        #expect(try await server.requests(count: 1).count == 1)
        try await server.waitForOpenConnections(0)
    }

    @Test func `a service may stop its own server`() async throws {
        let box = Watched<LoopbackServer?>(nil)
        let server = try LoopbackServer { request in
            await box.value?.stop()
            return request.response()
        }
        box.update { $0 = server }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await client.readToEnd() == nil)
        try await server.waitForOpenConnections(0)
        box.update { $0 = nil }
    }

    @Test func `a released server stops`() async throws {
        var server: LoopbackServer? = try LoopbackServer { $0.response() }
        let client = try RawClient(port: try #require(server).port)
        try await server?.waitForOpenConnections(1)
        server = nil
        #expect(await client.readToEnd() == "")
    }

    @Test func `a connection is freed when its client disconnects`() async throws {
        try await LoopbackServer.serving(ClosureService { $0.response(body: Data(count: 5_000_000)) }) { server in
            for _ in 0..<20 {
                let client = try RawClient(port: server.port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                client.socket.resetWhenClosed()
                client.socket.close()
            }
            // Writing to a reset connection must not raise SIGPIPE.
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func `serves several hundred concurrent connections`() async throws {
        try await LoopbackServer.serving(LoopbackServerTests.echo) { server in
            let clients = try (0..<400).map { _ in try RawClient(port: server.port) }
            try await server.waitForOpenConnections(400)
            for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            for client in clients { #expect(try await client.readResponse().body == "GET / ") }
        }
    }

    // In a child process, because other tests open descriptors too.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task")))
    func `leaks no threads or descriptors`() async {
        await #expect(processExitsWith: .success) {
            func count(_ what: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(what)").count
            }
            func round(_ index: Int) async throws {
                let server = try LoopbackServer(script: { request in
                    request.number == 1 ? [.stall] : [.respond(with: LoopbackServerTests.echo)]
                })
                let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
                try clients[0].send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await clients[0].readResponse()
                try clients[1].send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                try await server.requests(count: 2)
                try clients[2].send("GET / HT")
                if index.isMultiple(of: 2) { clients[3].socket.close() }
                await server.stop()
            }
            try await round(0)
            let (files, threads) = (try count("fd"), try count("task"))
            for index in 0..<50 { try await round(index) }
            // The runtime may open a few descriptors; a leak per round would be fifty.
            #expect(try count("fd") < files + 10)
            // A thread reports its end shortly before it exits.
            try await eventually("the threads of the servers have exited") { try count("task") < threads + 10 }
        }
    }
}
