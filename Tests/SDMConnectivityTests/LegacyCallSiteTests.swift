import Authentication
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import SDMConnectivityNames
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

/// The only tests that change `ConnectivitySettings` or the shared session, so that they do not disturb each other.
@Suite(.needsSlot, .serialized) struct LegacyCallSiteTests {
    /// Runs old code for the service at a URL, then restores the settings of the process.
    private func withService(at url: String, _ body: () async throws -> Void) async rethrows {
        let (oldURL, oldLanguage) = (ConnectivitySettings.url(), ConnectivitySettings.language)
        let (oldTimeout, session) = (SDMHttpRequest.defaultTimeOutSeconds(), SDMSession.shared)
        let oldMaximum = SDMHttpRequest.getMaxConcurrentHTTPRequestCount()
        ConnectivitySettings.setUrl(url)
        ConnectivitySettings.language = "EN"
        SDMHttpRequest.setDefaultTimeOutSeconds(0)
        defer {
            ConnectivitySettings.setUrl(oldURL)
            ConnectivitySettings.language = oldLanguage
            SDMHttpRequest.setDefaultTimeOutSeconds(oldTimeout)
            session.sharedQueue.maxConcurrentOperationCount = oldMaximum
            session.credentials.removeAll()
        }
        try await body()
    }

