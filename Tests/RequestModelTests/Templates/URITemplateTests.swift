import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import Testing

@Suite struct URITemplateTests {
    @Test func `expands as documented`() throws {
        let template = try URITemplate("repos/{owner}/issues{?state,labels}")
        #expect(template.variables == ["owner", "state", "labels"])
        #expect(template.description == "repos/{owner}/issues{?state,labels}")
        #expect(
            try template.expand(["owner": "a/b", "state": "open", "labels": ["bug", "ui"]])
                == "repos/a%2Fb/issues?state=open&labels=bug,ui")
        #expect(try template.expand(["labels": nil, "owner": 7, "state": true]) == "repos/7/issues?state=true")
        let dynamic = [("owner", "x"), ("state", "y"), ("labels", "z")].map { ($0, $1 as any URITemplateConvertible) }
        #expect(try template.expand(URITemplate.Values(dynamic)) == "repos/x/issues?state=y&labels=z")
        #expect(try URITemplate("") == URITemplate(""))
    }

    @Test func `descriptions show no values`() {
        let values: URITemplate.Values = ["id": 7, "access_token": "hunter2", "list": ["hunter2"]]
        var dumped = ""
        dump(values, to: &dumped)
        #expect("\(values)" == "id, access_token, list" && !dumped.contains("hunter2"))
        #expect(!String(reflecting: values).contains("hunter2"))
        let single: [URITemplate.Value] = [.text("hunter2"), .list(["hunter2"]), .pairs([("a", "hunter2")])]
        dump(single, to: &dumped)
        #expect("\(single)" == "[a text, a list of 1, 1 pairs]" && !dumped.contains("hunter2"))
    }

    @Test func `values are of many types`() throws {
        let id = try #require(UUID(uuidString: "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"))
        let template = try URITemplate("{?a,b,c,d,e*,f*,g,h*,i}")
        let values: URITemplate.Values = [
            "a": 1, "b": 2.5, "c": false, "d": id, "e": [1, 2], "f": ["y": 1, "x": 2], "g": "s".dropFirst(0),
            "h": ["y": "1", "x": "2"] as KeyValuePairs, "i": URITemplate.Value.pairs([("k", "v")]),
        ]
        #expect(
            try template.expand(values)
                == "?a=1&b=2.5&c=false&d=\(id.uuidString)&e=1&e=2&x=2&y=1&g=s&y=1&x=2&i=k,v")
    }

    @Test(arguments: [
        ("{", 1, "the name of a variable is missing"), ("a{b", 3, "an opening brace without a closing one"),
        ("ab}", 2, "a closing brace without an opening one"),
        ("{}", 1, "neither a variable nor one of the operators +#./;?&"),
        ("x{!a}", 2, "neither a variable nor one of the operators +#./;?&"), ("{a b}", 2, "not a part of a variable"),
        ("{a:0}", 3, "the length of a prefix is a number from 1 to 9999"),
        ("{a:10000}", 3, "the length of a prefix is a number from 1 to 9999"),
        ("{a*:3}", 3, "not a part of a variable"),
        ("{a,}", 3, "the name of a variable is missing"), ("{a..b}", 3, "the name of a variable is missing"),
        ("{%4}", 1, "a percent sign without two hexadecimal digits; write %25"),
        ("ä%", 2, "a percent sign without two hexadecimal digits; write %25"),
        ("a b", 1, "the character \" \"; encode it"),
        ("a\n", 1, "the character \"\\n\"; encode it"), ("<", 0, "the character \"<\"; encode it"),
        ("{?", 2, "the name of a variable is missing"),
        ("{a%2", 2, "a percent sign without two hexadecimal digits; write %25"),
    ])
    func `errors have an offset`(text: String, offset: Int, problem: String) {
        let error = #expect(throws: URITemplateError.self) { try URITemplate(text) }
        #expect(error?.code == .invalidTemplate)
        #expect(error?.offset == offset)
        #expect(error?.message == "Invalid URI template \(text.debugDescription) at offset \(offset): \(problem).")
    }

    @Test func `errors of values name the variable`() throws {
        let template = try URITemplate("a/{id}{?q:3}")
        let cases: [(URITemplate.Values, URITemplateError.Code, String, String)] = [
            (
                ["id": 1], .missingValue, "q",
                "No value for the variable \"q\" of the URI template \"a/{id}{?q:3}\"; pass one, or nil to leave it out."
            ),
            (
                ["id": 1, "q": nil, "page": 2], .unknownValue, "page",
                "The value \"page\" for the URI template \"a/{id}{?q:3}\" has no place; it has the variables id, q."
            ),
            (
                ["id": 1, "q": nil, "id": 2], .unknownValue, "id",
                "The value \"id\" for the URI template \"a/{id}{?q:3}\" is given twice; pass one."
            ),
            (
                ["id": Double.nan, "q": nil], .invalidValue, "id",
                "The value of the variable \"id\" is infinite or not a number; pass a finite number."
            ),
            (
                ["id": [1, Float.infinity], "q": nil], .invalidValue, "id",
                "The value of the variable \"id\" is infinite or not a number; pass a finite number."
            ),
            (
                ["id": 1, "q": ["hunter2"]], .invalidValue, "q",
                "The variable \"q\" has a prefix, which only a text can have; pass a string."
            ),
        ]
        for (values, code, variable, message) in cases {
            let error = #expect(throws: URITemplateError.self) { try template.expand(values) }
            #expect(error?.code == code)
            #expect(error?.variable == variable)
            #expect(error?.message == message)
        }
    }

    @Test(arguments: [
        ("/a{/id}", "b/c", "/a/b%2Fc"), ("a/{id}/b", "x..", "a/x../b"), ("a{.id}", "..", "a..."),
        ("/a/{?id}", "..", "/a/?id=.."),
        ("a/{#id}", "..", "a/#.."), ("./{id}", "x", "./x"), ("{id}/..", "x", "x/.."), ("{/id}/", "x", "/x/"),
        ("{+id}", "/a//b/", "/a//b/"), ("a/v{id}", "", "a/v"), ("{?id}", "", "?id="), ("{id:1}", "abc", "a"),
        ("a{/id*}", "", "a/"),
    ])
    func `a path from a template`(text: String, value: String, path: String) throws {
        let template = try URITemplate(text)
        if path == "a/" {
            #expect(throws: URITemplateError.self) { try RequestPath(template, ["id": value]) }
            return
        }
        let request = try RequestPath(template, ["id": value])
        #expect(try request.text() == path)
        #expect(request.template == text)
    }

    @Test(arguments: [
        ("a/{id}", ""), ("a/{id}", "."), ("a/{id}/b", ".."), ("a{/id}", ".."), ("a{/id}", ""), ("a/.{id}", "."),
        ("a/{.id}", ""),
        ("a/{+id}", "../b"), ("a/{id:1}", ".x"), ("a{/id,id}", ".."), ("a/%2e{id}?x", "."),
    ])
    func `a value that names another path is an error`(text: String, value: String) throws {
        let template = try URITemplate(text)
        let error = #expect(throws: URITemplateError.self) { try RequestPath(template, ["id": value]) }
        #expect(error?.code == .invalidValue)
        #expect(error?.variable == "id")
    }

    @Test func `a value that is left out leaves no empty segment`() throws {
        #expect(try RequestPath(URITemplate("a{/id}{?q}"), ["id": nil, "q": nil]).text() == "a")
        #expect(try RequestPath(URITemplate("a/{?q}"), ["q": nil]).text() == "a/")
        #expect(throws: URITemplateError.self) { try RequestPath(URITemplate("a/{id}/b"), ["id": nil]) }
    }

    @Test func `an empty list and no pairs are left out`() throws {
        for modifier in ["", ":3", "*"] {
            let template = try URITemplate("a{?l\(modifier),p\(modifier),t}")
            #expect(try template.expand(["l": [String](), "p": [String: String](), "t": "x"]) == "a?t=x")
        }
    }

    /// The memory for these is measured exactly: a byte too many is beyond it.
    @Test(arguments: ["", "+", "#", ".", "/", ";", "?", "&"], ["", ":9999", "*"])
    func `long texts are complete`(operation: String, modifier: String) throws {
        let template = try URITemplate("{\(operation)k\(modifier)}")
        let first = ["#", ".", "/", ";", "?", "&"].contains(operation) ? operation : ""
        let isNamed = [";", "?", "&"].contains(operation)
        let separator = [".", "/", ";", "&"].contains(operation) ? operation : operation == "?" ? "&" : ","
        let percent = String(repeating: "%25", count: 65)
        for (text, encoded) in [(65, "a"), (66, "b"), (1000, "c")].map({ (String(repeating: $1, count: $0), nil) }) + [
            (String(repeating: "%", count: 65), percent)
        ] as [(String, String?)] {
            let written = encoded ?? text
            let name = isNamed ? "k=" : ""
            #expect(try template.expand(["k": text]) == first + name + written)
            if modifier == ":9999" { continue }
            let isExploded = modifier == "*"
            let list = isExploded ? separator + name + written : "," + written
            #expect(try template.expand(["k": [text]]) == first + name + written)
            #expect(try template.expand(["k": [text, text, text]]) == first + name + written + list + list)
            let pair = isExploded ? "\(written)=\(written)" : "\(written),\(written)"
            let start = first + (isExploded ? "" : name)
            #expect(try template.expand(["k": [text: text]]) == start + pair)
            let two: KeyValuePairs = [text: text, text: text]
            #expect(try template.expand(["k": two]) == start + pair + (isExploded ? separator : ",") + pair)
        }
    }

    @Test func `random templates and values become text or errors`() {
        let parts = [
            "{", "}", "{a", "b}", "{a}", "{/a*}", "{?a,b}", "{+b:3}", ":", "*", ",", "%", "%2", "%2F", "/", "..", ".",
            "?", "#",
            "ä", "🎈", "\0", "a", "{a:99}", "{.a}", "{;a*}", "{&b}",
        ]
        for seed in 0..<20_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                parts.randomElement(using: &generator) ?? ""
            }
            .joined()
            guard let template = try? URITemplate(text) else { continue }
            let values = template.variables.map { name -> (String, (any URITemplateConvertible)?) in
                switch Int.random(in: 0...3, using: &generator) {
                case 0: (name, String(repeating: generator.text(), count: Int.random(in: 1...9, using: &generator)))
                case 1: (name, [generator.text(), generator.text()])
                case 2: (name, [generator.text(): generator.text()])
                default: (name, nil)
                }
            }
            guard let expanded = try? template.expand(URITemplate.Values(values)) else { continue }
            #expect(expanded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "seed \(seed)")
            guard let path = try? RequestPath(template, URITemplate.Values(values)) else { continue }
            _ = try? BaseURL("http://h").appending(path: path)
        }
    }
}
