import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.needsSlot) struct RedirectTests {
    /// Runs with a server that redirects `/{status}` to `/target`, `/loop` to itself, and `/away` to a second server.
    private func run(_ body: (_ first: LoopbackServer, _ second: LoopbackServer) async throws -> Void) async throws {
        try await LoopbackServer { request in
            guard request.url.path() != "/secret" else {
                return request.response(
                    .unauthorized, fields: try HTTPFields(["WWW-Authenticate": #"Basic realm="other""#]))
            }
            return request.response(text: "second")
        }.stopping { second in
            try await LoopbackServer { request in
                let name = request.url.lastPathComponent
                var fields = HTTPFields()
                switch name {
                case "target": return request.response(text: "target")
                case "loop": try fields.set(.location, to: "/loop")
                case "away": try fields.set(.location, to: second.url(of: "/there").absoluteString)
                case "away-secret": try fields.set(.location, to: second.url(of: "/secret").absoluteString)
                default: try fields.set(.location, to: "target")
                }
                try fields.set(.setCookie, to: "hop=\(name); Path=/")
                let status = HTTPStatus(Int(name) ?? (name.hasPrefix("away") ? 307 : 302)) ?? .found
                return request.response(status, fields: fields, body: Data("moved".utf8))
            }.stopping { first in
                try await body(first, second)
            }
        }
    }

    @Test(arguments: [301, 302, 303, 307], ["GET", "POST", "PUT"])
    func `S7: the status, the method and the flag decide about the next request`(
        status: Int, method: String
    ) async throws {
        try await run { server, _ in
            for followsRFC in [false, true] {
                let request = try SDMSession.test().get(server, "/\(status)")
                request.requestMethod = method
                if method != "GET" { request.appendPost(Data("body".utf8)) }
                request.shouldUseRFC2616RedirectBehaviour = followsRFC
                request.addRequestHeader("User-Agent", value: "Mine/1")
                request.addRequestHeader("Accept", value: "text/plain")
                request.addRequestHeader("X-App", value: "1")
                #expect(await request.ended() == nil)
                let isKept = status == 307 || followsRFC && status != 303
                let received = try #require(server.requests.last)
                #expect(received.target == "/target" && received.method == (isKept ? method : "GET"))
                #expect(received.body == Data((isKept && method != "GET" ? "body" : "").utf8))
                #expect(received.fields[.userAgent] == "Mine/1" && received.fields[.accept] == "text/plain")
                #expect(received.fields["X-App"] == (isKept ? "1" : nil))
                #expect(received.fields[.cookie] == "hop=\(status)")
                #expect(request.responseString == "target" && request.redirectCount == 1)
                #expect(request.url == (try server.url(of: "/target")))
                #expect(request.originalURL == (try server.url(of: "/\(status)")))
                #expect(request.redirectURL == request.url)
            }
        }
    }

    @Test(arguments: [300, 304, 305, 306, 308]) func `S7: other statuses are not followed`(status: Int) async throws {
        try await run { server, _ in
            let request = try SDMSession.test().get(server, "/\(status)")
            #expect(await request.ended() == nil)
            #expect(request.responseStatusCode == status && server.requestCount == 1)
        }
    }

    @Test func `S7: the sixth redirect fails with 9`() async throws {
        try await run { server, _ in
            let request = try SDMSession.test().get(server, "/loop")
            let delegate = LoggingDelegate()
            request.delegate = delegate
            #expect(await request.ended()?.errorCode == 9)
            #expect(server.requestCount == 6 && request.redirectCount == 5)
            let events = try await delegate.ended()
            #expect(events.count { $0 == "started" } == 6 && events.count { $0 == "redirected" } == 5)
        }
    }

    @Test func `S8: the delegate decides about the target`() async throws {
        try await run { server, _ in
            let other = try server.url(of: "/target?chosen")
            let request = try SDMSession.test().get(server, "/loop")
            let delegate = LoggingDelegate(onRedirect: { request, _ in
                Task { request.redirectToURL(other) }
            })
            request.delegate = delegate
            #expect(await request.ended() == nil)
            #expect(server.requests.map(\.target) == ["/loop", "/target?chosen"] && request.url == other)
            try await #expect(
                delegate.ended() == ["started", "redirected", "will redirect to /loop", "started", "finished 200"])
        }
    }

    @Test func `S8: a delegate that is released before it decides does not hold up the request`() async throws {
        try await run { server, _ in
            let clock = ManualClock()
            let request = try SDMSession.test(clock: clock).get(server, "/302")
            let gate = Gate()
            var delegate: LoggingDelegate? = LoggingDelegate(onRedirect: { _, _ in gate.open() })
            request.delegate = delegate
            let end = Task { await request.ended() }
            try await gate.wait()
            delegate = nil
            #expect(delegate == nil)
            // The drain of the first response sleeps on the clock as well.
            let error = await clock.autoAdvancing { await end.value }
            #expect(error == nil && request.responseString == "target")
        }
    }

    @Test func `S9: without redirects the response is the 3xx`() async throws {
        try await run { server, _ in
            let request = try SDMSession.test().get(server, "/302")
            request.shouldRedirect = false
            #expect(await request.ended() == nil)
            #expect(request.responseStatusCode == 302 && request.responseString == "moved")
        }
    }

    @Test func `S47: another origin gets no cookies of the request, no credentials and no secret headers`() async throws
    {
        try await run { first, second in
            let request = try SDMSession.test().post(first, "/away", body: "body")
            request.username = "ann"
            request.password = "hush"
            request.authenticationScheme = "Basic"
            let cookie = HTTPCookie(properties: [.name: "manual", .value: "hush", .domain: "127.0.0.1", .path: "/"])
            request.requestCookies = [try #require(cookie)]
            request.useCookiePersistence = false
            request.addRequestHeader("X-Api-Key", value: "hush")
            request.addRequestHeader("X-Plain", value: "1")
            #expect(await request.ended() == nil)
            let sent = try #require(first.requests.first?.fields)
            #expect(sent[.authorization] != nil && sent[.cookie] == "manual=hush" && sent["X-Api-Key"] == "hush")
            let received = try #require(second.requests.first)
            #expect(received.body == Data("body".utf8) && received.fields["X-Plain"] == "1")
            for name in ["Authorization", "Cookie", "X-Api-Key"] { #expect(received.fields[name] == nil, "\(name)") }
        }
    }

    @Test func `S47: the challenge of another origin does not get the request's credentials`() async throws {
        try await run { first, second in
            let request = try SDMSession.test().get(first, "/away-secret")
            request.username = "ann"
            request.password = "hush"
            #expect(await request.ended()?.errorCode == 3)
            #expect(second.requestCount == 1 && second.requests.allSatisfy { $0.fields[.authorization] == nil })
        }
    }

    @Test func `S47: an Authorization header of the app does not reach another origin either`() async throws {
        try await run { first, second in
            let request = try SDMSession.test().get(first, "/away")
            request.addBasicAuthenticationHeader(withUsername: "ann", andPassword: "hush")
            #expect(await request.ended() == nil)
            #expect(first.requests.first?.fields[.authorization] == "Basic YW5uOmh1c2g=")
            #expect(second.requests.first?.fields[.authorization] == nil)
        }
    }

    @Test func `a redirect from https to http is refused, unless the session allows it`() async throws {
        for isAllowed in [false, true] {
            let transport = ScriptedTransport([
                .response(.found, fields: try HTTPFields(["Location": "http://example.com/plain"])), .text("plain"),
            ])
            let request = SDMSession.test(transport) { $0.allowsRedirectsToHTTP = isAllowed }
                .get(URL(string: "https://example.com/"))
            #expect(await request.ended()?.errorCode == (isAllowed ? nil : 1))
            #expect(transport.requests.count == (isAllowed ? 2 : 1))
        }
    }
}
