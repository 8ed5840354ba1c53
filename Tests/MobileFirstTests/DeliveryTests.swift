import Delegation
import Dispatch
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.needsSlot) struct DeliveryTests {
    private let fixture = Fixture()
    private let queue: DispatchQueue
    private static let key = DispatchSpecificKey<String>()

    init() {
        queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: Self.key, value: "callbacks")
        DispatchQueue.main.setSpecific(key: Self.key, value: "main")
    }

    private static var place: String {
        DispatchQueue.getSpecific(key: key) ?? "other"
    }

    typealias Send = @Sendable (WLResourceRequest, DispatchQueue, @escaping WLQueueCompletionHandler) -> Void

    /// All send methods with a completion handler: with a queue or without.
    private static let completions: [(name: String, isQueued: Bool, send: Send)] = [
        ("plain", false, { request, _, done in request.send(completionHandler: done) }),
        ("plain, Swift class", false, { request, _, done in request.send(onCompletion: done) }),
        ("plain, queue", true, { request, queue, done in request.send(queue, completionHandler: done) }),
        (
            "plain, queue, Swift class", true,
            { request, queue, done in request.send(withQueue: queue, onCompletion: done) }
        ),
        ("body", false, { request, _, done in request.send(withBody: "b", completionHandler: done) }),
        ("body, Swift class", false, { request, _, done in request.send(withBody: "b", onCompletion: done) }),
        (
            "body, queue", true,
            { request, queue, done in request.send(withBody: "b", responseQueue: queue, completionHandler: done) }
        ),
        (
            "body, queue, Swift class", true,
            { request, queue, done in request.send(withBody: "b", responseQueue: queue, onCompletion: done) }
        ),
        ("form", false, { request, _, done in request.send(withFormParameters: ["b": "b"], completionHandler: done) }),
        (
            "form, Swift class", false,
            { request, _, done in request.send(withFormParameters: ["b": "b"], onCompletion: done) }
        ),
        (
            "form, queue", true,
            { request, queue, done in
                request.send(withFormParameters: ["b": "b"], responseQueue: queue, completionHandler: done)
            }
        ),
        (
            "form, queue, Swift class", true,
            { request, queue, done in
                request.send(withFormParameters: ["b": "b"], responseQueue: queue, onCompletion: done)
            }
        ),
        ("JSON", false, { request, _, done in request.send(withJSON: ["b": "b"], completionHandler: done) }),
        ("JSON, Swift class", false, { request, _, done in request.send(withJSON: ["b": "b"], onCompletion: done) }),
        (
            "JSON, queue", true,
            { request, queue, done in request.send(withJSON: ["b": "b"], responseQueue: queue, completionHandler: done)
            }
        ),
        (
            "JSON, queue, Swift class", true,
            { request, queue, done in request.send(withJSON: ["b": "b"], responseQueue: queue, onCompletion: done) }
        ),
        ("data", false, { request, _, done in request.send(withData: Data("b".utf8), completionHandler: done) }),
        (
            "data, Swift class", false,
            { request, _, done in request.send(withData: Data("b".utf8), onCompletion: done) }
        ),
        (
            "data, queue", true,
            { request, queue, done in
                request.send(withData: Data("b".utf8), responseQueue: queue, completionHandler: done)
            }
        ),
        (
            "data, queue, Swift class", true,
            { request, queue, done in request.send(withData: Data("b".utf8), responseQueue: queue, onCompletion: done) }
        ),
    ]

    @Test func `M12, M13: every completion variant completes once, on its queue or on the main one`() async throws {
        fixture.client.delivery = .main
        let ledger = CompletionLedger<String>()
        let requests = [("/adapters/Public/echo", 200), ("/adapters/Public/status/404", 404), ("ftp://invalid", 0)]
        var expected: [String] = []
        for (path, status) in requests {
            for variant in Self.completions {
                let call = ledger.call("\(variant.name) \(path)")
                variant.send(fixture.request(path, WLHttpMethodPost), queue) { response, error in
                    #expect((error == nil) == (status == 200))
                    call.succeed("\(variant.name) \(response?.status ?? -1) \(Self.place)")
                }
                expected.append("\(variant.name) \(status) \(variant.isQueued ? "callbacks" : "main")")
            }
        }
        let outcomes = try await ledger.waitForAll().map { if case .success(let text) = $0 { text } else { "" } }
        #expect(outcomes == expected)
        try ledger.check()
    }

    typealias SendDelegate = @Sendable (WLResourceRequest, DispatchQueue, any URLSessionDataDelegate) -> Void

    /// All send methods with a delegate: with a queue or without.
    private static let delegates: [(name: String, isQueued: Bool, send: SendDelegate)] = [
        ("plain", false, { request, _, delegate in request.send(with: delegate) }),
        ("plain, Swift class", false, { request, _, delegate in request.send(withDelegate: delegate) }),
        ("plain, queue", true, { request, queue, delegate in request.send(with: delegate, responseQueue: queue) }),
        (
            "plain, queue, Swift class", true,
            { request, queue, delegate in request.send(responseQueue: queue, withDelegate: delegate) }
        ),
        ("body", false, { request, _, delegate in request.send(withBody: "b", delegate: delegate) }),
        (
            "body, queue", true,
            { request, queue, delegate in request.send(withBody: "b", responseQueue: queue, delegate: delegate) }
        ),
        ("form", false, { request, _, delegate in request.send(withFormParameters: ["b": "b"], delegate: delegate) }),
        (
            "form, queue", true,
            { request, queue, delegate in
                request.send(withFormParameters: ["b": "b"], responseQueue: queue, delegate: delegate)
            }
        ),
        ("JSON", false, { request, _, delegate in request.send(withJSON: ["b": "b"], delegate: delegate) }),
        (
            "JSON, queue", true,
            { request, queue, delegate in request.send(withJSON: ["b": "b"], responseQueue: queue, delegate: delegate) }
        ),
        ("data", false, { request, _, delegate in request.send(withData: Data("b".utf8), delegate: delegate) }),
        (
            "data, queue", true,
            { request, queue, delegate in
                request.send(withData: Data("b".utf8), responseQueue: queue, delegate: delegate)
            }
        ),
    ]

    /// A delegate of URLSession that records its calls.
    private final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        let once = ExactlyOnce<[String]>()
        private let calls = Watched<[String]>([])
        private let disposition: URLSession.ResponseDisposition

        init(_ disposition: URLSession.ResponseDisposition = .allow) { self.disposition = disposition }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            calls.update { $0.append("head \((response as? HTTPURLResponse)?.statusCode ?? 0)") }
            completionHandler(disposition)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            calls.update { $0.append("data \(data.count)") }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let place = DeliveryTests.place
            once.succeed(
                calls.value + [(error.map { ($0 as? WLError)?.vendorCode ?? "error" } ?? "done") + " " + place])
        }
    }

    @Test func `M13: every delegate variant gets head, body and one completion, on its queue or on the main one`()
        async throws
    {
        fixture.client.delivery = .main
        for variant in Self.delegates {
            let place = variant.isQueued ? "callbacks" : "main"
            for (path, expected) in [
                ("/adapters/Public/binary", ["head 200", "data 256", "done \(place)"]),
                ("/adapters/Public/status/404", ["head 404", "data 14", "done \(place)"]),
                ("ftp://invalid", ["ILLEGAL_ARGUMENT_EXCEPTION \(place)"]),
            ] {
                let delegate = Delegate()
                variant.send(fixture.request(path, WLHttpMethodPost), queue, delegate)
                let calls = try await delegate.once.value
                #expect(calls == expected, "\(variant.name)")
                try delegate.once.check()
            }
        }
    }

    /// Submits the PIN, and records where it is called.
    private final class PlacedCheck: SecurityCheckChallengeHandler {
        let log: Watched<[String]>
        init(_ log: Watched<[String]>) {
            self.log = log
            super.init(securityCheck: "PinCode")
        }
        override func handleChallenge(_ challenge: [AnyHashable: Any]!) {
            log.update { $0.append("challenge \(DeliveryTests.place)") }
            submitChallengeAnswer(["pin": "1234"])
        }
        override func handleSuccess(_ success: [AnyHashable: Any]!) {
            log.update { $0.append("success \(DeliveryTests.place)") }
        }
        override func handleFailure(_ failure: [AnyHashable: Any]!) {
            log.update { $0.append("failure \(DeliveryTests.place)") }
        }
    }

    /// Claims the gateway's page, fails to log in, and records where it is called.
    private final class PlacedGateway: GatewayChallengeHandler {
        let log: Watched<[String]>
        init(_ log: Watched<[String]>) {
            self.log = log
            super.init(gatewayName: "form")
        }
        override func canHandleResponse(_ response: WLResponse!) -> Bool {
            guard response.responseText.contains("j_username") else { return false }
            log.update { $0.append("page \(DeliveryTests.place)") }
            return true
        }
        override func handleChallenge(_ challenge: WLResponse!) {
            log.update { $0.append("dialog \(DeliveryTests.place)") }
            submit("wrong")
        }
        override func onFailure(_ response: WLFailResponse!) {
            log.update { $0.append("refused \(DeliveryTests.place)") }
            submit("open sesame")
        }
        override func onSuccess(_ response: WLResponse!) {
            log.update { $0.append("admitted \(DeliveryTests.place)") }
            submitSuccess(response)
        }
        private func submit(_ password: String) {
            submitLoginForm(
                "gateway/login", requestParameters: ["j_username": "ann", "j_password": password],
                requestHeaders: nil, requestTimeoutInMilliSeconds: 0)
        }
    }

    @Test func `M12: handlers are called on the main queue, before the completion there`() async throws {
        let fixture = Fixture(service: { $0.gateway = MobileFirstService.Gateway() })
        fixture.client.delivery = .main
        let log = Watched<[String]>([])
        fixture.register(PlacedCheck(log))
        fixture.register(PlacedGateway(log))
        let manager = fixture.client.authorizationManager
        /// The events of a call until its completion.
        func events(_ call: (_ done: @escaping @Sendable () -> Void) -> Void) async throws -> [String] {
            log.update { $0 = [] }
            call { log.update { $0.append("done \(Self.place)") } }
            return try await log.wait { $0.last?.hasPrefix("done") == true }
        }
        let login = try await events { done in
            manager.login("PinCode", withCredentials: ["pin": "0"], withCompletionHandler: { _ in done() })
        }
        #expect(login == ["challenge main", "success main", "done main"])
        fixture.service.failNext(for: "PinCode")
        let failure = try await events { done in
            manager.login("PinCode", withCredentials: ["pin": "0"], withCompletionHandler: { _ in done() })
        }
        #expect(failure == ["failure main", "done main"])
        let token = try await events { done in
            manager.obtainAccessToken(forScope: nil, withCompletionHandler: { _, _ in done() })
        }
        #expect(token == ["done main"])
        let logout = try await events { done in
            manager.logout("PinCode", withCompletionHandler: { _ in done() })
        }
        #expect(logout == ["done main"])
        let page = try await events { done in fixture.request("/adapters/Public/echo").send { _, _ in done() } }
        #expect(page == ["page main", "dialog main", "refused main", "admitted main", "done main"])
    }

    /// A handler that claims the gateway's page and cancels.
    private final class Cancelling: GatewayChallengeHandler {
        override func canHandleResponse(_ response: WLResponse!) -> Bool {
            response.responseText.contains("j_username")
        }
        override func handleChallenge(_ challenge: WLResponse!) { cancel() }
    }

    @Test func `M12, M13: a delegate gets the error of a cancelled login page, and not the page`() async throws {
        let fixture = Fixture(service: { $0.gateway = MobileFirstService.Gateway(status: .ok) })
        fixture.register(Cancelling(gatewayName: "form"))
        let delegate = Delegate()
        fixture.request("/adapters/Public/echo").send(responseQueue: queue, withDelegate: delegate)
        let calls = try await delegate.once.value
        #expect(calls == ["CHALLENGE_HANDLING_CANCELED callbacks"])
        try delegate.once.check()
    }

    @Test func `M13: a delegate gets the error of an authorization, and not the response to it`() async throws {
        fixture.service.inject(.status(.forbidden), at: .authorization)
        let delegate = Delegate()
        fixture.request("/adapters/Secure/echo").send(responseQueue: queue, withDelegate: delegate)
        let calls = try await delegate.once.value
        #expect(calls == ["AUTHORIZATION_FAILURE callbacks"])
        try delegate.once.check()
    }

    @Test func `M13: a delegate can refuse a response, and gets one for a URL request`() async throws {
        let refusing = Delegate(.cancel)
        fixture.request("/adapters/Public/binary").send(withDelegate: refusing)
        let calls = try await refusing.once.value
        #expect(calls.map { $0.prefix(5) } == ["head ", "error"])
        let delegate = Delegate()
        let url = try #require(URL(string: "\(Fixture.server)/api/adapters/Secure/echo"))
        fixture.client.send(request: URLRequest(url: url), responseQueue: queue, delegate: delegate)
        let received = try await delegate.once.value
        #expect(received.first == "head 200" && received.last == "done callbacks")
        #expect(fixture.requests("Secure/echo").last?.fields[.authorization] != nil)
    }

    @Test(
        arguments: [
            (.useProtocolCachePolicy, .standard), (.reloadIgnoringLocalCacheData, .reload),
            (.reloadIgnoringLocalAndRemoteCacheData, .reload), (.reloadRevalidatingCacheData, .reload),
            (.returnCacheDataElseLoad, .preferCached), (.returnCacheDataDontLoad, .onlyIfCached),
        ] as [(URLRequest.CachePolicy, CachePolicy)])
    func `M13: cache policy and cookies of a URL request`(
        policy: URLRequest.CachePolicy, expected: CachePolicy
    ) async throws {
        let url = try #require(URL(string: "\(Fixture.server)/api/adapters/Public/echo"))
        var request = URLRequest(url: url, cachePolicy: policy)
        request.httpShouldHandleCookies = policy == .useProtocolCachePolicy
        let delegate = Delegate()
        fixture.client.send(request: request, delegate: delegate)
        _ = try await delegate.once.value
        let options = try #require(fixture.requests("Public/echo").last).options
        #expect(options.cachePolicy == expected && options.usesCookies == request.httpShouldHandleCookies)
    }

    /// A delegate that allows each response twice, on another queue.
    private final class Hasty: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        let calls = Watched<[String]>([])
        let hasDecided = Gate()

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            calls.update { $0.append("head \(DeliveryTests.place)") }
            DispatchQueue.global().async { [hasDecided] in
                completionHandler(.allow)
                completionHandler(.allow)
                hasDecided.open()
            }
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            calls.update { $0.append("data \(DeliveryTests.place)") }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            calls.update { $0.append("done \(DeliveryTests.place)") }
        }
    }

    @Test func `M12, M13: a delegate that decides twice elsewhere gets one completion, on its queue`() async throws {
        let delegate = Hasty()
        fixture.request("/adapters/Public/binary").send(responseQueue: queue, withDelegate: delegate)
        try await delegate.hasDecided.wait()
        // All that the decisions have enqueued runs before this.
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(delegate.calls.value == ["head callbacks", "data callbacks", "done callbacks"])
    }

    @Test func `M12: a cancelled challenge and a cancelled call complete once`() async throws {
        fixture.pins()
        let ledger = CompletionLedger<Int>()
        let first = ledger.call("challenge")
        fixture.request("/adapters/Bank/balance").send { _, error in first.succeed((error as NSError?)?.code ?? 0) }
        let second = ledger.call("cancelled")
        let call = fixture.request("/adapters/Public/slow").send { _, error in
            second.succeed((error as NSError?)?.code ?? 0)
        }
        try await eventually("the request has arrived") { fixture.requests("Public/slow").count == 1 }
        call.cancel()
        let outcomes = try await ledger.waitForAll().map { if case .success(let code) = $0 { code } else { 0 } }
        #expect(outcomes == [5, 1])
        try ledger.check()
    }
}
