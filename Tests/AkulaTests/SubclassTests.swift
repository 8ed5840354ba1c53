import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import TestSupport
import Testing
import Transport

/// An agent for another kind of server, as an app would write it.
private final class CatalogueAgent<Base: Transport>: HTTPAgent<Base>, @unchecked Sendable {
    private let host: String

    init(transport: Base, host: String) {
        self.host = host
        super.init(transport: transport)
        delivery = .inline
    }

    override func url(for endpoint: String) throws -> RequestURL {
        try BaseURL(host + "/catalogue").appending(endpoint)
    }

    override func prepare(_ data: RequestData) throws -> RequestData {
        var data = try super.prepare(data)
        try data.fields.set("X-Catalogue", to: data.query["page"] ?? "none")
        data.query.set("format", to: "json")
        return data
    }
}

/// A server agent that adds to what its superclass does.
private final class VersionedAgent<Base: Transport>: ServerAgent<Base>, @unchecked Sendable {
    override func url(for endpoint: String) throws -> RequestURL { try super.url(for: "v2" + endpoint) }

    override func prepare(_ data: RequestData) throws -> RequestData {
        var data = try super.prepare(data)
        try data.fields.set(.accept, to: "application/vnd.v2+json")
        return data
    }
}

private struct Refusal: Error {}

private final class RefusingAgent<Base: Transport>: HTTPAgent<Base>, @unchecked Sendable {
    override func url(for endpoint: String) throws -> RequestURL {
        if endpoint == "url" { throw Refusal() }
        return try super.url(for: endpoint)
    }
    override func prepare(_ data: RequestData) throws -> RequestData { throw Refusal() }
}

@Suite("Akula: agents of the program's own", .needsSlot) struct SubclassTests {
    @Test("say where calls go and what goes with them, in every form", arguments: Route.allCases)
    func plain(route: Route) async throws {
        try await Bench.run(route) { bench in
            let agent = CatalogueAgent(transport: bench.agent.transport, host: bench.origin)
            agent.requestData.addQueryParameter("page", value: "1")
            let data = AKHTTPRequestData()
            data.addQueryParameter("page", value: "2")
            try await agent.get("items")
            try agent.getSync("items", requestData: data)
            await agent.get("items", delegate: nil).wait()
            #expect(
                bench.requests.map(\.target) == [
                    "/catalogue/items?page=1&format=json", "/catalogue/items?page=2&format=json",
                    "/catalogue/items?page=1&format=json",
                ])
            // What was merged is what `prepare` gets.
            #expect(bench.requests.map { $0.fields["X-Catalogue"] } == ["1", "2", "1"])
        } answer: {
            $0.reply()
        }
    }

    @Test("may build on the server agent, session included") func server() async throws {
        try await Bench.run { bench in
            let agent = VersionedAgent(transport: bench.agent.transport, scope: bench.scope)
            bench.scope.begin(AKSession(token: "t"))
            await #expect(throws: AKError.self) { try await agent.get("/x") }
            let seen = try #require(bench.requests.first)
            #expect(seen.target == "/akula/app/v2/x")
            #expect(seen.fields[.accept] == "application/vnd.v2+json")
            #expect(seen.fields["X-Ak-Session-Id"] == "t")
            #expect(bench.scope.session == nil)
        } answer: {
            $0.reply(.unauthorized)
        }
    }

    @Test("may refuse a call with an error of their own", arguments: ["url", "http://h.test/"])
    func refusal(endpoint: String) async throws {
        let agent = RefusingAgent(transport: unreachable)
        agent.delivery = .inline
        let thrown = await #expect(throws: AKError.self) { try await agent.get(endpoint) }
        #expect(thrown?.code == .invalidRequest)
        #expect(thrown?.underlying is Refusal)
        let log = EventLog()
        await agent.get(endpoint, delegate: Handlers.raw(log)).wait()
        #expect(log.events == ["failure invalidRequest -", "done"])
    }

    @Test("handlers can be subclassed as well") func handlers() async throws {
        final class Screen: AKJSONHTTPResponseHandler {
            var heard: [String] = []
            override func responseDidSucceed(object: [String: Any]?, statusCode: Int) {
                heard.append("object \(object?["a"] ?? "")")
                super.responseDidSucceed(object: object, statusCode: statusCode)
            }
            override func responseDidFail(_ error: AKError, object: Any?) { heard.append("failed") }
            override func responseDone() { heard.append("done") }
        }
        try await Bench.run { bench in
            let screen = Screen()
            screen.onObject = { [unowned screen] _, status in screen.heard.append("closure \(status)") }
            await bench.agent.get("/200", delegate: screen).wait()
            await bench.agent.get("/500", delegate: screen).wait()
            #expect(screen.heard == ["object 1", "closure 200", "done", "failed", "done"])
        } answer: { request in
            request.reply(request.url.lastPathComponent == "200" ? .ok : .internalServerError, json: ["a": 1])
        }
    }
}
