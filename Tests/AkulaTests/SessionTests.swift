import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import VendorServices

private let sessionHeader = "X-Ak-Session-Id"

@Suite("Akula 9: sessions", .needsSlot) struct SessionTests {
    /// Server and client on one clock, with ann logged in.
    private func withSession(
        _ route: Route, timeout: Duration = .seconds(60), _ body: (Bench, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let service = AkulaService(path: Bench.path, sessionTimeout: timeout, clock: clock)
        try await Bench.run(route, clock: clock, service: service) { bench in
            try await bench.agent.login(principal: ["user": "ann"], secret: ["password": "open sesame"])
            try await body(bench, clock)
        }
    }

    @Test(
        "Akula 9: the session's header goes with calls after login, and not before or after logout",
        arguments: Route.allCases)
    func header(route: Route) async throws {
        try await Bench.run(route, service: AkulaService(path: Bench.path)) { bench in
            try await bench.agent.get("/data/jsonData")
            let session = try await bench.agent.login(principal: ["user": "ann"], secret: ["password": "open sesame"])
            #expect(bench.scope.session == session)
            #expect(session.timeout == .seconds(1800))
            #expect(session.user == ["name": "ann"])
            try await bench.agent.get("/data/jsonData")
            try await bench.agent.logout()
            #expect(bench.scope.session == nil)
            try await bench.agent.get("/data/jsonData")

            let tokens = bench.requests.map { $0.fields[sessionHeader] }
            #expect(tokens == [nil, nil, session.token, session.token, nil])
            #expect(
                bench.requests.map(\.url.lastPathComponent) == ["jsonData", "login", "jsonData", "logout", "jsonData"])
            let login = bench.requests[1]
            #expect(login.method == .post)
            #expect(login.text == #"{"principal":{"user":"ann"},"secret":{"password":"open sesame"}}"#)
            #expect(bench.requests[3].method == .post)
        }
    }

    @Test("Akula 9: a plain agent does not send it", arguments: Route.allCases) func plain(route: Route) async throws {
        try await withSession(route) { bench, _ in
            try await bench.plain.get(bench.base + "/data/jsonData")
            #expect(bench.requests.last?.fields[sessionHeader] == nil)
            // By hand it does, as apps did it.
            let data = AKHTTPRequestData()
            data.addHeader(sessionHeader, value: try #require(bench.scope.session).token)
            let answer = try await bench.plain.get(bench.base + "/data/jsonData", requestData: data, as: .jsonValue)
            #expect(answer["user"] == "ann")
        }
    }

    @Test("Akula 9: every agent of the scope sends it; those of another scope do not") func scopes() async throws {
        try await withSession(.memory) { bench, _ in
            try await bench.anotherAgent().get("/data/jsonData")
            #expect(bench.requests.last?.fields[sessionHeader] != nil)
            let stranger = ServerAgent(transport: bench.agent.transport, scope: try AKAppScope(bench.base))
            try await stranger.get("/data/jsonData")
            #expect(bench.requests.last?.fields[sessionHeader] == nil)
        }
    }

    @Test("Akula 9: the timeout moves on every call, in every form", arguments: Route.allCases)
    func sliding(route: Route) async throws {
        try await withSession(route) { bench, clock in
            let agent = bench.agent
            for _ in 0..<3 {
                await clock.advance(by: .seconds(59))
                try await agent.get("/data/jsonData")
                await clock.advance(by: .seconds(59))
                _ = try blocking { try agent.getSync("/data/text") }
                await clock.advance(by: .seconds(59))
                await agent.get("/data/nothing", delegate: nil).wait()
            }
            #expect(bench.scope.session != nil)
            #expect(bench.requests.dropFirst().allSatisfy { $0.fields[sessionHeader] != nil })
        }
    }

    @Test("Akula 9: looking at the session does not move the timeout, nor does a call that cannot be sent")
    func notSliding() async throws {
        try await withSession(.memory) { bench, clock in
            await clock.advance(by: .seconds(59))
            #expect(bench.scope.session != nil)
            await #expect(throws: AKError.self) { try await bench.agent.get("/a\nb") }
            await #expect(throws: AKError.self) { try await bench.agent.get("http://elsewhere.test/") }
            try await bench.plain.get(bench.base + "/data/jsonData")
            await clock.advance(by: .seconds(1))
            #expect(bench.scope.session == nil)
        }
    }

    @Test("Akula 9: a session that has expired is not sent any more", arguments: Route.allCases)
    func expiry(route: Route) async throws {
        try await withSession(route) { bench, clock in
            await clock.advance(by: .milliseconds(59_999))
            #expect(bench.scope.session != nil)
            await clock.advance(by: .milliseconds(1))
            #expect(bench.scope.session == nil)
            let answer = try await bench.agent.get("/data/jsonData", as: .jsonValue)
            #expect(answer["user"] == .null)
            #expect(bench.requests.last?.fields[sessionHeader] == nil)
        }
    }

    @Test("Akula 9: a server that ends the session first answers 401, which drops it", arguments: Route.allCases)
    func serverExpiry(route: Route) async throws {
        let service = AkulaService(path: Bench.path)
        try await Bench.run(route, service: service) { bench in
            bench.scope.begin(AKSession(token: "unknown"))
            let thrown = await #expect(throws: AKError.self) { try await bench.agent.get("/data/jsonData") }
            #expect(thrown?.statusCode == 401)
            #expect(thrown?.serverError?.code == "401")
            #expect(bench.scope.session == nil)
            // Nothing was tried again behind the caller's back.
            #expect(bench.requests.count == 1)
        }
    }

    @Test("Akula 9: other failures keep the session", arguments: [300, 400, 403, 404, 407, 500, 503])
    func otherFailures(status: Int) async throws {
        try await Bench.run(.memory) { bench in
            bench.scope.begin(AKSession(token: "t"))
            await #expect(throws: AKError.self) { try await bench.agent.get("/x") }
            #expect(bench.scope.session?.token == "t")
        } answer: {
            $0.reply(HTTPStatus(status) ?? .ok)
        }
    }

    @Test("Akula 9: a 401 drops no session but the one that was refused") func lateRefusal() async throws {
        let gate = Gate()
        try await Bench.run { bench in
            bench.scope.begin(AKSession(token: "old"))
            let call = bench.agent.get("/x", delegate: nil)
            try await gate.waitForArrivals(1)
            bench.scope.begin(AKSession(token: "new"))
            gate.open()
            await call.wait()
            #expect(bench.scope.session?.token == "new")
            // Nor does one for a session that a call brought itself, or for a call without any.
            let data = AKHTTPRequestData()
            data.addHeader(sessionHeader, value: "of the call")
            await bench.agent.get("/x", requestData: data, delegate: nil).wait()
            #expect(bench.requests.last?.fields[sessionHeader] == "of the call")
            #expect(bench.scope.session?.token == "new")
            await bench.plain.get(bench.base, delegate: nil).wait()
            #expect(bench.scope.session?.token == "new")
            await bench.agent.get("/x", delegate: nil).wait()
            #expect(bench.scope.session == nil)
        } answer: { request in
            try await gate.wait()
            return request.reply(.unauthorized)
        }
    }

    @Test("Akula 9: the same base URL, in any spelling, keeps the session")
    func sameBase() async throws {
        try await Bench.run(.memory) { bench in
            try bench.scope.initialize("https://one.test/app")
            bench.scope.begin(AKSession(token: "t"))
            for spelling in [
                "https://one.test/app", "https://one.test/app/", "HTTPS://One.Test/app", "https://one.test:443/app/",
                "https://one.test/%61pp",
            ] {
                try bench.scope.initialize(spelling)
                #expect(bench.scope.session?.token == "t", "\(spelling)")
                try await bench.agent.get("/x")
                let path = spelling.contains("%61pp") ? "/%61pp/x" : "/app/x"
                #expect(
                    bench.requests.last?.url.absoluteString.hasPrefix("https://one.test\(path)") == true, "\(spelling)")
            }
        } answer: {
            $0.reply()
        }
    }

