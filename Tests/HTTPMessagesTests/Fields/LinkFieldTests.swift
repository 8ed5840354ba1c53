import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct LinkFieldTests {
    private func link(_ text: String) throws -> LinkField.Link { try #require(LinkField(text).links.first) }

    @Test func `finds the pages of a service like GitHub`() throws {
        let fields = try HTTPFields([
            "Link": #"<https://api.github.com/repositories/1300192/issues?page=4>; rel="prev""#,
            "link": #"<?page=6>; rel="next", </x?page=515>; rel=last"#,
        ])
        let links = try LinkField(fields)
        let url = try #require(URL(string: "https://api.github.com/repositories/1300192/issues?page=5"))
        #expect(links.links.count == 3)
        #expect(
            try links["next"]?.url(relativeTo: url).absoluteString
                == "https://api.github.com/repositories/1300192/issues?page=6")
        #expect(try links["LAST"]?.url(relativeTo: url).absoluteString == "https://api.github.com/x?page=515")
        #expect(links["first"] == nil)
        #expect(try LinkField(HTTPFields()).links.isEmpty)
    }

    /// RFC 8288, section 3.5.
    @Test func `examples of RFC 8288`() throws {
        let chapter = try link(#"<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter""#)
        #expect(chapter.target == "http://example.com/TheBook/chapter2")
        #expect(chapter.relations == ["previous"] && chapter["Title"] == "previous chapter")
        #expect(try link(#"</>; rel="http://example.net/foo""#).relations == ["http://example.net/foo"])
        let terms = try LinkField(##"</terms>; rel="copyright"; anchor="#foo""##)
        #expect(terms.links.count == 1 && terms["copyright"] == nil)
        let german = try LinkField(
            """
            </TheBook/chapter2>; rel="previous"; title*=UTF-8'de'letztes%20Kapitel, </TheBook/chapter4>; rel="next"; \
            title*=UTF-8'de'n%c3%a4chstes%20Kapitel
            """)
        #expect(german["previous"]?["title"] == "letztes Kapitel")
        #expect(german["next"]?["title"] == "nächstes Kapitel")
        let several = try link(#"<http://example.org/>; rel="start http://example.net/relation/other""#)
        #expect(several.relations == ["start", "http://example.net/relation/other"])
        let list = try LinkField(#"<https://example.org/>; rel="start", <https://example.org/index>; rel="index""#)
        #expect(list.links.map(\.relations) == [["start"], ["index"]])
    }

    @Test(arguments: [
        (#"</a>;rel=next"#, "/a", ["next"]), (#" , </a> ; rel = "next" ; rel=prev ,, "#, "/a", ["next"]),
        (#"<>; rel=next"#, "", ["next"]), (#"</a,b;c>; rel="next""#, "/a,b;c", ["next"]),
        (#"</a>; title="x, <y>; rel=no"; rel=next"#, "/a", ["next"]),
        (#"</a>; title="a\"; rel=no"; REL=Next"#, "/a", ["next"]),
        (#"</a>"#, "/a", []), (#"</a>;;; junk here; rel=next"#, "/a", ["next"]), (#"</a>; rel="next"#, "/a", ["next"]),
        (#"</a>; rel=http://x/y?z=1"#, "/a", ["http://x/y?z=1"]), (#"< /a >; rel=next"#, "/a", ["next"]),
        (#"</a>; rel"#, "/a", []), ("<\u{301}/a>; rel=next", "\u{301}/a", ["next"]),
        (#"</a>; title*=x; title=y; rel=next"#, "/a", ["next"]),
    ])
    func `parses links as servers write them`(text: String, target: String, relations: [String]) throws {
        let field = try LinkField(text)
        #expect(field.links.count == 1)
        #expect(field.links.first?.target == target)
        #expect(field.links.first?.relations == relations)
        #expect(try LinkField(field.text)[relations.first ?? ""]?.target == (relations.isEmpty ? nil : target))
    }

    @Test(arguments: [
        ("/a; rel=next", 0), ("</a", 0), ("</a>; rel=next, /b; rel=last", 16), ("x, </a>; rel=next", 0),
        ("</a>; rel=next, </b; rel=last", 16),
    ])
    func `a missing target is an error`(text: String, offset: Int) {
        let error = #expect(throws: HTTPMessageError.self) { try LinkField(text) }
        #expect(error?.code == .invalidFieldValue)
        #expect(error?.message.hasPrefix("Malformed header field Link at offset \(offset): ") == true)
    }

    @Test func `a field of a megabyte is an error`() throws {
        let text = String(repeating: "</a>; rel=x, ", count: 80_000)
        let error = #expect(throws: HTTPMessageError.self) { try LinkField(text) }
        #expect(error?.message == "Header field Link has 1040000 bytes; the limit is 65536.")
        #expect(try LinkField(String(text.prefix(65_520))).links.count == 5040)
    }

    @Test func `many parameters are written in linear time`() throws {
        let text = "</a>; rel=x" + (0..<6000).map { "; a\($0)=" }.joined()
        #expect(try LinkField(LinkField(text).text) == LinkField(text))
    }

    @Test func `writes links`() throws {
        let field = LinkField([
            LinkField.Link("/a?b=1>, <x", relations: ["next", "last"], title: "ä \"q\""),
            LinkField.Link("https://h/%20 ", relations: ["self"]),
        ])
        #expect(
            field.text
                == #"</a?b=1%3E,%20%3Cx>; rel="next last"; title*=UTF-8''%C3%A4%20%22q%22, <https://h/%20%20>; rel=self"#
        )
        let read = try LinkField(field.text)
        #expect(read.links.map(\.target) == field.links.map(\.target))
        #expect(read["last"]?["title"] == "ä \"q\"" && read["self"]?["title"] == nil)
    }

    @Test func `descriptions show no secrets`() throws {
        let fields = try HTTPFields(["Link": "</x?page=2&token=hunter2>; rel=next; title=x", "link": "hunter2"])
        let field = try LinkField("</x?page=2&token=hunter2>; rel=\"next last\"; title=hunter2")
        var dumped = ""
        dump(field, to: &dumped)
        for text in [dumped, "\(field)", "\(field.links)", String(reflecting: field), "\(fields)"] {
            #expect(!text.contains("hunter2"))
        }
        #expect(field.description == "</x?page=2&token=<redacted>>; rel=\"next last\"")
    }

    @Test(arguments: ["http://[", "a\u{1}b"]) func `an invalid target is an error`(target: String) throws {
        let url = try #require(URL(string: "https://h/x"))
        #expect(throws: HTTPMessageError.self) { try link("<\(target)>").url(relativeTo: url) }
    }

    @Test func `arbitrary text does not trap`() throws {
        let url = try #require(URL(string: "https://h/x"))
        let pieces = [
            "<", ">", ";", ",", "=", "\"", "\\", "rel", "next", " ", "*", "'", "%", "%C3", "UTF-8''", "/a", "ä", "\0",
        ]
        for seed in 0..<10_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text = (0..<12).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let field = try? LinkField(text) else { continue }
            _ = try? field["next"]?.url(relativeTo: url)
            #expect(
                (try? LinkField(field.text))?.links.map(\.relations) == field.links.map(\.relations),
                "seed \(seed)")
        }
    }
}
