import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct RequestPolicyTests {
    /// A server that redirects `/from` to `/to` with a cookie, and answers others with the fields that it received.
    private func withServer(_ body: (LoopbackServer) async throws -> Void) async throws {
        try await LoopbackServer { request in
            let path = request.url.path
            guard path != "/from" else {
                return HTTPResponse(
                    status: .found, fields: try HTTPFields(["Location": "/to", "Set-Cookie": "a=1"]), url: request.url)
            }
            let text = "\(request.fields[.cookie] ?? "-") \(request.fields[.acceptEncoding] ?? "-")"
            return HTTPResponse(status: .ok, body: Data(text.utf8), url: request.url)
        }.stopping(after: body)
    }

    @Test func `one request follows no redirects`() async throws {
        try await withServer { server in
            let transport = URLSessionTransport.shared.keepingCookies().redirecting()
            var request = try HTTPRequest(.get, server.url(of: "/from"))
            request.options.redirectPolicy = .none
            #expect(try await transport.send(request).status == .found)
            request.options.redirectPolicy = .sameOrigin
            let response = try await transport.send(request)
            #expect(response.status == .ok && String(decoding: response.body, as: UTF8.self).hasPrefix("a=1 "))
        }
    }

    @Test func `one request has no cookies and no content coding`() async throws {
        try await withServer { server in
            let transport = URLSessionTransport.shared.keepingCookies().redirecting()
            _ = try await transport.send(HTTPRequest(.get, server.url(of: "/from")))
            var request = try HTTPRequest(.get, server.url(of: "/to"))
            request.options.usesCookies = false
            request.options.acceptsContentCodings = false
            #expect(try await transport.send(request).body == Data("- identity".utf8))
            let usual = try await transport.send(HTTPRequest(.get, server.url(of: "/to")))
            #expect(usual.body != Data("- identity".utf8) && usual.body.starts(with: Data("a=1 ".utf8)))
            #expect(!String(decoding: usual.body, as: UTF8.self).hasSuffix("identity"))
        }
    }
}
