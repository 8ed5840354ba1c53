import Foundation
import HTTPMessages
import SDMConnectivity
import TestSupport
import Testing
import Transport

@Suite(.needsSlot, .enabled(if: InteropPeer.nginx != nil, "PATCHBAY_NGINX is not set."))
struct SDMNginxInteropTests {
    private let peer: InteropPeer

    init() throws { peer = try #require(InteropPeer(InteropPeer.nginx)) }

    @Test func `Basic`() async throws {
        #expect(try await peer.authorized("/private/file.txt").response().body == Data("secret\n".utf8))
        let none = peer.request("/files/range.bin")
        #expect(try await none.response().body == Data("0123456789abcdefghij".utf8))
        peer.session.clear()
        let refused = peer.request("/private/file.txt")
        let error = await #expect(throws: SDMError.self) { try await refused.response() }
        #expect(error?.code == .authentication && refused.authenticationRealm == "patch bay")
        // The body of the refusal stays readable.
        #expect(refused.responseString?.contains("401") == true)
    }

    @Test func `cookies of a redirect, and a compressed, chunked text`() async throws {
        #expect(try await peer.request("/set").response().body == Data("a=1; b=2".utf8))
        let text = peer.request("/files/text.txt")
        #expect(try await text.response().body.split(separator: 0x0A).count == 2000)
    }

    @Test func `a partial download is continued`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "range"), part = folder.url.appending(path: "part")
        let whole = try await peer.request("/files/range.bin").response()
        try whole.body.prefix(8).write(to: part)
        let record = DownloadRecord(
            url: peer.origin + "/files/range.bin", entityTag: try #require(whole.fields[.etag]), length: 20)
        try record.write(to: part.path + ".patchbay-record")
        let request = peer.request("/files/range.bin")
        let head = try await request.download(to: file, resuming: part)
        #expect(head.status == .partialContent && request.partialDownloadSize == 8)
        #expect(try Data(contentsOf: file) == whole.body && whole.body.count == 20)
    }

    @Test func `a file is uploaded, replaced and deleted`() async throws {
        for method in ["PUT", "DELETE"] {
            let request = peer.request("/files/sdm-\(ProcessInfo.processInfo.processIdentifier).bin")
            request.requestMethod = method
            if method == "PUT" { request.appendPost(Data(repeating: 7, count: 200_000)) }
            #expect(try await request.response().status.isSuccessful)
        }
    }
}

@Suite(.needsSlot, .enabled(if: InteropPeer.apache != nil, "PATCHBAY_APACHE is not set."))
struct SDMApacheInteropTests {
    private let peer: InteropPeer
    private let content = Data("0123456789abcdefghij".utf8)

    init() throws { peer = try #require(InteropPeer(InteropPeer.apache)) }

    @Test(arguments: ["/basic/range.bin", "/digest/range.bin"])
    func `wrong and right credentials, and their use without another challenge`(path: String) async throws {
        let wrong = peer.request(path, user: "user", password: "wrong")
        let error = await #expect(throws: SDMError.self) { try await wrong.response() }
        #expect(error?.code == .authentication && wrong.responseString?.contains("Unauthorized") == true)
        let right = peer.authorized(path)
        #expect(try await right.response().body == content && right.authenticationRetryCount == 1)
        for _ in 0..<5 {
            let later = peer.authorized(path)
            #expect(try await later.response().body == content && later.authenticationRetryCount == 0)
        }
    }

    @Test func `a nonce for one use is followed by the next one of the response`() async throws {
        for number in 0..<5 {
            let request = peer.authorized("/digest-once/range.bin")
            #expect(try await request.response().body == content)
            #expect(request.authenticationRetryCount == (number == 0 ? 1 : 0))
        }
    }

    @Test func `concurrent requests share a nonce, each with its own count`() async throws {
        _ = try await peer.authorized("/digest/range.bin").response()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { try await peer.authorized("/digest/range.bin").response().status }
            }
            for try await status in group { #expect(status == .ok) }
        }
    }

    @Test func `a compressed text is decompressed`() async throws {
        let request = peer.authorized("/digest/text.txt")
        #expect(try await request.response().body.split(separator: 0x0A).count == 2000)
    }
}

/// Runs in a process whose `http_proxy` is Apache with Basic or Digest.
@Suite(.needsSlot, .enabled(if: InteropPeer.proxyScheme != nil, "PATCHBAY_PROXY is not set."))
struct SDMProxyInteropTests {
    private let peer: InteropPeer
    private let content = Data("0123456789abcdefghij".utf8)

    init() throws { peer = try #require(InteropPeer(InteropPeer.apache)) }

    private func request(_ path: String, user: String? = nil, password: String? = nil) -> SDMHttpRequest {
        let request = peer.request(path, user: user, password: user.map { _ in "pass" })
        request.proxyUsername = "user"
        request.proxyPassword = password ?? "pass"
        return request
    }

    @Test func `a proxy's challenge is met, and its credentials are kept`() async throws {
        let refused = peer.request("/files/range.bin")
        let error = await #expect(throws: SDMError.self) { try await refused.response() }
        #expect(error?.code == .authentication && refused.responseStatusCode == 407)
        #expect(refused.proxyAuthenticationRealm == "patch bay proxy")
        let wrong = request("/files/range.bin", password: "wrong")
        #expect(await #expect(throws: SDMError.self) { try await wrong.response() }?.code == .authentication)
        let right = request("/files/range.bin")
        #expect(try await right.response().body == content && right.proxyAuthenticationRetryCount == 1)
        let later = request("/files/range.bin")
        #expect(try await later.response().body == content && later.proxyAuthenticationRetryCount == 0)
    }

    @Test(arguments: ["/basic/range.bin", "/digest/range.bin"])
    func `proxy and server have credentials of their own`(path: String) async throws {
        let request = request(path, user: "user")
        #expect(try await request.response().body == content)
        #expect(request.proxyAuthenticationRetryCount == 1 && request.authenticationRetryCount == 1)
    }

    /// The engine makes the tunnel, and has no credentials for it: see Documentation/Linux.md.
    @Test func `a tunnel for https through a proxy that demands a password fails`() async throws {
        let request = request("/")
        request.url = URL(string: peer.origin.replacing("http:", with: "https:"))
        let error = await #expect(throws: SDMError.self) { try await request.response() }
        #expect(error?.code == .connectionFailure)
        #expect((error?.underlying as? TransportError)?.code == .proxy)
    }
}
