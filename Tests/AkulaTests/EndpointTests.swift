import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct EndpointTests {
    @Test(
        arguments: [
            ("/akula/app", "/data/x", "/akula/app/data/x"), ("/akula/app", "data/x", "/akula/app/data/x"),
            ("/akula/app/", "/data/x", "/akula/app/data/x"), ("/akula/app/", "data/x", "/akula/app/data/x"),
            ("/akula/app", "", "/akula/app"), ("/akula/app", "/", "/akula/app/"), ("", "/x", "/x"),
            ("/akula/app", "/x?a=1&b=2", "/akula/app/x?a=1&b=2"), ("/akula/app", "?a=1", "/akula/app?a=1"),
            ("/akula/app", "/x/", "/akula/app/x/"), ("/akula/app", "/a%2Fb", "/akula/app/a%2Fb"),
            ("/akula/app", "/ключ", "/akula/app/%D0%BA%D0%BB%D1%8E%D1%87"), ("/akula/app", "/x#part", "/akula/app/x"),
            ("/akula/app", "/data/my file", "/akula/app/data/my%20file"), ("/akula/my app", "/x", "/akula/my%20app/x"),
            ("/akula/app", "/x?q=a b&c d=1", "/akula/app/x?q=a%20b&c%20d=1"), ("/akula/app", " ", "/akula/app/%20"),
            ("/akula/app", "/a%20b c", "/akula/app/a%20b%20c"),
            ("/akula/app", "//elsewhere.test/x", "/akula/app/elsewhere.test/x"),
        ], Route.allCases)
    func `Akula 1: base URL and endpoint are joined by one slash`(
        of row: (base: String, endpoint: String, target: String), route: Route
    ) async throws {
        try await Fixture.run(route) { fixture in
            try fixture.scope.initialize(fixture.origin + row.base)
            try await fixture.agent.get(row.endpoint)
            #expect(fixture.requests.map(\.target) == [row.target])
            #expect(fixture.server.map { $0.requests.map(\.target) } ?? [row.target] == [row.target])
        } respond: {
            $0.response()
        }
    }

    @Test
    func `Akula 1: a call before initialize fails with a helpful error, in every form`() async throws {
        let agent = ServerAgent(transport: unreachableTransport, scope: AKAppScope())
        agent.delivery = .inline

        let thrown = await #expect(throws: AKError.self) { try await agent.get("/data/x") }
        #expect(thrown?.code == .configuration)
        #expect(thrown?.message.contains("AKServerAgent.initialize") == true)

        let thrownSync = #expect(throws: AKError.self) { try agent.getSync("/data/x") }
        #expect(thrownSync?.code == .configuration)

        var error: NSError?
        let response = blocking { agent.getSync("/data/x", error: &error) }
        #expect(response == nil)
        #expect(error?.domain == AKError.errorDomain)
        #expect(error?.code == -1)

        let log = EventLog()
        await agent.get("/data/x", delegate: Handlers.raw(log)).wait()
        #expect(log.events == ["failure configuration -", "done"])
    }

    @Test(arguments: [
        "", "   ", "example.com/app", "/akula/app", "ftp://example.com/app", "http://", "http:///app",
        "https://ann:secret@example.com/app", "https://example.com/a?key=1", "https://example.com/a#b",
        "https://example .com/a", "https://example.com/a\r\nX: y", "https://example.com/a\tb",
        "https://example.com:99999/app",
        "https://example.com/\u{0}", "file:///etc/passwd",
    ])
    func `Akula 1: an invalid base URL fails every call until a valid one is set`(base: String) async throws {
        try await Fixture.run(.memory) { fixture in
            let refused = #expect(throws: AKError.self) { try fixture.scope.initialize(base) }
            #expect(refused?.code == .configuration)
            #expect(refused?.description.contains("secret") == false)

            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get("/x") }
            #expect(thrown?.code == .configuration)
            #expect(thrown?.message == refused?.message)
            #expect(fixture.requests.isEmpty)

            try fixture.scope.initialize(fixture.base)
            try await fixture.agent.get("/x")
            #expect(fixture.requests.count == 1)
        } respond: {
            $0.response()
        }
    }

    @Test func `Akula 1: a server agent refuses an absolute URL as endpoint`() async throws {
        try await Fixture.run(.memory) { fixture in
            for endpoint in ["http://elsewhere.test/x", "https://elsewhere.test", "ftp://elsewhere.test/"] {
                let thrown = await #expect(throws: AKError.self) { try await fixture.agent.get(endpoint) }
                #expect(thrown?.code == .invalidRequest)
            }
            #expect(fixture.requests.isEmpty)
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 1: a plain agent sends to absolute URLs`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            try await fixture.plain.get(fixture.origin + "/any/where?x=1")
            try await fixture.plain.get(fixture.origin + "/my file?x=a b")
            #expect(fixture.requests.map(\.target) == ["/any/where?x=1", "/my%20file?x=a%20b"])
        } respond: {
            $0.response()
        }
    }
}
