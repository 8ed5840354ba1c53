import Foundation
import HTTPMessages
import Testing
import Transport

@testable import CurlTransport

@Suite struct RequestTargetTests {
    private func lines(_ request: HTTPRequest) -> [String] {
        RequestTarget(request, acceptEncoding: "gzip").lines.split(separator: 0).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func `the origin ends before path and query`() throws {
        for (url, origin) in [
            ("https://host:8443/a?b", "https://host:8443"), ("http://[::1]:80/", "http://[::1]"),
            ("http://h?q", "http://h"),
        ] {
            #expect(RequestTarget(try HTTPRequest(.get, url), acceptEncoding: "").origin == origin)
        }
    }

    @Test func `fields become lines in their order`() throws {
        let fields = try HTTPFields([("X-A", "1"), ("X-Empty", ""), ("Cookie", "a=1"), ("x-a", "2"), ("Cookie", "b=2")])
        #expect(
            lines(try HTTPRequest(.get, "http://h/", fields: fields))
                == ["X-A: 1", "X-Empty;", "x-a: 2", "Cookie: a=1; b=2", "Accept-Encoding: gzip"])
    }

    @Test func `credentials of a proxy are for the proxy only`() throws {
        let fields = try HTTPFields(["proxy-authorization": "Basic YTpi", "X-A": "1"])
        let target = RequestTarget(try HTTPRequest(.get, "https://h/", fields: fields), acceptEncoding: "")
        #expect(String(decoding: target.lines, as: UTF8.self) == "X-A: 1\0")
        #expect(String(decoding: target.proxyLines, as: UTF8.self) == "proxy-authorization: Basic YTpi\0")
        #expect(RequestTarget(try HTTPRequest(.get, "https://h/"), acceptEncoding: "").proxyLines.isEmpty)
    }

    @Test func `only usual requests share their lines`() throws {
        #expect(lines(try HTTPRequest(.get, "http://h/")) == [])
        #expect(RequestTarget.standardLines(acceptEncoding: "br") == Array("Accept-Encoding: br\0".utf8))
        let options = RequestOptions { $0.acceptsContentCodings = false }
        let plain = try HTTPRequest(.get, "http://h/", options: options)
        let target = RequestTarget(plain, acceptEncoding: "identity")
        #expect(String(decoding: target.lines, as: UTF8.self) == "Accept-Encoding: identity\0")
    }

    @Test func `a request whose method expects a body states that it has none`() throws {
        for method in [HTTPMethod.post, .put, .patch, .query] {
            #expect(
                lines(try HTTPRequest(method, "http://h/")) == ["Accept-Encoding: gzip", "Content-Length: 0"])
        }
        for method in [HTTPMethod.get, .head, .delete, .options] {
            #expect(lines(try HTTPRequest(method, "http://h/")) == [])
        }
    }

    @Test func `a body gets a type, and no expectation`() throws {
        #expect(
            lines(try HTTPRequest(.post, "http://h/", body: .text("x")))
                == ["Accept-Encoding: gzip", "Content-Type: application/octet-stream", "Expect:"])
        let fields = try HTTPFields(["Content-Type": "text/x", "Accept-Encoding": "identity"])
        #expect(
            lines(try HTTPRequest(.post, "http://h/", fields: fields, body: .text("x")))
                == ["Content-Type: text/x", "Accept-Encoding: identity", "Expect:"])
    }

    @Test func `an expectation replaces the line against it`() throws {
        var options = RequestOptions()
        options.continueTimeout = .seconds(1)
        for (body, lines) in [
            (HTTPBody.text("x"), "Content-Type: application/octet-stream\0Expect: 100-continue\0"),
            (.bytes(Data()), ""), (.empty, ""),
        ] {
            let request = try HTTPRequest(.post, "http://h/", body: body, options: options)
            #expect(
                String(decoding: RequestTarget(request, acceptEncoding: "").expectingLines, as: UTF8.self) == lines)
        }
    }
}
