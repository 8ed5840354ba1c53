import Delegation
import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// Waiting for a queue on the queue of the callbacks, as apps do on the main thread.
@Suite(.needsSlot) struct DeliveredCallsTests {
    private let callbackQueue = DispatchQueue(label: "callbacks")
    /// A server that redirects each path to `/end`.
    private let redirecting = FakeTransport { request in
        if request.url.path() == "/end" { return request.response(text: "end") }
        return request.response(.found, fields: try HTTPFields(["Location": "/end"]))
    }

    private func session(_ transport: some Transport) -> SDMSession {
        .test(transport) { $0.delivery = .queue(callbackQueue) }
    }

    /// Runs code on the queue of the callbacks.
    private func onCallbackQueue(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            callbackQueue.async {
                body()
                continuation.resume()
            }
        }
    }

    /// A delegate that only wants the end, in Swift, and one by selectors.
    private final class EndDelegate: SDMHttpRequestDelegate, Sendable {
        let log = Watched<[String]>([])
        func requestFinished(_ request: SDMHttpRequest) { log.update { $0.append("finished") } }
        func requestFailed(_ request: SDMHttpRequest) {
            log.update { $0.append("failed \(request.error?.errorCode ?? 0)") }
        }
    }

    @Test(arguments: ["/redirect", "/secret", "/large"]) func `a wait on it ends for each response`(path: String)
        async throws
    {
        let session = session(
            FakeTransport { request in
                switch request.url.path() {
                case "/redirect": request.response(.found, fields: try HTTPFields(["Location": "/end"]))
                case "/secret":
                    request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": "Basic realm=\"a\""]))
                case "/large": request.response(body: Data(count: 5 << 20))
                default: request.response(text: "end")
                }
            })
        let (delegate, screen) = (EndDelegate(), SelectorScreen())
        await onCallbackQueue {
            let queue = SDMNetworkQueue(session: session)
            queue.shouldCancelAllRequestsOnFailure = false
            for target in [delegate, screen] as [AnyObject] {
                let request = session.get(URL(string: "http://example.com" + path))
                request.delegate = target
                queue.addOperation(request)
            }
            queue.go()
            queue.waitUntilAllOperationsAreFinished()
            #expect(delegate.log.value == [path == "/secret" ? "failed 3" : "finished"])
        }
    }

    @Test func `a delegate that decides is asked in order, by the thread that waits`() async throws {
        let session = session(redirecting)
        let thread = Watched<[ObjectIdentifier]>([])
        let delegate = LoggingDelegate(onRedirect: { request, target in
            thread.update { $0.append(ObjectIdentifier(Thread.current)) }
            request.redirect(to: target)
        })
        let request = session.get(URL(string: "http://example.com/start"))
        request.delegate = delegate
        await onCallbackQueue {
            let queue = SDMNetworkQueue(session: session)
            queue.addOperations([request], waitUntilFinished: false)
            queue.go()
            queue.waitUntilAllOperationsAreFinished()
            #expect(thread.value == [ObjectIdentifier(Thread.current)])
        }
        #expect(
            delegate.events == ["started", "redirected", "will redirect to /end", "started", "finished 200"])
    }

    @Test func `callbacks that waited for the queue before the wait come in it, and once`() async throws {
        let session = session(redirecting)
        let delegate = LoggingDelegate()
        let request = session.get(URL(string: "http://example.com/start"))
        request.delegate = delegate
        await onCallbackQueue {
            let queue = SDMNetworkQueue(session: session)
            queue.addOperation(request)
            queue.go()
            // The question about the redirect is posted, and cannot be asked.
            #expect(waitUnlessHung { request.state.withLock { $0.delivery.redirectDecision != nil } })
            #expect(delegate.events == [])
            queue.waitUntilAllOperationsAreFinished()
        }
        // What the queue still has to call.
        await onCallbackQueue {}
        #expect(
            delegate.events == ["started", "redirected", "will redirect to /end", "started", "finished 200"])
    }

    @Test func `the end of a request that was complete before the wait comes in it too`() async throws {
        let session = session(FakeTransport { $0.response(text: "end") })
        let delegate = EndDelegate()
        let request = session.get(URL(string: "http://example.com/"))
        request.delegate = delegate
        await onCallbackQueue {
            let queue = SDMNetworkQueue(session: session)
            queue.addOperation(request)
            queue.go()
            #expect(waitUnlessHung { queue.operationCount == 0 })
            #expect(delegate.log.value == [])
            queue.waitUntilAllOperationsAreFinished()
            #expect(delegate.log.value == ["finished"])
        }
        await onCallbackQueue {}
        #expect(delegate.log.value == ["finished"])
    }

    @Test func `a wait on the main thread calls the delegate there`() async throws {
        let session = SDMSession.test(redirecting) { $0.delivery = .main }
        let delegate = LoggingDelegate()
        let request = session.get(URL(string: "http://example.com/start"))
        request.delegate = delegate
        await MainActor.run {
            let queue = SDMNetworkQueue(session: session)
            queue.addOperation(request)
            queue.go()
            queue.waitUntilAllOperationsAreFinished()
            #expect(delegate.events.last == "finished 200" && delegate.isOnMainThread)
        }
    }

    @Test func `a callback may wait too`() async throws {
        let session = session(FakeTransport { $0.response(text: "end") })
        let queue = SDMNetworkQueue(session: session)
        let inner = SDMNetworkQueue(session: session)
        let delegate = NestedDelegate {
            inner.addOperation(session.get(URL(string: "http://example.com/inner")))
            inner.go()
            inner.waitUntilAllOperationsAreFinished()
        }
        let request = session.get(URL(string: "http://example.com/outer"))
        request.delegate = delegate
        await onCallbackQueue {
            queue.addOperation(request)
            queue.go()
            queue.waitUntilAllOperationsAreFinished()
        }
        #expect(delegate.count.value == 1)
    }

    @Test(arguments: [false, true])
    func `a wait on it lasts for the requests that a delegate adds, until the queue has finished`(isFirstComplete: Bool)
        async throws
    {
        let session = session(FakeTransport { $0.response(text: "page") })
        let (queue, screen) = (SDMNetworkQueue(session: session), SelectorScreen())
        queue.setDelegate(screen)
        queue.setQueueDidFinishSelector("queueFinished:")
        let pages = (1...500).map { session.get(URL(string: "http://example.com/\($0)")) }
        let rest = Watched(pages.dropFirst())
        let delegate = NestedDelegate {
            guard let page = rest.update({ $0.popFirst() }) else { return }
            queue.addOperation(page)
        }
        for page in pages { page.delegate = delegate }
        await onCallbackQueue {
            queue.addOperation(pages[0])
            queue.go()
            if isFirstComplete { #expect(waitUnlessHung { queue.operationCount == 0 }) }
            queue.waitUntilAllOperationsAreFinished()
            #expect(pages.allSatisfy(\.complete) && screen.log.value == ["queue finished"])
        }
        #expect(delegate.count.value == 500)
    }

    @Test func `a request that is complete while it is added leaves the queue once its last call is posted`() {
        let session = SDMSession.test()
        let queue = SDMNetworkQueue(session: session)
        queue.showAccurateProgress = true
        let requests = (1...2).map { AddedRequest(url: URL(string: "http://example.com/\($0)"), session: session) }
        // What another thread has done before it posts the call.
        requests[0].whileAdded = { _ = $0.state.withLock { $0.end(nil) } }
        requests[1].whileAdded = { $0.cancel() }
        for request in requests {
            request.requestMethod = "PUT"
            queue.addOperation(request)
            #expect(request.complete)
        }
        #expect(queue.operations == [requests[0]])
    }

    @Test func `a wait on it lasts until the calls after the end of the last request are posted`() {
        var requests = QueuedRequests(
            state: QueueState(maximumConcurrent: 4, isSuspended: false, cancelsOnFailure: true))
        let session = SDMSession.test()
        let ends = (1...2).map { session.get(URL(string: "http://example.com/\($0)")) }
        for request in ends { requests.add(request) }
        // Of those that are added to a suspended queue, none.
        _ = requests.setSuspended(true)
        let actions = ends.map { requests.complete($0, failed: false, areInline: false) }
        #expect(actions == [[], [.drained]] && requests.all.isEmpty && requests.awaited == ends)
        let added = session.get(URL(string: "http://example.com/3"))
        requests.add(added)
        #expect(requests.awaited == ends + [added] && requests.stillAwaited == ends)
        for request in ends { requests.didLeave(request) }
        #expect(requests.awaited == [added] && requests.stillAwaited.isEmpty)
        // What posts the calls inline may wait in one of them.
        let last = requests.complete(added, failed: false, areInline: true)
        #expect(last == [.drained] && requests.awaited.isEmpty)
    }

    @Test func `an end that two threads note is waited for until the first one has posted what follows`() {
        let session = session(FakeTransport { $0.response() })
        let queue = SDMNetworkQueue(session: session)
        let request = session.get(URL(string: "http://example.com/"))
        queue.addOperation(request)
        // What the first thread has done before it posts the calls.
        queue.requests.withLock { _ = $0.complete(request, failed: false, areInline: false) }
        queue.requestEnded(request, nil)
        #expect(queue.operations.isEmpty && queue.requests.withLock(\.awaited) == [request])
    }

    @Test func `a request that is added while another thread starts the queue is one of the session of the start`()
        async throws
    {
        let gate = Gate()
        let session = SDMSession.test(
            FakeTransport { request in
                try await gate.wait()
                return request.response()
            })
        let queue = SDMNetworkQueue(session: session)
        queue.showAccurateProgress = true
        queue.maxConcurrentOperationCount = 1
        let requests = (1...2).map { AddedRequest(url: URL(string: "http://example.com/\($0)"), session: session) }
        requests[1].whileAdded = { _ in queue.startBatch() }
        for request in requests {
            request.requestMethod = "PUT"
            queue.addOperation(request)
        }
        try await gate.waitForWaiters(1)
        #expect(requests.map(\.belongsToSession) == [true, true])
        session.clear()
        #expect(requests.map(\.belongsToSession) == [false, false])
        gate.open()
        try await queue.waitUntilFinished()
    }

    /// A request that ends, or whose queue starts, while it is added.
    private final class AddedRequest: SDMHttpRequest, @unchecked Sendable {
        var whileAdded: (AddedRequest) -> Void = { _ in }
        override func buildPostBody() {
            whileAdded(self)
            super.buildPostBody()
        }
    }

    /// With calls of others, which are made while the wait returns, or without.
    @Test(arguments: [false, true], [0, 10_000])
    func `a wait on it ends when a delegate adds a request to the queue that it has suspended`(
        isReset: Bool, callCount: Int
    ) async throws {
        let delivery = Delivery.queue(callbackQueue)
        let session = session(FakeTransport { $0.response(text: "page") })
        let queue = SDMNetworkQueue(session: session)
        let pages = (1...2).map { session.get(URL(string: "http://example.com/\($0)")) }
        let delegate = NestedDelegate {
            isReset ? queue.reset() : queue.setSuspended(true)
            queue.addOperation(pages[1])
            Thread.detachNewThread {
                for _ in 0..<callCount { DeliveredCalls.shared.post(on: delivery) {} }
            }
            // The thread has begun.
            if callCount > 0 { #expect(waitUnlessHung { DeliveredCalls.shared.hasCall(for: delivery) }) }
        }
        pages[0].delegate = delegate
        let hasEnded = Watched(false)
        callbackQueue.async {
            queue.addOperation(pages[0])
            queue.go()
            queue.waitUntilAllOperationsAreFinished()
            hasEnded.update { $0 = true }
        }
        defer { queue.cancelAllOperations() }
        try await eventually("the wait ends") { hasEnded.value }
        #expect(queue.operations.map { $0 === pages[1] } == [true] && !pages[1].complete)
        queue.go()
        #expect(await pages[1].ended() == nil)
    }

    @Test func `a wait of a task lasts for requests that are added meanwhile`() async throws {
        let (first, second, executor) = (Gate(), Gate(), ObservedExecutor())
        let session = SDMSession.test(ScriptedTransport([.after(first, .text("1")), .after(second, .text("2"))]))
        let queue = SDMNetworkQueue(session: session)
        let pages = (1...2).map { session.get(URL(string: "http://example.com/\($0)")) }
        let delegate = NestedDelegate { queue.addOperation(pages[1]) }
        pages[0].delegate = delegate
        queue.addOperation(pages[0])
        queue.go()
        let wait = Task(executorPreference: executor) {
            try await queue.waitUntilFinished()
            return pages[1].complete
        }
        try await executor.waitUntilIdle()
        first.open()
        try await second.waitForWaiters(1)
        #expect(await pages[0].ended() == nil)
        try await executor.waitUntilIdle()
        second.open()
        #expect(try await wait.value && delegate.count.value == 1)
    }

    private final class NestedDelegate: SDMHttpRequestDelegate, Sendable {
        let count = Watched(0)
        private let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        func requestFinished(_ request: SDMHttpRequest) {
            body()
            count.update { $0 += 1 }
        }
    }
}
