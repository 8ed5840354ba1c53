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

    @Test func `a request's own credentials reach the proxy, and not the server behind a tunnel`() async throws {
        let transport = try transport(password: nil)
        for (peer, isTunnel) in [(Peer.plain, false), (.valid, true)] {
            var request = try peer.request(.get, "/proxy-credential")
            try request.fields.set(.proxyAuthorization, to: BasicAuthorizer.value(user: "user", password: "pass"))
            let response = try await transport.send(request)
            #expect(response.status == .ok, "\(peer)")
            if isTunnel { #expect(response.body == Data("[]".utf8)) }
        }
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

/// A proxy of which only its first response matters.
@Suite(.needsSlot) struct LoopbackProxyTests {
    private func request(_ url: String) throws -> HTTPRequest {
        try HTTPRequest(.get, url, fields: HTTPFields(["Proxy-Authorization": "Basic YTpi", "Authorization": "x"]))
    }

    private func transport(_ proxy: CurlTransport.Proxy) throws -> CurlTransport {
        var options = CurlTransport.NetworkOptions()
        options.proxy = proxy
        return try CurlTransport(network: options)
    }

    @Test func `a request's own credentials for a proxy are sent to one only`() async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let response = try await transport(.none).send(request(server.url(of: "/").absoluteString))
            #expect(response.status == .ok)
            #expect(server.requests[0].fields["Proxy-Authorization"] == nil)
            #expect(server.requests[0].fields["Authorization"] == "x")
        }
    }

    @Test func `status 407 is a challenge of a proxy, and not of a server`() async throws {
        let log = Watched<[RecordedRequest]>([])
        try await LoopbackServer(connections: { connection in
            while let request = try connection.receiveRequest() {
                log.update { $0.append(request) }
                try connection.send(
                    "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=r\r\nContent-Length: 0\r\n\r\n")
            }
        }).stopping { server in
            let proxy = CurlTransport.ProxyServer(
                host: "127.0.0.1", port: UInt16(server.port), exceptions: ["127.0.0.1"])
            let address = try server.url(of: "/").absoluteString
            let transport = try transport(.server(proxy))
            for _ in 0..<2 {
                let proxied = try await transport.send(request("http://patchbay.test/")).head
                #expect(proxied.status.code == 407 && proxied.isProxyChallenge)
                let direct = try await transport.send(request(address)).head
                #expect(direct.status.code == 407 && !direct.isProxyChallenge)
            }
            let alone = try await self.transport(.none).send(request(address)).head
            #expect(alone.status.code == 407 && !alone.isProxyChallenge)
            #expect(
                log.value.map { $0.fields[.proxyAuthorization] } == ["Basic YTpi", nil, "Basic YTpi", nil, nil])
        }
    }

    @Test(arguments: [nil, "user"])
    func `a request's own credentials replace those of the proxy's address`(user: String?) async throws {
        let log = Watched<[RecordedRequest]>([])
        try await LoopbackServer(connections: { connection in
            guard let request = try connection.receiveRequest() else { return }
            log.update { $0.append(request) }
            try connection.send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        }).stopping { server in
            let proxy = CurlTransport.ProxyServer(
                host: "127.0.0.1", port: UInt16(server.port), user: user, password: user.map { _ in "hush" })
            let transport = try transport(.server(proxy))
            #expect(try await transport.send(request("http://patchbay.test/")).status == .forbidden)
            let error = await transportError { _ = try await transport.send(request("https://patchbay.test/")) }
            #expect(error?.code == .proxy, "\(error as Any)")
            let requests = try await log.wait { $0.count == 2 }
            #expect(requests.map(\.method) == ["GET", "CONNECT"])
            #expect(requests.map { $0.fields.values(of: .proxyAuthorization) } == [["Basic YTpi"], ["Basic YTpi"]])
            // The tunnel's other end gets the other fields.
            #expect(requests.map { $0.fields["Authorization"] } == ["x", nil])
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
