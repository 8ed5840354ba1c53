import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite struct JoinedLinesTests {
    private func values(_ text: String) -> [String] {
        JoinedLines(text).lines(of: .setCookie).map { String($0).trimmingCharacters }
    }

    @Test(arguments: [
        ["a=1"], ["a=1", "b=2"], ["a=", "b="], ["a=1; Path=/", "b=2; Secure", "c=3"],
        ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "b=2"],
        ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/", "b=2; expires=Thu, 22-Oct-15 07:28:00 GMT", "c=3"],
        ["a=1,2,3", "b=4"], ["a=1, 2, 3; Path=/", "b=4"], ["a=x,y=z"], ["a=\"x, y=z\"; Path=/", "b=2"],
        ["a=\"x, y\"", "b=\"=, c=\""], ["a[0]=1", "b[x]=2"], ["a=\"x; b=2", "c=3"],
        ["sap-XSRF_GWD_100=x==; path=/", "b=2"],
        ["a=1", "b =2"], [""], [","], [", "], ["a=1,"], ["=x", "b=2"], ["a=1; Domain=x, y z=1"],
    ])
    func `parts what was joined`(parts: [String]) {
        #expect(values(parts.joined(separator: ", ")) == parts.map(\.trimmingCharacters))
    }

    @Test func `a nameless cookie stays part of the value before it`() {
        #expect(values("a=1, x") == ["a=1, x"])
        #expect(values("a=1, x; Path=/") == ["a=1, x; Path=/"])
    }

    @Test func `splits joined cookies`() {
        let names = ["a", "__Host-b", "c[1]", "d.e-f_g", "ä"]
        let content = ["", "1", "x==", "{}", "1,2", "a b", "\"q, r=s\"", "Wed, 21"]
        let attributes = [
            "Path=/", "Secure", "Expires=Wed, 21 Oct 2015 07:28:00 GMT", "expires=Sunday, 06-Nov-94 08:49:37 GMT",
            "Max-Age=3", "Domain=.h.de", "SameSite=Lax",
        ]
        for seed in 0..<1000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let cookies = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                let pair =
                    (names.randomElement(using: &generator) ?? "") + "="
                    + (content.randomElement(using: &generator) ?? "")
                return
                    ([pair] + attributes.shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator)))
                    .joined(separator: "; ")
            }
            #expect(values(cookies.joined(separator: ", ")) == cookies, "seed \(seed)")
        }
    }

    @Test(arguments: [
        ["/x"], ["/x", "/x"], ["/x", "/y z", "//h/"], ["http://h/", "HTTPS://i/"], ["/a, b"], ["/a,/b"], ["x", "/y"],
        [""],
        [", "],
    ])
    func `splits locations`(lines: [String]) {
        #expect(JoinedLines(lines.joined(separator: ", ")).lines(of: .location).map(String.init) == lines)
    }

    @Test func `keeps lists joined`() {
        #expect(JoinedLines("a=1, b=2").lines(of: .accept) == ["a=1, b=2"])
    }

    @Test func `parses long texts in linear time`() {
        for unit in [",", ", ", ", /", ", a", "=\"", ", a =", "; ,", ", a\""] {
            let text = String(repeating: unit, count: 50_000)
            for name in [HTTPFieldName.setCookie, .location] {
                #expect(JoinedLines(text).lines(of: name).reduce(0) { $0 + $1.utf8.count } <= text.utf8.count)
            }
        }
    }
}

extension String {
    fileprivate var trimmingCharacters: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
