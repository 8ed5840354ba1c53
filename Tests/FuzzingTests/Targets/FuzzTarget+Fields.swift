import Authentication
import Foundation
import HTTPMessages

@testable import Transport
@testable import WebSockets

extension FuzzTarget {
    /// Values of header fields.
    static let fields = [
        FuzzTarget(
            text: "fields",
            [
                "text/html; charset=\"utf-8\"; q=0.5", "max-age=60, private=\"a, b\", no-store, stale-if-error=5",
                "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                "bytes=0-499", "bytes=-5", "bytes 0-499/1234", "bytes */1234",
            ],
            words: ["max-age=", "9223372036854775808", "bytes=", "bytes ", "*/", " GMT", "-", "charset=", "q="]
        ) { text in
            if let type = MediaType(parsing: text) {
                let second = MediaType(parsing: type.description)
                try promise(second == type, "the media type \(type.description) is another when read again")
                _ = type.matches(type)
            }
            let cache = CacheControl(parsing: text)
            try promise(CacheControl(parsing: "\(cache)") == cache, "other directives when read again: \(cache)")
            for age in [cache.maxAge, cache.sharedMaxAge, cache.staleIfError, cache.staleWhileRevalidate] {
                try promise(age ?? .zero >= .zero, "a negative age")
            }
            if let date = HTTPDate(parsing: text) {
                try promise(HTTPDate(parsing: "\(date)") == date, "the date \(date) is another when read again")
            }
            if let range = RangeField(parsing: text) {
                try promise(RangeField(parsing: "\(range)") == range, "the range \(range) is another when read again")
                for length: Int64 in [0, 1, 500, .max] {
                    for part in range.parts {
                        let end = part.range(inLength: length)?.upperBound ?? 0
                        try promise(end <= length, "a range beyond the end")
                    }
                }
            }
            if let range = ContentRange(parsing: text) {
                try promise(ContentRange(parsing: "\(range)") == range, "\(range) is another when read again")
            }
        },
        FuzzTarget(
            text: "structured",
            [
                "a;q=1.5;b=?0", "(\"a\\\"b\" :AQID:);x, tok*en/a, -12.250", "a=1, b=(1 2);c, d;e=@1659578233, f=?1",
                "%\"f%c3%bc\"",
            ],
            words: ["?1", "@", ":AQ==:", "%\"", "999999999999999", "-0.001", "(", ")", "*a"]
        ) { text in
            if let item = try parsed({ try StructuredItem(parsing: text) }) {
                try promise(StructuredItem(parsing: item.text()) == item, "another item when read again")
            }
            if let list = try parsed({ try StructuredList(parsing: text) }) {
                try promise(StructuredList(parsing: list.text()) == list, "another list when read again")
            }
            if let map = try parsed({ try StructuredDictionary(parsing: text) }) {
                try promise(StructuredDictionary(parsing: map.text()) == map, "another dictionary when read again")
            }
        },
        FuzzTarget(
            text: "disposition",
            [
                "attachment; filename=\"a\\\"b.txt\"; filename*=UTF-8''%e2%82%ac", "inline",
                "form-data; name=a; filename=../x",
            ],
            words: ["filename=", "filename*=", "UTF-8''", "%2e%2E%2f", "..", "\\", "/", "*0*=", "iso-8859-1'en'"]
        ) { text in
            guard let field = ContentDisposition(parsing: text) else { return }
            if let name = field.fileName {
                try promise(!name.isEmpty && name != "." && name != "..", "the name \(name) is a folder")
                try promise(!name.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C || $0 < 0x20 }), "a path as a name")
            }
            let second = ContentDisposition(parsing: "\(field)")
            try promise(second?.fileName == field.fileName, "another name when read again")
        },
        FuzzTarget(
            text: "challenges",
            [
                "Basic realm=\"a, b\", Digest realm=x, nonce=\"y\\\"\", qop=\"auth,auth-int\", algorithm=SHA-256",
                "Negotiate YII=, Bearer scope=\"a b\", error=invalid_token", "DPoP algs=\"ES256\"",
            ],
            words: ["Basic ", "Digest ", "realm=", "nonce=", "==", "Bearer", "qop=\"auth\""]
        ) { text in
            for values in [[text], text.components(separatedBy: "\n")] {
                for challenge in AuthenticationChallenge.parse(values) {
                    let scheme = challenge.scheme
                    try promise(!scheme.isEmpty && scheme == scheme.lowercased(), "a scheme that is not lower case")
                    for parameter in challenge.parameters where !challenge.scheme.isEmpty {
                        try promise(challenge[parameter.name] != nil, "a parameter without a value")
                    }
                }
            }
        },
        FuzzTarget(
            text: "cookies",
            [
                "a=1; Domain=.example.com; Path=/x; Max-Age=60; Secure; HttpOnly; SameSite=Lax",
                "__Host-a=b; Path=/; Secure; Expires=Sun, 06 Nov 2094 08:49:37 GMT; Partitioned",
                "# Netscape HTTP Cookie File\n#HttpOnly_.example.com\tTRUE\t/\tFALSE\t4102444800\ta\tb\n",
            ],
            words: [
                "Max-Age=", "Domain=", "Expires=", "__Secure-", "\t", "TRUE", "-1", "9223372036854775808", "=", ";",
            ]
        ) { text in
            let now = Date(timeIntervalSince1970: 1_700_000_000)
            let url = try URL(httpString: "https://www.example.com/a/b")
            if let cookie = SetCookie(text[...], now: now)?.cookie(from: url, suffixes: .conservative) {
                let isOurs = cookie.domain == "www.example.com" || cookie.domain == "example.com"
                try promise(isOurs, "a cookie of the domain \(cookie.domain)")
                let file = CookieFile.text(of: [cookie])
                if file.utf8.contains(0x09) {
                    let second = try CookieFile.cookies(in: file, suffixes: .conservative)
                    try promise(second.first.map { $0.value == cookie.value && $0.name == cookie.name } ?? false, file)
                }
            }
            let jar = CookieJar(now: { now })
            var head = HTTPResponseHead(status: .ok, url: url)
            if (try? head.fields.append(.setCookie, text)) != nil { jar.receive(head) }
            if let value = jar.field(for: try HTTPRequest(.get, url)).0 {
                try promise(parsed { try HTTPFields(["Cookie": value]) } != nil, "a field that cannot be sent")
            }
            _ = try parsed { try jar.restore(netscapeText: text) }
            if let list = try parsed({ try PublicSuffixList(Data(text.utf8)) }) { _ = list.contains("www.example.com") }
        },
        FuzzTarget(
            text: "websocket-fields",
            ["permessage-deflate; client_max_window_bits=15; server_no_context_takeover, x-webkit; a=\"b\""],
            words: ["permessage-deflate", "server_max_window_bits=", "client_max_window_bits", "16", "8"]
        ) { text in
            if let elements = WebSocketExtension.parse([text]) {
                let again = elements.map(\.text).joined(separator: ", ")
                try promise(WebSocketExtension.parse([again]) == elements, "other extensions when read again")
            }
            guard
                let fields = try? HTTPFields([
                    ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Extensions", text),
                    ("Sec-WebSocket-Protocol", text),
                ])
            else { return }
            _ = try parsed { try WebSocketHandshake.response(to: fields, WebSocketOptions { $0.subprotocols = ["a"] }) }
        },
    ]
}
