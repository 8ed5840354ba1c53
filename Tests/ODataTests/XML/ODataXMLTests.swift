import Foundation
import Testing

@testable import OData

/// Bodies that a hostile server may send.
struct ODataXMLTests {
    @Test func `an element with too many attributes is refused before it is parsed`() throws {
        func document(_ count: Int, _ prefix: String = "") -> Data {
            Data("\(prefix)<e \((0..<count).map { "a\($0)='>'" }.joined(separator: " "))><f b=\"=\"/></e>".utf8)
        }
        let limit = XMLTreeBuilder.Limits().attributes
        for prefix in ["", "<!-- <a = -->", "<?p <a =?>"] {
            #expect(try XMLTree(parsing: document(limit, prefix)).attributes.count == limit)
            let error = #expect(throws: ODataError.self) { try XMLTree(parsing: document(limit + 1, prefix)) }
            #expect(error?.code == .limitExceeded && error?.message.contains("attributes") == true)
        }
        // Text, comments and sections are not tags.
        let equals = String(repeating: "=", count: limit + 1)
        let text = "<e>\(equals)<!-- <a \(equals) --><![CDATA[<a \(equals)]]><a x='\(equals)'/></e>"
        #expect(try XMLTree(parsing: Data(text.utf8)).children.count == 1)
        // A document of one tag takes one pass.
        #expect(throws: ODataError.self) { try XMLTree(parsing: document(200_000)) }
        #expect(throws: ODataError.self) { try XMLTree(parsing: Data("<e><!-- ".utf8)) }
    }

    @Test func `processing instructions are left out`() throws {
        let text =
            "<?xml version=\"1.0\"?><?x?><e><?x?>a<?y <f>?>b<!-- <?z?> --><![CDATA[<?c?>]]><g a='x?>'/></e><?x?>"
        for prefix in ["", "\u{FEFF}"] {
            let tree = try XMLTree(parsing: Data((prefix + text).utf8))
            #expect(tree.text == "ab<?c?>" && tree.children.count == 1)
        }
        #expect(try XMLTree(parsing: Data("<?x?><?xml?><e/>".utf8)).children.isEmpty)
        #expect(code("<?x?>") == .malformed && code("<e><?x") == .malformed && code("<?xml?><e/>") == nil)
    }

