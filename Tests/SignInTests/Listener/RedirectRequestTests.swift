import HTTPMessages
import PatchbayTestKit
import RequestModel
import Testing

@testable import SignIn

@Suite struct RedirectRequestTests {
    private func verdict(
        _ lines: String..., step: Int = .max, port: UInt16 = 4000
    ) -> RedirectRequest.Verdict? {
        var request = RedirectRequest(path: "/callback", port: port)
        var rest = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)[...]
        while !rest.isEmpty {
            if let verdict = request.append(rest.prefix(step)) { return verdict }
            rest = rest.dropFirst(step)
        }
        return nil
    }

    private func status(_ verdict: RedirectRequest.Verdict?) -> Int? {
        if case .refuse(let status)? = verdict { status.code } else { nil }
    }

    @Test(arguments: [1, 7, 1000]) func `a navigation to the redirect URI has a query`(_ step: Int) {
        let taken = verdict(
            "GET /callback?code=a%20b&state=s HTTP/1.1", "Host: 127.0.0.1:4000", "Sec-Fetch-Mode: navigate", step: step)
        #expect(taken == .response(["code": "a b", "state": "s"]))
        #expect(verdict("GET /callback HTTP/1.1", "Host: localhost:4000", step: step) == .response([:]))
    }

    @Test func `browsers omit port 80, and no other`() {
        for host in ["127.0.0.1", "localhost", "127.0.0.1:80"] {
            #expect(verdict("GET /callback HTTP/1.1", "Host: \(host)", port: 80) == .response([:]))
        }
        #expect(status(verdict("GET /callback HTTP/1.1", "Host: 127.0.0.1")) == 421)
        #expect(status(verdict("GET /callback HTTP/1.1", "Host: 127.0.0.1:81", port: 80)) == 421)
    }

    @Test func `any other request is refused`() {
        let host = "Host: 127.0.0.1:4000"
        #expect(status(verdict("GET /favicon.ico HTTP/1.1", host)) == 404)
        #expect(status(verdict("GET /callback/x?code=a HTTP/1.1", host)) == 404)
        #expect(status(verdict("GET http://127.0.0.1:4000/callback?code=a HTTP/1.1", host)) == 400)
        for method in ["POST", "HEAD", "OPTIONS", "get"] {
            #expect(status(verdict("\(method) /callback?code=a HTTP/1.1", host)) == 405)
        }
        #expect(status(verdict("GET /callback?code=a HTTP/1.1", host, "Content-Length: 5")) == 413)
        #expect(status(verdict("GET /callback?code=a HTTP/1.1", host, "Transfer-Encoding: chunked")) == 413)
        // A page that reaches this address by a name of its own.
        #expect(status(verdict("GET /callback?code=a HTTP/1.1", "Host: evil.example:4000")) == 421)
        #expect(status(verdict("GET /callback?code=a HTTP/1.1", host, host)) == 421)
        #expect(status(verdict("GET /callback?code=a HTTP/1.1", "Accept: */*")) == 421)
        // A page's script, and a prefetch.
        #expect(status(verdict("GET /callback?code=a HTTP/1.1", host, "Sec-Fetch-Mode: no-cors")) == 403)
        #expect(status(verdict("GET /callback?code=a HTTP/1.1", host, "Sec-Purpose: prefetch;prerender")) == 403)
        for line in ["GET /callback", "GET  /callback HTTP/1.1", "GET /callback HTTP/2", "", "GET /\u{7F} HTTP/1.1"] {
            #expect(status(verdict(line, host)) == 400, "\(line)")
        }
        #expect(status(verdict("GET /callback HTTP/1.1", host, "no colon")) == 400)
    }

    @Test func `a long head is refused before it is complete`() {
        var request = RedirectRequest(path: "/callback", port: 4000)
        var sent = 0
        var verdict: RedirectRequest.Verdict?
        while verdict == nil, sent < 1 << 20 {
            verdict = request.append(Array(repeating: UInt8(ascii: "a"), count: 1000))
            sent += 1000
        }
        #expect(status(verdict) == 431 && sent <= 17_000)
        let long = String(repeating: "a", count: 17_000)
        #expect(status(self.verdict("GET /callback?code=\(long) HTTP/1.1", "Host: 127.0.0.1:4000")) == 431)
    }

    @Test func `damaged requests are refused, and never trap`() {
        var generator = SeededGenerator(seed: 7)
        let text = Array("GET /callback?code=a&state=b HTTP/1.1\r\nHost: 127.0.0.1:4000\r\n\r\n".utf8)
        for _ in 0..<100_000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: .min ... .max, using: &generator)
            }
            var request = RedirectRequest(path: "/callback", port: 4000)
            let cut = Int.random(in: 0...bytes.count, using: &generator)
            if request.append(bytes[..<cut]) == nil { _ = request.append(bytes[cut...]) }
        }
    }
}
