import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct DestinationTests {
    private func code(_ request: HTTPRequest, _ transport: some Transport) async -> TransportError.Code? {
        do {
            _ = try await transport.send(request)
            return nil
        } catch { return (error as? TransportError)?.code }
    }

    @Test func `a request goes to a Unix socket, with the host of its URL`() async throws {
        let server = try UnixSocketServer()
        // Its timeouts never expire: the system's resolver may take its time.
        let transport = try CurlTransport(clock: ManualClock())
        var request = try HTTPRequest(.get, "http://app.invalid/path")
        request.options.unixSocketPath = server.path
        #expect(try await transport.send(request).body == Data("GET /path HTTP/1.1 Host: app.invalid".utf8))
        // Neither the socket nor the connection is for other requests.
        #expect(await code(try HTTPRequest(.get, "http://app.invalid/path"), transport) == .hostNotFound)
        request.options.unixSocketPath = server.path + "-missing"
        #expect(await code(request, transport) == .connectionRefused)
    }

    @Test(arguments: ["", String(repeating: "x", count: 108), "a\u{0}b"])
    func `a path that no Unix socket can have is refused`(path: String) async throws {
        var request = try HTTPRequest(.get, "http://app.invalid/")
        request.options.unixSocketPath = path
        #expect(await code(request, try CurlTransport()) == .unsupported)
    }

    @Test func `a name is overridden for its request only`() async throws {
        try await LoopbackServer { $0.response(text: "here") }.stopping { server in
            let transport = try CurlTransport(clock: ManualClock())
            var request = try HTTPRequest(.get, "http://app.invalid:\(server.port)/")
            request.options.nameOverrides = ["app.invalid": "127.0.0.1", "other.invalid": "::1"]
            for _ in 0..<2 { #expect(try await transport.send(request).body == Data("here".utf8)) }
            #expect(server.requests.allSatisfy { $0.fields["Host"] == "app.invalid:\(server.port)" })
            let other = try HTTPRequest(.get, "http://app.invalid:\(server.port)/")
            #expect(await code(other, transport) == .hostNotFound)
            for host in ["", "a b", "a/b", "a:b,c"] {
                request.options.nameOverrides = [host: "127.0.0.1"]
                #expect(await code(request, transport) == .unsupported)
            }
        }
    }

    @Test func `a request asks for a version of HTTP`() async throws {
        try await LoopbackServer { $0.response(text: "") }.stopping { server in
            let transport = try CurlTransport()
            var request = try HTTPRequest(.get, server.url(of: "/"))
            request.options.httpVersion = .http1
            #expect(try await transport.send(request).head.metrics?.httpVersion == "1.1")
            // HTTP/3 has no form without TLS.
            request.options.httpVersion = .http3
            #expect(await code(request, transport) == .unsupported)
            // The server does not speak HTTP/2.
            request.options.httpVersion = .http2
            #expect(await code(request, transport) != nil)
            #expect(server.requestCount == 1)
        }
    }

    @Test(.enabled(if: Peer.isRunning, "PATCHBAY_TLS_PORT and PATCHBAY_TLS_FILES are not set."))
    func `requests of one transport use different versions of HTTP`() async throws {
        let transport = try CurlTransport(network: .test())
        for (peer, version, expected): (Peer, HTTPVersionPreference?, String) in [
            (.valid, nil, "2"), (.valid, .http1, "1.1"), (.valid, .http2, "2"), (.valid, .http1, "1.1"),
            (.old, .http2, "1.1"), (.plain, nil, "1.1"), (.plainHTTP2, .http2, "2"), (.plain, nil, "1.1"),
        ] {
            var request = try peer.request()
            request.options.httpVersion = version
            let response = try await transport.send(request)
            #expect(response.status == .ok && response.head.metrics?.httpVersion == expected, "\(peer)")
        }
    }

    @Test func `URLSession refuses all of them before anything is sent`() async throws {
        try await LoopbackServer { $0.response(text: "") }.stopping { server in
            let changes: [@Sendable (inout RequestOptions) -> Void] = [
                { $0.unixSocketPath = "/tmp/x" }, { $0.nameOverrides = ["a": "b"] }, { $0.httpVersion = .http2 },
                { $0.upgradeProtocol = "x" },
            ]
            for change in changes {
                let request = try HTTPRequest(.get, server.url(of: "/"), options: RequestOptions(change))
                #expect(await code(request, URLSessionTransport.shared) == .unsupported)
            }
            #expect(server.connectionCount == 0)
        }
    }
}
