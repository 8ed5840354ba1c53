import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import TestSupport
import Testing

@Suite(.needsSlot) struct MergeTests {
    @Test(arguments: Route.allCases)
    func `Akula 2: agent data is sent with every call`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            fixture.agent.requestData.addHeader("X-Client", value: "7")
            fixture.agent.requestData.addQueryParameter("region", value: "east")
            fixture.agent.requestData.bodyData = AKTextHTTPBody(string: "agent")
            try await fixture.agent.post("/a")
            _ = try blocking { try fixture.agent.putSync("/b") }
            await fixture.agent.delete("/c", delegate: nil).wait()
            try await fixture.agent.get("/d")

            #expect(fixture.requests.map(\.fields["X-Client"]) == ["7", "7", "7", "7"])
            #expect(fixture.requests.map { $0.url.query() } == Array(repeating: "region=east", count: 4))
            // A GET does not send the agent's body.
            #expect(fixture.requests.map(\.text) == ["agent", "agent", "agent", ""])
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 2: call headers replace agent headers by name, case-insensitively; the others are kept`(route: Route)
        async throws
    {
        try await Fixture.run(route) { fixture in
            fixture.agent.requestData.addHeader("X-Shared", value: "agent")
            fixture.agent.requestData.addHeader("X-Shared", value: "agent again")
            fixture.agent.requestData.addHeader("X-Agent", value: "agent")
            let data = AKHTTPRequestData()
            data.addHeader("x-shared", value: "call")
            data.addHeader("X-Call", value: "call")
            try await fixture.agent.get("/", requestData: data)

            let fields = try #require(fixture.requests.first).fields
            #expect(fields["X-Shared"] == "call")
            #expect(fields["X-Agent"] == "agent")
            #expect(fields["X-Call"] == "call")
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 2: call parameters replace agent parameters by name, case-sensitively; the others are kept`(
        route: Route
    ) async throws {
        try await Fixture.run(route) { fixture in
            fixture.agent.requestData.addQueryParameter("shared", value: "agent")
            fixture.agent.requestData.addQueryParameter("shared", value: "agent again")
            fixture.agent.requestData.addQueryParameter("Shared", value: "another name")
            fixture.agent.requestData.addQueryParameter("agent", value: "1")
            let data = AKHTTPRequestData()
            data.addQueryParameter("shared", value: "call")
            data.addQueryParameter("shared", value: "call again")
            try await fixture.agent.get("/x?own=0", requestData: data)

            let query = try #require(fixture.requests.first?.url.query())
            let parts = query.split(separator: "&").map(String.init)
            #expect(
                parts.sorted()
                    == ["Shared=another name", "agent=1", "own=0", "shared=call", "shared=call again"]
                    .map { $0.replacing(" ", with: "%20") })
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 2: the call's body replaces the agent's, with its media type`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            fixture.agent.requestData.bodyData = AKTextHTTPBody(string: "agent")
            let data = AKHTTPRequestData()
            data.bodyData = AKDataHTTPBody(data: Data([1, 2]), contentType: "application/x-call")
            try await fixture.agent.post("/", requestData: data)
            try await fixture.agent.post("/", requestData: AKHTTPRequestData())
            data.bodyData = AKDataHTTPBody(data: Data())
            try await fixture.agent.post("/", requestData: data)

            #expect(fixture.requests.map(\.body) == [Data([1, 2]), Data("agent".utf8), Data()])
            #expect(fixture.requests.first?.fields[.contentType] == "application/x-call")
            #expect(fixture.requests.dropFirst().first?.fields[.contentType]?.hasPrefix("text/plain") == true)
        } respond: {
            $0.response()
        }
    }

    @Test func `Akula 2: requestBody() of an unused agent body is not called`() async throws {
        struct Refused: Error {}
        struct Unsendable: AKHTTPBody {
            func requestBody() throws -> RequestBody { throw Refused() }
        }
        try await Fixture.run(.memory) { fixture in
            fixture.agent.requestData.bodyData = Unsendable()
            try await fixture.agent.get("/")
            let data = AKHTTPRequestData()
            data.bodyData = AKTextHTTPBody(string: "call")
            try await fixture.agent.post("/", requestData: data)
            #expect(fixture.requests.map(\.text) == ["", "call"])

            let thrown = await #expect(throws: AKError.self) { try await fixture.agent.post("/") }
            #expect(thrown?.code == .invalidRequest)
            #expect(thrown?.underlying is Refused)
        } respond: {
            $0.response()
        }
    }

    @Test func `Akula 2: a call does not change the caller's objects`() async throws {
        try await Fixture.run(.memory) { fixture in
            fixture.agent.requestData.addHeader("X-Shared", value: "agent")
            fixture.agent.requestData.addQueryParameter("shared", value: "agent")
            fixture.agent.requestData.bodyData = AKTextHTTPBody(string: "agent")
            let data = AKHTTPRequestData()
            data.addHeader("X-Shared", value: "call")
            data.addQueryParameter("shared", value: "call")
            try await fixture.agent.post("/", requestData: data)
            // Sent separately, both are unchanged.
            try await fixture.agent.post("/")
            let another = fixture.anotherAgent()
            try await another.post("/", requestData: data)

            let requests = fixture.requests
            #expect(requests.map(\.fields["X-Shared"]) == ["call", "agent", "call"])
            #expect(requests.map { $0.url.query() } == ["shared=call", "shared=agent", "shared=call"])
            #expect(requests.map(\.text) == ["agent", "agent", ""])
        } respond: {
            $0.response()
        }
    }

