import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import Testing

@Suite struct RequestPathTests {
    @Test(arguments: [
        ("a/b?x=1#y", "a%2Fb%3Fx=1%23y"), ("../x", "..%2Fx"), ("100%", "100%25"), ("%2e%2e", "%252e%252e"),
        ("a b+c", "a%20b%2Bc"), ("..;", "..%3B"), ("ann@h:8!$&'()*,", "ann@h:8!$&'()*,"), ("ä🎈", "%C3%A4%F0%9F%8E%88"),
        ("\\..\\x", "%5C..%5Cx"), ("...", "..."), (".git", ".git"), ("//evil.example", "%2F%2Fevil.example"),
        ("http://evil", "http:%2F%2Fevil"), (" ", "%20"), ("e\u{301}", "e%CC%81"),
    ])
    func `escapes a value as one segment`(value: String, segment: String) throws {
        let path: RequestPath = "users/\(value)/issues"
        #expect(try path.text() == "users/\(segment)/issues")
        #expect(path.template == "users/{}/issues")
        let base = try BaseURL("http://h/api")
        let url = try RequestData.empty.request(.get, base.appending(path: path)).url
        #expect(url.absoluteString == "http://h/api/users/\(segment)/issues")
        #expect(url.path(percentEncoded: true).split(separator: "/").count == 4)
        let first: RequestPath = "\(value)"
        #expect(try base.appending(path: first).text == "http://h/api/\(segment)")
    }

    @Test func `literals are kept as written`() throws {
        let literal: RequestPath = "/a%20b/./c;v=1/../d?x=1&y=%2F#f"
        #expect(try literal.text() == "/a%20b/./c;v=1/../d?x=1&y=%2F#f")
        #expect(literal.template == "/a%20b/./c;v=1/../d?x=1&y=%2F#f")
        #expect(try BaseURL("http://h/a").appending(path: "").text == "http://h/a")
        let text = "x/y?z=" + String(1)
        let verbatim = RequestPath(verbatim: text)
        #expect(try verbatim.text() == "x/y?z=1")
        #expect(verbatim.template == "{}")
    }

    @Test func `a secret in the query of a literal is not in the template`() throws {
        let key: RequestPath = "items?apikey=k-4711&page=\(2)&token=\("x")#f"
        #expect(try key.text() == "items?apikey=k-4711&page=2&token=x#f")
        #expect(key.template == "items?apikey=<redacted>&page={}&token=<redacted>" && "\(key)" == key.template)
        let broken: RequestPath = "items/\("")?apikey=k-4711&token=\("x")"
        #expect(broken.template == "items/{}?apikey=<redacted>&token={}")
        let error = #expect(throws: HTTPMessageError.self) { try broken.text() }
        #expect(error?.message.contains("4711") == false)
        #expect(("\(key)" as RequestPath).template == key.template)
        #expect(try RequestPath(URITemplate("items?apikey=k-4711"), [:]).template == "items?apikey=<redacted>")
    }

    @Test func `values are of many types`() throws {
        let id = try #require(UUID(uuidString: "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"))
        let path: RequestPath =
            "\(1)/\(-7 as Int64)/\(true)/\("s".dropFirst(0))/\(1.5)/\(id)/\(State.open)/\(Tag("a/b"))"
        #expect(try path.text() == "1/-7/true/s/1.5/F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6/in%20progress/a%2Fb")
    }

    @Test func `a value behind the question mark is encoded for the query`() throws {
        let (term, empty) = ("a&b=c+d/é..\n", "")
        let path: RequestPath = "search?q=\(term)&e=\(empty)&d=\("..")#\("x")"
        #expect(try path.text() == "search?q=a%26b%3Dc%2Bd%2F%C3%A9..%0A&e=&d=..#x")
        #expect(path.template == "search?q={}&e={}&d={}#{}")
    }

    @Test(arguments: ["", ".", ".."])
    func `a value that names another path is an error`(value: String) {
        let paths: [RequestPath] = [
            "a/\(value)", "a/\(value)/b", "\(value)?x=1", "a/\(value)#f", "a/\(path: "b/" + value + "/c")",
            "a/\(value);v=1/b",
        ]
        for path in paths where value != "" || path.template != "a/{};v=1/b" {
            let error = #expect(throws: HTTPMessageError.self) { try path.text() }
            #expect(error?.code == .invalidPathValue)
            #expect(error?.message.contains("Value 1 of the path \(path.template.debugDescription)") == true)
        }
    }

