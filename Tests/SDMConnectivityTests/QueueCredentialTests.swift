import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Authentication
@testable import SDMConnectivity

/// Requests without a delegate of their own ask that of their queue for credentials.
@Suite(.needsSlot) struct QueueCredentialTests {
    /// A server that demands a user and a password.
    private func run(_ body: (LoopbackServer) async throws -> Void) async throws {
        try await LoopbackServer { request in
            guard request.fields[.authorization] == "Basic " + Data("ann:secret".utf8).base64EncodedString() else {
                return request.response(
                    .unauthorized, fields: try HTTPFields(["WWW-Authenticate": "Basic realm=\"shop\""]))
            }
            return request.response(text: "welcome")
        }.stopping(after: body)
    }

    /// Runs five requests of a queue, and returns what its delegate was called with.
    private func events(
        of server: LoopbackServer, _ screen: some Screen, accurate: Bool = false
    ) async throws -> [String] {
        try await events(in: .test(), of: server.url(of: "/"), screen, accurate: accurate)
    }

    private func events(
        in session: SDMSession, of url: URL, _ screen: some Screen, accurate: Bool = false
    ) async throws -> [String] {
        let queue = SDMNetworkQueue(session: session)
        queue.setDelegate(screen)
        queue.showAccurateProgress = accurate
        queue.shouldCancelAllRequestsOnFailure = false
        queue.setRequestDidFinishSelector("finished:")
        queue.setRequestDidFailSelector("failed:")
        queue.setQueueDidFinishSelector("drained:")
        for _ in 0..<5 { queue.addOperation(session.get(url)) }
        queue.go()
        return try await screen.log.wait { $0.last == "drained" }
    }

    @Test(arguments: [false, true]) func `S18: five parallel requests of a queue ask its delegate once`(
        accurate: Bool
    ) async throws {
        try await run { server in
            let log = try await events(of: server, CredentialScreen(), accurate: accurate)
            #expect(log.count { $0 == "asked" } == 1 && log.count { $0 == "finished" } == 5, "\(log)")
        }
    }

    @Test func `S18: a delegate of the queue in Swift is asked too`() async throws {
        try await run { server in
            let log = try await events(of: server, SwiftScreen())
            #expect(log.count { $0 == "asked" } == 1 && log.count { $0 == "finished" } == 5, "\(log)")
        }
    }

    @Test func `a delegate of the queue without the method is not asked`() async throws {
        try await run { server in
            let log = try await events(of: server, EndScreen())
            #expect(log == Array(repeating: "failed 3", count: 5) + ["drained"])
        }
    }

    /// A proxy that demands a user and a password.
    private static func proxy() -> ScriptedTransport {
        let expected = "Basic " + Data("ann:secret".utf8).base64EncodedString()
        return ScriptedTransport { request in
            guard request.fields[.proxyAuthorization] != expected else { return request.response(text: "welcome") }
            return try request.proxyChallenge(#"Basic realm="p""#)
        }
    }

    @Test func `S18: a delegate supplies the password of a proxy`() async throws {
        let transport = Self.proxy()
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        let delegate = LoggingDelegate(onChallenge: { request in
            (request.proxyUsername, request.proxyPassword) = ("ann", "secret")
            request.retryUsingSuppliedCredentials()
        })
        request.delegate = delegate
        #expect(await request.ended() == nil && request.responseStatusCode == 200)
        try await #expect(
            delegate.ended() == ["started", "proxy authentication needed", "started", "finished 200"])
        #expect(transport.requests.map { $0.fields[.proxyAuthorization] != nil } == [false, true])
        #expect(transport.requests.allSatisfy { $0.fields[.authorization] == nil })
    }

    @Test func `S18: five parallel requests of a queue ask its delegate once for the password of a proxy`()
        async throws
    {
        let url = try #require(URL(string: "http://example.com/"))
        let log = try await events(in: .test(Self.proxy()), of: url, ProxyScreen())
        #expect(log.count { $0 == "asked" } == 1 && log.count { $0 == "finished" } == 5, "\(log)")
    }

    /// The delegate of the request that asks first.
    private enum First: CaseIterable, Sendable {
        /// Without the method: an object, and one of the protocol.
        case object, conforming
        case cancels

        var delegate: AnyObject {
            switch self {
            case .object: EndScreen()
            case .conforming: CollectingDelegate()
            case .cancels: LoggingDelegate()
            }
        }
    }

