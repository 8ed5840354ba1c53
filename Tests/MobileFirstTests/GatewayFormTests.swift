import Delegation
import Dispatch
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

/// Login forms, redirects after a login, and login pages in place of content.
@Suite(.needsSlot) struct GatewayFormTests {
    private static let page = #"<form action="login"><input name="j_username"></form>"#

    /// Logs in by a form, and records its calls.
    private final class Handler: GatewayChallengeHandler {
        let log = Watched<[String]>([])

        override init() { super.init(gatewayName: "form") }

        override func canHandleResponse(_ response: WLResponse!) -> Bool {
            response.responseText.contains("j_username") || response.headers?["X-Login"] != nil
        }

        override func handleChallenge(_ challenge: WLResponse!) {
            log.update { $0.append("challenge") }
            submitLoginForm(
                "gateway/login", requestParameters: ["j_username": "ann"], requestHeaders: nil,
                requestTimeoutInMilliSeconds: 0)
        }

        override func onSuccess(_ response: WLResponse!) {
            log.update { $0.append("success") }
            submitSuccess(response)
        }

        override func onFailure(_ response: WLFailResponse!) {
            log.update { $0.append("failure \((response.error as? WLError).map { "\($0.code)" } ?? "")") }
            cancel()
        }
    }

    /// A server behind a gateway that shows its page until the login.
    /// - Parameter admits: whether a login lets the next requests pass.
    private func server(
        type: String = "text/html", fields: HTTPFields = HTTPFields(), admits: Bool = true,
        login: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse = { $0.response() },
        content: Data = Data("content".utf8)
    ) -> ScriptedTransport {
        let isLoggedIn = Mutex(false)
        return ScriptedTransport { request in
            if request.url.path().contains("/gateway/") {
                isLoggedIn.withLock { $0 = admits }
                return try login(request)
            }
            let isPage = !isLoggedIn.withLock(\.self)
            var response = request.response(.ok, body: isPage ? Data(Self.page.utf8) : content)
            if isPage { response.head.fields = fields }
            try response.head.fields.set(.contentType, to: type)
            return response
        }
    }

    private func client(_ transport: ScriptedTransport) -> (client: WLClient, handler: Handler) {
        let client = WLClient.scripted(transport)
        let handler = Handler()
        client.registerChallengeHandler(handler)
        return (client, handler)
    }

