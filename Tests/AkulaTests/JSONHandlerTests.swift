import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing

@Suite(.needsSlot) struct JSONHandlerTests {
    @Test(
        arguments: [
            (Payload(#"{"a":1,"b":[true,null,"x",1.5]}"#), #"object 200 {"a":1,"b":[true,null,"x",1.5]}"#),
            (Payload("{}", 201), "object 201 {}"), (Payload("[1,2,{}]"), "array 200 [1,2,{}]"),
            (Payload("[]"), "array 200 []"), (Payload(""), "object 200 nil"), (Payload("", 204), "object 204 nil"),
            (Payload(" \r\n\t "), "object 200 nil"), (Payload(" \r\n\t {\"a\":1} \n"), "object 200 {\"a\":1}"),
            (Payload("\n\n[1]"), "array 200 [1]"), (Payload("{}", type: "text/html"), "object 200 {}"),
            (Payload(bytes: [0xEF, 0xBB, 0xBF, 0x7B, 0x7D]), "object 200 {}"),
            (Payload(bytes: [0xFF, 0xFE, 0x5B, 0, 0x5D, 0], type: "application/json; charset=utf-16"), "array 200 []"),
            (Payload(#"{"name":"Ключ 🔑"}"#), #"object 200 {"name":"Ключ 🔑"}"#),
        ], Route.allCases)
    func `Akula 7: an object, an array, an empty body, leading whitespace`(
        row: (payload: Payload, event: String), route: Route
    ) async throws {
        try #expect(await row.payload.events(route, Handlers.json) == [row.event, "done"])
    }

    private static let rubbish: [Payload] =
        [
            "hello", "42", "\"text\"", "null", "true", "{", "[1,]", "{'a':1}", "{} {}", "<html></html>", "[NaN]",
            String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
            String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
        ].map { Payload($0) }
        + [[0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0xFF, 0xFE], [0]].map { Payload(bytes: $0) }

    @Test(arguments: Self.rubbish, Route.allCases)
    func `Akula 7: any other body fails, also with status 200`(payload: Payload, route: Route) async throws {
        try #expect(await payload.events(route, Handlers.json) == ["failure parse 200 nil", "done"])
    }

    @Test(
        arguments: [
            (Payload("oops", 500), "nil"), (Payload("", 500), "nil"), (Payload("{", 500), "nil"),
            (Payload(bytes: [0xFF, 0x00], 500), "nil"), (Payload("{\"a\":1}", 404), "{\"a\":1}"),
            (Payload("  [1,2]", 400), "[1,2]"), (Payload("{}", 301), "{}"), (Payload("42", 500), "nil"),
            (Payload(String(repeating: "[", count: 100_000), 500), "nil"),
        ], Route.allCases)
    func `Akula 7: a failure has its body if that is JSON, else nil`(
        row: (payload: Payload, object: String), route: Route
    ) async throws {
        let events = try await row.payload.events(route, Handlers.json)
        #expect(events == ["failure status \(row.payload.status) \(row.object)", "done"])
    }

    @Test(arguments: Route.allCases) func `Akula 7: a large body is decoded completely`(route: Route)
        async throws
    {
        let elements = (0..<50_000).map(String.init).joined(separator: ",")
        try #expect(await Payload("[\(elements)]").events(route, Handlers.json) == ["array 200 [\(elements)]", "done"])
    }

    @Test func `Akula 7: a parse failure has its own code and keeps the response`() async throws {
        try await Fixture.run { fixture in
            let error = await withCheckedContinuation { done in
                let handler = AKJSONHTTPResponseHandler()
                handler.onFailure = { error, object in
                    #expect(object == nil)
                    done.resume(returning: error)
                }
                fixture.agent.get("/x", delegate: handler)
            }
            #expect(error.code == .parse)
            #expect(error.response?.text == "hello")
            #expect(error.statusCode == 200)
            #expect((error as NSError).code == -5)
        } respond: {
            $0.response(text: "hello")
        }
    }

    @Test func `Akula 7: values have Foundation types`() async throws {
        let log = EventLog()
        try await Fixture.run(.memory) { fixture in
            let handler = AKJSONHTTPResponseHandler()
            handler.onObject = { object, _ in
                log.add("\(object?["int"] as? Int ?? -1) \(object?["double"] as? Double ?? -1)")
                log.add("\(object?["bool"] as? Bool ?? false) \(object?["null"] is NSNull)")
                log.add("\(object?["text"] as? String ?? "") \((object?["list"] as? [Any])?.count ?? -1)")
                log.add("\((object?["object"] as? [String: Any])?["a"] as? Int ?? -1)")
            }
            await fixture.agent.get("/x", delegate: handler).wait()
        } respond: {
            $0.response(json: [
                "int": 9_007_199_254_740_993, "double": 1.5, "bool": true, "null": nil, "text": "x", "list": [1, 2],
                "object": ["a": 1],
            ])
        }
        #expect(log.events == ["9007199254740993 1.5", "true true", "x 2", "1"])
    }

    @Test func `Akula 7: json(), decode(_:) and typed calls decode JSON alike`() async throws {
        struct Item: Codable, Equatable {
            let id: Int
        }
        try await Fixture.run { fixture in
            let response = try blocking { try fixture.agent.getSync("/x") }
            try #expect(response.json() == ["id": 7])
            try #expect(response.decode(.json(Item.self)) == Item(id: 7))
            let item = try await fixture.agent.get("/x", as: .json(Item.self))
            #expect(item == Item(id: 7))
            let wrong = await #expect(throws: AKError.self) {
                _ = try await fixture.agent.get("/x", as: .json([Item].self))
            }
            #expect(wrong?.code == .parse)
            #expect(wrong?.statusCode == 200)
        } respond: {
            $0.response(json: ["id": 7])
        }
    }

    @Test func `Akula 7: an error of an app's own decoder is a parse failure`() async throws {
        struct Refused: Error {}
        struct Refusing: ResponseDecoder {
            func decode(_ response: HTTPResponse) throws -> Int { throw Refused() }
        }
        try await Fixture.run(.memory) { fixture in
            let thrown = await #expect(throws: AKError.self) { _ = try await fixture.agent.get("/x", as: Refusing()) }
            #expect(thrown?.code == .parse)
            #expect(thrown?.underlying is Refused)
            #expect(thrown?.response != nil)
        } respond: {
            $0.response()
        }
    }
}
