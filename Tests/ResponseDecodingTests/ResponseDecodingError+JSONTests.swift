import Foundation
import HTTPMessages
import JSON
import ResponseDecoding
import Testing

@Suite struct ResponseDecodingErrorJSONTests {
    private struct Refusing: Decodable, Sendable {
        struct Reason: Error {}
        init(from decoder: any Decoder) throws { throw Reason() }
    }

    private static var years: DateFormatter {
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy"
        return formatter
    }

    private func error<Value: Decodable & Sendable>(_ type: Value.Type, _ body: String) throws -> ResponseDecodingError
    {
        try #require(throws: ResponseDecodingError.self) { try sample(body).decoded(as: .json(type)) }
    }

    @Test(arguments: [
        (#"{"items":[{"name":"a","price":1},{"name":"b","price":"bodysecret"}]}"#, "items[1].price", "Double"),
        (#"{"items":[{"name":"a"}]}"#, "items[0].price", "missing"),
        (#"{"items":[{"name":null,"price":1}]}"#, "items[0].name", "String"),
        (#"{"items":{}}"#, "items", "array"),
        (#"[]"#, "", "object"),
        (#"7"#, "", "object"),
        (#""seven""#, "", "not an object (byte 0, line 1)."),
        (#""{\"items\":[]}""#, "", "not an object (byte 0, line 1); it is a text that seems to hold JSON."),
        (#" " [1]""#, "", "it is a text that seems to hold JSON."),
        (#"{}"#, "items", "missing"),
    ])
    func `the error of a mismatched value has its path and the expected type`(
        body: String, path: String, wanted: String
    ) throws {
        let error = try error(Basket.self, body)
        #expect(error.code == .unexpectedValue)
        #expect(error.codingPath == path)
        #expect(error.message.hasPrefix(path.isEmpty ? "The root value" : path), "\(error.message)")
        #expect(error.message.contains(wanted), "\(error.message)")
        #expect(!"\(error)".contains("secret"))
        #expect(error.underlying is DecodingError)
        #expect(error.bodyPrefix == Data(body.utf8))
    }

    @Test func `invalid JSON has its own error with the offset`() throws {
        for body in ["[1,", "{", "nul", "bodysecret", "[1] 2", " "] {
            let error = try error([Int].self, body)
            #expect(error.code == .invalidJSON, "\(body)")
            #expect(error.message.contains("at byte"))
            #expect(!"\(error)".contains("secret"))
        }
    }

    @Test func `a value rejected by its type is not a syntax error`() throws {
        #expect(try error([Int8].self, "[1,300]").code == .unexpectedValue)
        #expect(try error([URL].self, #"[""]"#).code == .unexpectedValue)
        struct Item: Decodable, Sendable {
            enum Style: String, Decodable { case solid }
            let style: Style
        }
        // A number that is read by no type, and too large for a `JSONValue`.
        let item = try error(Item.self, "{\"big\":1e400,\n\"style\":\"bodysecret\"}")
        #expect(item.code == .unexpectedValue && item.codingPath == "style")
        #expect(item.byteOffset == 22 && item.line == 2)
        #expect(!"\(item) \(item.underlying as Any)".contains("secret"))
        let refused = try error(Refusing.self, "1")
        #expect(refused.code == .unexpectedValue)
        #expect(refused.underlying is Refusing.Reason)
    }

    @Test(arguments: [
        (JSONCoding.Dates.deferredToDate, #""2026-01-02T03:04:05Z""#, "deferredToDate", "iso8601"),
        (.secondsSince1970, #""2026-01-02T03:04:05Z""#, "secondsSince1970", "iso8601"),
        (.millisecondsSince1970, "{}", "millisecondsSince1970", "iso8601"),
        (.iso8601, "1767323045", "iso8601", "secondsSince1970"),
        (.iso8601, #""2026-01-02 03:04:05""#, "iso8601", "secondsSince1970"),
        (.formatted(years), #""bodysecret""#, "formatted", "iso8601"),
    ])
    func `the error of a date has the form that is set, and another one`(
        dates: JSONCoding.Dates, value: String, form: String, other: String
    ) throws {
        struct Item: Decodable, Sendable { var created: Date? }
        let error = try #require(throws: ResponseDecodingError.self) {
            try sample(#"{"created":\#(value)}"#).decoded(as: .json(Item.self, coding: JSONCoding { $0.dates = dates }))
        }
        #expect(
            error.message
                == "created is not a Date of `dates = .\(form)`; another form is "
                + "`JSONFormat { $0.dates = .\(other) }` (byte 11, line 1).")
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `the error of a rejected value has the type`() throws {
        struct Item: Decodable, Sendable {
            enum Style: String, Decodable { case solid }
            var style: Style?
            var size: Int8?
            var link: URL?
        }
        for (body, message) in [
            (#"{"style":"bodysecret"}"#, "style has a value that the type Style rejects (byte 9, line 1)."),
            (#"{"size":777}"#, "size has a value that the type Int8 rejects (byte 8, line 1)."),
            (#"{"link":""}"#, "link has a value that the type URL rejects (byte 8, line 1)."),
        ] {
            let error = try error(Item.self, body)
            #expect(error.message == message)
            #expect(!"\(error)".contains("secret") && !"\(error)".contains("777"))
        }
    }

    @Test func `HTML in place of JSON is quoted`() throws {
        let page = "<!DOCTYPE html>\n<title>Sign in</title>"
        for type in ["text/html; charset=utf-8", nil] {
            let error = #expect(throws: ResponseDecodingError.self) {
                try sample(page, type: type).decoded(as: .json([Int].self))
            }
            #expect(error?.code == .invalidJSON)
            let found = type == nil ? "markup" : "text/html"
            #expect(
                error?.description
                    == "https://example.com/items?id=7&access_token=<redacted>: 200 OK: "
                    + "Expected JSON, got \(found): <!DOCTYPE html> <title>Sign in</title> [invalidJSON]")
            #expect(throws: ResponseDecodingError.self) { try sample(page, type: type).decoded(as: .jsonValue) }
        }
    }
}
