import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

/// The forms of logging in and out.
enum LoginForm: CaseIterable, Sendable {
    case awaited
    case waiting
    case delegate

    /// Logs in; nil or the error.
    func login(_ agent: ServerAgent<RoutedTransport>, password: String = "open sesame") async -> AKError? {
        switch self {
        case .awaited:
            return await error { () async throws(AKError) in
                try await agent.login(principal: ["user": "ann"], secret: ["password": .string(password)])
            }
        case .waiting:
            return await error { () async throws(AKError) in
                try agent.loginSync(principal: ["user": "ann"], secret: ["password": password])
            }
        case .delegate:
            return await heard { agent.login(principal: ["user": "ann"], secret: ["password": password], delegate: $0) }
        }
    }

    /// Logs out; nil or the error.
    func logout(_ agent: ServerAgent<RoutedTransport>) async -> AKError? {
        switch self {
        case .awaited: await error { () async throws(AKError) in try await agent.logout() }
        case .waiting: await error { () async throws(AKError) in try agent.logoutSync() }
        case .delegate: await heard { agent.logout(delegate: $0) }
        }
    }

    private func error(_ body: () async throws(AKError) -> Void) async -> AKError? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    private func error(_ body: () async throws(AKError) -> AKSession) async -> AKError? {
        await error { () async throws(AKError) -> Void in _ = try await body() }
    }

    private func heard(_ start: (AKRawHTTPResponseHandler) -> AKCall) async -> AKError? {
        await withCheckedContinuation { done in
            var heard: AKError?
            let handler = AKRawHTTPResponseHandler()
            handler.onFailure = { error, _ in heard = error }
            handler.onDone = { done.resume(returning: heard) }
            _ = start(handler)
        }
    }
}

@Suite("Akula: logging in and out", .needsSlot) struct LoginTests {
    @Test("works in every form", arguments: LoginForm.allCases, Route.allCases)
    func works(form: LoginForm, route: Route) async throws {
        try await Bench.run(route, service: AkulaService(path: Bench.path)) { bench in
            await #expect(form.login(bench.agent) == nil)
            let session = try #require(bench.scope.session)
            await #expect(form.logout(bench.agent) == nil)
            #expect(bench.scope.session == nil)
            #expect(bench.requests.last?.fields["X-Ak-Session-Id"] == session.token)
            // The token is of no use any more.
            bench.scope.begin(session)
            let thrown = await #expect(throws: AKError.self) { try await bench.agent.get("/data/jsonData") }
            #expect(thrown?.statusCode == 401)
        }
    }

    @Test("tells why it failed, and keeps nothing", arguments: LoginForm.allCases, Route.allCases)
    func refused(form: LoginForm, route: Route) async throws {
        try await Bench.run(route, service: AkulaService(path: Bench.path)) { bench in
            let error = try #require(await form.login(bench.agent, password: "wrong"))
            #expect(error.code == .status)
            #expect(error.statusCode == 401)
            #expect(error.serverError?.text == "Bad credentials")
            #expect(bench.scope.session == nil)
            try await bench.agent.get("/data/jsonData")
            #expect(bench.requests.last?.fields["X-Ak-Session-Id"] == nil)
        }
    }

    @Test("when it fails, the session that was there stays", arguments: LoginForm.allCases)
    func sessionStays(form: LoginForm) async throws {
        try await Bench.run(.memory, service: AkulaService(path: Bench.path)) { bench in
            await #expect(form.login(bench.agent) == nil)
            let session = bench.scope.session
            await #expect(form.login(bench.agent, password: "wrong")?.statusCode == 401)
            #expect(bench.scope.session == session)
            try await bench.agent.get("/data/jsonData")
        }
    }

