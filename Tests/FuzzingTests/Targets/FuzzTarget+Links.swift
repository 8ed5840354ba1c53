import Foundation
import HTTPMessages

@testable import RequestModel
@testable import SignIn
@testable import Transport

extension FuzzTarget {
    /// URLs, and what is made of them.
    static let links = [
        FuzzTarget(
            text: "urls",
            [
                "https://user:pw@example.com:8443/a/../b;c?d=e%20f#g", "//[::1]:80/x", "../a/./b?c", "?a=b", "#f",
                "mailto:a@b", "http://ex%41mple.com",
            ],
            words: ["http://", "https://", "//", "..", "%2e", "@", "[::1]", ":443", "?", "#", "\t", "\\"]
        ) { text in
            let reference = URLReference(text[...])
            try promise(reference.text == text, "other components: \(reference.text)")
            let base = URLReference("https://example.com/a/b?c")
            let resolved = reference.resolved(against: base)
            try promise(resolved.resolved(against: base).text == resolved.text, "another URL when resolved again")
            let parent = try BaseURL("https://example.com/a/b")
            if let url = try parsed({ try parent.appending(text) }) {
                let origin = Origin(URLReference(url.text[...]))
                try promise(origin == parent.origin, "an endpoint on another origin: \(url.text)")
            }
            _ = try parsed { try parent.resolving(text) }
            if let request = try parsed({ try HTTPRequest(.get, text) }) {
                try promise(["http", "https"].contains(request.url.scheme?.lowercased()), "another scheme")
                try promise(request.url.host() != nil, "a request without a host")
                _ = (request.redactedURL, request.origin)
            }
            if let url = URL(string: text) { _ = Redaction.standard.redacted(url) }
            _ = try parsed { try RequestPath(verbatim: text).text() }
            if let path = try parsed({ try ("x/\(text)/y" as RequestPath).text() }) {
                let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                try promise(segments.count == 3, "a value that is more than a segment: \(path)")
            }
        },
        FuzzTarget(
            text: "redirects", ["/next?a=b", "https://other.example/x", "//h/é x", "http://[::1]/"],
            words: ["https://", "http:", "//", "..", " ", "%", "\\"]
        ) { text in
            let request = try HTTPRequest(.get, "https://example.com/a/b?c")
            guard let fields = try? HTTPFields([("Location", text)]) else { return }
            let head = HTTPResponseHead(status: .found, fields: fields, url: request.url)
            for policy in [RedirectPolicy.standard] {
                guard let target = try parsed({ try policy.target(of: head, for: request) }) ?? nil else { continue }
                let redirect = Redirect(request: request, head: head, target: target)
                _ = try parsed { try policy.request(following: redirect, to: target) }
            }
        },
        FuzzTarget(
            text: "templates", ["/a{/b*}{?c,d:3}{&e}{#f}", "{+x}{.y}{;z*}", "https://h/{id}/b"],
            words: ["{", "}", "{a", ":9999", ":10000", "*", "{?", "%2", "%zz", ","]
        ) { text in
            guard let template = try parsed({ try URITemplate(text) }) else { return }
            for value in ["a b/é%", "", "x"] {
                let values = template.variables.map { ($0, value as (any URITemplateConvertible)?) }
                guard let url = try parsed({ try template.expand(URITemplate.Values(values)) }) else { continue }
                try promise(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL with other characters: \(url)")
                _ = template.variables(in: url)
                _ = try parsed { try RequestPath(template, URITemplate.Values(values)) }
            }
            _ = template.variables(in: text)
        },
        FuzzTarget(
            text: "queries", ["a=1&b=%20+&c&=d&e=f=g", "q[]=1&q[x]=2&%zz=%"], words: ["%", "+", "&", "=", "[]", "%00"]
        ) { text in
            struct Filter: Codable {
                var a: Int?
                var b: [String]?
                var c: Bool?
                var q: [String: String]?
            }
            for encoding in [QueryEncoding.percent, .form] {
                let query = Query(parsing: text, as: encoding)
                let again = query.text(as: encoding)
                try promise(Query(parsing: again, as: encoding).text(as: encoding) == again, "another query: \(again)")
                _ = try parsed { try query.decode(Filter.self) }
            }
        },
        FuzzTarget(
            text: "link-fields",
            ["</a?b>; rel=\"next last\"; title*=UTF-8''%e2, <b>;rel=prev;type=\"a,b\"", "<https://h/>"],
            words: ["<", ">", "rel=", "title*=", "UTF-8''", "%C3", "next"]
        ) { text in
            let url = try URL(httpString: "https://h/x")
            guard let field = try parsed({ try LinkField(text) }) else { return }
            for link in field.links { _ = try parsed { try link.url(relativeTo: url) } }
            let again = try parsed { try LinkField(field.text) }
            try promise(again?.links.map(\.relations) == field.links.map(\.relations), "others when read again")
        },
        FuzzTarget(
            "sign-in-redirects",
            [
                "GET /callback?code=a&state=b HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nSec-Fetch-Mode: navigate\r\n\r\n",
                "POST /callback HTTP/1.1\r\nHost: localhost:8000\r\nContent-Length: 3\r\n\r\n",
            ],
            words: ["\r\n\r\n", "Host: localhost:8000\r\n", "GET /callback", " HTTP/1.1", "?", "%00"]
        ) { bytes in
            try promiseSame(bytes) { pieces in
                var request = RedirectRequest(path: "/callback", port: 8000)
                for piece in pieces { if let verdict = request.append(piece) { return "\(verdict)" } }
                return "incomplete"
            }
        },
    ]
}
