import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Signing

@Suite struct SigningRequestsTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let sent = Sent()

    /// The requests that reached the network.
    private final class Sent: Sendable {
        private let list = Mutex<[HTTPRequest]>([])
        var all: [HTTPRequest] { list.withLock { $0 } }
        func add(_ request: HTTPRequest) { list.withLock { $0.append(request) } }
    }

    private func network(
        _ respond: @escaping @Sendable (HTTPRequest, Int) throws -> HTTPResponse = {
            request, _ in HTTPResponse(status: .ok, url: request.url)
        }
    ) -> FakeTransport {
        let sent = sent
        return FakeTransport { request in
            sent.add(request)
            return try respond(request, sent.all.count)
        }
    }

    private func signer(_ components: [SignatureComponent] = [.method, .targetURI]) throws -> HTTPMessageSignature {
        try HTTPMessageSignature(ExampleKeys.shared(), components: components)
    }

    private func verifier(_ components: Set<SignatureComponent> = [], at now: Date = now) throws -> MessageVerifier {
        let key = try ExampleKeys.shared().verificationKey
        return MessageVerifier(requiring: components, now: { now }) { $0 == key.id ? key : nil }
    }

    private var clock: ServerClock { ServerClock { Self.now } }

    @Test func `a request is signed with its digest as it is sent`() async throws {
        var signer = try signer([.method, .targetURI, .contentDigest])
        signer.lifetime = .seconds(60)
        signer.makeNonce = { "n" }
        signer.tag = "t"
        signer.includesAlgorithm = true
        let transport = network().signing(signer, clock: clock)
        _ = try await transport.send(
            HTTPRequest(.post, "https://a.example/x", body: .text("abc")))
        let request = try #require(sent.all.first)
        let verified = try verifier([.method, .targetURI, .contentDigest]).verify(request)
        #expect(
            verified.parameters
                == SignatureParameters(
                    created: Self.now, expires: Self.now + 60, nonce: "n", algorithm: "hmac-sha256",
                    keyID: "test-shared-secret", tag: "t"))
        #expect(request.fields["Content-Digest"] == "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:")
    }

    @Test func `a body that cannot be read twice is refused before it is sent`() async throws {
        let transport = try network().signing(signer([.contentDigest]), clock: clock)
        let body = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        let request = try HTTPRequest(.post, "https://a.example/", body: body)
        let error = await #expect(throws: SigningError.self) {
            _ = try await transport.send(request)
        }
        #expect(error?.code == .bodyNotReplayable && sent.all.isEmpty)
        // With a digest of the app's it is sent.
        var digested = request
        try digested.fields.set("Content-Digest", to: RFC9421Tests.digest)
        _ = try await transport.send(digested)
        #expect(sent.all.count == 1)
    }

    @Test func `each redirect has a signature of its own, and none to another origin`() async throws {
        let base = network { request, count in
            let targets = ["https://a.example/2", "https://b.example/3", "https://a.example/4"]
            guard count <= targets.count else { return HTTPResponse(status: .ok, url: request.url) }
            return HTTPResponse(
                status: .found, fields: try HTTPFields(["Location": targets[count - 1]]), url: request.url)
        }
        let request = try HTTPRequest(.get, "https://a.example/1")
        _ = try await base.signing(signer(), clock: clock).redirecting().send(request)
        #expect(sent.all.map { $0.fields.contains(.signature) } == [true, true, false, false])
        for request in sent.all.prefix(2) { try verifier([.targetURI]).verify(request) }
        #expect(sent.all[0].fields["Signature"] != sent.all[1].fields["Signature"])
    }

    @Test(arguments: [
        (["https://b.example"], [false, false]), (["https://a.example", "https://b.example"], [true, true]),
    ])
    func `an allowed origin is signed also after a redirect from another one that is allowed`(
        allowed: [String], isSigned: [Bool]
    ) async throws {
        let base = network { request, count in
            guard count == 1 else { return HTTPResponse(status: .ok, url: request.url) }
            return HTTPResponse(
                status: .found, fields: try HTTPFields(["Location": "https://b.example/"]), url: request.url)
        }
        let origins = try AllowedOrigins(allowed.compactMap { URL(string: $0) })
        _ = try await base.signing(signer(), at: origins, clock: clock).redirecting()
            .send(HTTPRequest(.get, "https://a.example/1"))
        #expect(sent.all.map { $0.fields.contains(.signature) } == isSigned)
    }

    @Test(arguments: [("https://b.example/", true), ("https://c.example/", false)])
    func `a redirect back to an allowed origin is signed only from another one`(
        other: String, isSigned: Bool
    ) async throws {
        let base = network { request, count in
            guard count < 3 else { return HTTPResponse(status: .ok, url: request.url) }
            let target = count == 1 ? other : "https://a.example/2"
            return HTTPResponse(status: .found, fields: try HTTPFields(["Location": target]), url: request.url)
        }
        let origins = try AllowedOrigins("https://a.example", "https://b.example")
        _ = try await base.signing(signer(), at: origins, clock: clock).redirecting()
            .send(HTTPRequest(.get, "https://a.example/1"))
        #expect(sent.all.map { $0.fields.contains(.signature) } == [true, isSigned, isSigned])
    }

    @Test(arguments: [true, false])
    func `an upload that the server has put on another origin is signed there only if that is allowed`(
        isAllowed: Bool
    ) async throws {
        let base = network { request, _ in
            guard request.method == .post else { return HTTPResponse(status: .noContent, url: request.url) }
            let fields = try HTTPFields(["Location": "https://b.example/files/7"])
            return HTTPResponse(status: .created, fields: fields, url: request.url)
        }
        let origins = isAllowed ? try AllowedOrigins("https://a.example", "https://b.example") : nil
        try await base.signing(signer(), at: origins, clock: clock).upload(
            .bytes(Data("x".utf8)), to: URL(httpString: "https://a.example/files"), resuming: .ietf)
        #expect(sent.all.map(\.url.absoluteString) == ["https://a.example/files", "https://b.example/files/7"])
        #expect(sent.all.map { $0.fields.contains(.signature) } == [true, isAllowed])
    }

    @Test func `a download that goes on at another origin is not signed there`() async throws {
        let base = network { request, count in
            HTTPResponse(status: count == 1 ? .forbidden : .ok, body: Data("file".utf8), url: request.url)
        }
        let folder = try TemporaryFolder()
        var request = try HTTPRequest(.get, "https://a.example/1")
        request.options.unixSocketPath = "/run/a.sock"
        _ = try await base.signing(signer(), clock: clock).download(
            request, to: folder.url.appending(path: "f"), options: DownloadOptions(maximumAttempts: 2),
            renewingURL: { _ in URL(string: "https://b.example/1") })
        #expect(sent.all.map { $0.fields.contains(.signature) } == [true, false])
        // The socket is that of the first origin's server.
        #expect(sent.all.map { $0.options.unixSocketPath == nil } == [false, true])
    }

    @Test(arguments: [-86_400.0, 86_400]) func `a clock that is a day off is corrected by a refusal, once`(
        skew: Double
    ) async throws {
        let date = HTTPDate(Self.now + skew).description
        let verifier = try verifier(at: Self.now + skew)
        let base = network { request, _ in
            let isValid = (try? verifier.verify(request)) != nil
            return HTTPResponse(
                status: isValid ? .ok : .unauthorized, fields: try HTTPFields(["Date": date]), url: request.url)
        }
        let transport = try base.signing(signer(), clock: clock)
        let request = try HTTPRequest(.get, "https://a.example/")
        #expect(try await transport.send(request).status == .ok)
        #expect(sent.all.map(\.options.attemptReason) == [.initial, .clockSkew])
        // The next one has the time of the server at once.
        #expect(try await transport.send(request).status == .ok)
        #expect(sent.all.count == 3)
    }

    @Test(arguments: [10, 4]) func `the total timeout includes the refused request`(seconds: Int) async throws {
        let (time, sent) = (ManualClock(), sent)
        let base = FakeTransport { request in
            sent.add(request)
            await time.advance(by: .seconds(4))
            return HTTPResponse(
                status: sent.all.count == 1 ? .unauthorized : .ok,
                fields: try HTTPFields(["Date": HTTPDate(Self.now + 3600).description]), url: request.url)
        }
        let transport = SigningRequests(
            base: base, signer: try signer(), at: nil, clock: clock, owner: BaseURLOwner(), monotonic: time)
        let options = RequestOptions(timeouts: Timeouts(total: .seconds(seconds)))
        let request = try HTTPRequest(.get, "https://a.example/", options: options)
        if seconds == 10 {
            #expect(try await transport.send(request).status == .ok)
            #expect(sent.all.map(\.options.timeouts.total) == [.seconds(10), .seconds(6)])
        } else {
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == .timedOut && error?.phase == .total && error?.head?.status == .unauthorized)
            #expect(sent.all.count == 1)
        }
    }

    static let times: [(name: String, url: String, skew: TimeInterval, age: String?, attempts: Int)] = [
        ("an hour, over https", "https://a.example/", 3600, nil, 2),
        ("an hour, of this machine", "http://localhost:1/", 3600, nil, 2),
        ("an hour, over http", "http://a.example/", 3600, nil, 1),
        ("an hour, from a cache", "https://a.example/", 3600, "0", 1),
        ("two days", "https://a.example/", 172_800, nil, 1),
        ("two days ago", "https://a.example/", -172_800, nil, 1),
        ("a century", "https://a.example/", 3_155_760_000, nil, 1),
        ("a moment", "https://a.example/", 30, nil, 1),
    ]

    @Test(arguments: times.indices) func `a server's time is followed where it can be trusted`(index: Int) async throws
    {
        let (name, url, skew, age, attempts) = Self.times[index]
        let base = network { request, _ in
            var fields = try HTTPFields(["Date": HTTPDate(Self.now + skew).description])
            if let age { try fields.set("Age", to: age) }
            return HTTPResponse(status: .unauthorized, fields: fields, url: request.url)
        }
        let transport = try base.signing(signer(), clock: clock)
        let response = try await transport.send(HTTPRequest(.get, url))
        #expect(sent.all.count == attempts, "\(name)")
        let isNoted = abs(skew) > 30 && age == nil
        #expect(response.head.notes.count == (isNoted ? 1 : 0), "\(name)")
        #expect(!isNoted || response.head.notes[0].contains("not followed") == (attempts == 1), "\(name)")
        // The next signature has the server's time only then.
        _ = try await transport.send(HTTPRequest(.get, url))
        let last = try #require(sent.all.last)
        try verifier(at: attempts == 2 ? Self.now + skew : Self.now).verify(last)
    }

    @Test func `the time of one server is not that of another`() async throws {
        let base = network { request, _ in
            HTTPResponse(
                status: .unauthorized, fields: try HTTPFields(["Date": HTTPDate(Self.now + 3600).description]),
                url: request.url)
        }
        let transport = try base.signing(signer(), clock: clock)
        _ = try await transport.send(HTTPRequest(.get, "https://a.example/"))
        _ = try await transport.send(HTTPRequest(.get, "https://b.example/"))
        #expect(sent.all.count == 4)
        try verifier(at: Self.now).verify(sent.all[2])
    }

    @Test func `a refusal for another reason says how far the clocks differ`() async throws {
        let base = network { request, _ in
            HTTPResponse(
                status: .forbidden, fields: try HTTPFields(["Date": HTTPDate(Self.now + 86_400).description]),
                url: request.url)
        }
        let response = try await base.signing(signer(), clock: clock).send(HTTPRequest(.get, "https://a.example/"))
        #expect(response.status == .forbidden && sent.all.count == 2)
        #expect(response.head.addingNotes(to: "x").contains("86400 seconds ahead of that of the signature"))
        // A stream cannot be sent again.
        let other = try base.signing(signer(), clock: clock)
        let body = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        let second = try await other.send(HTTPRequest(.post, "https://a.example/", body: body))
        #expect(sent.all.count == 3 && second.head.notes.count == 1)
    }

    @Test func `a refusal with the right time is returned unchanged`() async throws {
        let base = network { request, _ in
            HTTPResponse(
                status: .unauthorized, fields: try HTTPFields(["Date": HTTPDate(Self.now + 5).description]),
                url: request.url)
        }
        let response = try await base.signing(signer(), clock: clock).send(HTTPRequest(.get, "https://a.example/"))
        #expect(response.status == .unauthorized && response.head.notes.isEmpty && sent.all.count == 1)
    }

    @Test func `a streamed response is compared with its digest at its end`() async throws {
        let base = network { request, count in
            let digest = count == 1 ? "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=" : "AA=="
            return HTTPResponse(
                status: .ok, fields: try HTTPFields(["Content-Digest": "sha-256=:\(digest):"]), body: Data("abc".utf8),
                url: request.url)
        }
        let transport = AnyTransport(base).signing(try signer(), clock: clock)
        let request = try HTTPRequest(
            .get, "https://a.example/", options: RequestOptions { $0.contentDigestCheck = .required })
        #expect(try await transport.stream(request, observer: nil).body.collect() == Data("abc".utf8))
        #expect(sent.all[0].fields["Accept-Encoding"] == "identity")
        let second = try await transport.stream(request, observer: nil)
        let error = await #expect(throws: SigningError.self) { _ = try await second.body.collect() }
        #expect(error?.code == .digestMismatch)
        let third = await #expect(throws: SigningError.self) {
            _ = try await transport.send(request)
        }
        #expect(third?.code == .digestMismatch)
    }

    @Test func `a download keeps no bytes whose digest is wrong`() async throws {
        let base = network { request, count in
            // Changed on its way, the first time.
            let body = Data((count == 1 ? "abd" : "abc").utf8)
            let fields = try HTTPFields([
                "ETag": "\"1\"", "Content-Length": "3",
                "Content-Digest": "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:",
            ])
            return HTTPResponse(status: .ok, fields: fields, body: body, url: request.url)
        }
        let (folder, transport) = (try TemporaryFolder(), AnyTransport(base).signing(try signer(), clock: clock))
        let request = try HTTPRequest(
            .get, "https://a.example/", options: RequestOptions { $0.contentDigestCheck = .required })
        let target = folder.url.appending(path: "f")
        let error = await #expect(throws: SigningError.self) {
            try await transport.download(request, to: target, options: .retrying)
        }
        #expect(try error?.code == .digestMismatch && folder.names.isEmpty)
        let file = try await transport.download(request, to: target, options: .retrying)
        #expect(try Data(contentsOf: target) == Data("abc".utf8) && file.resumedBytes == 0)
        #expect(try sent.all.allSatisfy { !$0.fields.contains(.range) } && folder.names == ["f"])
    }

    @Test(arguments: [true, false]) func `only successful responses must have a digest, which is compared in all`(
        isStreamed: Bool
    ) async throws {
        for (status, digest, code) in [
            (.ok, nil, .missingDigest), (.found, nil, nil), (.unauthorized, nil, nil), (.serviceUnavailable, nil, nil),
            (.serviceUnavailable, "sha-256=:AA==:", .digestMismatch),
        ] as [(HTTPStatus, String?, SigningError.Code?)] {
            let base = network { request, _ in
                var response = HTTPResponse(status: status, body: Data("abc".utf8), url: request.url)
                response.head.fields["Content-Digest"] = digest
                return response
            }
            let transport = AnyTransport(base).signing(try signer(), clock: clock)
            let request = try HTTPRequest(
                .get, "https://a.example/", options: RequestOptions { $0.contentDigestCheck = .required })
            var error: SigningError?
            do {
                if isStreamed {
                    _ = try await transport.stream(request, observer: nil).body.collect()
                } else {
                    _ = try await transport.send(request)
                }
            } catch let caught as SigningError { error = caught }
            #expect(error?.code == code, "\(status)")
        }
    }

    @Test(.needsSlot) func `a server sees what was signed`() async throws {
        let verifier = MessageVerifier(requiring: [.method, .path, .query, .authority, .contentDigest]) { id in
            try id == "test-key-ed25519" ? ExampleKeys.ed25519().verificationKey : nil
        }
        let signer = try HTTPMessageSignature(
            ExampleKeys.ed25519(),
            components: [
                .method, .path, .query, .authority, .contentDigest, .field(.contentType), .field(.cookie),
                SignatureComponent(name: "x-twice").bytes,
            ])
        let transport = URLSessionTransport.shared.signing(signer)
        try await LoopbackServer { request in
            let digest = try await ContentDigest.value(of: request.body)
            guard (try? verifier.verify(request)) != nil, digest == request.fields["Content-Digest"] else {
                return HTTPResponse(status: .unauthorized, url: request.url)
            }
            return HTTPResponse(status: .ok, url: request.url)
        }.stopping { server in
            for body in [HTTPBody.text("a"), .empty] {
                let request = try HTTPRequest(
                    .post, server.url(of: "/a%20b?c=d%2Fe"),
                    fields: HTTPFields([
                        "Content-Type": "text/plain", "X-Twice": "a", "Cookie": "a=1", "x-twice": "b", "cookie": "b=2",
                    ]),
                    body: body)
                #expect(try await transport.send(request).status == .ok)
            }
        }
    }
}
