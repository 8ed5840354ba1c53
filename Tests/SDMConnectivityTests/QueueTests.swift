import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct QueueTests {
    private func queue(_ session: SDMSession, _ screen: SelectorScreen? = nil) -> SDMNetworkQueue {
        let queue = SDMNetworkQueue(session: session)
        queue.setDelegate(screen)
        queue.setRequestDidFinishSelector("serviceDocFetchComplete:")
        queue.setRequestDidFailSelector("serviceDocFetchFailed:")
        queue.setQueueDidFinishSelector("queueFinished:")
        return queue
    }

    @Test func `S32: requests start with startBatch, and the queue finishes once`() async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let session = SDMSession.test()
            let screen = SelectorScreen()
            let queue = queue(session, screen)
            let requests = try (0..<6).map { _ in try session.get(server) }
            for request in requests { queue.addOperation(request) }
            #expect(queue.requestsCount == 6 && server.requestCount == 0 && !requests[0].inProgress)
            queue.startBatch()
            let events = try await screen.log.wait { $0.contains("queue finished") }
            #expect(events == Array(repeating: "complete", count: 6) + ["queue finished"])
            #expect(queue.requestsCount == 0 && requests.allSatisfy { $0.queue === queue })
            // S33: again after requests that are added later.
            queue.addOperation(try session.get(server))
            try await screen.log.wait { $0.count { $0 == "queue finished" } == 2 }
        }
    }

    @Test(arguments: [1, 4]) func `S32: ten failing requests finish the queue too`(maximum: Int) async throws {
        let session = SDMSession.test(ScriptedTransport([], then: .failure(.hostNotFound)))
        for cancelsRest in [true, false] {
            let screen = SelectorScreen()
            let queue = queue(session, screen)
            queue.maxConcurrentOperationCount = maximum
            queue.shouldCancelAllRequestsOnFailure = cancelsRest
            let delegate = LoggingDelegate()
            for _ in 0..<10 {
                let request = session.get(URL(string: "http://example.com/"))
                request.delegate = delegate
                queue.addOperation(request)
            }
            queue.go()
            let events = try await screen.log.wait { $0.contains("queue finished") }
            #expect(events.count == 11 && events.last == "queue finished" && delegate.endCount == 10)
            #expect(events.contains("failed 1"))
            if !cancelsRest { #expect(!events.contains("failed 4")) }
            if cancelsRest, maximum == 1 { #expect(events.count { $0 == "failed 4" } == 9) }
        }
    }

    @Test func `a method of the delegate with another number of arguments is a warning`() async throws {
        let warnings = Watched<[String]>([])
        let session = SDMSession.test(ScriptedTransport([], then: .text("ok"))) { configuration in
            configuration.warn = { text in warnings.update { $0.append(text) } }
        }
        let screen = SelectorScreen()
        let queue = queue(session, screen)
        queue.setRequestDidFinishSelector("request:didRecieveData:")
        let request = session.get(URL(string: "http://example.com/"))
        queue.addOperation(request)
        queue.go()
        try await screen.log.wait { $0 == ["queue finished"] }
        #expect(request.error == nil && warnings.value.count == 1)
        #expect(warnings.value.first?.contains("request:didRecieveData:") == true)
    }

    @Test func `a method of the delegate that does not exist is a warning`() async throws {
        let warnings = Watched<[String]>([])
        let session = SDMSession.test(ScriptedTransport([], then: .text("ok"))) { configuration in
            configuration.warn = { text in warnings.update { $0.append(text) } }
        }
        let screen = SelectorScreen()
        let queue = queue(session, screen)
        queue.setRequestDidFinishSelector("unknown:")
        queue.addOperation(session.get(URL(string: "http://example.com/")))
        queue.go()
        try await screen.log.wait { $0 == ["queue finished"] }
        #expect(warnings.value.count == 1 && warnings.value.first?.contains(#""unknown:""#) == true)
    }

    @Test func `the selectors of the delegate's protocol call its methods`() async throws {
        let session = SDMSession.test(
            ScriptedTransport { request in
                switch request.url.path() {
                case "/old": return request.response(.found, fields: try HTTPFields(["Location": "/new"]))
                case "/new": return request.response(text: "ok")
                default: throw TransportError(.hostNotFound, "No host.", request: request)
                }
            })
        let delegate = LoggingDelegate()
        let queue = SDMNetworkQueue(session: session)
        queue.delegate = delegate
        queue.maxConcurrentOperationCount = 1
        queue.setRequestDidStartSelector("requestStarted:")
        queue.setRequestDidFinishSelector("requestFinished:")
        queue.setRequestDidFailSelector("requestFailed:")
        queue.setRequestWillRedirectSelector("request:willRedirectToURL:")
        let requests = ["/old", "/missing"].map { session.get(URL(string: "http://example.com\($0)")) }
        for request in requests { queue.addOperation(request) }
        queue.go()
        try await delegate.wait(for: "failed 1")
        #expect(
            delegate.events == [
                "started", "will redirect to /new", "started", "finished 200", "started", "failed 1",
            ])
    }

    @Test func `S32: a reset cancels and calls nothing`() async throws {
        let session = SDMSession.test(ScriptedTransport([], then: .never))
        let screen = SelectorScreen()
        let queue = queue(session, screen)
        let requests = (0..<3).map { _ in session.get(URL(string: "http://example.com/")) }
        for request in requests { queue.addOperation(request) }
        queue.startBatch()
        queue.reset()
        for request in requests { #expect(await request.ended()?.errorCode == 4) }
        #expect(queue.isSuspended && queue.requestsCount == 0 && screen.log.value.isEmpty)
    }

    @Test func `S32: a reset keeps the settings that are neither delegates nor selectors`() {
        let queue = SDMNetworkQueue(session: .test())
        let log = ProgressLog()
        queue.showAccurateProgress = true
        queue.userInfo = ["key": 1]
        queue.downloadProgressDelegate = log
        queue.reset()
        #expect(queue.showAccurateProgress && queue.userInfo?["key"] as? Int == 1)
        #expect(queue.downloadProgressDelegate == nil)
    }

    @Test func `S32: the queue finishes after the last request's delegate, also if a callback of it runs long`()
        async throws
    {
        let session = SDMSession.test()
        let screen = SelectorScreen()
        let queue = queue(session, screen)
        let request = session.get(URL(string: "http://example.com/"))
        queue.addOperation(request)
        let callbacks = Callbacks(.inline)
        let (isRunning, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let thread: Void = onThread {
            callbacks.post {
                isRunning.signal()
                mayEnd.wait()
            }
        }
        await onThread { isRunning.wait() }
        #expect(request.begin())
        request.end(nil, callbacks)
        #expect(request.complete && queue.requestsCount == 0 && screen.log.value.isEmpty)
        mayEnd.signal()
        await thread
        #expect(screen.log.value == ["complete", "queue finished"])
    }

    @Test func `S46: a request whose queue the app removes still frees its slot`() async throws {
        let gate = Gate()
        let session = SDMSession.test(ScriptedTransport([], then: .after(gate, .status(.ok))))
        let requests = (0..<12).map { _ in session.get(URL(string: "http://example.com/")) }
        for request in requests {
            request.startAsynchronous()
            request.queue = nil
        }
        gate.open()
        for request in requests { #expect(await request.ended() == nil) }
        #expect(session.sharedQueue.requestsCount == 0)
    }

    @Test func `S33: the HEAD is of the class of its GET, without its delegates`() async throws {
        let transport = ScriptedTransport([], then: .text("body"))
        let session = SDMSession.test(transport)
        let connection = SMPClientConnection(applicationID: "app", session: session)
        connection.setConnectionProfileWithUrl("http://example.com/")
        try connection.setRegistration(connectionID: "id-1")
        let queue = queue(session)
        queue.showAccurateProgress = true
        let request = SUPRequest(url: URL(string: "http://example.com/"), session: session)
        request.connection = connection
        let delegate = LoggingDelegate()
        request.delegate = delegate
        queue.addOperation(request)
        queue.startBatch()
        #expect(await request.ended() == nil && delegate.events == ["started", "finished 200"])
        #expect(transport.requests.map(\.method) == [.head, .get])
        #expect(transport.requests.allSatisfy { $0.fields["X-SMP-APPCID"] ?? $0.fields["X-SUP-APPCID"] == "id-1" })
    }

    @Test func `S46: a queue may be released while its requests are in flight`() async throws {
        let gate = Gate()
        let session = SDMSession.test(ScriptedTransport([], then: .after(gate, .status(.ok))))
        let screen = SelectorScreen()
        var queue: SDMNetworkQueue? = queue(session, screen)
        let request = session.get(URL(string: "http://example.com/"))
        queue?.addOperation(request)
        queue?.startBatch()
        try await gate.waitForWaiters(1)
        queue = nil
        #expect(queue == nil)
        gate.open()
        #expect(await request.ended() == nil)
        try await screen.log.wait { $0.contains("queue finished") }
    }

    @Test func `S33: without accurate progress, each request counts one`() async throws {
        try await LoopbackServer { $0.response(body: Data(count: 1000)) }.stopping { server in
            let session = SDMSession.test()
            let queue = queue(session)
            let log = ProgressLog()
            queue.downloadProgressDelegate = log
            // One at a time: of two that end together, the delegate gets only the newer fraction.
            queue.maxConcurrentOperationCount = 1
            for _ in 0..<4 { queue.addOperation(try session.get(server)) }
            queue.startBatch()
            try await queue.waitUntilFinished()
            try await log.log.wait { $0.last == .fraction(1) }
            #expect(server.requests.allSatisfy { $0.method == "GET" } && log.fractions.contains(0.5))
        }
    }

    @Test func `S33: accurate progress asks for the lengths first, but not for requests that are added later`()
        async throws
    {
        try await LoopbackServer { $0.response(body: Data(count: 130_050)) }.stopping { server in
            let session = SDMSession.test()
            let screen = SelectorScreen()
            let queue = queue(session, screen)
            let log = ProgressLog()
            queue.setShowAccurateProgress()
            queue.downloadProgressDelegate = log
            for _ in 0..<5 { queue.addOperation(try session.get(server)) }
            #expect(queue.requestsCount == 5)
            queue.startBatch()
            for _ in 0..<5 { queue.addOperation(try session.get(server)) }
            try await screen.log.wait { $0.contains("queue finished") }
            #expect(server.requests.count { $0.method == "HEAD" } == 5)
            #expect(server.requests.count { $0.method == "GET" } == 10)
            #expect(screen.log.value.count { $0 == "complete" } == 10)
            try await log.finished(1_300_500)
            #expect(log.bytes == 1_300_500 && log.size == 1_300_500)
            #expect(queue.bytesDownloadedSoFar == 1_300_500 && queue.totalBytesToDownload == 1_300_500)
            #expect(queue.bytesUploadedSoFar == 0 && queue.totalBytesToUpload == 0)
        }
    }

    @Test func `S33: a HEAD that fails fails its GET, which is not sent`() async throws {
        let transport = ScriptedTransport([], then: .failure(.hostNotFound))
        let session = SDMSession.test(transport)
        let screen = SelectorScreen()
        let queue = queue(session, screen)
        queue.showAccurateProgress = true
        let request = session.get(URL(string: "http://example.com/"))
        queue.addOperation(request)
        queue.startBatch()
        #expect(await request.ended()?.errorCode == 1)
        let events = try await screen.log.wait { $0.contains("queue finished") }
        #expect(events == ["failed 1", "queue finished"] && transport.requests.map(\.method) == [.head])
    }

    @Test func `S33: the length of a request that was cancelled before its HEAD ended is not counted`() async throws {
        let gate = Gate()
        let transport = ScriptedTransport([], then: .after(gate, .text("bytes")))
        let session = SDMSession.test(transport)
        let screen = SelectorScreen()
        let queue = queue(session, screen)
        let log = ProgressLog()
        queue.setShowAccurateProgress()
        queue.downloadProgressDelegate = log
        queue.shouldCancelAllRequestsOnFailure = false
        let requests = (0..<2).map { _ in session.get(URL(string: "http://example.com/")) }
        for request in requests { queue.addOperation(request) }
        queue.startBatch()
        try await gate.waitForWaiters(2)
        requests[0].cancel()
        gate.open()
        try await screen.log.wait { $0.contains("queue finished") }
        #expect(transport.requests.count { $0.method == .get } == 1)
        #expect(log.size == log.bytes && log.fractions.last == 1)
    }

    @Test func `S34: at most five run at a time, and a limit above five is refused`() async throws {
        let gate = Gate()
        let running = Watched((now: 0, most: 0))
        let transport = ServiceTransport { request in
            running.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            try await gate.wait()
            running.update { $0.now -= 1 }
            return request.response()
        }
        let session = SDMSession.test(transport)
        let error = #expect(throws: SDMConnectivityException.self) { try session.setMaximumConcurrent(6) }
        #expect(error?.name == "ThreadCountTooHigh" && session.sharedQueue.maxConcurrentOperationCount == 5)
        let requests = (0..<12).map { _ in session.get(URL(string: "http://example.com/")) }
        for request in requests { request.startAsynchronous() }
        try await gate.waitForWaiters(5)
        #expect(session.sharedQueue.requestsCount == 12)
        gate.open()
        for request in requests { #expect(await request.ended() == nil) }
        #expect(running.value.most == 5)
        try requests[0].setMaxConcurrentHTTPRequestCount(2)
        #expect(requests[0].getMaxConcurrentHTTPRequestCount() == 2)
    }

    @Test(.needsAllSlots)
    func `a request of a queue completes while all threads of the cooperative pool are blocked`() async throws {
        let session = SDMSession.test(FakeTransport { $0.response() })
        let screen = SelectorScreen()
        let queue = queue(session, screen)
        queue.addOperation(session.get(URL(string: "http://example.com/")))
        let hasEnded = await BlockedPool.run { done in
            queue.go()
            _ = waitUnlessHung { screen.log.value.contains("queue finished") }
            done()
        }
        #expect(hasEnded && screen.log.value == ["complete", "queue finished"])
    }
}
