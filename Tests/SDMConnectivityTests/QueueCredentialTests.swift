import Authentication
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

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
        let session = SDMSession.test()
        let queue = SDMNetworkQueue(session: session)
        queue.setDelegate(screen)
        queue.showAccurateProgress = accurate
        queue.shouldCancelAllRequestsOnFailure = false
        queue.setRequestDidFinishSelector("finished:")
        queue.setRequestDidFailSelector("failed:")
        queue.setQueueDidFinishSelector("drained:")
        for _ in 0..<5 { queue.addOperation(try session.get(server)) }
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
