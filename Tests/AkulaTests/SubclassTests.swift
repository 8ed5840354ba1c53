import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import TestSupport
import Testing
import Transport

/// An app's agent for another kind of server.
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

/// A subclass of the server agent.
private final class VersionedAgent<Base: Transport>: ServerAgent<Base>, @unchecked Sendable {
    override func url(for endpoint: String) throws -> RequestURL { try super.url(for: "v2" + endpoint) }

    override func prepare(_ data: RequestData) throws -> RequestData {
        var data = try super.prepare(data)
        try data.fields.set(.accept, to: "application/vnd.v2+json")
        return data
    }
}

/// An agent that names the user of its responses.
private final class NamingAgent<Base: Transport>: ServerAgent<Base>, @unchecked Sendable {
    override func prepare(_ data: RequestData) throws -> RequestData {
        var data = try super.prepare(data)
        data.options = RequestOptions { $0.cachePartition = "ann" }
        return data
    }
}

/// An agent during whose preparation of a call the app sets another server, and signs in there.
private final class InterruptedAgent<Base: Transport>: ServerAgent<Base>, @unchecked Sendable {
    override func url(for endpoint: String) throws -> RequestURL {
        let url = try super.url(for: endpoint)
        try scope.initialize("http://other.test/app")
        scope.begin(AKSession(token: "of the other server"))
        scope.deviceID = "other device"
        return url
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

@Suite(.needsSlot) struct SubclassTests {
    @Test(arguments: Route.allCases)
    func `a subclass can change URLs and data, in every form`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            let agent = CatalogueAgent(transport: fixture.agent.transport, host: fixture.origin)
            agent.requestData.addQueryParameter("page", value: "1")
            let data = AKHTTPRequestData()
            data.addQueryParameter("page", value: "2")
            try await agent.get("items")
            _ = try blocking { try agent.getSync("items", requestData: data) }
            await agent.get("items", delegate: nil).wait()
            #expect(
                fixture.requests.map(\.target) == [
                    "/catalogue/items?page=1&format=json", "/catalogue/items?page=2&format=json",
                    "/catalogue/items?page=1&format=json",
                ])
            // `prepare` receives the merged data.
            #expect(fixture.requests.map { $0.fields["X-Catalogue"] } == ["1", "2", "1"])
        } respond: {
            $0.response()
        }
    }

    @Test func `a subclass can name the user to a cache`() async throws {
        let transport = ScriptedTransport { $0.response() }
        let agent = NamingAgent(transport: transport, scope: try AKAppScope("http://akula.test/app"))
        agent.scope.begin(AKSession(token: "t"))
        try await agent.get("/x")
        #expect(transport.requests.map(\.options.cachePartition) == ["ann"])
    }

    @Test func `a subclass of the server agent keeps its session handling`() async throws {
        try await Fixture.run { fixture in
            let agent = VersionedAgent(transport: fixture.agent.transport, scope: fixture.scope)
            fixture.scope.begin(AKSession(token: "t"))
            await #expect(throws: AKError.self) { try await agent.get("/x") }
            let sent = try #require(fixture.requests.first)
            #expect(sent.target == "/akula/app/v2/x")
            #expect(sent.fields[.accept] == "application/vnd.v2+json")
            #expect(sent.fields["X-Ak-Session-Id"] == "t")
            #expect(fixture.scope.session == nil)
        } respond: {
            $0.response(.unauthorized)
        }
    }

    @Test func `a call is prepared by the server, session and device of its start`() async throws {
        let scope = try AKAppScope("http://akula.test/app")
        scope.begin(AKSession(token: "t"))
        scope.deviceID = "device"
        let transport = ScriptedTransport([], then: .status(.ok))
        let agent = InterruptedAgent(transport: transport, scope: scope)
        try await agent.get("/x")
        try await agent.get("/x")
        let sent = transport.requests
        #expect(sent.map(\.url.absoluteString) == ["http://akula.test/app/x", "http://other.test/app/x"])
        #expect(sent.map { $0.fields["X-Ak-Session-Id"] } == ["t", "of the other server"])
        #expect(sent.map { $0.fields["X-Ak-Device-Id"] } == ["device", "other device"])
    }

    @Test(arguments: ["url", "http://h.test/"])
    func `a subclass can refuse a call with its own error`(endpoint: String) async throws {
        let agent = RefusingAgent(transport: unreachableTransport)
        agent.delivery = .inline
        let thrown = await #expect(throws: AKError.self) { try await agent.get(endpoint) }
        #expect(thrown?.code == .invalidRequest)
        #expect(thrown?.underlying is Refusal)
        let log = EventLog()
        await agent.get(endpoint, delegate: Handlers.raw(log)).wait()
        #expect(log.events == ["failure invalidRequest -", "done"])
    }

    @Test func `handlers can be subclassed`() async throws {
        final class Screen: AKJSONHTTPResponseHandler {
            var received: [String] = []
            override func responseDidSucceed(object: [String: Any]?, statusCode: Int) {
                received.append("object \(object?["a"] ?? "")")
                super.responseDidSucceed(object: object, statusCode: statusCode)
            }
            override func responseDidFail(_ error: AKError, object: Any?) { received.append("failed") }
            override func responseDone() { received.append("done") }
        }
        try await Fixture.run { fixture in
            let screen = Screen()
            screen.onObject = { [unowned screen] _, status in screen.received.append("closure \(status)") }
            await fixture.agent.get("/200", delegate: screen).wait()
            await fixture.agent.get("/500", delegate: screen).wait()
            #expect(screen.received == ["object 1", "closure 200", "done", "failed", "done"])
        } respond: { request in
            request.response(request.url.lastPathComponent == "200" ? .ok : .internalServerError, json: ["a": 1])
        }
    }
}
