import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@testable import Akula

@Suite(.needsSlot) struct RedirectTests {
    /// Two servers. The first one redirects `/moved` within its origin and `/away` to the second one.
    private struct Servers {
        let first: LoopbackServer
        let second: LoopbackServer
        let scope: AKAppScope
        /// An agent with a session and a device identifier.
        let agent: AKServerAgent
    }

    private func run(
        _ redirect: HTTPStatus, then status: HTTPStatus = .ok,
        over transport: some Transport = TestTransport.withoutDeadlines.redirecting(.akula),
        _ body: (Servers) async throws -> Void
    ) async throws {
        try await LoopbackServer { $0.response(status, json: ["token": "second"]) }.stopping { second in
            try await LoopbackServer { request in
                let targets = ["moved": "/app/here", "away": "http://127.0.0.1:\(second.port)/there"]
                guard let target = targets[request.url.lastPathComponent] else {
                    return request.response(status, json: ["token": "first"])
                }
                return request.response(redirect, fields: try HTTPFields(["Location": target]), body: Data("go".utf8))
            }.stopping { first in
                let scope = try AKAppScope("http://127.0.0.1:\(first.port)/app")
                scope.begin(AKSession(token: "hush"))
                scope.deviceID = "device"
                let agent = AKServerAgent(transport: transport, scope: scope)
                agent.delivery = .inline
                try await body(Servers(first: first, second: second, scope: scope, agent: agent))
            }
        }
    }

    @Test(arguments: [HTTPStatus.found, .temporaryRedirect])
    func `the same origin gets the session and device headers`(status: HTTPStatus) async throws {
        try await run(status) { servers in
            let response = try await servers.agent.get("/moved")
            #expect(response.statusCode == 200 && response.httpResponse.url.path() == "/app/here")
            #expect(servers.first.requests.map(\.target) == ["/app/moved", "/app/here"])
            #expect(servers.first.requests.allSatisfy { $0.fields["X-Ak-Session-Id"] == "hush" })
            #expect(servers.first.requests.allSatisfy { $0.fields["X-Ak-Device-Id"] == "device" })
        }
    }

    @Test
    func `another origin gets neither the session nor the device header, in every form`() async throws {
        try await run(.found) { servers in
            servers.agent.requestData.addHeader("X-Client", value: "7")
            servers.agent.requestData.addHeader("Authorization", value: "hush")
            try await #expect(servers.agent.get("/away").statusCode == 200)
            try #expect(blocking { try servers.agent.getSync("/away").statusCode } == 200)
            let log = EventLog()
            await servers.agent.get("/away", delegate: LoggingDelegate(log)).wait()
            #expect(log.events == ["success 200", "done"])
            #expect(servers.first.requests.allSatisfy { $0.fields["X-Ak-Session-Id"] == "hush" })
            #expect(servers.second.requestCount == 3)
            for request in servers.second.requests {
                #expect(request.fields["X-Client"] == "7")
                for name in ["X-Ak-Session-Id", "X-Ak-Device-Id", "Authorization"] {
                    #expect(request.fields[name] == nil, "\(name)")
                }
            }
        }
    }

