import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@Suite struct MediaTypeTests {
    @Test(arguments: [
        (MediaType.jpeg, "image/jpeg"), (.png, "image/png"), (.gif, "image/gif"), (.webp, "image/webp"),
        (.heic, "image/heic"), (.svg, "image/svg+xml"), (.mp4, "video/mp4"), (.pdf, "application/pdf"),
        (.zip, "application/zip"), (.xml, "application/xml"), (.html, "text/html;charset=utf-8"),
    ])
    func `known media types are those of their text`(type: MediaType, text: String) throws {
        #expect(type == (try MediaType(text)) && type.description == text)
    }

    @Test(
        .enabled(if: Corpora.has("media-types.json"), "the Web Platform Tests' media types are not here"),
        arguments: [("media-types.json", 70), ("media-types-generated.json", 880)])
    func `media types are parsed and serialized as by browsers`(file: String, atLeast: Int) throws {
        let cases = try #require(JSONValue(parsing: Corpora.data(file)).array).compactMap(\.object)
        #expect(cases.count >= atLeast)
        for example in cases {
            let input = try #require(example["input"]?.string)
            let output = try #require(example["output"])
            #expect(MediaType(parsing: input)?.description == output.string, "\(input.debugDescription)")
        }
    }

    @Test func `names are lowercased, values are unchanged`() throws {
        let type = try MediaType("Text/HTML; CharSet=\"UTF-8\"; Q=a\\b")
        #expect(type.type == "text" && type.subtype == "html" && type.essence == "text/html")
        #expect(type["CHARSET"] == "UTF-8")
        #expect(type.parameters.map(\.name) == ["charset", "q"])
        #expect(type["none"] == nil)
        #expect("\(type)" == "text/html;charset=UTF-8;q=\"a\\\\b\"")
    }

    @Test(arguments: [
        "", "text", "text/", "/plain", "te xt/plain", "text/pl ain", "text/plain/x", "tëxt/plain", "text;/plain",
    ])
    func `invalid media types are nil`(text: String) {
        #expect(MediaType(parsing: text) == nil)
        let error = #expect(throws: HTTPMessageError.self) { try MediaType(text) }
        #expect(error?.code == .invalidMediaType)
    }

    @Test func `the error does not quote the input`() {
        let error = #expect(throws: HTTPMessageError.self) { try MediaType("sesame") }
        #expect(error.map { everyText(of: $0).contains("sesame") } == false)
    }

    @Test func `parameters are validated and set`() throws {
        let type = try MediaType.plainText.with(parameter: "Charset", "x y").with(parameter: "a", "\"\\")
        #expect("\(type)" == "text/plain;charset=\"x y\";a=\"\\\"\\\\\"")
        #expect(MediaType(parsing: "\(type)") == type)
        for (name, value) in [("", "a"), ("a b", "a"), ("a", "\r\n"), ("a", "\u{7F}"), ("a", "€")] {
            #expect(throws: HTTPMessageError.self) { try MediaType.json.with(parameter: name, value) }
        }
        #expect(try "\(MediaType.multipartForm(boundary: "x"))" == "multipart/form-data;boundary=x")
        #expect(throws: HTTPMessageError.self) { try MediaType.multipartForm(boundary: "x\n") }
    }

    @Test(arguments: [
        ("application/json", true), ("text/json;a=b", true), ("application/problem+json", true), ("a/json", false),
        ("application/jsonp", false), ("application/xml", false),
    ])
    func `JSON media types`(text: String, isJSON: Bool) throws {
        #expect(try MediaType(text).isJSON == isJSON)
    }

    @Test(arguments: [
        ("text/plain", "text/plain;q=1", true), ("text/plain", "text/*", true), ("text/plain", "*/*", true),
        ("text/plain", "text/html", false), ("text/plain", "image/*", false), ("text/plain", "*/plain", true),
    ])
    func `media ranges match`(type: String, range: String, matches: Bool) throws {
        #expect(try MediaType(type).matches(MediaType(range)) == matches)
    }

    @Test func `many parameters are read and written in linear time`() throws {
        let text = "a/b" + (0..<100_000).map { ";p\($0 % 80_000)=\($0)" }.joined()
        let type = try MediaType(text)
        #expect(type.parameters.count == 80_000 && type["p7"] == "7")
        #expect(text.hasPrefix(type.description))
    }

    @Test func `random input does not trap`() {
        var generator = SeededGenerator(seed: 3)
        let alphabet = Array("ab/;=\"\\ \t\r\n\u{0}\u{7F}é€*")
        for _ in 0..<5000 {
            let text = String(
                (0..<Int.random(in: 0..<24, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? "a"
                })
            guard let type = MediaType(parsing: "a/b;" + text) else { continue }
            #expect(MediaType(parsing: type.description) == type, "\(text.debugDescription)")
        }
    }
}
