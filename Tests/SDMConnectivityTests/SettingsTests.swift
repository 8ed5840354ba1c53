import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct SettingsTests {
    private func service() -> ServiceTransport<ClosureService> { ServiceTransport { $0.response(text: "ok") } }

    @Test func `S1: the defaults are the vendor's`() {
        let request = SDMSession.test().get(URL(string: "http://example.com/"))
        #expect(request.requestMethod == "GET")
        #expect(request.username == nil && request.password == nil && request.domain == nil)
        #expect(request.delegate == nil && request.userInfo == nil && request.tag == 0)
        #expect(request.uploadProgressDelegate == nil && request.downloadProgressDelegate == nil)
        #expect(request.didStartSelector == "requestStarted:")
        #expect(request.didFinishSelector == "requestFinished:")
        #expect(request.didFailSelector == "requestFailed:")
        #expect(request.didReceiveDataSelector == "request:didReceiveData:")
        #expect(request.didReceiveResponseHeadersSelector == "request:didReceiveResponseHeaders:")
        #expect(request.willRedirectSelector == "request:willRedirectToURL:")
        #expect(
            request.showAccurateProgress && request.shouldResetDownloadProgress && request.shouldResetUploadProgress)
        #expect(request.timeOutSeconds == 10 && request.retryCountOnTimeout == 0 && request.retryCount == 0)
        #expect(request.shouldAttemptPersistentConnection && request.persistentConnectionTimeoutSeconds == 60)
        #expect(request.shouldPresentCredentialsBeforeChallenge && request.authenticationScheme == nil)
        #expect(request.shouldRedirect && !request.shouldUseRFC2616RedirectBehaviour)
        #expect(request.useCookiePersistence && request.requestCookies.isEmpty && request.responseCookies == nil)
        #expect(request.useSessionPersistence && !request.useKeychainPersistence)
        #expect(request.validatesSecureCertificate && request.clientCertificateIdentity == nil)
        #expect(request.clientCertificates.isEmpty)
        #expect(request.allowCompressedResponse && request.shouldWaitToInflateCompressedResponses)
        #expect(!request.shouldCompressRequestBody && request.defaultResponseEncoding == .isoLatin1)
        #expect(request.downloadDestinationPath == nil && request.temporaryFileDownloadPath == nil)
        #expect(!request.allowResumeForFileDownloads && !request.shouldStreamPostDataFromDisk)
        #expect(request.postBodyFilePath == nil && request.postBody == nil && request.postLength == 0)
        #expect(!request.useHTTPVersionOne && !request.shouldPresentAuthenticationDialog)
        #expect(request.shouldPresentProxyAuthenticationDialog)
        #expect(
            request.secondsToCache == 0 && request.cachePolicy == .default && request.cacheStoragePolicy == .session)
        #expect(request.shouldContinueInBackground && request.shouldAutosetLanguage && !request.isTracingEnabled)
        #expect(request.responseString == nil && request.responseData == nil && request.rawResponseData == nil)
        #expect(
            request.responseHeaders == nil && request.responseStatusCode == 0 && request.responseStatusMessage == nil)
        #expect(request.error == nil && request.contentLength == 0 && !request.complete && !request.isCancelled)
        let queue = SDMNetworkQueue(session: request.session)
        #expect(queue.shouldCancelAllRequestsOnFailure && !queue.showAccurateProgress && queue.isSuspended)
        #expect(queue.maxConcurrentOperationCount == 4)
        #expect(request.getMaxConcurrentHTTPRequestCount() == 5)
    }

    @Test func `S2: a request without a URL fails with 5, one with an empty URL with 6, and neither starts`()
        async throws
    {
        let empty = try #require(URL(string: "", relativeTo: nil) ?? URL(string: "?"))
        for (url, code) in [(nil, 5), (empty, 6)] {
            let request = SDMSession.test().get(url)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            let error = try #require(await request.ended())
            #expect(error.errorCode == code && (error as NSError).domain == "ASIHTTPRequestErrorDomain")
            try await #expect(delegate.ended() == ["failed \(code)"])
        }
    }

    @Test(arguments: [404, 500, 304]) func `S3: any status finishes without an error`(code: Int) async throws {
        try await LoopbackServer { $0.response(HTTPStatus(code) ?? .ok, text: "no") }.stopping { server in
            let request = try SDMSession.test().get(server)
            let delegate = LoggingDelegate()
            request.delegate = delegate
            #expect(await request.ended() == nil && request.error == nil)
            #expect(request.responseStatusCode == code)
            #expect(request.responseString == (code == 304 ? "" : "no"))
            try await #expect(delegate.ended() == ["started", "finished \(code)"])
        }
    }

    @Test func `S3: the status message is the whole status line`() async throws {
        try await LoopbackServer { $0.response(.notFound) }.stopping { server in
            let request = try SDMSession.test().get(server)
            await request.ended()
            #expect(request.responseStatusMessage == "HTTP/1.1 404 Not Found")
        }
    }

    @Test(arguments: [
        ("GET", "POST"), ("DELETE", "POST"), ("HEAD", "POST"), ("POST", "POST"), ("PUT", "PUT"), ("FINK", "FINK"),
    ])
    func `S4: a body turns GET, DELETE and HEAD into POST`(method: String, sent: String) async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try SDMSession.test().get(server)
            request.setRequestMethod(method)
            request.appendPost(Data("body".utf8))
            #expect(await request.ended() == nil)
            let received = try #require(server.requests.first)
            #expect(received.method == sent && received.body == Data("body".utf8))
        }
    }

    @Test(arguments: ["GET", "DELETE", "HEAD", "POST", "PUT", "FINK"])
    func `S4: without a body each method is sent as it is`(method: String) async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try SDMSession.test().get(server)
            request.requestMethod = method
            #expect(await request.ended() == nil)
            #expect(server.requests.map(\.method) == [method])
        }
    }

    @Test func `S5: the body is built once, and its length is the number of its bytes`() async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try SDMSession.test().get(server)
            let body = Data(repeating: 7, count: 32 << 10)
            request.appendPost(Data())
            request.appendPost(body.prefix(1000))
            request.appendPostData(body.dropFirst(1000))
            request.buildPostBody()
            request.buildPostBody()
            request.appendPost(Data("late".utf8))
            #expect(request.haveBuiltPostBody && request.postLength == 32 << 10)
            #expect(request.requestHeader("content-length") == "32768")
            #expect(await request.ended() == nil)
            #expect(server.requests.first?.body == body)
            #expect(server.requests.first?.fields[.contentLength] == "32768")
        }
    }

    @Test func `S6: a header replaces the one of its name in any case`() async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try SDMSession.test().get(server)
            request.addRequestHeader("X-App", value: "one")
            request.addRequestHeader("x-app", value: "two")
            request.addRequestHeader("User-Agent", value: "Mine/1")
            #expect(request.requestHeaders["x-app"] == "two" && request.requestHeaders["X-App"] == nil)
            await request.ended()
            let fields = try #require(server.requests.first?.fields)
            #expect(fields.values(of: try HTTPFieldName("X-App")) == ["two"])
            #expect(fields[.userAgent] == "Mine/1" && fields[.acceptLanguage] == "en")
        }
    }

    @Test func `invalid headers and settings that cannot be honored fail with 6, and nothing is sent`() async throws {
        let transport = ScriptedTransport { $0.response() }
        let changes: [(SDMHttpRequest) -> Void] = [
            { $0.addRequestHeader("X\nY", value: "1") }, { $0.addRequestHeader("X", value: "1\r\nY: 2") },
            { $0.useHTTPVersionOne = true }, { $0.clientCertificates = [Data()] },
            { $0.useKeychainPersistence = true }, { $0.requestMethod = "NO SPACE" }, { $0.timeOutSeconds = .infinity },
        ]
        for change in changes {
            let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
            change(request)
            #expect(await request.ended()?.code == .internalErrorWhileBuildingRequest)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func `S37: without a language, the engine sends none of its own`() async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            for (isOn, language) in [(true, "en"), (false, nil), (true, "en")] {
                let request = try SDMSession.test().get(server)
                request.shouldAutosetLanguage = isOn
                #expect(await request.ended() == nil)
                #expect(server.requests.last?.fields[.acceptLanguage] == language)
            }
        }
    }

    @Test func `S38: response headers are found in any case`() async throws {
        let transport = ScriptedTransport {
            $0.response(fields: try HTTPFields(["X-CSRF-Token": "T", "Vary": "A", "vary": "B"]))
        }
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        #expect(await request.ended() == nil)
        let headers = try #require(request.responseHeaders)
        #expect(headers["x-csrf-token"] == "T" && headers["X-CSRF-TOKEN"] == "T" && headers["Missing"] == nil)
        #expect(headers["VARY"] == "A, B" && headers.keys == ["X-CSRF-Token", "Vary"] && headers.count == 2)
        #expect(headers.dictionary == ["X-CSRF-Token": "T", "Vary": "A, B"] && headers.values == ["T", "A, B"])
        #expect(headers == ["x-csrf-token": "T", "VARY": "A, B"] && headers != ["Vary": "A, B"])
        #expect(!"\(headers)".contains("T,") && headers.map(\.key) == headers.keys)
    }

    @Test func `S37: the language is sent unless it is turned off`() async throws {
        let transport = ScriptedTransport { $0.response() }
        for isOn in [true, false] {
            let request = SDMSession.test(transport) { $0.preferredLanguages = { ["de", "en"] } }
                .get(URL(string: "http://example.com/"))
            request.shouldAutosetLanguage = isOn
            await request.ended()
            #expect(transport.requests.last?.fields[.acceptLanguage] == (isOn ? "de, en" : nil))
        }
    }

    @Test(arguments: [
        (SDMEtagMatchType.EtagIfMatch, "If-Match"), (.EtagIfNoneMatch, "If-None-Match"), (.EtagIfRange, "If-Range"),
    ])
    func `S39: an entity tag becomes a condition`(type: SDMEtagMatchType, header: String) {
        let request = SDMSession.test().get(nil)
        request.setEtag(#"W/"1""#, with: type)
        #expect(request.requestHeaders == [header: #"W/"1""#])
    }

    @Test func `S40: the trace headers are sent only when tracing is on`() async throws {
        let transport = ScriptedTransport { $0.response() }
        for isOn in [false, true] {
            let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
            request.enableTracing(isOn)
            await request.ended()
            let fields = try #require(transport.requests.last?.fields)
            #expect((fields["SAP-PASSPORT"] != nil) == isOn && (fields["X-CorrelationID"] != nil) == isOn)
        }
    }

    @Test func `S40: a passport has 230 bytes between its eye catchers`() {
        let passport = TracePassport()
        #expect(passport.text.count == 460 && passport.text.hasPrefix("2A54482A0300E6"))
        #expect(passport.text.hasSuffix("2A54482A") && passport.text.contains(passport.correlationID))
        #expect(TracePassport().text != passport.text)
    }

    final class Special: SDMHttpRequest, @unchecked Sendable {
        override func buildRequestHeaders() {
            super.buildRequestHeaders()
            addRequestHeader("X-Special", value: "1")
        }
    }

    @Test func `S45: the class methods make requests of the subclass, whose overrides are called`() async throws {
        #expect(type(of: Special.request(with: nil)) == Special.self)
        #expect(type(of: Special.requestWithURL(nil, usingCache: nil)) == Special.self)
        let transport = ScriptedTransport { $0.response() }
        let request = Special(url: URL(string: "http://example.com/"), session: .test(transport))
        await request.ended()
        #expect(transport.requests.first?.fields["X-Special"] == "1")
    }

    @Test func `S45: a copy has the settings, but not the results`() async throws {
        let request = Special(url: URL(string: "http://example.com/"), session: .test(service()))
        let delegate = LoggingDelegate()
        request.delegate = delegate
        request.timeOutSeconds = 3
        request.addRequestHeader("X-App", value: "1")
        request.appendPost(Data("body".utf8))
        request.userInfo = ["key": 1]
        await request.ended()
        let copy = try #require(request.copy() as? Special)
        #expect(copy.timeOutSeconds == 3 && copy.requestHeader("X-App") == "1" && copy.delegate === delegate)
        #expect(copy.requestHeader("Content-Length") == nil)
        #expect(copy.postBody == Data("body".utf8) && copy.userInfo?["key"] as? Int == 1 && !copy.haveBuiltPostBody)
        #expect(!copy.complete && copy.responseStatusCode == 0 && copy.responseData == nil)
        await #expect(copy.ended() == nil)
    }

    @Test func `a description has no secrets`() {
        let request = SDMSession.test().get(URL(string: "http://ann:hush@example.com/?token=hush"))
        request.password = "hush"
        #expect(!request.description.contains("hush") && !"\(request)".contains("hush"))
    }
}
