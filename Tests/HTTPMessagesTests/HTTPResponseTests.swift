import Foundation
import HTTPMessages
import Testing

@Suite struct HTTPResponseTests {
    @Test func `a response has the properties of its head`() throws {
        let url = try URL(httpString: "http://h/p")
        let response = try HTTPResponse(
            status: .created, fields: HTTPFields(["Content-Type": "Text/Plain; charset=x"]), body: Data("a".utf8),
            url: url)
        #expect(response.status == .created && response.url == url && response.fields.count == 1)
        #expect(response.mediaType?.essence == "text/plain")
        #expect(response == HTTPResponse(head: response.head, body: response.body))
    }

    @Test(arguments: [nil, "", "text", "a/b, c/d"])
    func `an invalid content type is nil`(type: String?) throws {
        var fields = HTTPFields()
        if let type { try fields.append(.contentType, type) }
        #expect(try HTTPResponse(status: .ok, fields: fields, url: URL(httpString: "http://h")).mediaType == nil)
    }

    @Test func `descriptions show neither secrets nor the body`() throws {
        let response = try HTTPResponse(
            status: .notFound, fields: HTTPFields(["Set-Cookie": "sesame"]), body: Data("sesame".utf8),
            url: URL(httpString: "http://h/?code=sesame"))
        #expect("\(response)" == "404 Not Found from http://h/?code=<redacted>, 6 bytes")
        #expect(!everyText(of: response).contains("sesame"))
        #expect(!everyText(of: response.head).contains("sesame"))
    }

    @Test func `the head has the redirect responses, which show no secrets either`() throws {
        let url = try URL(httpString: "http://h/?code=sesame")
        var head = HTTPResponseHead(status: .ok, url: url)
        let plain = head
        head.redirects = [HTTPResponseHead(status: .found, fields: try HTTPFields(["Set-Cookie": "sesame"]), url: url)]
        #expect(plain.redirects.isEmpty && head != plain)
        #expect(everyText(of: head).contains("302 Found") && !everyText(of: head).contains("sesame"))
    }

    @Test(
        arguments: [
            (["http://h/a", "http://h:80/b"], true, true), (["http://h/a"], true, true),
            (["https://h/a"], false, true), (["http://other/a", "http://other/b"], false, true),
            (["http://h/a", "http://other/b"], false, false), (["http://other/a", "http://h/b"], false, false),
        ] as [([String], Bool, Bool)])
    func `a response stayed at an origin, or kept one that a layer has chosen, if no redirect left it`(
        urls: [String], stayed: Bool, kept: Bool
    ) throws {
        let heads = try urls.map { HTTPResponseHead(status: .found, url: try URL(httpString: $0)) }
        var head = try #require(heads.last)
        head.redirects = heads.dropLast()
        #expect(head.stayed(at: try HTTPRequest(.get, "http://h/").origin) == stayed)
        #expect(head.keptOrigin == kept)
    }
}
