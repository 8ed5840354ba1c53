import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct CancelTests {
    /// A server that sends half of its body.
    private func run(_ body: (LoopbackServer) async throws -> Void) async throws {
        let script: ServerScript = [
            .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\nhalf"), .stall,
        ]
        try await LoopbackServer(script: { _ in script }).stopping(after: body)
    }

    @Test func `S13: cancelled before its start, a request fails once with 4 and is not sent`() async throws {
        try await run { server in
            let request = try SDMSession.test().get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            request.cancel()
            #expect(await request.ended()?.errorCode == 4 && request.isCancelled)
            await onThread { request.startSynchronous() }
            request.cancel()
            try await #expect(delegate.ended() == ["failed 4"])
            #expect(server.requestCount == 0 && delegate.endCount == 1)
        }
    }

    @Test func `S13: cancelled during the body, a request fails once with 4`() async throws {
        try await run { server in
            let request = try SDMSession.test().get(server)
            let delegate = LoggingDelegate()
            let progress = ProgressLog()
            request.delegate = delegate
            request.downloadProgressDelegate = progress
            request.startAsynchronous()
            try await progress.log.wait { $0.contains(.received(4)) }
            request.cancel()
            request.cancel()
            #expect(await request.ended()?.errorCode == 4)
            try await #expect(delegate.ended() == ["started", "failed 4"])
            #expect(delegate.endCount == 1 && request.responseStatusCode == 200)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func `S13: a blocking start ends when another thread cancels`() async throws {
        try await run { server in
            let request = try SDMSession.test().get(server)
            async let end: Void = onThread { request.startSynchronous() }
            try await server.requests(count: 1)
            request.cancel()
            await end
            #expect(request.error?.errorCode == 4)
        }
    }

    @Test func `S13: cancelled between its start and its first attempt, a request does not use the cache`() async throws
    {
        let transport = ScriptedTransport([.response(fields: try HTTPFields(["Cache-Control": "max-age=60"]))])
        let session = SDMSession.test(transport)
        for isCancelled in [false, true] {
            let request = session.get(URL(string: "http://example.com/"))
            request.downloadCache = session.downloadCache
            #expect(request.begin())
            if isCancelled { request.cancel() }
            await request.run(.asynchronous)
            #expect(request.complete && request.error?.errorCode == (isCancelled ? 4 : nil))
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `S13: after the end it has no effect`() async throws {
        try await LoopbackServer { $0.response(text: "ok") }.stopping { server in
            let request = try SDMSession.test().get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            await request.ended()
            request.cancel()
            #expect(request.error == nil && !request.isCancelled && delegate.endCount == 1)
        }
    }

    @Test func `S13: with its delegates cleared, a request calls none`() async throws {
        try await run { server in
            for isStarted in [false, true] {
                let request = try SDMSession.test().get(server)
                let delegate = LoggingDelegate()
                let progress = ProgressLog()
                request.delegate = delegate
                request.downloadProgressDelegate = progress
                if isStarted {
                    request.startAsynchronous()
                    try await progress.log.wait { $0.contains(.received(4)) }
                }
                let events = delegate.events
                request.clearDelegatesAndCancel()
                #expect(await request.ended()?.errorCode == 4 && delegate.events == events)
                #expect(delegate.endCount == 0)
            }
        }
    }

    @Test func `a cancelled task cancels its request`() async throws {
        try await run { server in
            let request = try SDMSession.test().get(server)
            let task = Task { await request.ended() }
            try await server.requests(count: 1)
            task.cancel()
            #expect(await task.value?.errorCode == 4)
        }
    }

    @Test func `S13: a request that waits for the delegate can be cancelled`() async throws {
        try await LoopbackServer { request in
            request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
        }.stopping { server in
            let request = try SDMSession.test().get(server)
            let delegate = LoggingDelegate(onChallenge: { _ in })
            request.delegate = delegate
            request.startAsynchronous()
            try await delegate.wait(for: "authentication needed")
            request.cancel()
            #expect(await request.ended()?.errorCode == 4)
            try await #expect(delegate.ended().last == "failed 4")
            #expect(delegate.endCount == 1)
        }
    }
}
