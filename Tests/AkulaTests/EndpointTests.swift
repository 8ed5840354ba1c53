import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@Suite("Akula 1: base URL and endpoint", .needsSlot) struct EndpointTests {
    @Test(
        "Akula 1: base and endpoint are joined by one slash, whoever brings it",
        arguments: [
            ("/akula/app", "/data/x", "/akula/app/data/x"), ("/akula/app", "data/x", "/akula/app/data/x"),
            ("/akula/app/", "/data/x", "/akula/app/data/x"), ("/akula/app/", "data/x", "/akula/app/data/x"),
            ("/akula/app", "", "/akula/app"), ("/akula/app", "/", "/akula/app/"), ("", "/x", "/x"),
            ("/akula/app", "/x?a=1&b=2", "/akula/app/x?a=1&b=2"), ("/akula/app", "?a=1", "/akula/app?a=1"),
            ("/akula/app", "/x/", "/akula/app/x/"), ("/akula/app", "/a%2Fb", "/akula/app/a%2Fb"),
            ("/akula/app", "/ключ", "/akula/app/%D0%BA%D0%BB%D1%8E%D1%87"), ("/akula/app", "/x#part", "/akula/app/x"),
            ("/akula/app", "//elsewhere.test/x", "/akula/app/elsewhere.test/x"),
        ], Route.allCases)
    func join(of row: (base: String, endpoint: String, target: String), route: Route) async throws {
        try await Bench.run(route) { bench in
            try bench.scope.initialize(bench.origin + row.base)
            try await bench.agent.get(row.endpoint)
            #expect(bench.requests.map(\.target) == [row.target])
            #expect(bench.server.map { $0.requests.map(\.target) } ?? [row.target] == [row.target])
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 1: a call before initialize fails and says what to do, in every form")
    func beforeInitialize() async throws {
        let agent = ServerAgent(transport: unreachable, scope: AKAppScope())
        agent.delivery = .inline

        let thrown = await #expect(throws: AKError.self) { try await agent.get("/data/x") }
        #expect(thrown?.code == .configuration)
        #expect(thrown?.message.contains("AKServerAgent.initialize") == true)

        let thrownSync = #expect(throws: AKError.self) { try agent.getSync("/data/x") }
        #expect(thrownSync?.code == .configuration)

        var error: NSError?
        #expect(agent.getSync("/data/x", error: &error) == nil)
        #expect(error?.domain == AKError.errorDomain)
        #expect(error?.code == -1)

        let log = EventLog()
        await agent.get("/data/x", delegate: Handlers.raw(log)).wait()
        #expect(log.events == ["failure configuration -", "done"])
    }

    @Test(
        "Akula 1: rubbish as a base fails every call until a good one is set",
        arguments: [
            "", "   ", "example.com/app", "/akula/app", "ftp://example.com/app", "http://", "http:///app",
            "https://ann:secret@example.com/app", "https://example.com/a?key=1", "https://example.com/a#b",
            "https://example.com/a b", "https://example.com/a\r\nX: y", "https://example.com:99999/app",
            "https://example.com/\u{0}", "file:///etc/passwd",
        ])
    func rubbish(base: String) async throws {
        try await Bench.run(.memory) { bench in
            let refused = #expect(throws: AKError.self) { try bench.scope.initialize(base) }
            #expect(refused?.code == .configuration)
            #expect(refused?.description.contains("secret") == false)

            let thrown = await #expect(throws: AKError.self) { try await bench.agent.get("/x") }
            #expect(thrown?.code == .configuration)
            #expect(thrown?.message == refused?.message)
            #expect(bench.requests.isEmpty)

            try bench.scope.initialize(bench.base)
            try await bench.agent.get("/x")
            #expect(bench.requests.count == 1)
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 1: a whole URL is no endpoint of a server agent") func wholeURL() async throws {
        try await Bench.run(.memory) { bench in
            for endpoint in ["http://elsewhere.test/x", "https://elsewhere.test", "ftp://elsewhere.test/"] {
                let thrown = await #expect(throws: AKError.self) { try await bench.agent.get(endpoint) }
                #expect(thrown?.code == .invalidRequest)
            }
            #expect(bench.requests.isEmpty)
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 1: a plain agent takes absolute URLs as they are", arguments: Route.allCases)
    func absoluteURLs(route: Route) async throws {
        try await Bench.run(route) { bench in
            try await bench.plain.get(bench.origin + "/any/where?x=1")
            #expect(bench.requests.map(\.target) == ["/any/where?x=1"])
        } answer: {
            $0.reply()
        }
    }
}
