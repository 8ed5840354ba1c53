import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct URLSessionTransportTests {
    @Test func `stores no cookies, cache entries or credentials`() async throws {
        let service = ClosureService { request in
            let fields = try HTTPFields([
                "Set-Cookie": "a=b; Path=/", "Cache-Control": "max-age=1000", "ETag": "\"x\"",
                "WWW-Authenticate": "Basic",
            ])
            return request.response(fields: fields, body: Data("x".utf8))
        }
        try await withServer(service: service) { server, transport in
            for _ in 0..<3 {
                let response = try await transport.send(server.request())
                #expect(response.fields[.setCookie] == "a=b; Path=/" && response.body == Data("x".utf8))
            }
            #expect(server.requestCount == 3)
            for request in server.requests {
                #expect(!request.fields.contains(.cookie) && !request.fields.contains(.ifNoneMatch))
                #expect(!request.fields.contains(.authorization))
            }
        }
    }

    @Test func `reuses connections`() async throws {
        try await LoopbackServer.serving(echo) { server in
            let transport = URLSessionTransport(configuration: .init(sessionCount: 1), clock: ManualClock())
            for _ in 0..<20 { _ = try await transport.send(server.request(.post, body: .text("x"))) }
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [(0, 0), (-1, -9), (1, 5)])
    func `out-of-range limits are clamped`(connections: Int, sessionCount: Int) async throws {
        try await LoopbackServer.serving(echo) { server in
            let transport = URLSessionTransport(
                configuration: .init(maximumConnectionsPerOrigin: connections, sessionCount: sessionCount))
            for _ in 0..<3 {
                let response = try await transport.send(server.request())
                #expect(response.status == .ok)
            }
        }
    }

    @Test func `a response before the end of the upload is returned`() async throws {
        let server = try LoopbackServer(connections: { connection in
            guard try connection.receiveRequest(readsBody: false) != nil else { return }
            try connection.send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
            connection.stall()
        })
        try await server.stopping(after: { server in
            let transport = URLSessionTransport(clock: ManualClock())
            let response = try await transport.send(server.request(.put, body: .bytes(Data(count: 16 << 20))))
            #expect(response.status == .contentTooLarge && response.body == Data("no".utf8))
        })
    }

    @Test(.needsAllSlots)
    func `spools a stream while all threads of the cooperative pool are blocked`()
        async throws
    {
        try await withServer { server, transport in
            let done = DispatchSemaphore(value: 0)
            let caller = Task(executorPreference: WorkerThreads(count: 1, name: "caller")) {
                defer { for _ in 0..<64 { done.signal() } }
                return try await transport.send(server.request(.post, body: .stream(stream([Data("x".utf8)])))).body
            }
            await withTaskGroup(of: DispatchTimeoutResult.self) { group in
                for _ in 0..<64 { group.addTask { blockingWait(for: done) } }
                for await result in group { #expect(result == .success) }
            }
            let body = try await caller.value
            #expect(body == Data("x".utf8))
        }
    }
}
