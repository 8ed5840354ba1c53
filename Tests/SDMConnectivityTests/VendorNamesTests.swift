import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// What is behind the names of the vendor's headers; `.ci/check-sdm-seed` compiles all of them.
@Suite(.needsSlot) struct VendorNamesTests {
    // MARK: Delegates

    /// Methods as Swift imported the vendor's header, or as its selectors are spelled.
    private final class UnwrappedDelegate: SDMHttpRequestDelegate, SDMProgressDelegate, Sendable {
        let log = Watched<[String]>([])
        private func add(_ event: String) { log.update { $0.append(event) } }

        func requestStarted(_ request: SDMHttpRequest!) { add("started") }
        func requestFinished(_ request: SDMHttpRequest!) { add("finished") }
        func requestFailed(_ request: SDMHttpRequest!) { add("failed") }
        func requestRedirected(_ request: SDMHttpRequest!) { add("redirected") }
        func request(_ request: SDMHttpRequest!, didReceive data: Data!) { add("received \(data.count)") }
        func authenticationNeeded(for request: SDMHttpRequest!) {
            add("authentication")
            request.cancelAuthentication()
        }
        func request(_ request: any SDMRequesting, didReceiveBytes bytes: Int64) { add("bytes \(bytes)") }
        func request(_ request: (any SDMRequesting)!, incrementDownloadSizeBy newLength: Int64) {
            add("size \(newLength) of \(request.url.path())")
        }
    }

    private func run(_ body: (LoopbackServer) async throws -> Void) async throws {
        try await LoopbackServer { request in
            switch request.url.path() {
            case "/moved": request.response(.found, fields: try HTTPFields(["Location": "/"]))
            case "/secret":
                request.response(.unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
            default: request.response(text: "bytes")
            }
        }.stopping(after: body)
    }

    @Test(arguments: [
        ("/moved", ["started", "redirected", "started", "received 5", "finished"]),
        ("/secret", ["started", "authentication", "failed"]),
    ])
    func `S14: a delegate with unwrapped parameters is called`(path: String, expected: [String]) async throws {
        try await run { server in
            let request = try SDMSession.test().get(server, path)
            let delegate = UnwrappedDelegate()
            request.setDelegate(delegate)
            await request.ended()
            try await #expect(delegate.log.wait { $0.count >= expected.count } == expected)
        }
    }

    @Test func `S24: a progress delegate gets the request by the type of the header`() async throws {
        try await run { server in
            let request = try SDMSession.test().get(server)
            let delegate = UnwrappedDelegate()
            request.setDownloadProgressDelegate(delegate)
            #expect(await request.ended() == nil && request.responseString == "bytes")
            try await delegate.log.wait { $0.contains("bytes 5") && $0.contains("size 5 of /") }
        }
    }

    private final class SelectorDelegate: SDMHttpRequestDelegate, Sendable {
        let count = Watched(0)
        func authenticationNeededForRequest(_ request: SDMHttpRequest) {
            count.update { $0 += 1 }
            request.cancelAuthentication()
        }
    }

    @Test func `S14: a delegate may spell the challenge as the selector`() async throws {
        try await run { server in
            let request = try SDMSession.test().get(server, "/secret")
            let delegate = SelectorDelegate()
            request.setDelegate(delegate)
            #expect(await request.ended()?.code == .authentication && delegate.count.value == 1)
        }
    }

    @MainActor private final class MainScreen: @MainActor SDMHttpRequestDelegate, SelectorTarget {
        nonisolated static var selectors: SelectorTable { [.mainActorMethod("done:", MainScreen.done)] }
        let log = Watched<[String]>([])
        func requestFinished(_ request: SDMHttpRequest) { log.update { $0.append("finished") } }
        func done(_ request: SDMHttpRequest) { log.update { $0.append("done") } }
    }

    @MainActor @Test func `S14: screens of the main actor are called, by protocol and by selector`() async throws {
        let session = SDMSession.test(FakeTransport { $0.response(text: "ok") }) { $0.delivery = .main }
        let screen = MainScreen()
        for isBySelector in [false, true] {
            let request = session.get(URL(string: "http://example.com/"))
            request.setDelegate(screen)
            if isBySelector { request.setDidFinishSelector("done:") }
            request.startAsynchronous()
            try await screen.log.wait { $0.last == (isBySelector ? "done" : "finished") }
        }
        #expect(screen.log.value == ["finished", "done"])
    }

    // MARK: The builder's requests

    @Test func `S35: a request of the builder has the members of the class`() async throws {
        let transport = ScriptedTransport([], then: .text("ok"))
        let storage = SDMRequestTypeStorage(load: { nil }, save: { _ in })
        let builder = SDMRequestBuilder(session: SDMSession.test(transport), storage: storage)
        builder.requestType = .http
        builder.isTracingEnabled = true
        let request: any SDMRequesting = builder.request(with: URL(string: "http://example.com/"))
        #expect(request.isTracingEnabled)
        request.enableTracing(false)
        let delegate = LoggingDelegate()
        request.setDelegate(delegate)
        request.setRequestMethod("PUT")
        request.postBody = Data("<entry/>".utf8)
        request.requestHeaders["If-Match"] = "*"
        request.applyCookieHeader()
        request.applyAuthorizationHeader()
        #expect(try await request.response().status == .ok && delegate.events == ["started", "finished 200"])
        let sent = try #require(transport.requests.first)
        #expect(sent.method == .put && sent.fields["If-Match"] == "*" && sent.fields["SAP-PASSPORT"] == nil)
    }

    @Test func `S6: setting the header fields keeps those that the library has made`() {
        let request = SDMSession.test().get(URL(string: "http://example.com/"))
        request.addRequestHeader("A", value: "1")
        request.addRequestHeader("B", value: "2")
        request.buildRequestHeaders()
        #expect(request.requestHeaders["Accept-Language"] == "en")
        request.requestHeaders["a"] = "3"
        request.requestHeaders["B"] = nil
        #expect(request.requestHeader("A") == "3" && request.requestHeader("B") == nil)
        request.shouldAutosetLanguage = false
        request.buildRequestHeaders()
        #expect(request.requestHeaders["Accept-Language"] == nil && request.requestHeader("a") == "3")
    }

    @Test func `names of exceptions and numbers of constants are the vendor's`() {
        #expect(SDMConnectivityException.threadCountTooHigh(6).name == ThreadCountTooHigh)
        #expect([LOW, MEDIUM, HIGH, NONE].map(\.rawValue) == [1, 2, 3, 4])
        #expect([SUPRequestType, ODPRequestType, HTTPRequestType].map(\.rawValue) == [0xFE, 0xFE, 0xFF])
        let policies = [
            DefaultCachePolicy, Ignore_CachePolicy, ReloadIfDifferentCachePolicy, OnlyLoadIfNotCached_CachePolicy,
            UseCacheIfLoadFailsCachePolicy,
        ]
        #expect(policies.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(CachePermanently_CacheStoragePolicy.rawValue == 1 && MultipartFormDataPostFormat.rawValue == 0)
        #expect(FormsBasedSAMLAuthenticationType.rawValue == 0xFC)
    }
}
