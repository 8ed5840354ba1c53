import Authentication
import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(
    .needsSlot, .enabled(if: Peer.isRunning && Peer.proxyPort("BASIC") != nil, "PATCHBAY_PROXY_BASIC is not set."))
struct ProxyTests {
    private func transport(
        _ scheme: String = "BASIC", password: String? = "pass", exceptions: [String] = []
    ) throws -> CurlTransport {
        let port = try #require(Peer.proxyPort(scheme))
        let server = CurlTransport.ProxyServer(
            host: "127.0.0.1", port: port, user: password == nil ? nil : "user", password: password,
            exceptions: exceptions)
        return try CurlTransport(network: .test { $0.proxy = .server(server) })
    }

    @Test(arguments: [Peer.plain, .valid])
    func `a proxy gets its password, for http and for the tunnel of https`(peer: Peer) async throws {
        let transport = try transport()
        for _ in 0..<3 {
            let response = try await transport.send(peer.request())
            #expect(response.status == .ok && response.shown.last?.hasPrefix("127.0.0.1") == true)
        }
    }

    // The password is sent with Basic only: Digest would need each request twice.
    @Test(arguments: [("BASIC", "wrong-hush"), ("BASIC", nil), ("DIGEST", "pass")])
    func `a refused password is a response for http, and an error for a tunnel`(
        scheme: String, password: String?
    ) async throws {
        let transport = try transport(scheme, password: password)
        #expect(try await transport.send(Peer.plain.request()).status.code == 407)
        let error = await transportError { _ = try await transport.send(Peer.valid.request()) }
        #expect(error?.code == .proxy, "\(error as Any)")
        #expect(error.map { "\($0)".contains("hush") } == false)
    }

    @Test func `a proxy that demands Digest gets it from the layer, for http`() async throws {
        let authorizer = PasswordAuthorizer(PasswordCredential(user: "user", password: "pass"), for: .proxy)
        let transport = try transport("DIGEST", password: nil)
            .authorizing(with: authorizer, at: AllowedOrigins(Peer.plain.origin()))
        #expect(try await transport.send(Peer.plain.request()).status == .ok)
    }

    @Test func `the proxy's password is not sent to servers`() async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let transport = try transport()
            let request = try HTTPRequest(.get, server.url(of: "/"))
            #expect(try await transport.send(request).status == .ok)
            #expect(server.requests[0].fields["Proxy-Authorization"] == nil)
            let direct = try self.transport(exceptions: ["127.0.0.1"])
            #expect(try await direct.send(request).status == .ok)
            #expect(server.requests[1].fields["Via"] == nil && server.requests[0].fields["Via"] != nil)
            #expect(server.requests[1].fields["Proxy-Authorization"] == nil)
        }
    }

    @Test func `a body passes a proxy`() async throws {
        let body = Data(repeating: 0x62, count: 200_000)
        for peer in [Peer.plain, .valid] {
            let path = "/files/proxied-\(UUID().uuidString).bin"
            let transport = try transport()
            let response = try await transport.send(peer.request(.put, path, body: .bytes(body)))
            #expect(response.status == .created, "\(peer)")
            #expect(try await transport.send(peer.request(.get, path)).body == body)
        }
    }
}

@Suite(.needsSlot) struct MissingProxyTests {
    @Test func `a proxy that is not there is named, without its password`() async throws {
        let port = try RefusedPort()
        let server = CurlTransport.ProxyServer(
            host: "127.0.0.1", port: UInt16(port.port), user: "user", password: "hush")
        let transport = try CurlTransport(
            network: .test {
                $0.proxy = .server(server)
                $0.trustAnchors = .system
            })
        let error = await transportError { _ = try await transport.send(HTTPRequest(.get, "http://patchbay.test/")) }
        #expect(error?.code == .proxy || error?.code == .connectionRefused, "\(error as Any)")
        #expect(
            error?.message.contains("127.0.0.1") == true && error?.message.contains("\(port.port)") == true,
            "\(error as Any)")
        #expect(error.map { "\($0)".contains("hush") } == false)
    }
}
