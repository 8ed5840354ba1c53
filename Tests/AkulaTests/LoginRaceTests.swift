import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// Logins and logouts beside other calls, and sessions that are not the user's.
@Suite(.needsSlot) struct LoginRaceTests {
    enum Change: CaseIterable { case logout, server, session, laterLogin }

    @Test(arguments: Change.allCases)
    func `a login in flight has no effect after a logout, another server, or a later login`(
        change: Change
    ) async throws {
        let gate = Gate()
        let transport = FakeTransport { request in
            let text = String(decoding: try await request.body.collect(), as: UTF8.self)
            if text.contains("ann") { try await gate.wait() }
            return request.response(json: ["token": text.contains("ann") ? "of Ann" : "of Bob"])
        }
        let scope = try AKAppScope("http://a.test/app")
        let agent = AKServerAgent(transport: transport, scope: scope)
        let login = Task { try await agent.login(principal: ["user": "ann"], secret: ["password": "hush"]) }
        try await gate.waitForWaiters(1)
        switch change {
        case .logout: try await agent.logout()
        case .server: try scope.initialize("http://b.test/app")
        case .session: scope.begin(AKSession(token: "of the app"))
        case .laterLogin: try await agent.login(principal: ["user": "bob"], secret: ["password": "hush"])
        }
        let session = scope.session
        gate.open()
        let error = await #expect(throws: AKError.self) { try await login.value }
        #expect(error?.code == .cancelled && error?.message.contains("no effect") == true)
        #expect(scope.session == session && session?.token != "of Ann")
    }

    @Test func `a logout sends the session that it ends`() async throws {
        try await Fixture.run(.memory, service: AkulaService(path: Fixture.path)) { fixture in
            let session = try await fixture.agent.login(principal: ["user": "ann"], secret: ["password": "open sesame"])
            fixture.agent.requestData.addHeader("X-Ak-Session-Id", value: "another")
            try await fixture.agent.logout()
            #expect(fixture.requests.last?.fields["X-Ak-Session-Id"] == session.token)
            #expect(fixture.scope.session == nil)
        }
    }

    @Test func `another server does not choose the session of a login`() async throws {
        try await LoopbackServer { $0.response(json: ["token": "planted"]) }.stopping { other in
            let location = "http://127.0.0.1:\(other.port)/x"
            try await LoopbackServer {
                $0.response(.found, fields: try HTTPFields(["Location": location]))
            }.stopping { server in
                let scope = try AKAppScope("http://127.0.0.1:\(server.port)/app")
                let agent = AKServerAgent(
                    transport: TestTransport.withoutDeadlines.redirecting(.akula), scope: scope)
                let error = await #expect(throws: AKError.self) {
                    try await agent.login(principal: ["user": "ann"], secret: ["password": "hush"])
                }
                #expect(error?.code == .parse && scope.session == nil && other.requestCount == 1)
            }
        }
    }

    @Test func `a 401 whose body is cut drops the session`() async throws {
        try await LoopbackServer(script: { _ in
            [.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\nshort"), .close]
        }).stopping(after: { server in
            let scope = try AKAppScope("http://127.0.0.1:\(server.port)/app")
            let agent = AKServerAgent(transport: TestTransport.withoutDeadlines, scope: scope)
            scope.begin(AKSession(token: "t"))
            let error = await #expect(throws: AKError.self) { try await agent.get("/data/jsonData") }
            #expect(error?.code == .transport && scope.session == nil)
        })
    }
}