    private func code(_ text: String, limits: XMLTreeBuilder.Limits = .init()) -> ODataError.Code? {
        do throws(ODataError) {
            _ = try XMLTree(parsing: Data(text.utf8), limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `expanding entities are refused before they are parsed`() {
        let entities = (1...9).map { "<!ENTITY l\($0) \"" + String(repeating: "&l\($0 - 1);", count: 10) + "\">" }
        let bomb = "<?xml version=\"1.0\"?><!DOCTYPE e [<!ENTITY l0 \"lol\">\(entities.joined())]><e>&l9;</e>"
        #expect(code(bomb) == .limitExceeded)
        #expect(code("<!-- a --><?pi?>\n<!DOCTYPE e SYSTEM \"file:///etc/passwd\"><e/>") == .limitExceeded)
        #expect(code("\u{FEFF}<!doctype e><e/>") == .limitExceeded)
        // What looks like a whole comment or instruction is the start of one.
        #expect(code("<!--><e --><!DOCTYPE e [<!ELEMENT e ANY>]><e/>") == .limitExceeded)
        #expect(code("<?><e ?><!DOCTYPE e [<!ELEMENT e ANY>]><e/>") == .limitExceeded)
    }

    @Test func `a broken tag hides nothing from the scan`() {
        for text in ["<r \"><?x?></r>", "<r><e></e \"><?x?></r>", "<r a='<?x?>'/>", "<r <?x?>/>", "<!x <?x?>><r/>"] {
            #expect(throws: ODataError.self) { try XMLTree(parsing: Data(text.utf8)) }
        }
        #expect(code("<r \"><e a=''/></r>") == .malformed)
    }

    @Test func `a declaration in text, in CDATA or in a comment is no declaration`() throws {
        let tree = try XMLTree(parsing: Data("<!-- <!DOCTYPE e> --><e><![CDATA[<!DOCTYPE html>]]></e>".utf8))
        #expect(tree.text == "<!DOCTYPE html>")
    }

    @Test func `encodings that could hide a declaration are refused`() {
        #expect(code("<?xml version=\"1.0\" encoding=\"UTF-7\"?><e/>") == .malformed)
        #expect(code("<?xml version='1.0' encoding='utf-16'?><e/>") == .malformed)
        #expect(code("<?xml version=\"1.0\" encoding=\"utf-8\"?><e/>") == nil)
        // An encoding may follow where the scan ends.
        #expect(code("<?xml version=\"1.0\"" + String(repeating: " ", count: 300) + "?><e/>") == .malformed)
        #expect(throws: ODataError.self) {
            try XMLTree(parsing: "<!DOCTYPE e><e/>".data(using: .utf16) ?? Data())
        }
    }

    @Test func `bytes that are not UTF-8 are refused before they are parsed`() {
        for bytes in [[0xC3], [0xFF], [0xED, 0xA0, 0x80], [0xF0, 0x9F]] as [[UInt8]] {
            for (start, end) in [
                ("<e", " a='1'/>"), ("<e a", "='1'/>"), ("<e a='", "'/>"), ("<e>", "</e>"), ("<!--", "--><e/>"),
            ] {
                let document = Data(start.utf8) + bytes + Data(end.utf8)
                let error = #expect(throws: ODataError.self) { try XMLTree(parsing: document) }
                #expect(error?.code == .malformed)
            }
        }
    }

    @Test func `an instruction before the root declares no encoding`() throws {
        let text = """
            <?xml-stylesheet href="a" encoding="iso-8859-1"?><entry xmlns="http://www.w3.org/2005/Atom"><id>é</id></entry>
            """
        for start in ["", "\u{FEFF}"] {
            #expect(try XMLTree(parsing: Data((start + text).utf8)).children.first?.text == "é")
        }
    }

    @Test(arguments: [("iso-8859-1", 0xE9, "é"), ("windows-1252", 0x80, "€"), ("ISO-8859-1", 0xC3, "Ã")])
    func `a document in a declared encoding is decoded`(encoding: String, byte: UInt8, text: String) throws {
        let document = Data("<?xml version='1.0' encoding='\(encoding)'?><e a='".utf8) + [byte] + Data("'/>".utf8)
        #expect(try XMLTree(parsing: document).attributes.map(\.value) == [text])
        let name = Data("<?xml version='1.0' encoding='\(encoding)'?><e a".utf8) + [byte] + Data("='1'/>".utf8)
        _ = try? XMLTree(parsing: name)
    }

    @Test func `depth, elements and prefixes are limited`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<e>", count: depth) + String(repeating: "</e>", count: depth)
        }
        #expect(code(nested(100)) == nil)
        #expect(code(nested(101)) == .limitExceeded)
        #expect(code(nested(200_000)) == .limitExceeded)
        let limits = XMLTreeBuilder.Limits(depth: 10, nodes: 10, prefixes: 3)
        #expect(code("<e>" + String(repeating: "<f/>", count: 9) + "</e>", limits: limits) == nil)
        #expect(code("<e>" + String(repeating: "<f/>", count: 10) + "</e>", limits: limits) == .limitExceeded)
        #expect(
            code("<e a=\"\" b=\"\">" + String(repeating: "<f/>", count: 8) + "</e>", limits: limits) == .limitExceeded)
        #expect(code("<e xmlns:a=\"1\" xmlns:b=\"2\"/>", limits: limits) == nil)
        #expect(code("<e xmlns:a=\"1\" xmlns:b=\"2\"><f xmlns:c=\"3\"/></e>", limits: limits) == .limitExceeded)
    }

    @Test(arguments: [
        "", " ", "text", "<e>", "<e></f>", "<e/><e/>", "<e a=1/>", "<e>&undefined;</e>", "<?xml", "<!-- a",
    ])
    func `malformed documents`(text: String) {
        #expect(code(text) == .malformed)
    }

    @Test func `namespaces, attributes, text and children`() throws {
        let text = """
            <a xmlns="urn:1" xmlns:p="urn:2" p:x="1 &amp; 2" y='3'>one<p:b>two</p:b>&#x20AC;<c xmlns="urn:3"/></a>
            """
        let tree = try XMLTree(parsing: Data(text.utf8))
        #expect(tree.name == "a" && tree.namespace == "urn:1" && tree.text == "one€")
        #expect(tree[attribute: "x", in: "urn:2"] == "1 & 2" && tree[attribute: "y"] == "3")
        #expect(tree[attribute: "x"] == nil && tree.attributes.count == 2)
        #expect(tree.first("b", in: "urn:2")?.text == "two" && tree.first("c", in: "urn:3") != nil)
    }

    private func link(_ body: String) -> Result<String?, ODataError> {
        do {
            return .success(try ODataCollection(parsing: Data(body.utf8), as: [String: String].self).entries.last?.id)
        } catch {
            return .failure(error as? ODataError ?? ODataError(.service, "\(error)"))
        }
    }

    @Test func `relative links with a long base are refused`() throws {
        func json(base: Int, links: Int, _ link: String = "x") -> String {
            let path = String(repeating: "A", count: base - 9)
            return "{\"@odata.context\":\"http://h/\(path)#F\",\"value\":["
                + String(repeating: "{\"@odata.id\":\"\(link)\"},", count: links - 1) + "{\"@odata.id\":\"\(link)\"}]}"
        }
        func atom(base: Int, links: Int) -> String {
            let path = String(repeating: "A", count: base - 9)
            return "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://h/\(path)'><entry>"
                + String(repeating: "<link href='x'/>", count: links) + "</entry></feed>"
        }
        for text in [json(base: 8193, links: 1), atom(base: 8193, links: 1), json(base: 1 << 20, links: 10_000)] {
            guard case .failure(let error) = link(text) else {
                Issue.record("accepted")
                continue
            }
            #expect(error.code == .limitExceeded && error.message.contains("8192 bytes"))
        }
        for text in [json(base: 8192, links: 10), json(base: 8192, links: 10, "http://h/x")] {
            #expect(try link(text).get() == "http://h/x")
        }
    }

    @Test func `all relative links together have a maximum length with their bases`() throws {
        var resolver = ODataLinkResolver(maximumCopies: 30)
        for _ in 0..<100 { #expect(try resolver.resolved("http://x/y", in: "http://h/a") == "http://x/y") }
        for _ in 0..<100 { #expect(try resolver.resolved("y", in: nil) == "y") }
        for _ in 0..<3 { #expect(try resolver.resolved("y", in: "http://h/a") == "http://h/y") }
        let error = #expect(throws: ODataError.self) { try resolver.resolved("y", in: "http://h/a") }
        #expect(error?.code == .limitExceeded && error?.message.contains("30 bytes") == true)
        #expect(try ODataLinkResolver.base("http://h/a?b#c") == "http://h/a?b")
    }

    @Test func `a written entry is read back`() throws {
        let properties: [String: String?] = ["Text": "a<b>&\"c\"\r\n €", "Nothing": nil, "Empty": ""]
        let entry = try ODataEntry(parsing: try AtomWriter.entry(properties), as: [String: String?].self)
        #expect(entry.value == properties)
        #expect(throws: ODataError.self) { try AtomWriter.entry(["a b": "x"]) }
        #expect(throws: ODataError.self) { try AtomWriter.entry(["a><b": "x"]) }
        #expect(throws: ODataError.self) { try AtomWriter.entry(["a": "\u{1}"]) }
    }
}
