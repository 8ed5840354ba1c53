import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@Suite struct CookieFileTests {
    private func jar() -> CookieJar {
        CookieJar(suffixes: .conservative, now: { Date(timeIntervalSince1970: 1_700_000_000) })
    }

    // The form of curl 7.88: `curl --cookie-jar`.
    private let file = """
        # Netscape HTTP Cookie File
        # https://curl.se/docs/http-cookies.html

        #HttpOnly_.example.com\tTRUE\t/\tTRUE\t1800000000\tsid\tsecret
        www.example.com\tFALSE\t/app\tFALSE\t0\tlang\tde
        www.example.com\tFALSE\t/\tFALSE\t1800000000\tempty\t
        www.example.com\tFALSE\t/\tFALSE\t1500000000\texpired\t1
        """

    @Test(arguments: ["\n", "\r\n"])
    func `cookies of curl's file are read`(lineEnd: String) throws {
        let jar = jar()
        try jar.restore(netscapeText: file.replacing("\n", with: lineEnd))
        let cookies = jar.cookies
        #expect(cookies.map(\.name) == ["sid", "lang", "empty"])
        #expect(cookies.map(\.value) == ["secret", "de", ""])
        #expect(cookies.map(\.isHostOnly) == [false, true, true])
        #expect(cookies.map(\.isHTTPOnly) == [true, false, false])
        #expect(cookies.map(\.isSecure) == [true, false, false])
        #expect(cookies.map(\.path) == ["/", "/app", "/"])
        #expect(cookies[0].expires == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(cookies[1].expires == nil)
    }

    @Test func `what is written is read again`() throws {
        let jar = jar()
        try jar.restore(netscapeText: file)
        let written = jar.netscapeText(includingSessionCookies: true)
        let other = self.jar()
        try other.restore(netscapeText: written)
        #expect(other.cookies == jar.cookies)
        #expect(written.hasPrefix("# Netscape HTTP Cookie File\n#HttpOnly_.example.com\tTRUE\t/\tTRUE\t"))
        #expect(!jar.netscapeText().contains("lang"))
    }

    @Test func `a full jar is written and read again`() throws {
        let jar = jar()
        let value = String(repeating: "x", count: 400)
        for number in 0..<3000 { jar.set(try Cookie("a\(number)", value, domain: "h\(number % 100).example.com")) }
        let other = self.jar()
        try other.restore(netscapeText: jar.netscapeText(includingSessionCookies: true))
        #expect(jar.cookies.count == 3000 && other.cookies == jar.cookies)
    }

    @Test func `a cookie with a tab is left out`() throws {
        let jar = jar()
        jar.set(try Cookie("a", "1\t2", domain: "example.com"))
        jar.set(try Cookie("b", "1", domain: "example.com"))
        let lines = jar.netscapeText(includingSessionCookies: true).split(separator: "\n")
        #expect(lines.count == 2)
    }

    @Test(arguments: [
        "example.com", "example.com\tFALSE\t/\tFALSE\t0", "e\tFALSE\t/\tFALSE\t0\ta\tb\tc",
        "e\tMAYBE\t/\tFALSE\t0\ta\tb",
        "e\tFALSE\t/\t1\t0\ta\tb", "e\tFALSE\t/\tFALSE\tsoon\ta\tb", "e\tFALSE\tx\tFALSE\t0\ta\tb",
        "\tFALSE\t/\tFALSE\t0\ta\tb", "e\tFALSE\t/\tFALSE\t0\t\t", "e\tFALSE\t/\tFALSE\t0\t__Host-a\tb",
        ".co.uk\tTRUE\t/\tFALSE\t0\ta\tb", ".co.uk.\tTRUE\t/\tFALSE\t0\ta\tb",
    ])
    func `a damaged line is an error with its number and without its value`(line: String) {
        let jar = jar()
        let error = #expect(throws: HTTPMessageError.self) {
            try jar.restore(netscapeText: "# comment\n\ngood\tFALSE\t/\tFALSE\t0\tname\tsecret\n\(line)\n")
        }
        #expect(error?.code == .invalidCookieFile)
        #expect(error?.message.hasPrefix("Line 4 of the cookie file ") == true)
        #expect(error?.message.contains("secret") == false)
        #expect(jar.cookies.isEmpty)
    }

    @Test(arguments: 0..<10)
    func `random files are read or refused, and what is read is written`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let cells = [
            "TRUE", "FALSE", "\t", "\t", "/", "0", "1800000000", "e", ".e.f", "\n", "#HttpOnly_", "#", "\u{E4}", "",
        ]
        for _ in 0..<rounds {
            var text = ""
            for _ in 0..<Int.random(in: 0...16, using: &generator) {
                text += cells.randomElement(using: &generator) ?? ""
                if Bool.random(using: &generator) { text += "\t" }
            }
            let jar = jar()
            guard (try? jar.restore(netscapeText: text)) != nil else { continue }
            let other = self.jar()
            try other.restore(netscapeText: jar.netscapeText(includingSessionCookies: true))
            #expect(other.cookies == jar.cookies)
        }
    }

    /// `PATCHBAY_COOKIE_INPUTS` sets the number of random files, default 1,000.
    private let rounds = (ProcessInfo.processInfo.environment["PATCHBAY_COOKIE_INPUTS"].flatMap(Int.init) ?? 1000) / 10
}
