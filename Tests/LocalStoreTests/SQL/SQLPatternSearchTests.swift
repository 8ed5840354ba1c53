import PatchbayTestKit
import Testing

@testable import LocalStore

@Suite struct SQLPatternSearchTests {
    private func isLike(_ text: [UInt8], _ pattern: [UInt8]) throws -> Bool {
        try #require(SQLPattern.Search(pattern)).withMatcher { matcher in text.withUnsafeBytes { matcher.matches($0) } }
    }

    @Test(arguments: [
        ("item number 99", "%99%", true), ("item number 99", "%98%", false), ("99", "%99%", true),
        ("9", "%99%", false), ("", "%9%", false), ("item", "item", true), ("items", "item", false),
        ("item", "items", false), ("item", "I%M", true), ("im", "I%M", true), ("m", "m%m", false),
        ("a longer text with an END", "%end", true), ("a longer text with an END.", "%end", false),
        ("A LONGER text", "a longer%", true), ("a longer text", "%longer%longer%", false),
        ("longer longer", "%longer%longer%", true), ("abcabcabd", "%abcabd", true), ("abcabcabd", "%abcabd%", true),
        ("@[`{", "%@[`{%", true), ("`{@[", "%@[`{%", false), ("ÄÖÜ", "%öÜ", false), ("ÄÖÜ", "%ÖÜ", true),
        ("ab\0cd", "%cd%", false), ("ab\0cd", "ab", true), ("ab\0cd", "%b", true), ("ab\0cd", "ab%", true),
        ("0123456789abcdefghi", "%hi%", true), ("0123456789abcdefghi", "%i%", true),
        ("0123456789abcdefghi", "%ghij%", false),
    ])
    func `texts match patterns`(text: String, pattern: String, expected: Bool) throws {
        #expect(try isLike(Array(text.utf8), Array(pattern.utf8)) == expected)
    }

    @Test(arguments: ["%", "%%", "", "a_b", "_"])
    func `unsuitable patterns are not compiled`(pattern: String) {
        #expect(SQLPattern.Search(Array(pattern.utf8)) == nil)
    }

    /// Compares with the general, byte-by-byte algorithm.
    @Test(arguments: 1...8)
    func `search matches the general algorithm`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let letters = Array("aAb[{\u{1}%%%".utf8)
        var agreed = [false: 0, true: 0]
        for _ in 0..<4000 {
            let text = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                letters[Int.random(in: 0..<5, using: &random)]
            }
            let pattern = (0..<Int.random(in: 1..<7, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? 0
            }
            guard let search = SQLPattern.Search(pattern) else { continue }
            let expected = pattern.withUnsafeBytes { pattern in
                text.withUnsafeBytes { text in
                    SQLPattern.like(pattern, text, escape: UnsafeRawBufferPointer(start: nil, count: 0))
                }
            }
            let isLike = search.withMatcher { matcher in text.withUnsafeBytes { matcher.matches($0) } }
            #expect(isLike == expected, "\(text) like \(pattern)")
            agreed[isLike, default: 0] += 1
        }
        #expect(agreed.values.allSatisfy { $0 > 100 })
    }
}