    @Test func `M29: a redirect after the login form is followed, and its cookie kept`() async throws {
        let transport = ScriptedTransport { request in
            switch request.url.lastPathComponent {
            case "login":
                return request.response(
                    .found, fields: try HTTPFields(["Set-Cookie": "session=1; Path=/", "Location": "welcome"]))
            case "welcome":
                return request.response(request.fields[.cookie] == "session=1" ? .ok : .forbidden)
            default:
                return request.response(text: request.fields[.cookie] == "session=1" ? "content" : Self.page)
            }
        }
        let (client, handler) = client(transport)
        #expect(try await client.request("/adapters/A/p").send().responseText == "content")
        #expect(handler.log.value == ["challenge", "success"])
        #expect(
            transport.requests.map { "\($0.method) \($0.url.lastPathComponent)" } == [
                "GET p", "POST login", "GET welcome", "GET p",
            ])
    }

    @Test(arguments: [WLHttpMethodGet, WLHttpMethodPost], [false, true])
    func `M29: after a login to whose page a redirect led, the call's own request is sent again`(
        method: String, isStream: Bool
    ) async throws {
        let bodies = Watched<[String]>([])
        let transport = ScriptedTransport { request in
            switch request.url.lastPathComponent {
            case "login": return request.response(fields: try HTTPFields(["Set-Cookie": "session=1; Path=/"]))
            // A file: a login does not change it.
            case "login.html": return request.response(text: Self.page)
            default:
                let body = String(decoding: try await request.body.collect(), as: UTF8.self)
                bodies.update { $0.append(body) }
                guard request.fields[.cookie] == "session=1" else {
                    return request.response(.found, fields: try HTTPFields(["Location": "/login.html"]))
                }
                return request.response(text: "content")
            }
        }
        let (client, handler) = client(transport)
        let request = client.request("/adapters/A/p", method)
        if isStream {
            #expect(try await request.stream().collect().body == Data("content".utf8))
        } else {
            #expect(try await request.send(withBody: "text").responseText == "content")
        }
        #expect(handler.log.value == ["challenge", "success"])
        #expect(
            transport.requests.map { "\($0.method) \($0.url.lastPathComponent)" } == [
                "\(method) p", "GET login.html", "POST login", "\(method) p",
            ])
        let body = method == WLHttpMethodPost && !isStream ? "text" : ""
        #expect(bodies.value == [body, body])
    }

    @Test(arguments: [(0, 10_000), (-1, 10_000), (250, 250)] as [(Int32, Int)])
    func `M29: a timeout of 0 or less is the default`(milliseconds: Int32, expected: Int) async throws {
        let transport = server()
        let (_, handler) = client(transport)
        handler.submitLoginForm(
            "gateway/logout", requestParameters: nil, requestHeaders: nil, requestTimeoutInMilliSeconds: milliseconds)
        _ = try await handler.log.wait { !$0.isEmpty }
        #expect(transport.requests.first?.options.timeouts.total == .milliseconds(expected))
    }

    @Test func `M29: a form without a challenge is sent, as apps do to log out`() async throws {
        let transport = server()
        let (client, handler) = client(transport)
        handler.submitLoginForm(
            "gateway/logout", requestParameters: ["a": 1], requestHeaders: ["X-A": "1"],
            requestTimeoutInMilliSeconds: 1000, requestMethod: "GET")
        _ = try await handler.log.wait { $0 == ["success"] }
        #expect(transport.requests.map(\.url.absoluteString) == ["\(Fixture.server)/gateway/logout?a=1"])
        _ = client
    }

    @Test func `M29: the path of a form may leave that of the server`() async throws {
        let transport = server()
        let (client, handler) = client(transport)
        handler.submitLoginForm(
            "../../gateway/login?a=b", requestParameters: nil, requestHeaders: nil, requestTimeoutInMilliSeconds: 0)
        _ = try await handler.log.wait { $0 == ["success"] }
        #expect(transport.requests.map(\.url.absoluteString) == ["https://mfp.example.test/gateway/login?a=b"])
        _ = client
    }

    @Test func `M29: a path with a slash is appended to the server's URL, which the error of the form names`()
        async throws
    {
        final class Failing: GatewayChallengeHandler {
            let log = Watched<[String]>([])
            override func onFailure(_ response: WLFailResponse!) {
                log.update { $0.append((response.error as? WLError).map { "\($0)" } ?? "") }
            }
        }
        let client = WLClient.scripted(
            ScriptedTransport([], then: .json(["errorMsg": "No such endpoint"], status: .notFound)))
        let handler: Failing = Failing(gatewayName: "failing")
        client.registerChallengeHandler(handler)
        handler.submitLoginForm(
            "/mfp/gateway/login", requestParameters: nil, requestHeaders: nil, requestTimeoutInMilliSeconds: 0)
        let log = try await handler.log.wait { !$0.isEmpty }
        #expect(log.first?.contains("POST \(Fixture.server)/mfp/gateway/login: 404") == true, "\(log)")
        _ = client
    }

    @Test func `M29: a form of a handler that is not registered fails, and says so`() async throws {
        let handler = Handler()
        handler.submitLoginForm(
            "gateway/logout", requestParameters: nil, requestHeaders: nil, requestTimeoutInMilliSeconds: 0)
        _ = try await handler.log.wait { $0 == ["failure configuration"] }
    }

    @Test(arguments: [["a": Double.nan], ["a": Date()]] as [[String: any Sendable]], [false, true])
    func `M29: parameters and headers that are not JSON fail the form`(
        values: [String: any Sendable], isHeader: Bool
    ) async throws {
        let transport = server()
        let (client, handler) = client(transport)
        handler.submitLoginForm(
            "gateway/login", requestParameters: isHeader ? nil : values, requestHeaders: isHeader ? values : nil,
            requestTimeoutInMilliSeconds: 0)
        _ = try await handler.log.wait { $0 == ["failure invalidRequest"] }
        #expect(transport.requests.isEmpty)
        _ = client
    }

    @Test func `M29: a gateway that shows its page after each login ends the call`() async throws {
        let transport = server(admits: false)
        let (client, handler) = client(transport)
        let error = await failure { () throws(WLError) in try await client.request("/adapters/A/p").send() }
        #expect(error?.code == .authorization && error?.message.contains("4 logins") == true)
        #expect(handler.log.value.filter { $0 == "challenge" }.count == 4)
    }

    @Test(arguments: ["text/html", "application/json", "application/octet-stream"])
    func `M29: a download and a stream never have a login page as their content`(type: String) async throws {
        for isDownload in [true, false] {
            let transport = server(type: type, fields: try HTTPFields(["X-Login": "1"]))
            let (client, handler) = client(transport)
            let request = client.request("/adapters/A/p")
            if isDownload {
                let folder = try TemporaryFolder()
                let file = folder.url.appending(path: "target")
                try await request.download(to: file)
                #expect(try Data(contentsOf: file) == Data("content".utf8))
            } else {
                #expect(try await request.stream().collect().body == Data("content".utf8))
            }
            #expect(handler.log.value == ["challenge", "success"])
        }
    }

    @Test func `M29: a page is recognized by its text in a download, without other marks`() async throws {
        let (client, handler) = client(server())
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "target")
        try await client.request("/adapters/A/p").download(to: file)
        #expect(try Data(contentsOf: file) == Data("content".utf8) && handler.log.value == ["challenge", "success"])
    }

    @Test func `M29: the handlers see the beginning of a long text, and its stream is whole`() async throws {
        let content = Data(repeating: UInt8(ascii: "a"), count: 1 << 20) + Data(Self.page.utf8)
        let transport = ScriptedTransport { request in
            request.response(.ok, fields: try HTTPFields(["Content-Type": "text/plain"]), body: content)
        }
        let (client, handler) = client(transport)
        #expect(try await client.request("/adapters/A/p").stream().collect().body == content)
        #expect(handler.log.value.isEmpty)
    }

    @Test func `M24, M29: setServerUrl ends the challenge of a gateway`() async throws {
        final class Waiting: GatewayChallengeHandler {
            let log = Watched<[Int]>([])
            override func canHandleResponse(_ response: WLResponse!) -> Bool { response.status == 401 }
            override func handleChallenge(_ challenge: WLResponse!) { log.update { $0.append(challenge.status) } }
        }
        let transport = ScriptedTransport { request in
            request.response(request.url.host() == "mfp.example.test" ? .unauthorized : .ok)
        }
        let client = WLClient.scripted(transport)
        let handler: Waiting = Waiting(gatewayName: "waiting")
        client.registerChallengeHandler(handler)
        let call = Task { await failure { () throws(WLError) in try await client.request("/adapters/A/p").send() } }
        _ = try await handler.log.wait { $0 == [401] }
        client.setServerUrl(URL(string: "https://new.example.test/mfp"))
        #expect(await call.value?.code == .cancelled)
        try await client.request("/adapters/A/p").send()
    }

    @Test func `M29: a call that the handler makes through the gateway before its login fails, and says so`()
        async throws
    {
        final class Curious: GatewayChallengeHandler {
            let log = Watched<[String]>([])
            var call: ((@escaping @Sendable (String) -> Void) -> Void)?
            override func canHandleResponse(_ response: WLResponse!) -> Bool {
                response.responseText.contains("j_username")
            }
            override func handleChallenge(_ challenge: WLResponse!) {
                nonisolated(unsafe) let handler = self
                call? { result in
                    handler.log.update { $0.append(result) }
                    handler.cancel()
                }
            }
        }
        let client = WLClient.scripted(server())
        let handler: Curious = Curious(gatewayName: "curious")
        client.registerChallengeHandler(handler)
        handler.call = { done in
            client.request("/adapters/A/q").send { _, error in
                done((error as? WLError).map { "\($0.code)" } ?? "done")
            }
        }
        let error = await failure { () throws(WLError) in try await client.request("/adapters/A/p").send() }
        #expect(error?.code == .challengeCancelled && handler.log.value == ["alreadyInProgress"])
        handler.call = nil
    }
}