    @Test(
        "Akula 9: another base URL drops the session",
        arguments: [
            "https://two.test/app", "http://one.test/app", "https://one.test:8443/app", "https://one.test/App",
            "https://one.test/app/v2", "https://one.test", "no URL",
        ])
    func newBase(base: String) throws {
        let scope = try AKAppScope("https://one.test/app")
        scope.begin(AKSession(token: "t"))
        try? scope.initialize(base)
        #expect(scope.session == nil)
    }

    @Test(
        "Akula 9: sessions of any timeout", arguments: [nil, .zero, .seconds(-5), .seconds(1e30 / 1e12), Duration.max])
    func anyTimeout(timeout: Duration?) async throws {
        let clock = ManualClock()
        await clock.advance(by: .seconds(10))
        let scope = AKAppScope(clock: clock)
        await clock.advance(by: .seconds(10))
        scope.begin(AKSession(token: "t", timeout: timeout))
        #expect((scope.session != nil) == (timeout.map { $0 > .zero } ?? true))
        await clock.advance(by: .seconds(86_400))
        #expect((scope.session != nil) == (timeout.map { $0 > .zero } ?? true))
    }

    @Test(
        "Akula 9: the device's name goes with every call of a server agent, if there is one", arguments: Route.allCases)
    func device(route: Route) async throws {
        try await Bench.run(route) { bench in
            try await bench.agent.get("/x")
            bench.scope.deviceID = "tablet 7"
            try await bench.agent.get("/x")
            try await bench.plain.get(bench.base)
            let data = AKHTTPRequestData()
            data.addHeader("x-ak-device-id", value: "of the call")
            try await bench.agent.get("/x", requestData: data)
            #expect(bench.requests.map { $0.fields["X-Ak-Device-Id"] } == [nil, "tablet 7", nil, "of the call"])

            bench.scope.deviceID = "two\r\nlines"
            let thrown = await #expect(throws: AKError.self) { try await bench.agent.get("/x") }
            #expect(thrown?.code == .invalidRequest)
            #expect(thrown?.message.contains("X-Ak-Device-Id") == true)
        } answer: {
            $0.reply()
        }
    }
}

extension Duration {
    /// The longest there is.
    fileprivate static var max: Duration { Duration(attoseconds: .max) }
}