    @Test func `Akula 2: later changes of the data do not affect a running call`() async throws {
        let gate = Gate()
        try await Fixture.run(.socket) { fixture in
            let data = AKHTTPRequestData()
            data.addQueryParameter("v", value: "before")
            data.bodyData = AKTextHTTPBody(string: "before")
            let call = fixture.agent.post("/", requestData: data, delegate: nil)
            data.clearQueryParameters()
            data.bodyData = nil
            fixture.agent.requestData.addHeader("X-Late", value: "1")
            gate.open()
            await call.wait()
            let sent = try #require(fixture.requests.first)
            #expect(sent.url.query() == "v=before")
            #expect(sent.text == "before")
            #expect(sent.fields["X-Late"] == nil)
        } respond: { request in
            try await gate.wait()
            return request.response()
        }
    }

    @Test func `Akula 2: headers and parameters can be removed`() async throws {
        try await Fixture.run(.memory) { fixture in
            let data = fixture.agent.requestData
            data.addHeader("X-One", value: "1")
            data.addHeader("x-one", value: "2")
            data.addHeader("X-Two", value: "2")
            data.addQueryParameter("one", value: "1")
            data.addQueryParameter("One", value: "1")
            data.removeHeader("X-ONE")
            data.removeQueryParameter("one")
            try await fixture.agent.get("/")
            data.clearHeaders()
            data.clearQueryParameters()
            try await fixture.agent.get("/")

            #expect(fixture.requests.map(\.fields["X-One"]) == [nil, nil])
            #expect(fixture.requests.map(\.fields["X-Two"]) == ["2", nil])
            #expect(fixture.requests.map { $0.url.query() } == ["One=1", nil])
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 3: two agents do not share request data`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            let another = fixture.anotherAgent()
            #expect(another.requestData !== fixture.agent.requestData)
            fixture.agent.requestData.addHeader("X-Client", value: "7")
            fixture.agent.requestData.addQueryParameter("a", value: "1")
            fixture.agent.requestData.bodyData = AKTextHTTPBody(string: "agent")
            try await another.post("/")
            try await fixture.plain.post(fixture.origin)

            for request in fixture.requests {
                #expect(request.fields["X-Client"] == nil)
                #expect(request.url.query() == nil)
                #expect(request.body.isEmpty)
            }
            #expect(AKServerAgent().requestData !== AKServerAgent().requestData)
            #expect(AKHTTPAgent().requestData !== AKHTTPAgent().requestData)
        } respond: {
            $0.response()
        }
    }
}