    @Test("does not send the session that is there, which may be stale", arguments: LoginForm.allCases)
    func staleSession(form: LoginForm) async throws {
        try await Bench.run(.memory, service: AkulaService(path: Bench.path)) { bench in
            bench.scope.begin(AKSession(token: "stale"))
            await #expect(form.login(bench.agent) == nil)
            #expect(bench.requests.count == 1)
            #expect(bench.requests.first?.fields["X-Ak-Session-Id"] == nil)
            #expect(bench.scope.session.map { $0.token != "stale" } == true)
        }
    }

    @Test(
        "an answer without a token that can be used is a failure",
        arguments: [
            "", "{}", "[]", "hello", #"{"token":""}"#, #"{"token":7}"#, #"{"token":null}"#, #"{"token":"a\r\nb"}"#,
            #"{"token":" a"}"#, #"{"Token":"a"}"#,
        ], LoginForm.allCases)
    func noToken(answer: String, form: LoginForm) async throws {
        try await Bench.run(.memory) { bench in
            let error = try #require(await form.login(bench.agent))
            #expect(error.code == .parse)
            #expect(bench.scope.session == nil)
        } answer: {
            $0.reply(text: answer)
        }
    }

    @Test(
        "the timeout is in milliseconds; one that makes no sense means none",
        arguments: [
            ("1500", .milliseconds(1500)), ("0", nil), ("-1", nil), ("null", nil), ("\"soon\"", nil),
            ("9223372036854775807", .milliseconds(Int64.max)),
        ] as [(String, Duration?)])
    func timeout(row: (json: String, timeout: Duration?)) async throws {
        try await Bench.run(.memory) { bench in
            let session = try await bench.agent.login(principal: [:], secret: [:])
            #expect(session.timeout == row.timeout)
            #expect(session.user == nil)
            #expect(bench.scope.session == session)
        } answer: {
            $0.reply(text: #"{"token":"t","user":null,"timeout":\#(row.json)}"#)
        }
    }

    @Test("logging out drops the session whatever the server says", arguments: LoginForm.allCases)
    func failedLogout(form: LoginForm) async throws {
        try await Bench.run(.memory) { bench in
            bench.scope.begin(AKSession(token: "t"))
            await #expect(form.logout(bench.agent)?.statusCode == 500)
            #expect(bench.scope.session == nil)
            #expect(bench.requests.last?.fields["X-Ak-Session-Id"] == "t")
        } answer: {
            $0.reply(.internalServerError)
        }
    }

    @Test("logging out without a session asks nobody, but for a delegate that waits to hear") func nobody() async throws
    {
        try await Bench.run(.memory, service: AkulaService(path: Bench.path)) { bench in
            try await bench.agent.logout()
            try bench.agent.logoutSync()
            #expect(bench.requests.isEmpty)
            await #expect(LoginForm.delegate.logout(bench.agent) == nil)
            #expect(bench.requests.count == 1)
        }
    }

    @Test("before initialize it says so", arguments: LoginForm.allCases) func notInitialized(form: LoginForm)
        async throws
    {
        try await Bench.run(.memory) { bench in
            let agent = ServerAgent(transport: bench.agent.transport, scope: AKAppScope())
            await #expect(form.login(agent)?.code == .configuration)
            // Nobody is logged in, so there is nothing to do but to tell the delegate.
            await #expect(form.logout(agent)?.code == (form == .delegate ? .configuration : nil))
            #expect(bench.requests.isEmpty)
        } answer: {
            $0.reply()
        }
    }

    @Test("credentials that have no form in JSON are refused") func unencodable() async throws {
        let agent = ServerAgent(transport: unreachable, scope: try AKAppScope("http://akula.test"))
        agent.delivery = .inline
        let thrown = #expect(throws: AKError.self) {
            try agent.loginSync(principal: ["since": Date()], secret: ["password": "hush-hush"])
        }
        #expect(thrown?.code == .invalidRequest)
        #expect(thrown?.message.contains("Date") == true)
        let log = EventLog()
        let handler = Handlers.raw(log)
        await agent.login(principal: ["since": Date()], secret: [:], delegate: handler).wait()
        #expect(log.events == ["failure invalidRequest -", "done"])
    }
}
