import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

/// The forms of login and logout.
enum LoginForm: CaseIterable, Sendable {
    case asynchronous
    case blocking
    case delegate
    case closure

    /// Logs in. Returns the error, or nil.
    func login(_ agent: AKServerAgent, password: String = "open sesame") async -> AKError? {
        switch self {
        case .asynchronous:
            return await error { () async throws(AKError) in
                try await agent.login(principal: ["user": "ann"], secret: ["password": .string(password)])
            }
        case .blocking:
            return await error { () async throws(AKError) in
                try blockingLogin(agent, password)
            }
        case .delegate:
            return await received {
                agent.login(principal: ["user": "ann"], secret: ["password": password], delegate: $0)
            }
        case .closure:
            return await withCheckedContinuation { done in
                agent.login(principal: ["user": "ann"], secret: ["password": password]) { result in
                    if case .success(let session) = result { #expect(agent.scope.session == session) }
                    done.resume(returning: result.failure)
                }
            }
        }
    }

    /// Logs out. Returns the error, or nil.
    func logout(_ agent: AKServerAgent) async -> AKError? {
        switch self {
        case .asynchronous: await error { () async throws(AKError) in try await agent.logout() }
        case .blocking: await error { () async throws(AKError) in try blockingLogout(agent) }
        case .delegate: await received { agent.logout(delegate: $0) }
        case .closure:
            await withCheckedContinuation { done in agent.logout { done.resume(returning: $0.failure) } }
        }
    }

    private func blockingLogin(
        _ agent: AKServerAgent, _ password: String
    ) throws(AKError) -> AKSession {
        try agent.loginSync(principal: ["user": "ann"], secret: ["password": password])
    }

    private func blockingLogout(_ agent: AKServerAgent) throws(AKError) { try agent.logoutSync() }

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

    private func received(_ start: (AKRawHTTPResponseHandler) -> AKCall) async -> AKError? {
        await withCheckedContinuation { done in
            var received: AKError?
            let handler = AKRawHTTPResponseHandler()
            handler.onFailure = { error, _ in received = error }
            handler.onDone = { done.resume(returning: received) }
            _ = start(handler)
        }
    }
}

@Suite(.needsSlot) struct LoginTests {
    @Test(arguments: LoginForm.allCases, Route.allCases)
    func `login and logout work in every form`(form: LoginForm, route: Route) async throws {
        try await Fixture.run(route, service: AkulaService(path: Fixture.path)) { fixture in
            await #expect(form.login(fixture.agent) == nil)
            let session = try #require(fixture.scope.session)
            await #expect(form.logout(fixture.agent) == nil)
            #expect(fixture.scope.session == nil)
            #expect(fixture.requests.last?.fields["X-Ak-Session-Id"] == session.token)
            // The token is no longer valid.
            fixture.scope.begin(session)
            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/data/jsonData") }
            #expect(thrown?.statusCode == 401)
        }
    }

    @Test(arguments: LoginForm.allCases, Route.allCases)
    func `a refused login has the server's error and starts no session`(form: LoginForm, route: Route) async throws {
        try await Fixture.run(route, service: AkulaService(path: Fixture.path)) { fixture in
            let error = try #require(await form.login(fixture.agent, password: "wrong"))
            #expect(error.code == .status)
            #expect(error.statusCode == 401)
            #expect(error.serverError?.text == "Bad credentials")
            #expect(fixture.scope.session == nil)
            try await fixture.agent.get("/data/jsonData")
            #expect(fixture.requests.last?.fields["X-Ak-Session-Id"] == nil)
        }
    }

    @Test(arguments: LoginForm.allCases)
    func `a refused login keeps the current session`(form: LoginForm) async throws {
        try await Fixture.run(.memory, service: AkulaService(path: Fixture.path)) { fixture in
            await #expect(form.login(fixture.agent) == nil)
            let session = fixture.scope.session
            await #expect(form.login(fixture.agent, password: "wrong")?.statusCode == 401)
            #expect(fixture.scope.session == session)
            try await fixture.agent.get("/data/jsonData")
        }
    }

