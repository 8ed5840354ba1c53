import Akula
import Delegation
import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import VendorServices

private let sessionHeader = "X-Ak-Session-Id"

@Suite(.needsSlot) struct SessionTests {
    /// Runs `body` with server and client on one clock and user `ann` logged in.
    private func withSession(
        _ route: Route, timeout: Duration = .seconds(60), _ body: (Fixture, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let service = AkulaService(path: Fixture.path, sessionTimeout: timeout, clock: clock)
        try await Fixture.run(route, clock: clock, service: service) { fixture in
            try await fixture.agent.login(principal: ["user": "ann"], secret: ["password": "open sesame"])
            try await body(fixture, clock)
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 9: the session header is sent after login, not before it or after logout`(route: Route) async throws {
        try await Fixture.run(route, service: AkulaService(path: Fixture.path)) { fixture in
            try await fixture.agent.get("/data/jsonData")
            let session = try await fixture.agent.login(principal: ["user": "ann"], secret: ["password": "open sesame"])
            #expect(fixture.scope.session == session)
            #expect(session.timeout == .seconds(1800))
            #expect(session.user == ["name": "ann"])
            try await fixture.agent.get("/data/jsonData")
            try await fixture.agent.logout()
            #expect(fixture.scope.session == nil)
            try await fixture.agent.get("/data/jsonData")

            let tokens = fixture.requests.map { $0.fields[sessionHeader] }
            #expect(tokens == [nil, nil, session.token, session.token, nil])
            #expect(
                fixture.requests.map(\.url.lastPathComponent) == [
                    "jsonData", "login", "jsonData", "logout", "jsonData",
                ])
            let login = fixture.requests[1]
            #expect(login.method == .post)
            #expect(login.text == #"{"principal":{"user":"ann"},"secret":{"password":"open sesame"}}"#)
            #expect(fixture.requests[3].method == .post)
        }
    }

    @Test(arguments: Route.allCases) func `Akula 9: a plain agent does not send the session header`(route: Route)
        async throws
    {
        try await withSession(route) { fixture, _ in
            try await fixture.plain.get(fixture.base + "/data/jsonData")
            #expect(fixture.requests.last?.fields[sessionHeader] == nil)
            // Apps added it by hand.
            let data = AKHTTPRequestData()
            data.addHeader(sessionHeader, value: try #require(fixture.scope.session).token)
            let json = try await fixture.plain.get(fixture.base + "/data/jsonData", requestData: data, as: .jsonValue)
            #expect(json["user"] == "ann")
        }
    }

    @Test func `Akula 9: all agents of the scope send the session; agents of another scope do not`()
        async throws
    {
        try await withSession(.memory) { fixture, _ in
            try await fixture.anotherAgent().get("/data/jsonData")
            #expect(fixture.requests.last?.fields[sessionHeader] != nil)
            let otherScopeAgent = ServerAgent(transport: fixture.agent.transport, scope: try AKAppScope(fixture.base))
            try await otherScopeAgent.get("/data/jsonData")
            #expect(fixture.requests.last?.fields[sessionHeader] == nil)
        }
    }

    @Test func `over a cache each user gets the own responses, by the login or else by the token`() async throws {
        let fields = try HTTPFields(["Cache-Control": "private, max-age=600"])
        let data = ScriptedTransport.Step { request in
            request.response(fields: fields, text: "of \(request.fields[sessionHeader] ?? "none")")
        }
        let transport = ScriptedTransport([
            .json(["token": "1"]), data, .json(["token": "2"]), data, .json(["token": "3"]), data, data,
        ])
        let agent = AKServerAgent(transport: transport.caching(), scope: try AKAppScope("http://akula.test/app"))
        // With the next token, ann gets what was loaded with the first one.
        for (user, expected) in [("ann", "of 1"), ("bob", "of 2"), ("ann", "of 1")] {
            try await agent.login(principal: ["user": JSONValue(user)], secret: [:])
            #expect(try await agent.get("/account").text == expected)
            agent.scope.end()
        }
        agent.scope.begin(AKSession(token: "4"))
        #expect(try await agent.get("/account").text == "of 4")
        // Apps added it by hand.
        let byHand = AKHTTPRequestData()
        byHand.addHeader(sessionHeader, value: "5")
        let plain = AKHTTPAgent(transport: agent.transport)
        #expect(try await plain.get("http://akula.test/app/account", requestData: byHand).text == "of 5")
        #expect(transport.remainingSteps == 0)
    }

    @Test func `over a cache users with one principal are told apart by the server's name, or else by the secret`()
        async throws
    {
        let fields = try HTTPFields(["Cache-Control": "private, max-age=600"])
        let transport = ScriptedTransport { request in
            guard request.url.lastPathComponent == "login" else {
                return request.response(fields: fields, text: request.fields[sessionHeader] ?? "none")
            }
            let body = try await JSONValue(parsing: request.body.collect())
            let secret: JSONValue = body["secret"] ?? .null
            guard let name = secret["name"] else { return request.response(json: ["token": secret["pin"] ?? .null]) }
            return request.response(json: ["token": secret["pin"] ?? .null, "user": name])
        }
        let agent = AKServerAgent(transport: transport.caching(), scope: try AKAppScope("http://akula.test/app"))
        let logins: [(secret: JSONValue, expected: String)] = [
            (["pin": "1"], "1"), (["pin": "2"], "2"), (["pin": "1"], "1"), (["pin": "3", "name": "ann"], "3"),
            (["pin": "4", "name": "bob"], "4"), (["pin": "5", "name": "ann"], "3"),
        ]
        for (secret, expected) in logins {
            try await agent.login(principal: ["realm": "shop"], secret: secret)
            #expect(try await agent.get("/account").text == expected)
        }
        #expect(transport.requests.count == logins.count + 4)
    }

    @Test(arguments: Route.allCases)
    func `Akula 9: each call restarts the timeout, in every form`(route: Route) async throws {
        try await withSession(route) { fixture, clock in
            let agent = fixture.agent
            for _ in 0..<3 {
                await clock.advance(by: .seconds(59))
                try await agent.get("/data/jsonData")
                await clock.advance(by: .seconds(59))
                _ = try blocking { try agent.getSync("/data/text") }
                await clock.advance(by: .seconds(59))
                await agent.get("/data/nothing", delegate: nil).wait()
            }
            #expect(fixture.scope.session != nil)
            #expect(fixture.requests.dropFirst().allSatisfy { $0.fields[sessionHeader] != nil })
        }
    }

    @Test
    func `Akula 9: reading the session or an invalid request does not restart the timeout`() async throws {
        try await withSession(.memory) { fixture, clock in
            await clock.advance(by: .seconds(59))
            #expect(fixture.scope.session != nil)
            await #expect(throws: AKError.self) { try await fixture.agent.get("/a\nb") }
            await #expect(throws: AKError.self) { try await fixture.agent.get("http://elsewhere.test/") }
            try await fixture.plain.get(fixture.base + "/data/jsonData")
            await clock.advance(by: .seconds(1))
            #expect(fixture.scope.session == nil)
        }
    }

    /// Calls that do not send the session.
    enum Unsent: CaseIterable { case ownHeader, login, getWithBody, deviceID }

    @Test(arguments: Unsent.allCases)
    func `Akula 9: a call that does not send the session does not restart its timeout`(unsent: Unsent) async throws {
        try await withSession(.memory) { fixture, clock in
            await clock.advance(by: .seconds(59))
            let (agent, data) = (fixture.agent, AKHTTPRequestData())
            switch unsent {
            case .ownHeader:
                data.addHeader(sessionHeader, value: "of the call")
                await agent.get("/data/jsonData", requestData: data, delegate: nil).wait()
                #expect(fixture.requests.last?.fields[sessionHeader] == "of the call")
            case .login:
                await #expect(throws: AKError.self) {
                    try await agent.login(principal: ["user": "ann"], secret: ["password": "wrong"])
                }
                #expect(fixture.requests.last?.fields[sessionHeader] == nil)
            case .getWithBody:
                data.bodyData = AKTextHTTPBody(string: "a GET has none")
                await #expect(throws: AKError.self) { try await agent.get("/data/jsonData", requestData: data) }
            case .deviceID:
                fixture.scope.deviceID = "two\r\nlines"
                await #expect(throws: AKError.self) { try await agent.get("/data/jsonData") }
            }
            #expect(fixture.scope.session != nil)
            await clock.advance(by: .seconds(1))
            #expect(fixture.scope.session == nil)
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 9: an expired session is not sent`(route: Route) async throws {
        try await withSession(route) { fixture, clock in
            await clock.advance(by: .milliseconds(59_999))
            #expect(fixture.scope.session != nil)
            await clock.advance(by: .milliseconds(1))
            #expect(fixture.scope.session == nil)
            let json = try await fixture.agent.get("/data/jsonData", as: .jsonValue)
            #expect(json["user"] == .null)
            #expect(fixture.requests.last?.fields[sessionHeader] == nil)
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 9: a 401 drops a session that the server has ended`(route: Route) async throws {
        let service = AkulaService(path: Fixture.path)
        try await Fixture.run(route, service: service) { fixture in
            fixture.scope.begin(AKSession(token: "unknown"))
            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/data/jsonData") }
            #expect(thrown?.statusCode == 401)
            #expect(thrown?.serverError?.code == "401")
            #expect(fixture.scope.session == nil)
            // No automatic retry.
            #expect(fixture.requests.count == 1)
        }
    }

    @Test(arguments: [300, 400, 403, 404, 407, 500, 503])
    func `Akula 9: other failures keep the session`(status: Int) async throws {
        try await Fixture.run(.memory) { fixture in
            fixture.scope.begin(AKSession(token: "t"))
            await #expect(throws: AKError.self) { try await fixture.agent.get("/x") }
            #expect(fixture.scope.session?.token == "t")
        } respond: {
            $0.response(HTTPStatus(status) ?? .ok)
        }
    }

    @Test func `Akula 9: a 401 drops only the session that was sent`() async throws {
        let gate = Gate()
        try await Fixture.run { fixture in
            fixture.scope.begin(AKSession(token: "old"))
            let call = fixture.agent.get("/x", delegate: nil)
            try await gate.waitForWaiters(1)
            fixture.scope.begin(AKSession(token: "new"))
            gate.open()
            await call.wait()
            #expect(fixture.scope.session?.token == "new")
            // Nor does a 401 for a call's own session header, or for a call without a session.
            let data = AKHTTPRequestData()
            data.addHeader(sessionHeader, value: "of the call")
            await fixture.agent.get("/x", requestData: data, delegate: nil).wait()
            #expect(fixture.requests.last?.fields[sessionHeader] == "of the call")
            #expect(fixture.scope.session?.token == "new")
            await fixture.plain.get(fixture.base, delegate: nil).wait()
            #expect(fixture.scope.session?.token == "new")
            await fixture.agent.get("/x", delegate: nil).wait()
            #expect(fixture.scope.session == nil)
        } respond: { request in
            try await gate.wait()
            return request.response(.unauthorized)
        }
    }

    @Test
    func `Akula 9: an equivalent base URL keeps the session`() async throws {
        try await Fixture.run(.memory) { fixture in
            try fixture.scope.initialize("https://one.test/app")
            fixture.scope.begin(AKSession(token: "t"))
            for spelling in [
                "https://one.test/app", "https://one.test/app/", "HTTPS://One.Test/app", "https://one.test:443/app/",
                "https://one.test/%61pp",
            ] {
                try fixture.scope.initialize(spelling)
                #expect(fixture.scope.session?.token == "t", "\(spelling)")
                try await fixture.agent.get("/x")
                let path = spelling.contains("%61pp") ? "/%61pp/x" : "/app/x"
                #expect(
                    fixture.requests.last?.url.absoluteString.hasPrefix("https://one.test\(path)") == true,
                    "\(spelling)")
            }
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: [
        "https://two.test/app", "http://one.test/app", "https://one.test:8443/app", "https://one.test/App",
        "https://one.test/app/v2", "https://one.test", "no URL",
    ])
    func `Akula 9: a different base URL drops the session`(base: String) throws {
        let scope = try AKAppScope("https://one.test/app")
        scope.begin(AKSession(token: "t"))
        try? scope.initialize(base)
        #expect(scope.session == nil)
    }

    @Test func `Akula 9: the first base URL keeps the session that the app has begun before`() throws {
        let scope = AKAppScope()
        scope.begin(AKSession(token: "kept"))
        try scope.initialize("https://one.test/app")
        #expect(scope.session?.token == "kept")
        #expect(throws: AKError.self) { try scope.initialize("no URL") }
        #expect(scope.session == nil)
        scope.begin(AKSession(token: "of one"))
        try scope.initialize("https://two.test/app")
        #expect(scope.session == nil)
    }

    @Test(arguments: [nil, .zero, .seconds(-5), .seconds(1e30 / 1e12), Duration.max])
    func `Akula 9: sessions with any timeout`(timeout: Duration?) async throws {
        let clock = ManualClock()
        await clock.advance(by: .seconds(10))
        let scope = AKAppScope(clock: clock)
        await clock.advance(by: .seconds(10))
        scope.begin(AKSession(token: "t", timeout: timeout))
        #expect((scope.session != nil) == (timeout.map { $0 > .zero } ?? true))
        await clock.advance(by: .seconds(86_400))
        #expect((scope.session != nil) == (timeout.map { $0 > .zero } ?? true))
    }

    @Test(arguments: Route.allCases)
    func `Akula 9: a server agent sends the device identifier, if set`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            try await fixture.agent.get("/x")
            fixture.scope.deviceID = "tablet 7"
            try await fixture.agent.get("/x")
            try await fixture.plain.get(fixture.base)
            let data = AKHTTPRequestData()
            data.addHeader("x-ak-device-id", value: "of the call")
            try await fixture.agent.get("/x", requestData: data)
            #expect(fixture.requests.map { $0.fields["X-Ak-Device-Id"] } == [nil, "tablet 7", nil, "of the call"])

            fixture.scope.deviceID = "two\r\nlines"
            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/x") }
            #expect(thrown?.code == .invalidRequest)
            #expect(thrown?.message.contains("X-Ak-Device-Id") == true)
        } respond: {
            $0.response()
        }
    }
}

extension SessionTests {
    @Test func `Akula 9: the device identifier is sent with and without a session, in login and logout too`()
        async throws
    {
        try await withSession(.memory) { fixture, clock in
            fixture.scope.deviceID = "tablet 7"
            try await fixture.agent.login(principal: ["user": "ann"], secret: ["password": "open sesame"])
            try await fixture.agent.get("/data/jsonData")
            try fixture.scope.initialize(fixture.base + "/")
            try await fixture.agent.get("/data/jsonData")
            try await fixture.agent.logout()
            try await fixture.agent.get("/data/jsonData")
            fixture.scope.begin(AKSession(token: "ended"))
            await fixture.agent.get("/data/jsonData", delegate: nil).wait()
            #expect(fixture.scope.session == nil)
            try await fixture.agent.get("/data/jsonData")
            #expect(
                fixture.requests.dropFirst().map { $0.fields["X-Ak-Device-Id"] }
                    == [String?](repeating: "tablet 7", count: 7))
        }
    }
}

extension Duration {
    /// The longest possible duration.
    fileprivate static var max: Duration { Duration(attoseconds: .max) }
}
