import Foundation
import HTTPMessages
import Testing

@testable import Signing

@Suite struct SignatureComponentTests {
    private static let request = Result {
        try HTTPRequest(
            .get, "https://WWW.Example.com:443/path%20a?queryString&param=value&a+b=c%20d&e=&tw=1&tw=2&q=~*%E4#part",
            fields: HTTPFields([
                "X-OWS": "  a \t", "Cache-Control": "max-age=60", "cache-control": "must-revalidate",
                "Example-Dict": "a=1, b=2;x=1;y=2, c=(a   b   c), d", "List": "a,   b;q=1.0 ,  c", "Bad": "\"",
                "Empty": "", "Name": "J\u{F6}rg", "Cookie": "a=1", "cookie": "b=2", "X-Tab": "a\tb",
                "Set-Cookie": "a=b, c", "set-cookie": "d",
            ]))
    }

    static let values: [(SignatureComponent, String)] = [
        (.method, "GET"), (.scheme, "https"), (.authority, "www.example.com"), (.path, "/path%20a"),
        (.targetURI, "https://www.example.com/path%20a?queryString&param=value&a+b=c%20d&e=&tw=1&tw=2&q=~*%E4"),
        (.requestTarget, "/path%20a?queryString&param=value&a+b=c%20d&e=&tw=1&tw=2&q=~*%E4"),
        (.query, "?queryString&param=value&a+b=c%20d&e=&tw=1&tw=2&q=~*%E4"),
        (.queryParameter("param"), "value"), (.queryParameter("queryString"), ""), (.queryParameter("e"), ""),
        (.queryParameter("a b"), "c%20d"),
        (SignatureComponent(name: "x-ows"), "a"), (.field(.cacheControl), "max-age=60, must-revalidate"),
        (SignatureComponent(name: "empty"), ""),
        (SignatureComponent(name: "example-dict").structured, "a=1, b=2;x=1;y=2, c=(a b c), d"),
        (SignatureComponent(name: "example-dict").member("a"), "1"),
        (SignatureComponent(name: "example-dict").member("b"), "2;x=1;y=2"),
        (SignatureComponent(name: "example-dict").member("c"), "(a b c)"),
        (SignatureComponent(name: "example-dict").member("d"), "?1"),
        (SignatureComponent(name: "example-dict").member("b").structured, "2;x=1;y=2"),
        (SignatureComponent(name: "list").structured, "a, b;q=1.0, c"),
        (.field(.setCookie).bytes, ":YT1iLCBj:, :ZA==:"), (.field(.cookie), "a=1; b=2"),
        (SignatureComponent(name: "name").bytes, ":SsO2cmc=:"), (SignatureComponent(name: "x-tab"), "a\tb"),
    ]

    @Test(arguments: values.indices) func `the value of a component`(index: Int) throws {
        let (component, value) = Self.values[index]
        #expect(try SignedMessage(Self.request.get()).value(of: component) == value, "\(component)")
    }

    static let refused: [SignatureComponent] = [
        .status, .method.ofRequest, .method.structured, .queryParameter("tw"), .queryParameter("none"),
        .field(.date), SignatureComponent(name: "@other"), SignatureComponent(name: "a b"),
        SignatureComponent(name: "@query-param"), SignatureComponent(name: "bad").structured,
        SignatureComponent(name: "example-dict").member("z"), .field(.setCookie).bytes.structured,
        SignatureComponent(name: "example-dict").member("a").bytes,
        .queryParameter("q"), SignatureComponent(name: "name"), SignatureComponent(name: "name").structured,
        SignatureComponent(name: "list", parameters: ["tr": .bool(true)]),
        SignatureComponent(name: "example-dict", parameters: ["key": .integer(1)]),
    ]

    @Test(arguments: refused) func `a component that the message does not have is refused`(
        component: SignatureComponent
    ) throws {
        let message = try SignedMessage(Self.request.get())
        let error = #expect(throws: SigningError.self) { try message.value(of: component) }
        #expect(error?.code == .invalidComponent, "\(component)")
    }

    /// A trailer is not in the head; `list` and `name`, which is not ASCII, are fields of the same name.
    @Test(arguments: ["x-checksum", "list", "name"]) func `a trailer is refused as such`(name: String) throws {
        let message = try SignedMessage(Self.request.get())
        let trailer = SignatureComponent(name: name, parameters: ["tr": .bool(true)])
        let error = #expect(throws: SigningError.self) { try message.value(of: trailer) }
        #expect(error?.message.contains("trailers are not signed") == true)
    }

    @Test func `components with the same parameters are the same, in any order`() {
        let (first, second) = (
            SignatureComponent.contentDigest.structured.ofRequest, SignatureComponent.contentDigest.ofRequest.structured
        )
        #expect(first == second && Set([first, second]).count == 1 && first.description != second.description)
        #expect(Set([first, .contentDigest.ofRequest, .contentDigest.structured, .contentDigest]).count == 4)
        #expect(SignatureComponent.contentDigest.member("a") != .contentDigest.member("b"))
    }

    @Test func `a URL without a query has a question mark, and a port of its own is in the authority`() throws {
        let message = SignedMessage(try HTTPRequest(.get, "http://example.com:8080"))
        #expect(try message.value(of: .query) == "?" && message.value(of: .requestTarget) == "/")
        #expect(try message.value(of: .authority) == "example.com:8080")
    }

    @Test func `a response has parts of its request only with req`() throws {
        let request = try Self.request.get()
        let head = HTTPResponseHead(status: .notFound, url: request.url)
        let message = SignedMessage(head, to: request)
        #expect(try message.value(of: .status) == "404" && message.value(of: .method.ofRequest) == "GET")
        #expect(try message.value(of: .field(.cacheControl).ofRequest) == "max-age=60, must-revalidate")
        for component in [SignatureComponent.method, .status.ofRequest, .field(.cacheControl)] {
            #expect(throws: SigningError.self) { try message.value(of: component) }
        }
        #expect(throws: SigningError.self) { try SignedMessage(head, to: nil).value(of: .field(.date).ofRequest) }
    }
}
