import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// The members of `NSOperationQueue` and `NSOperation` that apps use.
@Suite(.needsSlot) struct DependencyTests {
    /// A transport that answers at a gate, and the paths that it has received.
    private struct Peer {
        let gate = Gate()
        let paths = Watched<[String]>([])
        let session: SDMSession

        init() {
            let (gate, paths) = (gate, paths)
            session = SDMSession.test(
                FakeTransport { request in
                    paths.update { $0.append(request.url.path()) }
                    if request.url.path() == "/first" { try await gate.wait() }
                    return request.response(text: "ok")
                })
        }

        func get(_ path: String) -> SDMHttpRequest { session.get(URL(string: "http://example.com/" + path)) }
    }

    @Test func `a request starts after its dependency, and others do not wait for it`() async throws {
        let peer = Peer()
        let queue = SDMNetworkQueue(session: peer.session)
        let (first, second, third) = (peer.get("first"), peer.get("second"), peer.get("third"))
        second.addDependency(first)
        for request in [second, first, third] { queue.addOperation(request) }
        #expect(second.dependencies == [first] && queue.operations == [second, first, third])
        #expect(queue.operationCount == 3)
        queue.startBatch()
        try await peer.paths.wait { Set($0) == ["/first", "/third"] }
        #expect(!second.inProgress)
        peer.gate.open()
        try await queue.waitUntilFinished()
        #expect(peer.paths.value.last == "/second" && second.responseStatusCode == 200)
        #expect(second.dependencies.isEmpty && queue.operations.isEmpty)
    }

    @Test func `a dependency may be in another queue, and may be added to a request that waits in one`() async throws {
        let peer = Peer()
        let (queue, other) = (SDMNetworkQueue(session: peer.session), SDMNetworkQueue(session: peer.session))
        let (first, second) = (peer.get("first"), peer.get("second"))
        queue.addOperation(first)
        other.addOperation(second)
        second.addDependency(first)
        second.addDependency(second)
        other.startBatch()
        #expect(peer.paths.value == [] && second.dependencies == [first])
        queue.startBatch()
        peer.gate.open()
        try await other.waitUntilFinished()
        #expect(peer.paths.value == ["/first", "/second"])
    }

    @Test(arguments: [true, false]) func `a request starts after a dependency that fails, or is removed`(
        isRemoved: Bool
    ) async throws {
        let peer = Peer()
        let (first, second) = (peer.get("first"), peer.get("second"))
        second.addDependency(first)
        second.startAsynchronous()
        #expect(peer.session.sharedQueue.operations == [second] && !second.inProgress)
        if isRemoved { second.removeDependency(first) } else { first.cancel() }
        #expect(await second.ended() == nil && first.complete == !isRemoved)
        // A complete one is no dependency any more.
        let third = peer.get("third")
        third.addDependency(second)
        #expect(await third.ended() == nil)
    }

    @Test func `a request that waits for its dependency can be cancelled`() async throws {
        let peer = Peer()
        let (first, second) = (peer.get("first"), peer.get("second"))
        second.addDependency(first)
        second.startAsynchronous()
        second.cancel()
        #expect(second.error?.code == .requestCancelled && peer.session.sharedQueue.operationCount == 0)
        peer.gate.open()
        #expect(await first.ended() == nil && peer.paths.value == ["/first"])
    }

    @Test func `S33: a HEAD waits for the dependencies of its GET`() async throws {
        let transport = ScriptedTransport([], then: .text("body"))
        let session = SDMSession.test(transport)
        let queue = SDMNetworkQueue(session: session)
        queue.showAccurateProgress = true
        let first = session.get(URL(string: "http://example.com/first"))
        let second = session.get(URL(string: "http://example.com/second"))
        second.addDependency(first)
        queue.addOperation(second)
        queue.addOperation(first)
        #expect(queue.operations == [second, first] && second.dependencies == [first])
        queue.startBatch()
        try await queue.waitUntilFinished()
        let sent = transport.requests.map { "\($0.method) \($0.url.path())" }
        #expect(sent == ["HEAD /first", "GET /first", "HEAD /second", "GET /second"])
    }

