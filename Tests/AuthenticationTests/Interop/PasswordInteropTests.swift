import Authentication
import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

/// A third-party server. `.ci/interop` starts it and sets its address; without it the tests are skipped.
private struct Peer {
    static func origin(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    let origin: String
    let network = URLSessionTransport()

    init(_ name: String) throws { origin = try #require(Self.origin(name)) }

    func transport(
        _ password: String = "pass", for recipient: BasicAuthorizer.Recipient = .server
    ) throws -> some Transport {
        let authorizer = PasswordAuthorizer(PasswordCredential(user: "user", password: password), for: recipient)
        return network.authorizing(with: authorizer, at: try AllowedOrigins(origin))
    }

    func get(_ path: String, over transport: some Transport) async throws -> HTTPResponse {
        try await transport.send(HTTPRequest(.get, origin + path))
    }
}

@Suite(.needsSlot, .enabled(if: Peer.origin("PATCHBAY_HTTPBIN") != nil, "PATCHBAY_HTTPBIN is not set."))
struct HTTPBinPasswordInteropTests {
    private let peer: Peer

    init() throws { peer = try Peer("PATCHBAY_HTTPBIN") }

    @Test(arguments: [
        "/basic-auth/user/pass", "/digest-auth/auth/user/pass/MD5", "/digest-auth/auth-int/user/pass/MD5",
        "/digest-auth/auth/user/pass/SHA-256", "/digest-auth/auth-int/user/pass/SHA-256",
        "/digest-auth/both/user/pass/SHA-256",
    ])
    func `right and wrong passwords`(path: String) async throws {
        let transport = try peer.transport()
        for _ in 0..<3 {
            let response = try await peer.get(path, over: transport)
            #expect(response.status == .ok)
            #expect(try JSONValue(parsing: response.body)["authenticated"] == true)
        }
        #expect(try await peer.get(path, over: peer.transport("wrong")).status == .unauthorized)
    }

    @Test func `an algorithm that is not supported is a 401`() async throws {
        let transport = try peer.transport()
        #expect(try await peer.get("/digest-auth/auth/user/pass/SHA-512", over: transport).status == .unauthorized)
    }

    @Test func `a prompt is asked once, and again after a rejection`() async throws {
        let passwords = ["wrong", "pass"]
        let asked = Asked()
        let transport = peer.network.authorizing(
            with: .password { @Sendable prompt in
                let count = await asked.next(prompt.rejected)
                return PasswordCredential(user: "user", password: passwords[min(count, 1)])
            }, at: try AllowedOrigins(peer.origin))
        for _ in 0..<3 {
            #expect(try await peer.get("/digest-auth/auth/user/pass/SHA-256", over: transport).status == .ok)
        }
        #expect(await asked.rejected == [nil, PasswordCredential(user: "user", password: "wrong")])
    }

    private actor Asked {
        private(set) var rejected: [PasswordCredential?] = []

        func next(_ credential: PasswordCredential?) -> Int {
            rejected.append(credential)
            return rejected.count - 1
        }
    }
}

@Suite(.needsSlot, .enabled(if: Peer.origin("PATCHBAY_APACHE") != nil, "PATCHBAY_APACHE is not set."))
struct ApachePasswordInteropTests {
    private let peer: Peer

    init() throws { peer = try Peer("PATCHBAY_APACHE") }

    @Test(arguments: ["/basic/range.bin", "/digest/range.bin", "/digest-once/range.bin"])
    func `right and wrong passwords`(path: String) async throws {
        let transport = try peer.transport()
        for _ in 0..<5 {
            let response = try await peer.get(path, over: transport)
            #expect(response.status == .ok && response.body == Data("0123456789abcdefghij".utf8))
        }
        #expect(try await peer.get(path, over: peer.transport("wrong")).status == .unauthorized)
    }

    @Test func `the server's proof is verified`() async throws {
        let authentication = PasswordAuthentication()
        var request = try HTTPRequest(.get, peer.origin + "/digest/range.bin")
        let refused = try await peer.network.send(request)
        let challenge = try #require(try authentication.challenge(in: refused.head, of: request))
        #expect(challenge.scheme == .digest && challenge.realm == "patch bay")
        try authentication.authorize(
            &request, for: challenge, with: PasswordCredential(user: "user", password: "pass"))
        let response = try await peer.network.send(request)
        #expect(response.status == .ok)
        try authentication.verify(response.head, body: response.body, of: request)
        // The same response with another proof.
        var forged = response.head
        let info = try #require(forged.fields["Authentication-Info"])
        try forged.fields.set(
            "Authentication-Info", to: info.replacing(/rspauth="[0-9a-f]{2}/, with: "rspauth=\"zz"))
        let error = #expect(throws: AuthenticationError.self) {
            try authentication.verify(forged, body: response.body, of: request)
        }
        #expect(error?.code == .serverNotAuthentic)
    }

    @Test func `concurrent requests have their own counts`() async throws {
        let transport = try peer.transport()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { try await peer.get("/digest/range.bin", over: transport).status }
            }
            for try await status in group { #expect(status == .ok) }
        }
    }
}

/// Runs in a process whose `http_proxy` is Apache with Basic or Digest.
@Suite(.needsSlot, .enabled(if: Peer.origin("PATCHBAY_PROXY") != nil, "PATCHBAY_PROXY is not set."))
struct ProxyPasswordInteropTests {
    private let peer: Peer

    init() throws { peer = try Peer("PATCHBAY_APACHE") }

    @Test func `the proxy's challenge is met`() async throws {
        let path = "/files/range.bin"
        #expect(try await peer.get(path, over: peer.network).status.code == 407)
        #expect(try await peer.get(path, over: peer.transport("wrong", for: .proxy)).status.code == 407)
        let transport = try peer.transport(for: .proxy)
        for _ in 0..<3 { #expect(try await peer.get(path, over: transport).status == .ok) }
    }

    @Test(arguments: ["/basic/range.bin", "/digest/range.bin"])
    func `proxy and server have credentials of their own`(path: String) async throws {
        let server = PasswordAuthorizer(PasswordCredential(user: "user", password: "pass"))
        let transport = try peer.transport(for: .proxy).authorizing(with: server, at: AllowedOrigins(peer.origin))
        #expect(try await peer.get(path, over: transport).status == .ok)
    }

    /// The engine makes the tunnel, and has no credentials for it: see Documentation/Linux.md.
    @Test func `a tunnel for https through a proxy that demands a password fails`() async throws {
        let url = peer.origin.replacing("http:", with: "https:")
        let error = await #expect(throws: TransportError.self) {
            try await peer.network.send(HTTPRequest(.get, url))
        }
        #expect(error?.code == .proxy)
    }
}
