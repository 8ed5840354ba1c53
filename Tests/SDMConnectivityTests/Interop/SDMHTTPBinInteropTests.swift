import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import SDMConnectivity
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.needsSlot, .enabled(if: InteropPeer.httpbin != nil, "PATCHBAY_HTTPBIN is not set."))
struct SDMHTTPBinInteropTests {
    private let peer: InteropPeer

    init() throws { peer = try #require(InteropPeer(InteropPeer.httpbin)) }

    // MARK: Credentials

    @Test func `Basic: wrong and right credentials, and their use in the session`() async throws {
        let wrong = peer.request("/basic-auth/user/pass", user: "user", password: "wrong")
        let error = await #expect(throws: SDMError.self) { try await wrong.response() }
        #expect(error?.code == .authentication && wrong.responseStatusCode == 401)
        let right = peer.authorized("/basic-auth/user/pass")
        #expect(try await right.json()["authenticated"] == true && right.authenticationRetryCount == 1)
        let later = peer.request("/headers")
        #expect(try await later.json()["headers"]?["Authorization"] == "Basic dXNlcjpwYXNz")
        peer.session.clear()
        let cleared = peer.request("/headers")
        #expect(try await cleared.json()["headers"]?["Authorization"] == nil)
    }

    @Test func `Basic without a challenge needs the scheme`() async throws {
        #expect(try await peer.authorized("/hidden-basic-auth/user/pass").response().status == .notFound)
        let basic = peer.authorized("/hidden-basic-auth/user/pass")
        basic.authenticationScheme = SDMAuthenticationSchemeBasic
        #expect(try await basic.response().status == .ok && basic.authenticationRetryCount == 0)
    }

    @Test(arguments: ["MD5", "SHA-256"], ["auth", "auth-int", "both"])
    func `Digest, of each algorithm and protection that both sides have`(algorithm: String, qop: String) async throws {
        let path = "/digest-auth/\(qop)/user/pass/\(algorithm)"
        let request = peer.authorized(path)
        #expect(try await request.json()["authenticated"] == true && request.authenticationRetryCount == 1)
        let again = peer.authorized(path)
        #expect(try await again.response().status == .ok && again.authenticationRetryCount == 0)
        let wrong = InteropPeer(peer.origin)?.request(path, user: "user", password: "wrong")
        let error = await #expect(throws: SDMError.self) { try await wrong?.response() }
        #expect(error?.code == .authentication)
    }

    @Test func `Digest with an algorithm that is not supported is refused by its name`() async throws {
        let request = peer.authorized("/digest-auth/auth/user/pass/SHA-512")
        let error = await #expect(throws: SDMError.self) { try await request.response() }
        #expect(error?.code == .authentication && error.map { "\($0)".contains("SHA-512") } == true)
        #expect(request.responseStatusCode == 401)
    }

    @Test func `a stale nonce is replaced without a question`() async throws {
        // The server counts in a cookie: after one use, the nonce is stale.
        let path = "/digest-auth/auth/user/pass/SHA-256/1"
        #expect(try await peer.authorized(path).response().status == .ok)
        let second = peer.authorized(path)
        #expect(try await second.response().status == .ok && second.authenticationRetryCount == 1)
    }

    // MARK: Redirects and cookies

    @Test(arguments: ["/redirect/3", "/relative-redirect/3", "/absolute-redirect/3", "/redirect/5"])
    func `redirects are followed`(path: String) async throws {
        let request = peer.request(path)
        #expect(try await request.response().status == .ok)
        #expect(request.url?.path == "/get" && request.originalURL?.path == path)
    }

    @Test func `the sixth redirect fails, and none is followed on request`() async throws {
        let error = await #expect(throws: SDMError.self) { try await peer.request("/redirect/6").response() }
        #expect(error?.code == .tooMuchRedirection)
        let request = peer.request("/redirect/1")
        request.shouldRedirect = false
        #expect(try await request.response().status == .found && !(request.responseData ?? Data()).isEmpty)
    }

    @Test(arguments: [(302, false, "GET"), (302, true, "POST"), (303, true, "GET"), (307, false, "POST")])
    func `a POST is redirected as browsers do, or as the standard says`(
        status: Int, isStandard: Bool, method: String
    ) async throws {
        let request = peer.request("/redirect-to?url=/anything&status_code=\(status)")
        request.requestMethod = "POST"
        request.shouldUseRFC2616RedirectBehaviour = isStandard
        request.addRequestHeader("Content-Type", value: "text/plain")
        request.appendPost(Data("body".utf8))
        let echo = try await request.json()
        #expect(echo["method"] == .string(method))
        #expect(echo["data"] == .string(method == "POST" ? "body" : ""))
    }

    @Test func `S47: credentials and cookies stay with their origin`() async throws {
        _ = try await peer.request("/cookies/set?session=1").response()
        let target = "\(peer.otherOrigin)/headers"
        for status in [302, 307] {
            let request = peer.authorized("/redirect-to?url=\(target)&status_code=\(status)")
            request.authenticationScheme = SDMAuthenticationSchemeBasic
            let headers = try await request.json()["headers"]
            #expect(request.url?.host() == "localhost" && headers?["Host"] != nil)
            #expect(headers?["Authorization"] == nil && headers?["Cookie"] == nil)
        }
    }

    @Test func `cookies are kept in the session, and those of the response are listed`() async throws {
        let set = peer.request("/cookies/set?a=1&b=2")
        #expect(try await set.json()["cookies"] == ["a": "1", "b": "2"])
        let own = peer.request("/cookies")
        own.useCookiePersistence = false
        #expect(try await own.json()["cookies"] == [:])
        _ = try await peer.request("/cookies/delete?a").response()
        #expect(try await peer.request("/cookies").json()["cookies"] == ["b": "2"])
        let listed = peer.request("/response-headers?Set-Cookie=c%3D3")
        _ = try await listed.response()
        #expect(listed.responseCookies?.map(\.name) == ["c"])
    }

    // MARK: Bodies

    @Test func `compressed responses are decompressed, and can be declined`() async throws {
        let gzip = peer.request("/gzip")
        #expect(try await gzip.json()["gzipped"] == true)
        let plain = peer.request("/headers")
        plain.allowCompressedResponse = false
        let accepted = try await plain.json()["headers"]?["Accept-Encoding"]?.string
        #expect(accepted?.contains("gzip") != true)
    }

    @Test func `a compressed request body arrives`() async throws {
        let request = peer.request("/post")
        request.shouldCompressRequestBody = true
        request.addRequestHeader("Content-Type", value: "application/octet-stream")
        request.appendPost(Data(repeating: 0x61, count: 10_000))
        let echo = try await request.json()
        #expect(echo["headers"]?["Content-Encoding"] == "gzip")
        #expect(echo["data"]?.string?.hasPrefix("data:application/octet-stream;base64,H4sI") == true)
    }

    @Test func `a form with a file arrives`() async throws {
        let request = SDMFormDataRequest(url: URL(string: peer.origin + "/post"), session: peer.session)
        request.timeOutSeconds = 0
        request.addPostValue("£ & ä", forKey: "text")
        request.addPostValue(7, forKey: "number")
        request.addData(Data("content".utf8), withFileName: "a.txt", andContentType: "text/plain", forKey: "file")
        let echo = try await request.json()
        #expect(echo["form"] == ["text": "£ & ä", "number": "7"])
        #expect(echo["files"] == ["file": "content"])
    }

    @Test func `chunks arrive at the delegate, and progress ends at 1`() async throws {
        let collector = CollectingDelegate()
        let lines = peer.request("/stream/20")
        lines.setDelegate(collector)
        let kept = try await lines.response().body
        #expect(kept.isEmpty && collector.bytes.value.split(separator: 0x0A).count == 20)
        let progress = ProgressLog()
        let drip = peer.request("/drip?duration=0.2&numbytes=10&delay=0")
        drip.setDownloadProgressDelegate(progress)
        #expect(try await drip.response().body.count == 10)
        let fractions = progress.log.value.compactMap { event -> Float? in
            if case .fraction(let fraction) = event { fraction } else { nil }
        }
        #expect(fractions == fractions.sorted() && fractions.last == 1)
    }

    // Its entity tag is not valid: without quotes.
    @Test func `a partial download of a server without an entity tag starts again`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "range"), part = folder.url.appending(path: "part")
        let whole = try await peer.request("/range/1000").response().body
        try whole.prefix(400).write(to: part)
        let request = peer.request("/range/1000")
        let head = try await request.download(to: file, resuming: part)
        #expect(head.status == .ok && request.partialDownloadSize == 0)
        #expect(try Data(contentsOf: file) == whole && whole.count == 1000)
    }

    @Test(arguments: [404, 418, 500])
    func `every status finishes`(status: Int) async throws {
        let request = peer.request("/status/\(status)")
        #expect(try await request.response().status.code == status && request.error == nil)
    }
}