    @Test func `a thread blocks until all requests are complete`() async throws {
        let peer = Peer()
        let queue = SDMNetworkQueue(session: peer.session)
        let (first, second) = (peer.get("first"), peer.get("second"))
        queue.addOperation(first)
        queue.startBatch()
        peer.gate.open()
        await onThread {
            queue.addOperations([second], waitUntilFinished: true)
            #expect(first.complete && second.complete)
            queue.waitUntilAllOperationsAreFinished()
        }
        #expect(queue.requestsCount == 0)
    }

    // MARK: Selectors

    private final class Screen: SelectorTarget, Sendable {
        static var selectors: SelectorTable {
            [
                .method("started:", Screen.started), .method("request:fields:", Screen.received),
                .method("request:redirects:", Screen.redirects), .method("done:", Screen.done),
            ]
        }
        let log = Watched<[String]>([])
        let target: URL?

        init(target: URL?) { self.target = target }

        func started(_ request: SDMHttpRequest) { log.update { $0.append("started") } }
        func received(_ request: SDMHttpRequest, _ fields: [String: String]) {
            log.update { $0.append("fields \(fields["X-Name"] ?? "")") }
        }
        func redirects(_ request: SDMHttpRequest, _ url: URL) {
            log.update { $0.append("redirects \(url.path())") }
            request.redirect(to: target ?? url)
        }
        func done(_ request: SDMHttpRequest) { log.update { $0.append("done \(request.url.path())") } }
    }

    @Test func `S8: the queue's delegate gets the fields, and decides about redirects`() async throws {
        let session = SDMSession.test(
            FakeTransport { request in
                guard request.url.path() == "/moved" else {
                    return request.response(fields: try HTTPFields(["X-Name": "b"]))
                }
                return request.response(.found, fields: try HTTPFields(["Location": "/next", "X-Name": "a"]))
            })
        for target in [nil, URL(string: "http://example.com/other")] {
            let queue = SDMNetworkQueue(session: session)
            let screen = Screen(target: target)
            queue.delegate = screen
            queue.requestDidStartSelector = "started:"
            queue.setRequestDidReceiveResponseHeadersSelector("request:fields:")
            queue.setRequestWillRedirectSelector("request:redirects:")
            queue.requestDidFinishSelector = "done:"
            let request = session.get(URL(string: "http://example.com/moved"))
            // The request's own delegate does not decide.
            let delegate = LoggingDelegate()
            request.setDelegate(delegate)
            queue.addOperation(request)
            queue.startBatch()
            #expect(await request.ended() == nil)
            let end = target == nil ? "/next" : "/other"
            let expected = ["started", "fields a", "redirects /next", "started", "fields b", "done \(end)"]
            try await #expect(screen.log.wait { $0.count == expected.count } == expected)
            #expect(delegate.events == ["started", "redirected", "started", "finished 200"])
            queue.requestWillRedirectSelector = nil
            #expect(queue.requestWillRedirectSelector == nil)
        }
    }

    @Test func `S8: without the method, the queue's delegate does not delay a redirect`() async throws {
        let transport = ScriptedTransport {
            $0.url.path() == "/moved"
                ? $0.response(.found, fields: try HTTPFields(["Location": "/next"])) : $0.response()
        }
        let session = SDMSession.test(transport)
        let (queue, object) = (SDMNetworkQueue(session: session), NSObject())
        queue.delegate = object
        queue.requestWillRedirectSelector = "request:unknown:"
        let request = session.get(URL(string: "http://example.com/moved"))
        queue.addOperation(request)
        queue.startBatch()
        #expect(await request.ended() == nil && request.url.path() == "/next")
        withExtendedLifetime(object) {}
    }
}
