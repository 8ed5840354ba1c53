import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite struct ProblemTests {
    private func response(_ body: String, _ type: String = "application/problem+json") throws -> HTTPResponse {
        let url = try #require(URL(string: "https://example.com/buy"))
        return HTTPResponse(
            status: .forbidden, fields: try HTTPFields(["Content-Type": type]), body: Data(body.utf8), url: url)
    }

    /// RFC 9457, section 3.
    @Test func `examples of RFC 9457`() throws {
        let credit = try #require(
            Problem(
                response(
                    """
                    {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.",
                     "detail": "Your current balance is 30, but that costs 50.", "instance": "/account/12345/msgs/abc",
                     "balance": 30, "accounts": ["/account/12345", "/account/67890"]}
                    """)))
        #expect(credit.type == "https://example.com/probs/out-of-credit")
        #expect(credit.title == "You do not have enough credit." && credit.status == nil)
        #expect(credit.detail == "Your current balance is 30, but that costs 50.")
        #expect(credit.instance == "/account/12345/msgs/abc")
        #expect(credit["balance"]?.integer == 30 && credit["accounts"]?[1]?.string == "/account/67890")
        #expect(credit["title"] == nil && credit.extensions.count == 2)
        let invalid = try #require(
            Problem(
                response(
                    """
                    {"type": "https://example.net/validation-error", "title": "Your request is not valid.",
                     "errors": [{"detail": "must be a positive integer", "pointer": "#/age"},
                                {"detail": "must be 'green', 'red' or 'blue'", "pointer": "#/profile/color"}]}
                    """, "application/problem+json; charset=utf-8")))
        #expect(invalid["errors"]?[1]?["pointer"]?.string == "#/profile/color")
    }

    @Test(arguments: [
        (#"{"type": 1, "title": [], "status": "403", "detail": null, "instance": {}}"#, "about:blank"),
        (#"{"status": 99}"#, "about:blank"), (#"{"status": 4.5, "x": null}"#, "about:blank"),
        (#"{"status": 9223372036854775807}"#, "about:blank"), ("{}", "about:blank"),
    ])
    func `members of a wrong type are ignored`(body: String, type: String) throws {
        let problem = try #require(Problem(response(body)))
        #expect(problem.type == type)
        #expect(problem.title == nil && problem.status == nil && problem.detail == nil && problem.instance == nil)
        #expect(try JSONDecoder().decode(Problem.self, from: Data(body.utf8)) == problem)
    }

    @Test(arguments: [
        ("{}", "application/json"), ("[]", "application/problem+json"), ("", "application/problem+json"),
        ("{", "application/problem+json"), ("1", "application/problem+json"), ("{}", "application/problem+xml"),
    ])
    func `other bodies are no problem`(body: String, type: String) throws {
        #expect(try Problem(response(body, type)) == nil)
    }

    @Test func `is written and read again`() throws {
        let problem = Problem(
            type: "/x", title: "T", status: .forbidden, detail: "D", instance: "/1",
            extensions: ["a": [1, ["b": nil]], "title": "shadowed"])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(problem)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"a":[1,{"b":null}],"detail":"D","instance":"/1","status":403,"title":"T","type":"/x"}"#)
        var expected = problem
        expected.extensions["title"] = nil
        #expect(try JSONDecoder().decode(Problem.self, from: data) == expected)
        #expect(String(decoding: try encoder.encode(Problem()), as: UTF8.self) == "{}")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Problem.self, from: Data("[1]".utf8)) }
        #expect(throws: DecodingError.self) {
            let deep = String(repeating: #"{"a":"#, count: 200) + "1" + String(repeating: "}", count: 200)
            return try JSONDecoder().decode(Problem.self, from: Data(deep.utf8))
        }
    }

    @Test func `is decoded as the body of a response`() throws {
        let response = try response(#"{"title": "No", "status": 403}"#)
        #expect(try JSONResponseDecoder(Problem.self).decode(response) == Problem(title: "No", status: .forbidden))
    }

    @Test func `descriptions show no secrets`() {
        let problem = Problem(
            title: "Denied", status: .forbidden, detail: "token=s3cret is\n not valid", extensions: ["token": "s3cret"]
        )
        var dumped = ""
        dump(problem, to: &dumped)
        for text in ["\(problem)", String(reflecting: problem), dumped] { #expect(!text.contains("s3cret")) }
        #expect("\(problem)".hasPrefix("403 Forbidden: Denied: token=<redacted>"))
        #expect("\(Problem())" == "about:blank" && "\(Problem(type: "/x"))" == "/x")
    }

    @Test func `arbitrary JSON becomes a problem or nothing`() throws {
        let pieces = [
            "{", "}", "\"type\"", "\"status\"", ":", ",", "1", "404", "\"x\"", "null", "[", "]", "1e999", "\\",
            "\u{FEFF}",
        ]
        for seed in 0..<5000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text = "{" + (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            for text in [text, text + "}"] { _ = try Problem(response(text))?.description }
        }
    }
}
