import Delegation
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
            _ = await request.run(.asynchronous)
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

    private enum Moment: CaseIterable, Sendable { case beforeTheStart, start, fields, bytes }

    @Test(arguments: Moment.allCases)
    private func `S13: with its delegates cleared, a request does not call the delegate of its queue`(
        moment: Moment
    ) async throws {
        let session = SDMSession.test(ScriptedTransport([], then: .text("bytes")))
        let (queue, screen) = (SDMNetworkQueue(session: session), QueueScreen())
        queue.setDelegate(screen)
        queue.setRequestDidStartSelector("started:")
        queue.setRequestDidReceiveResponseHeadersSelector("received:fields:")
        queue.setRequestDidFinishSelector("finished:")
        queue.setRequestDidFailSelector("failed:")
        queue.setQueueDidFinishSelector("drained:")
        let request = session.get(URL(string: "http://example.com/"))
        let delegate = ClearingDelegate { if $0 == moment { request.clearDelegatesAndCancel() } }
        request.delegate = delegate
        queue.addOperation(request)
        delegate.reach(.beforeTheStart)
        queue.go()
        let events = try await screen.log.wait { $0.contains("drained") }
        let expected =
            switch moment {
            case .beforeTheStart, .start: ["drained"]
            case .fields: ["started", "drained"]
            case .bytes: ["started", "fields", "drained"]
            }
        #expect(events == expected && request.complete)
    }

    /// A delegate that reports the moments of its request.
    private final class ClearingDelegate: SDMHttpRequestDelegate, Sendable {
        let reach: @Sendable (Moment) -> Void

        init(_ reach: @escaping @Sendable (Moment) -> Void) { self.reach = reach }

        func requestStarted(_ request: SDMHttpRequest) { reach(.start) }
        func request(_ request: SDMHttpRequest, didReceiveResponseHeaders headers: [String: String]) { reach(.fields) }
        func request(_ request: SDMHttpRequest, didReceive data: Data) { reach(.bytes) }
    }

    /// The delegate of a queue, with a method for each event.
    private final class QueueScreen: SelectorTarget, Sendable {
        let log = Watched<[String]>([])

        static var selectors: SelectorTable {
            [
                .method("started:", QueueScreen.started), .method("received:fields:", QueueScreen.received),
                .method("finished:", QueueScreen.finished), .method("failed:", QueueScreen.failed),
                .method("drained:", QueueScreen.drained),
            ]
        }

        private func add(_ event: String) { log.update { $0.append(event) } }

        func started(_ request: SDMHttpRequest) { add("started") }
        func received(_ request: SDMHttpRequest, fields: [String: String]) { add("fields") }
        func finished(_ request: SDMHttpRequest) { add("finished") }
        func failed(_ request: SDMHttpRequest) { add("failed") }
        func drained(_ queue: SDMNetworkQueue) { add("drained") }
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