    @Test func `the whole segment counts`() throws {
        let (empty, dot) = ("", ".")
        let fine: RequestPath = "report\(empty).pdf/\(empty)\("x")/v\(dot)/\(dot)git/\(dot)\(dot)\(dot)"
        #expect(try fine.text() == "report.pdf/x/v./.git/...")
        for path in ["a/.\(dot)/b", "a/\(dot)\(dot)", "a/%2E\(dot)", "a/\(dot)%2e/", "\(empty)\(empty)"]
            as [RequestPath]
        {
            let error = #expect(throws: HTTPMessageError.self) { try path.text() }
            #expect(error?.code == .invalidPathValue)
        }
    }

    @Test func `errors name the value and quote none`() {
        let (secret, number) = ("hunter2\r\n", Double.nan)
        let path: RequestPath = "a/\("x")/\(secret)"
        let error = #expect(throws: HTTPMessageError.self) { try BaseURL("http://h").appending(path: path) }
        #expect(
            error?.message
                == "Value 2 of the path \"a/{}/{}\" contains a line break or another control character; remove it.")
        let infinite = #expect(throws: HTTPMessageError.self) { try ("a/\(number)" as RequestPath).text() }
        #expect(
            infinite?.message
                == "Value 1 of the path \"a/{}\" is infinite or not a number; pass a finite number.")
        var dumped = ""
        dump(path, to: &dumped)
        for text in ["\(path)", String(reflecting: path), dumped] { #expect(!text.contains("hunter2")) }
    }

    @Test func `a path continues another`() throws {
        let repository: RequestPath = "repos/\("a/b")/\("c")"
        let issue: RequestPath = "\(repository)/issues/\(7)?q=\("x y")"
        #expect(try issue.text() == "repos/a%2Fb/c/issues/7?q=x%20y")
        #expect(issue.template == "repos/{}/{}/issues/{}?q={}")
        let file: RequestPath = "\(repository)/contents/\(path: "docs/my file#1.md")"
        #expect(try file.text() == "repos/a%2Fb/c/contents/docs/my%20file%231.md")
        let marked: RequestPath = "\(path: "a/\u{301}b/\u{FE0F}")"
        #expect(try marked.text() == "a/%CC%81b/%EF%B8%8F")
        let broken: RequestPath = "x/\(1)/\(RequestPath(stringInterpolation: interpolation("..")))/z"
        let error = #expect(throws: HTTPMessageError.self) { try broken.text() }
        #expect(error?.message.hasPrefix("Value 2 of the path \"x/{}/{}/z\" makes its segment") == true)
    }

    @Test func `absolute URLs are rejected by the base`() throws {
        let base = try BaseURL("http://h/a")
        for path in ["http://evil/\("x")", "https://evil", RequestPath(verbatim: "ftp://evil")] as [RequestPath] {
            let error = #expect(throws: HTTPMessageError.self) { try base.appending(path: path) }
            #expect(error?.code == .invalidURL)
        }
    }

    @Test func `random values stay in their segment`() throws {
        let base = try BaseURL("http://h/api")
        for seed in 0..<20_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let (first, second) = (generator.pathValue(), generator.pathValue())
            let path: RequestPath = "a/\(first)/b/\(second)-c?d=\(first)"
            guard let text = try? path.text() else { continue }
            let url = try RequestData.empty.request(.get, RequestURL(base.appending(path: path).text)).url
            #expect(url.absoluteString == "http://h/api/" + text, "seed \(seed)")
            let segments = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false)
            #expect(segments.count == 6 && segments[3].removingPercentEncoding == first, "seed \(seed)")
        }
    }

    private func interpolation(_ value: String) -> RequestPath.StringInterpolation {
        var parts = RequestPath.StringInterpolation(literalCapacity: 0, interpolationCount: 1)
        parts.appendInterpolation(value)
        return parts
    }
}

private enum State: String { case open = "in progress" }

private struct Tag: LosslessStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension SeededGenerator {
    /// A random string of up to four parts, many of them special in paths.
    fileprivate mutating func pathValue() -> String {
        let parts = [
            ".", "..", "/", "%2e", "%", "?", "#", ";", "\\", "a", "ä", "🎈", " ", "+", ":", "@", "\n", "\0", "//",
        ]
        return (0..<Int.random(in: 0...4, using: &self)).map { _ in parts.randomElement(using: &self) ?? "" }.joined()
    }
}
