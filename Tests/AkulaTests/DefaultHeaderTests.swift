import Akula
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@Suite("Akula 12: the server agent's default headers", .needsSlot) struct DefaultHeaderTests {
    @Test(
        "Akula 12: Accept and Content-Type are JSON when nobody says otherwise", arguments: Verb.allCases,
        Route.allCases)
    func defaults(verb: Verb, route: Route) async throws {
        try await Bench.run(route) { bench in
            _ = try await verb.awaited(bench.agent, "/x", nil)
            let fields = try #require(bench.requests.first).fields
            #expect(fields[.accept] == "application/json")
            #expect(fields[.contentType] == "application/json")
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 12: the agent's data overrides them, and the call's overrides that", arguments: Route.allCases)
    func overridden(route: Route) async throws {
        try await Bench.run(route) { bench in
            bench.agent.requestData.addHeader("accept", value: "text/agent")
            bench.agent.requestData.addHeader("CONTENT-TYPE", value: "text/agent")
            try await bench.agent.post("/x")
            let data = AKHTTPRequestData()
            data.addHeader("Accept", value: "text/call")
            data.addHeader("Content-Type", value: "text/call")
            try await bench.agent.post("/x", requestData: data)
            bench.agent.requestData.clearHeaders()
            try await bench.agent.post("/x", requestData: data)
            try await bench.agent.post("/x")

            #expect(
                bench.requests.map { $0.fields[.accept] } == [
                    "text/agent", "text/call", "text/call", "application/json",
                ])
            #expect(
                bench.requests.map { $0.fields[.contentType] } == [
                    "text/agent", "text/call", "text/call", "application/json",
                ])
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 12: a body says itself what it is, unless a header says it", arguments: Route.allCases)
    func bodies(route: Route) async throws {
        try await Bench.run(route) { bench in
            let data = AKHTTPRequestData()
            data.bodyData = AKTextHTTPBody(string: "Grüße")
            try await bench.agent.post("/x", requestData: data)
            data.bodyData = AKJSONHTTPBody(object: ["a": 1])
            try await bench.agent.post("/x", requestData: data)
            data.bodyData = AKDataHTTPBody(data: Data([0]))
            try await bench.agent.post("/x", requestData: data)
            data.addHeader("Content-Type", value: "image/png")
            try await bench.agent.post("/x", requestData: data)

            let types = bench.requests.map { $0.fields[.contentType]?.lowercased().replacing(" ", with: "") }
            #expect(types == ["text/plain;charset=utf-8", "application/json", "application/octet-stream", "image/png"])
            #expect(bench.requests.map(\.text).prefix(2) == ["Grüße", #"{"a":1}"#])
        } answer: {
            $0.reply()
        }
    }

    @Test("Akula 12: a plain agent has no such defaults", arguments: Route.allCases) func plain(route: Route)
        async throws
    {
        try await Bench.run(route) { bench in
            try await bench.plain.get(bench.base)
            #expect(bench.requests.first?.fields[.contentType] == nil)
            #expect(bench.requests.first?.fields[.accept] != "application/json")
        } answer: {
            $0.reply()
        }
    }
}