    @Test func `a 307 sends a POST again with its body; a 302 turns it into a GET`() async throws {
        let data = AKHTTPRequestData()
        data.bodyData = AKJSONHTTPBody(object: ["name": "jack"])
        for (status, method, body) in [
            (HTTPStatus.temporaryRedirect, "POST", #"{"name":"jack"}"#), (.found, "GET", ""),
        ] {
            for endpoint in ["/moved", "/away"] {
                try await run(status) { servers in
                    try await servers.agent.post(endpoint, requestData: data)
                    let target = endpoint == "/away" ? servers.second : servers.first
                    let received = try #require(target.requests.last)
                    #expect(received.method == method && received.body == Data(body.utf8))
                }
            }
        }
    }

    @Test func `a login follows redirects within its origin`() async throws {
        try await LoopbackServer { request in
            guard request.url.lastPathComponent == "login" else { return request.response(json: ["token": "new"]) }
            return request.response(.temporaryRedirect, fields: try HTTPFields(["Location": "/app/auth/v2"]))
        }.stopping { server in
            let scope = try AKAppScope("http://127.0.0.1:\(server.port)/app")
            let agent = AKServerAgent(
                transport: TestTransport.withoutDeadlines.redirecting(.akula), scope: scope)
            try await agent.login(principal: ["user": "ann"], secret: ["password": "hush"])
            #expect(scope.session?.token == "new")
            #expect(server.requests.map(\.target) == ["/app/auth/login", "/app/auth/v2"])
        }
    }

    @Test func `a login that has moved to another host without a redirect starts its session`() async throws {
        let transport = ScriptedTransport { request in
            guard request.url.host() == "b.test" else {
                throw TransportError(.connectionRefused, "Connection refused.", request: request)
            }
            return request.response(json: ["token": "new"])
        }
        var hosts = try HostList("http://a.test/app", "http://b.test/app")
        hosts.sharesCredentials = true
        let agent = AKServerAgent(
            transport: transport.balancing(over: hosts), scope: try AKAppScope("http://a.test/app"))
        try await agent.login(principal: ["user": "ann"], secret: ["password": "hush"])
        #expect(agent.scope.session?.token == "new" && transport.requests.count == 2)
    }

    @Test func `a login sends its credentials to no other origin`() async throws {
        try await LoopbackServer { $0.response(json: ["token": "stolen"]) }.stopping { other in
            let location = "http://127.0.0.1:\(other.port)/auth/login"
            try await LoopbackServer {
                $0.response(.permanentRedirect, fields: try HTTPFields(["Location": location]))
            }.stopping { server in
                let scope = try AKAppScope("http://127.0.0.1:\(server.port)/app")
                let agent = AKServerAgent(
                    transport: TestTransport.withoutDeadlines.redirecting(.akula), scope: scope)
                let error = await #expect(throws: AKError.self) {
                    try await agent.login(principal: ["user": "ann"], secret: ["password": "hush"])
                }
                #expect((error?.underlying as? TransportError)?.code == .redirectRefused)
                #expect(error?.message.contains("credentials") == true)
                #expect(error.map { "\($0)".contains("hush") } == false)
                #expect(scope.session == nil && server.requestCount == 1 && other.requestCount == 0)
            }
        }
    }

    @Test
    func `a 401 of another origin keeps the session; one of the same origin drops it`() async throws {
        for (endpoint, isKept) in [("/away", true), ("/moved", false)] {
            try await run(.found, then: .unauthorized) { servers in
                let error = await #expect(throws: AKError.self) { try await servers.agent.get(endpoint) }
                #expect(error?.statusCode == 401)
                #expect((servers.scope.session != nil) == isKept)
            }
        }
    }

    @Test
    func `without the redirecting layer a redirect is a failure with the response, and nothing else is sent`()
        async throws
    {
        try await run(.found, over: TestTransport.withoutDeadlines) { servers in
            let error = await #expect(throws: AKError.self) { try await servers.agent.get("/away") }
            #expect(error?.code == .status && error?.statusCode == 302)
            #expect(error?.response?.headers["Location"]?.hasSuffix("/there") == true && error?.response?.text == "go")
            #expect(servers.first.requestCount == 1 && servers.second.requestCount == 0)
        }
    }

    @Test func `a plain agent follows redirects too, without secrets for another origin`() async throws {
        try await run(.seeOther) { servers in
            let agent = AKHTTPAgent(transport: TestTransport.withoutDeadlines.redirecting(.akula))
            let data = AKHTTPRequestData()
            data.addHeader("X-Ak-Session-Id", value: "hush")
            let url = "http://127.0.0.1:\(servers.first.port)/away"
            try await #expect(agent.put(url, requestData: data).statusCode == 200)
            let received = try #require(servers.second.requests.first)
            #expect(received.method == "GET" && received.fields["X-Ak-Session-Id"] == nil)
        }
    }

    @Test func `the default transport is the network with redirects`() {
        #expect((AnyTransport.akula.base as? Redirecting<URLSessionTransport>)?.policy == .akula)
        #expect(
            RedirectPolicy.akula.secretFields.map(\.canonicalName).sorted() == ["x-ak-device-id", "x-ak-session-id"])
        for agent in [AKHTTPAgent(), AKServerAgent()] { #expect(agent.transport.base is ConfiguredTransport) }
    }
}