    /// Runs old code against a server. `/moved` redirects to `/`; `/secret` requires a password.
    private func run(_ body: (LoopbackServer) async throws -> Void) async throws {
        try await LoopbackServer { request in
            switch request.url.path() {
            case "/moved":
                return request.response(.found, fields: try HTTPFields(["Location": "/"]))
            case "/secret" where request.fields[.authorization] == nil:
                return request.response(
                    .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="r""#]))
            default:
                return request.response(text: "bytes")
            }
        }.stopping { server in
            try await withService(at: server.url(of: "/s/").absoluteString) { try await body(server) }
        }
    }

    /// Starts the request of a screen, and returns when one of its selectors was called.
    private func load(_ screen: ServiceDocumentScreen) async {
        await withCheckedContinuation { done in
            screen.done = { done.resume() }
            screen.load()
        }
    }

    /// Starts a request, and returns the calls of its delegate.
    private func calls(of delegate: PageDelegate, _ request: SDMHttpRequest) async throws -> [String] {
        let (calls, ends) = (Watched<[String]>([]), ["requestFinished:", "requestFailed:"])
        delegate.called = { selector in calls.update { $0.append(selector) } }
        request.setDelegate(delegate)
        request.startAsynchronous()
        defer { withExtendedLifetime(delegate) {} }
        return try await calls.wait { $0.contains { ends.contains($0) } }
    }

    // MARK: The screen

    @Test func `S42: an old screen loads the service document, by selectors`() async throws {
        try await run { server in
            let screen = ServiceDocumentScreen()
            screen.makeRequest()
            try screen.setUp(progress: NSObject())
            await load(screen)
            #expect(screen.text == "bytes" && screen.data == Data("bytes".utf8))
            #expect(screen.m_AsynchRequest.responseStatusCode == 200 && screen.request?.complete == false)
            #expect(server.requests.map(\.requestLine) == ["POST /s/?sap-language=EN HTTP/1.1"])
        }
    }

    @Test func `an old screen fills a POST, whose progress it gets`() async throws {
        try await run { server in
            let (screen, progress, calls) = (ServiceDocumentScreen(), PageDelegate(), Watched<Set<String>>([]))
            progress.called = { selector in calls.update { _ = $0.insert(selector) } }
            screen.makeRequest()
            try screen.setUp(progress: progress)
            screen.fill("&name=M%C3%BCller", urlEncData: Data("id=1".utf8), kAppId: "com.example.app")
            await load(screen)
            #expect(screen.text == "bytes")
            let request = try #require(server.requests.first)
            #expect(request.method == "POST" && request.body == Data("id=1&name=M%C3%BCller".utf8))
            #expect(request.fields["myApplicationId"] == "com.example.app" && request.fields["deviceType"] == "iphone")
            let expected: Set = [
                "setProgress:", "request:didSendBytes:", "request:didReceiveBytes:", "request:incrementUploadSizeBy:",
                "request:incrementDownloadSizeBy:",
            ]
            try await #expect(calls.wait { $0.isSuperset(of: expected) } == expected)
            withExtendedLifetime(progress) {}
        }
    }

    @Test func `an old screen fails by selector`() async throws {
        let port = try RefusedPort()
        try await withService(at: port.url(of: "/s/").absoluteString) {
            let screen = ServiceDocumentScreen()
            screen.makeRequest()
            try screen.setUp(progress: NSObject())
            await load(screen)
            #expect(screen.text?.hasPrefix("A connection failure occurred") == true && screen.data == nil)
            #expect(screen.m_AsynchRequest.error?.code == .connectionFailure)
        }
    }

    @Test func `an old screen loads synchronously, with its user and password`() async throws {
        try await run { server in
            ConnectivitySettings.setUrl(try server.url(of: "/secret").absoluteString)
            // Read on other threads only between `start` and `ended`.
            nonisolated(unsafe) let screen = ServiceDocumentScreen()
            let ended = Watched(0)
            screen.done = { ended.update { $0 += 1 } }
            screen.makeRequest()
            try screen.setUp(progress: NSObject())
            await onThread {
                screen.loadSynchronously()
                let request: SDMHttpRequest = screen.m_AsynchRequest
                #expect(request.complete && request.error == nil && !request.isCancelled)
                #expect(request.responseString == "bytes")
            }
            try await ended.wait { $0 == 1 }
            #expect(screen.text == "bytes")
            let password = "Basic \(Data("ann:open sesame".utf8).base64EncodedString())"
            #expect(server.requests.map { $0.fields[.authorization] } == [nil, password])
        }
    }

    // MARK: The delegate

    @Test(arguments: [
        ("/", ["requestStarted:", "request:didRecieveData:", "requestFinished:"]),
        (
            "/moved",
            ["requestStarted:", "requestRedirected:", "requestStarted:", "request:didRecieveData:", "requestFinished:"]
        ),
        ("/secret", ["requestStarted:", "authenticationNeededForRequest:", "requestFailed:"]),
    ])
    func `an old delegate is called`(path: String, expected: [String]) async throws {
        try await run { server in
            let request = SDMHttpRequest.requestWithURL(try server.url(of: path))
            try await #expect(calls(of: PageDelegate(), request) == expected)
            #expect(request.error?.code == (path == "/secret" ? .authentication : nil))
            // The delegate got the bytes.
            if path != "/secret" { #expect(request.responseData?.isEmpty ?? true) }
        }
    }

    @Test func `an old delegate is asked for the credentials of a proxy`() async throws {
        let session = SDMSession.test(ServiceTransport { try $0.proxyChallenge(#"Basic realm="r""#) })
        let request = session.get(URL(string: "http://example.com/"))
        let expected = ["requestStarted:", "proxyAuthenticationNeededForRequest:", "requestFailed:"]
        try await #expect(calls(of: PageDelegate(), request) == expected)
        #expect(request.error?.code == .authentication && request.responseStatusCode == 407)
    }

    // MARK: Names

    @Test func `S42: the three names of the class are one class`() async throws {
        try await run { server in
            let classes = [SDMHttpRequest.self, SDMHTTPRequest.self, SDMConnectivityNames.HTTPRequest.self]
            for requestClass in classes {
                let request = requestClass.requestWithURL(try server.url(of: "/"))
                #expect(type(of: request) == SDMHttpRequest.self && request.session === SDMSession.shared)
                #expect(await request.ended() == nil && request.responseString == "bytes")
            }
            #expect(server.requestCount == 3)
        }
    }

    @Test func `S42: settings have SAP's names and those of ASIHTTPRequest`() {
        let request = SDMSession.test().get(nil)
        #expect(request.numberOfTimesToRetryOnTimeout == 0 && request.shouldContinueWhenAppEntersBackground)
        request.retryCountOnTimeout = 2
        request.shouldContinueInBackground = false
        #expect(request.numberOfTimesToRetryOnTimeout == 2 && !request.shouldContinueWhenAppEntersBackground)
        request.numberOfTimesToRetryOnTimeout = 3
        request.shouldContinueWhenAppEntersBackground = true
        #expect(request.retryCountOnTimeout == 3 && request.shouldContinueInBackground)
    }

    @Test(arguments: ["startBatch", "go"]) func `S42: a queue starts by both names`(name: String) async throws {
        try await run { server in
            let session = SDMSession.test()
            let queue = SDMNetworkQueue(session: session)
            let requests = try (0..<2).map { _ in try session.get(server) }
            for request in requests { queue.addOperation(request) }
            #expect(queue.isSuspended && queue.requestsCount == 2)
            if name == "go" { queue.go() } else { queue.startBatch() }
            try #require(!queue.isSuspended)
            try await queue.waitUntilFinished()
            #expect(requests.allSatisfy { $0.responseString == "bytes" } && server.requestCount == 2)
        }
    }

    @Test func `the class methods of the bandwidth are those of the shared session`() {
        SDMHttpRequest.setMaxBandwidthPerSecond(0)
        #expect(SDMHttpRequest.maxBandwidthPerSecond() == 0 && !SDMHttpRequest.isBandwidthThrottled())
        SDMHttpRequest.setShouldThrottleBandwidthForWWAN(true)
        #expect(SDMHttpRequest.maxBandwidthPerSecond() == WWANBandwidthThrottleAmount)
        #expect(SDMSession.shared.bandwidth.maximum == WWANBandwidthThrottleAmount)
        SDMHttpRequest.setShouldThrottleBandwidthForWWAN(false)
        #expect(SDMHttpRequest.maxBandwidthPerSecond() == 0)
    }

    @Test func `S37: the guide's call gives one question mark`() throws {
        ConnectivitySettings.setUrl("http://h/s/")
        ConnectivitySettings.instance().language = "EN"
        defer {
            ConnectivitySettings.setUrl(nil)
            ConnectivitySettings.language = nil
        }
        let url = try #require(ConnectivitySettings.url())
        let text = "\(url)?sap-language=\(ConnectivitySettings.instance().currentLanguage())"
        #expect(text == "http://h/s/?sap-language=EN")
        #expect(ConnectivitySettings.urlWithLanguage()?.absoluteString == text)
        ConnectivitySettings.setUrl("http://h/s/?x=1")
        #expect(ConnectivitySettings.urlWithLanguage()?.absoluteString == "http://h/s/?x=1&sap-language=EN")
        ConnectivitySettings.SMPHost = "smp"
        #expect(ConnectivitySettings.instance().SMPHost == "smp" && ConnectivitySettings.SUPHost == nil)
        ConnectivitySettings.SMPHost = nil
        #expect(ConnectivitySettings.AuthenticationType.formsBasedSAML.rawValue == 0xFC)
    }
}