    @Test(arguments: LoginForm.allCases)
    func `login does not send the current session, which may be stale`(form: LoginForm) async throws {
        try await Fixture.run(.memory, service: AkulaService(path: Fixture.path)) { fixture in
            fixture.scope.begin(AKSession(token: "stale"))
            await #expect(form.login(fixture.agent) == nil)
            #expect(fixture.requests.count == 1)
            #expect(fixture.requests.first?.fields["X-Ak-Session-Id"] == nil)
            #expect(fixture.scope.session.map { $0.token != "stale" } == true)
        }
    }

    @Test(
        arguments: [
            "", "{}", "[]", "hello", #"{"token":""}"#, #"{"token":7}"#, #"{"token":null}"#, #"{"token":"a\r\nb"}"#,
            #"{"token":" a"}"#, #"{"Token":"a"}"#,
        ], LoginForm.allCases)
    func `a login response without a valid token fails`(body: String, form: LoginForm) async throws {
        try await Fixture.run(.memory) { fixture in
            let error = try #require(await form.login(fixture.agent))
            #expect(error.code == .parse)
            #expect(fixture.scope.session == nil)
        } respond: {
            $0.response(text: body)
        }
    }

    @Test(
        arguments: [
            ("1500", .milliseconds(1500)), ("0", nil), ("-1", nil), ("null", nil), ("\"soon\"", nil),
            ("9223372036854775807", .milliseconds(Int64.max)),
        ] as [(String, Duration?)])
    func `the timeout is in milliseconds; an invalid one means no timeout`(row: (json: String, timeout: Duration?))
        async throws
    {
        try await Fixture.run(.memory) { fixture in
            let session = try await fixture.agent.login(principal: [:], secret: [:])
            #expect(session.timeout == row.timeout)
            #expect(session.user == nil)
            #expect(fixture.scope.session == session)
        } respond: {
            $0.response(text: #"{"token":"t","user":null,"timeout":\#(row.json)}"#)
        }
    }

    @Test(arguments: LoginForm.allCases)
    func `logout drops the session even if the request fails`(form: LoginForm) async throws {
        try await Fixture.run(.memory) { fixture in
            fixture.scope.begin(AKSession(token: "t"))
            await #expect(form.logout(fixture.agent)?.statusCode == 500)
            #expect(fixture.scope.session == nil)
            #expect(fixture.requests.last?.fields["X-Ak-Session-Id"] == "t")
        } respond: {
            $0.response(.internalServerError)
        }
    }

    @Test func `logout without a session sends nothing, except for a delegate`() async throws {
        try await Fixture.run(.memory, service: AkulaService(path: Fixture.path)) { fixture in
            try await fixture.agent.logout()
            try blocking { try fixture.agent.logoutSync() }
            await #expect(LoginForm.closure.logout(fixture.agent) == nil)
            #expect(fixture.requests.isEmpty)
            await #expect(LoginForm.delegate.logout(fixture.agent) == nil)
            #expect(fixture.requests.count == 1)
        }
    }

    @Test(arguments: LoginForm.allCases)
    func `before initialize login and logout fail with configuration`(form: LoginForm)
        async throws
    {
        try await Fixture.run(.memory) { fixture in
            let agent = ServerAgent(transport: fixture.agent.transport, scope: AKAppScope())
            await #expect(form.login(agent)?.code == .configuration)
            // Without a session only the delegate form sends a request.
            await #expect(form.logout(agent)?.code == (form == .delegate ? .configuration : nil))
            #expect(fixture.requests.isEmpty)
        } respond: {
            $0.response()
        }
    }

    @Test func `credentials that cannot be encoded as JSON are refused`() async throws {
        let agent = ServerAgent(transport: unreachableTransport, scope: try AKAppScope("http://akula.test"))
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

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