    @Test(arguments: First.allCases, [false, true])
    private func `S18: the delegate of a request that waits is asked, unless that of the first has cancelled`(
        first: First, isOfQueue: Bool
    ) async throws {
        try await run { server in
            let callbacks = DispatchQueue(label: "callbacks")
            let session = SDMSession.test { $0.delivery = .queue(callbacks) }
            let (screen, delegate) = (CredentialScreen(), first.delegate)
            let queue = SDMNetworkQueue(session: session)
            queue.setDelegate(screen)
            let requests = try (0..<2).map { _ in try session.get(server) }
            requests[0].delegate = delegate
            let own = LoggingDelegate(onChallenge: { screen.supply($0) })
            if !isOfQueue { requests[1].delegate = own }
            // Holds back the question.
            let hold = DispatchSemaphore(value: 0)
            callbacks.async { hold.wait() }
            defer { hold.signal() }
            requests[0].startAsynchronous()
            try await eventually("the first request asks") {
                requests[0].state.withLock { $0.delivery.credentialDecision != nil }
            }
            queue.addOperation(requests[1])
            queue.go()
            try await eventually("the second request waits") { session.credentials.waiterCount == 1 }
            hold.signal()
            #expect(await requests[0].ended()?.errorCode == 3)
            #expect(await requests[1].ended()?.errorCode == (first == .cancels ? 3 : nil))
            #expect(screen.log.value == (first == .cancels ? [] : ["asked"]))
        }
    }

    @Test func `S18: the delegate of a request that waits is asked when that of the first is released`() async throws {
        try await run { server in
            let clock = ManualClock()
            let session = SDMSession.test(clock: clock)
            let requests = try (0..<2).map { _ in try session.get(server) }
            let screen = CredentialScreen()
            var first: LoggingDelegate? = LoggingDelegate(onChallenge: { _ in })
            requests[0].delegate = first
            requests[0].startAsynchronous()
            try await first?.wait(for: "authentication needed")
            let second = LoggingDelegate(onChallenge: { screen.supply($0) })
            requests[1].delegate = second
            requests[1].startAsynchronous()
            try await eventually("the second request waits") { session.credentials.waiterCount == 1 }
            first = nil
            #expect(first == nil)
            let errors = await clock.autoAdvancing { await (requests[0].ended(), requests[1].ended()) }
            #expect(errors.0?.errorCode == 3 && errors.1 == nil && screen.log.value == ["asked"])
        }
    }

    @Test func `the request's own delegate is asked, not that of the queue`() async throws {
        try await run { server in
            let screen = CredentialScreen()
            let session = SDMSession.test()
            let queue = SDMNetworkQueue(session: session)
            queue.setDelegate(screen)
            let request = try session.get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            queue.addOperation(request)
            queue.go()
            try await #expect(delegate.ended().contains("authentication needed"))
            #expect(screen.log.value == [])
        }
    }
}

private protocol Screen: AnyObject, Sendable { var log: Watched<[String]> { get } }

extension Screen {
    fileprivate func add(_ event: String) { log.update { $0.append(event) } }
    fileprivate func finished(_ request: SDMHttpRequest) { add("finished") }
    fileprivate func failed(_ request: SDMHttpRequest) { add("failed \(request.error?.errorCode ?? 0)") }
    fileprivate func drained(_ queue: SDMNetworkQueue) { add("drained") }
    fileprivate func supply(_ request: SDMHttpRequest) {
        add("asked")
        request.setUserName("ann")
        request.setPassword("secret")
        request.retryUsingSuppliedCredentials()
    }
}

private final class CredentialScreen: Screen, SelectorTarget {
    let log = Watched<[String]>([])
    static var selectors: SelectorTable {
        [
            .method("finished:", CredentialScreen.finished), .method("failed:", CredentialScreen.failed),
            .method("drained:", CredentialScreen.drained),
            .method("authenticationNeededForRequest:", CredentialScreen.supply),
        ]
    }
}

private final class ProxyScreen: Screen, SelectorTarget {
    let log = Watched<[String]>([])
    static var selectors: SelectorTable {
        [
            .method("finished:", ProxyScreen.finished), .method("failed:", ProxyScreen.failed),
            .method("drained:", ProxyScreen.drained),
            .method("proxyAuthenticationNeededForRequest:", ProxyScreen.supplyForProxy),
        ]
    }
    private func supplyForProxy(_ request: SDMHttpRequest) {
        add("asked")
        (request.proxyUsername, request.proxyPassword) = ("ann", "secret")
        request.retryUsingSuppliedCredentials()
    }
}

private final class EndScreen: Screen, SelectorTarget {
    let log = Watched<[String]>([])
    static var selectors: SelectorTable {
        [
            .method("finished:", EndScreen.finished), .method("failed:", EndScreen.failed),
            .method("drained:", EndScreen.drained),
        ]
    }
}

private final class SwiftScreen: Screen, SDMHttpRequestDelegate, SelectorTarget {
    let log = Watched<[String]>([])
    static var selectors: SelectorTable {
        [
            .method("finished:", SwiftScreen.finished), .method("failed:", SwiftScreen.failed),
            .method("drained:", SwiftScreen.drained),
        ]
    }
    func authenticationNeeded(for request: SDMHttpRequest) { supply(request) }
}
