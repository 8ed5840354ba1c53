import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

/// Requests while Foundation's network queue, which all sessions of a process share on Linux, is blocked.
@Suite(
    .needsAllSlots,
    .enabled(if: EngineKind.current == .libcurl, "CFNetwork has no network queue that a body could hold"))
struct BusyNetworkTests {
    private let clock = ManualClock()

    /// Runs `body` while a request body that is being read blocks the network queue.
    private func whileHeld(_ act: (Gate) async throws -> Void) async throws {
        let entered = Gate()
        let isReleased = Gate()
        let release = DispatchSemaphore(value: 0)
        let body = HTTPBody.generated(length: 1) {
            var rest: Data? = Data("x".utf8)
            return ClosureReader { _ in
                if !entered.isOpen {
                    entered.open()
                    release.wait()
                    isReleased.open()
                }
                return rest.take()
            }
        }
        try await withServer { server, transport in
            let holder = Task { [request = try server.request(.post, body: body)] in try await transport.send(request) }
            try await entered.wait()
            do {
                try await act(isReleased)
            } catch {
                release.signal()
                throw error
            }
            release.signal()
            #expect(try await holder.value.body == Data("x".utf8))
        }
    }

    private static let kinds = ["sent", "streamed", "downloaded", "uploaded"]

    @Test(arguments: kinds) func `the response timeout applies before the session has a task`(kind: String)
        async throws
    {
        let served = ClosureService { request in
            if request.url.path() == "/late" { try await Gate().wait() }
            return request.response(text: "next")
        }
        try await LoopbackServer.serving(served) { server in
            let transport = URLSessionTransport(configuration: .init(maximumConnectionsPerOrigin: 1), clock: clock)
            let timeouts = Timeouts(response: .seconds(5), idle: nil)
            let body: HTTPBody = kind == "uploaded" ? .stream(stream([Data("x".utf8)])) : .empty
            let request = try server.request(kind == "uploaded" ? .post : .get, "/late", body: body, timeouts: timeouts)
            try await whileHeld { isReleased in
                let task = Task {
                    switch kind {
                    case "streamed": _ = try await transport.stream(request)
                    case "downloaded":
                        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                        try await transport.download(request, to: file)
                    default: _ = try await transport.send(request)
                    }
                }
                try await clock.wait { $0.first?.offset == .seconds(5) }
                await clock.advance(by: .seconds(5))
                let error = try await transportError { try await task.value }
                #expect(error.code == .timedOut && error.phase == .response && !isReleased.isOpen)
            }
            // The slot is free again, and the failed request is not sent.
            let next = try await transport.send(server.request(.get, "/next"))
            #expect(next.body == Data("next".utf8))
            #if os(Linux)
                #expect(server.requests.map(\.target) == ["/next"])
            #endif
        }
    }

    @Test func `failed requests hold no slot before the session has a task`() async throws {
        try await withServer { server, _ in
            let transport = URLSessionTransport(configuration: .init(maximumConnectionsPerOrigin: 1), clock: clock)
            let request = try server.request(timeouts: Timeouts(response: .seconds(5), idle: nil))
            try await whileHeld { isReleased in
                // Each response timeout starts with the slot, which the previous request must release.
                for round in 1...5 {
                    let task = Task { try await transport.send(request) }
                    try await clock.wait { $0.first?.offset == .seconds(5 * round) }
                    await clock.advance(by: .seconds(5))
                    #expect(try await transportError { try await task.value }.phase == .response)
                }
                #expect(!isReleased.isOpen)
            }
            #expect(try await transport.send(server.request()).status == .ok)
        }
    }

    @Test func `cancelling works before the session has a task`() async throws {
        try await withServer { server, _ in
            let transport = URLSessionTransport(configuration: .init(maximumConnectionsPerOrigin: 1), clock: clock)
            try await whileHeld { isReleased in
                let task = Task { [request = try server.request()] in try await transport.send(request) }
                try await clock.waitForSleepers(1)
                task.cancel()
                let error = try await transportError { try await task.value }
                #expect(error.code == .cancelled && !isReleased.isOpen)
            }
            #expect(try await transport.send(server.request()).status == .ok)
        }
    }
}
