import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite struct ProxyEnvironmentTests {
    // It changes the process, whose other tests send requests too.
    @Test(.needsAllSlots) func `a proxy that the environment gets later is known as one`() async throws {
        try await LoopbackServer(connections: { connection in
            while try connection.receiveRequest() != nil {
                try connection.send(
                    "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=r\r\nContent-Length: 0\r\n\r\n")
            }
        }).stopping { server in
            let saved = ["http_proxy", "no_proxy"].map { ($0, ProcessInfo.processInfo.environment[$0]) }
            defer { for (name, value) in saved { if let value { setenv(name, value, 1) } else { unsetenv(name) } } }
            unsetenv("http_proxy")
            unsetenv("no_proxy")
            let transport = try CurlTransport()
            let direct = try await transport.send(HTTPRequest(.get, server.url(of: "/")))
            #expect(direct.status.code == 407 && !direct.head.isProxyChallenge)
            setenv("http_proxy", "http://127.0.0.1:\(server.port)", 1)
            let proxied = try await transport.send(HTTPRequest(.get, "http://patchbay.test/"))
            #expect(proxied.status.code == 407 && proxied.head.isProxyChallenge)
        }
    }
}
