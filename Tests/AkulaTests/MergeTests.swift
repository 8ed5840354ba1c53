import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import TestSupport
import Testing

@Suite("Akula 2 and 3: the agent's data and the call's", .needsSlot) struct MergeTests {
    @Test("Akula 2: the agent's data goes with every call", arguments: Route.allCases)
    func everyCall(route: Route) async throws {
        try await Bench.run(route) { bench in
            bench.agent.requestData.addHeader("X-Client", value: "7")
            bench.agent.requestData.addQueryParameter("region", value: "east")
            bench.agent.requestData.bodyData = AKTextHTTPBody(string: "agent")
            try await bench.agent.post("/a")
            try bench.agent.putSync("/b")
            await bench.agent.delete("/c", delegate: nil).wait()
            try await bench.agent.get("/d")

            #expect(bench.requests.map(\.fields["X-Client"]) == ["7", "7", "7", "7"])
            #expect(bench.requests.map { $0.url.query() } == Array(repeating: "region=east", count: 4))
            // The agent's body is for the calls that take one.
            #expect(bench.requests.map(\.text) == ["agent", "agent", "agent", ""])
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 2: the call's headers win by name, in any case; the others are kept", arguments: Route.allCases)
    func headers(route: Route) async throws {
        try await Bench.run(route) { bench in
            bench.agent.requestData.addHeader("X-Shared", value: "agent")
            bench.agent.requestData.addHeader("X-Shared", value: "agent again")
            bench.agent.requestData.addHeader("X-Agent", value: "agent")
            let data = AKHTTPRequestData()
            data.addHeader("x-shared", value: "call")
            data.addHeader("X-Call", value: "call")
            try await bench.agent.get("/", requestData: data)

            let fields = try #require(bench.requests.first).fields
            #expect(fields["X-Shared"] == "call")
            #expect(fields["X-Agent"] == "agent")
            #expect(fields["X-Call"] == "call")
        } answer: {
            $0.reply()
        }
    }

    @Test(
        "Akula 2: the call's parameters win by name, where case counts; the others are kept", arguments: Route.allCases)
    func parameters(route: Route) async throws {
        try await Bench.run(route) { bench in
            bench.agent.requestData.addQueryParameter("shared", value: "agent")
            bench.agent.requestData.addQueryParameter("shared", value: "agent again")
            bench.agent.requestData.addQueryParameter("Shared", value: "another name")
            bench.agent.requestData.addQueryParameter("agent", value: "1")
            let data = AKHTTPRequestData()
            data.addQueryParameter("shared", value: "call")
            data.addQueryParameter("shared", value: "call again")
            try await bench.agent.get("/x?own=0", requestData: data)

            let query = try #require(bench.requests.first?.url.query())
            let parts = query.split(separator: "&").map(String.init)
            #expect(
                parts.sorted()
                    == ["Shared=another name", "agent=1", "own=0", "shared=call", "shared=call again"]
                    .map { $0.replacing(" ", with: "%20") })
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 2: the call's body takes the place of the agent's, with its media type", arguments: Route.allCases)
    func body(route: Route) async throws {
        try await Bench.run(route) { bench in
            bench.agent.requestData.bodyData = AKTextHTTPBody(string: "agent")
            let data = AKHTTPRequestData()
            data.bodyData = AKDataHTTPBody(data: Data([1, 2]), contentType: "application/x-call")
            try await bench.agent.post("/", requestData: data)
            try await bench.agent.post("/", requestData: AKHTTPRequestData())
            data.bodyData = AKDataHTTPBody(data: Data())
            try await bench.agent.post("/", requestData: data)

            #expect(bench.requests.map(\.body) == [Data([1, 2]), Data("agent".utf8), Data()])
            #expect(bench.requests.first?.fields[.contentType] == "application/x-call")
            #expect(bench.requests.dropFirst().first?.fields[.contentType]?.hasPrefix("text/plain") == true)
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 2: an agent's body that is not sent is not asked for") func unusedBody() async throws {
        struct Refused: Error {}
        struct Unsendable: AKHTTPBody {
            func requestBody() throws -> RequestBody { throw Refused() }
        }
        try await Bench.run(.memory) { bench in
            bench.agent.requestData.bodyData = Unsendable()
            try await bench.agent.get("/")
            let data = AKHTTPRequestData()
            data.bodyData = AKTextHTTPBody(string: "call")
            try await bench.agent.post("/", requestData: data)
            #expect(bench.requests.map(\.text) == ["", "call"])

            let thrown = await #expect(throws: AKError.self) { try await bench.agent.post("/") }
            #expect(thrown?.code == .invalidRequest)
            #expect(thrown?.underlying is Refused)
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 2: nothing that a caller gave is changed by a call") func unchanged() async throws {
        try await Bench.run(.memory) { bench in
            bench.agent.requestData.addHeader("X-Shared", value: "agent")
            bench.agent.requestData.addQueryParameter("shared", value: "agent")
            bench.agent.requestData.bodyData = AKTextHTTPBody(string: "agent")
            let data = AKHTTPRequestData()
            data.addHeader("X-Shared", value: "call")
            data.addQueryParameter("shared", value: "call")
            try await bench.agent.post("/", requestData: data)
            // Each of the two, sent alone, is what it was.
            try await bench.agent.post("/")
            let another = bench.anotherAgent()
            try await another.post("/", requestData: data)

            let requests = bench.requests
            #expect(requests.map(\.fields["X-Shared"]) == ["call", "agent", "call"])
            #expect(requests.map { $0.url.query() } == ["shared=call", "shared=agent", "shared=call"])
            #expect(requests.map(\.text) == ["agent", "agent", ""])
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 2: a call that is under way does not see what its caller changes") func copied() async throws {
        let gate = Gate()
        try await Bench.run(.socket) { bench in
            let data = AKHTTPRequestData()
            data.addQueryParameter("v", value: "before")
            data.bodyData = AKTextHTTPBody(string: "before")
            let call = bench.agent.post("/", requestData: data, delegate: nil)
            data.clearQueryParameters()
            data.bodyData = nil
            bench.agent.requestData.addHeader("X-Late", value: "1")
            gate.open()
            await call.wait()
            let seen = try #require(bench.requests.first)
            #expect(seen.url.query() == "v=before")
            #expect(seen.text == "before")
            #expect(seen.fields["X-Late"] == nil)
        } answer: { request in
            try await gate.wait()
            return request.reply()
        }
    }

    @Test("Akula 2: headers and parameters can be taken away again") func removal() async throws {
        try await Bench.run(.memory) { bench in
            let data = bench.agent.requestData
            data.addHeader("X-One", value: "1")
            data.addHeader("x-one", value: "2")
            data.addHeader("X-Two", value: "2")
            data.addQueryParameter("one", value: "1")
            data.addQueryParameter("One", value: "1")
            data.removeHeader("X-ONE")
            data.removeQueryParameter("one")
            try await bench.agent.get("/")
            data.clearHeaders()
            data.clearQueryParameters()
            try await bench.agent.get("/")

            #expect(bench.requests.map(\.fields["X-One"]) == [nil, nil])
            #expect(bench.requests.map(\.fields["X-Two"]) == ["2", nil])
            #expect(bench.requests.map { $0.url.query() } == ["One=1", nil])
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 3: two agents do not share their data", arguments: Route.allCases)
    func twoAgents(route: Route) async throws {
        try await Bench.run(route) { bench in
            let another = bench.anotherAgent()
            #expect(another.requestData !== bench.agent.requestData)
            bench.agent.requestData.addHeader("X-Client", value: "7")
            bench.agent.requestData.addQueryParameter("a", value: "1")
            bench.agent.requestData.bodyData = AKTextHTTPBody(string: "agent")
            try await another.post("/")
            try await bench.plain.post(bench.origin)

            for request in bench.requests {
                #expect(request.fields["X-Client"] == nil)
                #expect(request.url.query() == nil)
                #expect(request.body.isEmpty)
            }
            #expect(AKServerAgent().requestData !== AKServerAgent().requestData)
            #expect(AKHTTPAgent().requestData !== AKHTTPAgent().requestData)
        } answer: {
            $0.reply()
        }
    }
}
