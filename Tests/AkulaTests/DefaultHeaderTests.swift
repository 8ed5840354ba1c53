import Akula
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct DefaultHeaderTests {
    @Test(
        arguments: Verb.allCases,
        Route.allCases)
    func `Akula 12: Accept and Content-Type default to JSON`(verb: Verb, route: Route) async throws {
        try await Fixture.run(route) { fixture in
            _ = try await verb.sendAsync(fixture.agent, "/x", nil)
            let fields = try #require(fixture.requests.first).fields
            #expect(fields[.accept] == "application/json")
            #expect(fields[.contentType] == "application/json")
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 12: agent data overrides the defaults, and call data overrides agent data`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            fixture.agent.requestData.addHeader("accept", value: "text/agent")
            fixture.agent.requestData.addHeader("CONTENT-TYPE", value: "text/agent")
            try await fixture.agent.post("/x")
            let data = AKHTTPRequestData()
            data.addHeader("Accept", value: "text/call")
            data.addHeader("Content-Type", value: "text/call")
            try await fixture.agent.post("/x", requestData: data)
            fixture.agent.requestData.clearHeaders()
            try await fixture.agent.post("/x", requestData: data)
            try await fixture.agent.post("/x")

            #expect(
                fixture.requests.map { $0.fields[.accept] } == [
                    "text/agent", "text/call", "text/call", "application/json",
                ])
            #expect(
                fixture.requests.map { $0.fields[.contentType] } == [
                    "text/agent", "text/call", "text/call", "application/json",
                ])
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases)
    func `Akula 12: the body's media type is used unless a header sets another`(route: Route) async throws {
        try await Fixture.run(route) { fixture in
            let data = AKHTTPRequestData()
            data.bodyData = AKTextHTTPBody(string: "Grüße")
            try await fixture.agent.post("/x", requestData: data)
            data.bodyData = AKJSONHTTPBody(object: ["a": 1])
            try await fixture.agent.post("/x", requestData: data)
            data.bodyData = AKDataHTTPBody(data: Data([0]))
            try await fixture.agent.post("/x", requestData: data)
            data.addHeader("Content-Type", value: "image/png")
            try await fixture.agent.post("/x", requestData: data)

            let types = fixture.requests.map { $0.fields[.contentType]?.lowercased().replacing(" ", with: "") }
            #expect(types == ["text/plain;charset=utf-8", "application/json", "application/octet-stream", "image/png"])
            #expect(fixture.requests.map(\.text).prefix(2) == ["Grüße", #"{"a":1}"#])
        } respond: {
            $0.response()
        }
    }

    @Test(arguments: Route.allCases) func `Akula 12: a plain agent has no default headers`(route: Route)
        async throws
    {
        try await Fixture.run(route) { fixture in
            try await fixture.plain.get(fixture.base)
            #expect(fixture.requests.first?.fields[.contentType] == nil)
            #expect(fixture.requests.first?.fields[.accept] != "application/json")
        } respond: {
            $0.response()
        }
    }
}
