import Akula
import Foundation
import HTTPMessages
import RequestModel
import Testing

@Suite struct AKHTTPBodyTests {
    private func text(_ body: some AKHTTPBody) async throws -> String {
        String(decoding: try await body.requestBody().content.collect(), as: UTF8.self)
    }

    @Test func `Foundation's JSON types are encoded as JSON`() async throws {
        let object: [String: Any] = [
            "int": 1, "int8": Int8(5), "uint8": UInt8(255), "int64": Int64.min, "uint": UInt(7), "double": 1.5,
            "float": Float(0.5), "true": true, "false": false, "text": "Ключ \"👋\"\n", "null": NSNull(),
            "none": Optional<Int>.none as Any, "some": Optional(3) as Any, "list": [1, "a", [true]] as [Any],
            "object": ["a": ["b": 1]], "number": NSNumber(value: 7), "decimal": NSNumber(value: 2.25),
            "string": NSString("ns"),
            "array": NSArray(array: [1, 2]), "dictionary": NSDictionary(dictionary: ["k": "v"]),
            "value": ["x": [1, nil]] as JSONValue, "substring": "abc".dropFirst().description,
        ]
        let expected: JSONValue = [
            "int": 1, "int8": 5, "uint8": 255, "int64": .integer(.min), "uint": 7, "double": 1.5,
            "float": 0.5, "true": true, "false": false, "text": "Ключ \"👋\"\n", "null": nil, "none": nil, "some": 3,
            "list": [1, "a", [true]], "object": ["a": ["b": 1]], "number": 7, "decimal": 2.25, "string": "ns",
            "array": [1, 2],
            "dictionary": ["k": "v"], "value": ["x": [1, nil]], "substring": "bc",
        ]
        let written = try JSONValue(parsing: Data(try await text(AKJSONHTTPBody(object: object)).utf8))
        for (name, value) in expected.object ?? [:] { #expect(written[name] == value, "\(name)") }
        #expect(written == expected)
    }

    @Test func `any JSON value can be a body`() async throws {
        try await #expect(text(AKJSONHTTPBody(object: "text")) == "\"text\"")
        try await #expect(text(AKJSONHTTPBody(object: 7)) == "7")
        try await #expect(text(AKJSONHTTPBody(object: true)) == "true")
        try await #expect(text(AKJSONHTTPBody(object: [Any]())) == "[]")
        try await #expect(text(AKJSONHTTPBody(["a": [1, 2.5, nil]])) == #"{"a":[1,2.5,null]}"#)
        try await #expect(text(AKJSONHTTPBody(encoding: ["b": 2, "a": 1])) == #"{"a":1,"b":2}"#)
        try await #expect(text(AKTextHTTPBody(string: "Grüße 👋")) == "Grüße 👋")
    }

    @Test func `an object can be as deeply nested as the parser allows`() async throws {
        var nested: Any = [Any]()
        for _ in 0..<99 { nested = [nested] }
        try await #expect(
            text(AKJSONHTTPBody(object: nested)) == String(repeating: "[", count: 100)
                + String(repeating: "]", count: 100))
    }

    @Test func `each body type sets its media type`() throws {
        try #expect(AKJSONHTTPBody(object: [1]).requestBody().mediaType?.essence == "application/json")
        #expect(AKTextHTTPBody(string: "").requestBody().mediaType?.essence == "text/plain")
        try #expect(AKDataHTTPBody(data: Data()).requestBody().mediaType?.essence == "application/octet-stream")
        try #expect(
            AKDataHTTPBody(data: Data(), contentType: "image/png").requestBody().mediaType?.essence == "image/png")
        #expect(RequestBody.text("x", mediaType: nil).requestBody().mediaType == nil)
    }
}
