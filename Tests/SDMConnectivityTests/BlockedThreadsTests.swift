import Authentication
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// Blocking calls and delegates of many requests at the same time, over each layer in which calls wait for others.
@Suite(.needsAllSlots) struct BlockedThreadsTests {
    enum Layer: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case none, coalescing, authorizing, queued, tokens

        var testDescription: String { rawValue }
    }

    private let layer: Layer
    private let session: SDMSession
    /// The completed requests, by their statuses.
    private let ended = Watched<[Int]>([])

    private init(_ layer: Layer) throws {
        self.layer = layer
        let server = FakeTransport { request in
            switch layer {
            case .authorizing where request.fields[.authorization] != "Bearer secret":
                return request.response(
                    .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Bearer realm="r""#]))
            case .tokens where request.method == .get:
                return request.response(fields: try HTTPFields([CSRFToken.field: "secret"]))
            case .tokens where request.fields[CSRFToken.field] != "secret":
                return request.response(.forbidden, fields: try HTTPFields([CSRFToken.field: "Required"]))
            default: return request.response(text: "ok")
            }
        }
        switch layer {
        case .none, .tokens: session = .test(server)
        case .coalescing: session = .test(server.coalescing())
        case .queued: session = .test(server.queued(in: RequestQueue(limits: QueueLimits(maximumConcurrent: 2))))
        case .authorizing:
            let endpoint = try TokenEndpoint(
                "https://login.example.com/token", client: .publicClient(id: "app"),
                over: FakeTransport { request in
                    request.response(text: #"{"access_token":"secret","token_type":"Bearer","expires_in":3600}"#)
                })
            session = .test(
                server.authorizing(
                    with: OAuthClient(endpoint, grant: .clientCredentials),
                    at: try AllowedOrigins("https://example.com")))
        }
        session.isXCSRFEnabled = layer == .tokens
    }

    private func request() -> SDMHttpRequest {
        let request = session.get(URL(string: "https://example.com/Flights"))
        // A read would need no token.
        if layer == .tokens { request.setRequestMethod("POST") }
        return request
    }

    private func end(_ request: SDMHttpRequest) { ended.update { $0.append(request.responseStatusCode) } }

    private func check(_ count: Int) { #expect(ended.value == Array(repeating: 200, count: count)) }

    @Test(arguments: Layer.allCases, [2, 20, 100])
    static func `blocking calls may have all threads of a global queue`(layer: Layer, count: Int) async throws {
        let test = try BlockedThreadsTests(layer)
        for _ in 0..<count {
            DispatchQueue.global().async {
                let request = test.request()
                request.startSynchronous()
                test.end(request)
            }
        }
        try await test.ended.wait { $0.count == count }
        test.check(count)
    }

    @Test(arguments: Layer.allCases, [2, 20, 100])
    static func `blocking calls end while all threads of the cooperative pool are blocked`(
        layer: Layer, count: Int
    ) async throws {
        let test = try BlockedThreadsTests(layer)
        let hasEnded = await BlockedPool.run { done in
            for _ in 0..<count {
                Thread.detachNewThread {
                    let request = test.request()
                    request.startSynchronous()
                    test.end(request)
                    if test.ended.value.count == count { done() }
                }
            }
        }
        #expect(hasEnded)
        test.check(count)
    }

    @Test(arguments: Layer.allCases, [2, 20, 100])
    static func `delegates are called while all threads of the cooperative pool are blocked`(
        layer: Layer, count: Int
    ) async throws {
        let test = try BlockedThreadsTests(layer)
        let hasEnded = await BlockedPool.run { done in
            let delegate = EndDelegate { request in
                test.end(request)
                if test.ended.value.count == count { done() }
            }
            for _ in 0..<count {
                let request = test.request()
                request.delegate = delegate
                // The app's delegates are held weakly.
                request.userInfo = ["delegate": delegate]
                request.startAsynchronous()
            }
        }
        #expect(hasEnded)
        test.check(count)
    }
}

/// Calls a closure at the end of each request.
private final class EndDelegate: SDMHttpRequestDelegate, Sendable {
    private let action: @Sendable (SDMHttpRequest) -> Void

    init(_ action: @escaping @Sendable (SDMHttpRequest) -> Void) { self.action = action }

    func requestFinished(_ request: SDMHttpRequest) { action(request) }
    func requestFailed(_ request: SDMHttpRequest) { action(request) }
}
