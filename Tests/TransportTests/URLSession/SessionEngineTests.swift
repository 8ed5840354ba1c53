import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct SessionEngineTests {
    /// Counts concurrent requests.
    private final class Crowd: Sendable {
        private let state = Mutex((now: 0, most: 0))
        var most: Int { state.withLock(\.most) }
        func enter() {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
        }
        func leave() { state.withLock { $0.now -= 1 } }
    }

    @Test(arguments: [1, 3, 8]) func `limits concurrent requests per origin`(limit: Int) async throws {
        let crowd = Crowd()
        let gate = Gate()
        let service = ClosureService { request in
            crowd.enter()
            try await gate.wait()
            crowd.leave()
            return request.response()
        }
        try await LoopbackServer.serving(service) { server in
            let transport = URLSessionTransport(
                configuration: .init(maximumConnectionsPerOrigin: limit, sessionCount: 3), clock: ManualClock())
            try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                let request = try server.request()
                for _ in 0..<(limit * 3) { group.addTask { try await transport.send(request).status } }
                try await gate.waitForWaiters(limit)
                // Some are cancelled while they wait; their slots go to others.
                for _ in 0..<(limit * 3) {
                    Task { try await transport.send(request) }.cancel()
                    group.addTask { try await transport.send(request).status }
                }
                #expect(server.requestCount == limit)
                gate.open()
                for try await status in group { #expect(status == .ok) }
            }
            #expect(crowd.most == limit)
        }
    }

    // libcurl would send them again over a kept connection that turns out to be closed.
    @Test func `requests without content that must not be sent twice have connections of their own`() async throws {
        let key = try HTTPFields(["Idempotency-Key": "1"])
        try await withServer { server, transport in
            _ = try await transport.send(server.request())
            _ = try await transport.send(server.request(.post))
            _ = try await transport.send(server.request(.patch, body: .bytes(Data())))
            _ = try await transport.send(server.request(.post, body: .stream(AsyncStream<Data> { $0.finish() })))
            for (method, fields) in [(HTTPMethod.post, key), (.put, HTTPFields())] {
                _ = try await transport.send(server.request(method, fields: fields))
            }
            _ = try await transport.send(server.request(.post, body: .text("x")))
            let connections = server.requests.map(\.connection)
            #expect(Set(connections.prefix(4)).count == 4 && Set(connections.suffix(3)) == [connections[0]])
        }
    }

    @Test func `requests that wait for a connection start in order`() async throws {
        let gate = Gate()
        try await LoopbackServer(script: { _ in [.wait(for: gate), .respond(with: echo)] }).stopping(after: { server in
            let engine = SessionEngine(
                .init(maximumConnectionsPerOrigin: 1), clock: AnyMonotonicClock(ContinuousClock()))
            let ledger = CompletionLedger<HTTPResponse>()
            for number in 0..<50 {
                let call = ledger.call("\(number)")
                let transfer = Transfer(
                    try server.request(.get, "/\(number)"), timers: engine.timers)
                // Submitted directly, so that the scheduler does not determine the order.
                let submitted = Gate()
                Task {
                    await call.run {
                        engine.submit(transfer)
                        submitted.open()
                        return try await transfer.outcome()
                    }
                }
                try await submitted.wait()
            }
            gate.open()
            try await ledger.waitForAll()
            try ledger.check()
            #expect(server.requests.map(\.target) == (0..<50).map { "/\($0)" })
        })
    }

    @Test func `failures release their slots`() async throws {
        try await LoopbackServer(script: { request in
            switch request.number % 4 {
            case 0: [.reset]
            case 1: [.close]
            case 2: [.send("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno")]
            default: [.respond(with: echo)]
            }
        }).stopping(after: { server in
            let transport = URLSessionTransport(
                configuration: .init(maximumConnectionsPerOrigin: 1), clock: ManualClock())
            for round in 0..<40 {
                // The engine does not resend POST, so each request arrives once.
                _ = try? await transport.send(server.request(.post, body: .text("x")))
                let broken: HTTPBody =
                    round.isMultiple(of: 2)
                    ? ClosureReader.pieces([], length: 3) : .generated { throw URLError(.cannotOpenFile) }
                let error = try await transportError { try await transport.send(server.request(.post, body: broken)) }
                #expect(error.code == .unreadableBody)
            }
            #expect(server.requestCount == 40)
        })
    }

    @Test func `running requests complete after the transport is released`() async throws {
        let gate = Gate()
        let service = ClosureService { request in
            if request.url.path() == "/held" { try await gate.wait() }
            return request.response(text: "done")
        }
        try await LoopbackServer.serving(service) { server in
            var calls: [Task<HTTPResponse, any Error>] = []
            for round in 0..<50 {
                let transport = URLSessionTransport(
                    configuration: .init(maximumConnectionsPerOrigin: 2), clock: ManualClock())
                for _ in 0..<3 where round % 10 == 0 {
                    let request = try server.request(.get, "/held")
                    calls.append(Task { try await transport.send(request) })
                }
                let free = try server.request(.post, body: .stream(stream([Data("x".utf8)])))
                calls.append(Task { try await transport.send(free) })
                let cancelled = Task { [request = try server.request()] in try await transport.send(request) }
                if round.isMultiple(of: 2) { await Task.yield() }
                cancelled.cancel()
            }
            gate.open()
            for call in calls { #expect(try await call.value.body == Data("done".utf8)) }
            // The sessions are invalidated, which closes their connections.
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func `randomly cancelled requests complete exactly once each`() async throws {
        let service = ClosureService { $0.response(body: Data(count: 20_000)) }
        try await LoopbackServer.serving(service, limits: .init(recordedRequests: 0)) { server in
            let ledger = CompletionLedger<HTTPResponse>()
            var generator = SeededGenerator(seed: 20_26)
            do {
                let transport = URLSessionTransport(
                    configuration: .init(maximumConnectionsPerOrigin: 8), clock: ManualClock())
                for number in 0..<3000 {
                    let call = ledger.call("request \(number)")
                    let kind = Int.random(in: 0..<4, using: &generator)
                    let body: HTTPBody =
                        switch kind {
                        case 0: .empty
                        case 1: .bytes(Data(count: 3000))
                        case 2: ClosureReader.pieces([Data(count: 100), Data(count: 100)])
                        default: .stream(stream([Data(count: 500)]))
                        }
                    let request = try server.request(kind == 0 ? .get : .post, body: body)
                    let observer = Bool.random(using: &generator) ? EventLog() : nil
                    let task = Task { await call.run { try await transport.send(request, observer: observer) } }
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0: task.cancel()
                    case 1:
                        for _ in 0..<Int.random(in: 0..<200, using: &generator) { await Task.yield() }
                        task.cancel()
                    case 2: await task.value
                    default: break
                    }
                }
                try await ledger.waitForAll()
            }
            // Connections close with the sessions.
            try await server.waitForOpenConnections(0)
            try ledger.check()
            for case .failure(let error) in try await ledger.waitForAll() { Issue.record("\(error)") }
        }
    }

    #if os(Linux)
        // In a child process, because other tests use descriptors and threads too.
        @Test func `releases descriptors, threads and files`() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                try await LoopbackServer.serving(echo, limits: .init(recordedRequests: 0)) { server in
                    let before = try ProcessState.current()
                    for round in 0..<20 {
                        let transport = URLSessionTransport(
                            configuration: .init(temporaryDirectory: folder.url), clock: ManualClock())
                        let tasks = try (0..<30).map { number in
                            Task {
                                [
                                    request = try server.request(
                                        .post, body: number % 3 == 0 ? .stream(stream([Data("x".utf8)])) : .text("y"))
                                ] in
                                try await transport.send(request)
                            }
                        }
                        for (number, task) in tasks.enumerated() where (number + round) % 2 == 0 { task.cancel() }
                        for task in tasks { _ = await task.result }
                    }
                    try await server.waitForOpenConnections(0)
                    // 600 requests on 40 sessions. Polls, because Foundation releases the resources of a session some
                    // time after its last request, without an event.
                    try await eventually("descriptors, threads and files are released") {
                        let now = try ProcessState.current()
                        return try now.descriptors - before.descriptors < 100 && now.threads - before.threads < 100
                            && folder.names.isEmpty
                    }
                }
            }
        }
    #endif
}
