import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct ByteSearchTests {
    @Test(arguments: [
        ("", "a", false), ("a", "a", true), ("ab", "abc", false), ("xxabc", "abc", true), ("abcxx", "abc", true),
        ("aabaab", "abaa", true), ("ababab", "abb", false), ("abc", "", true),
    ])
    func finds(text: String, pattern: String, isThere: Bool) {
        #expect(ByteSearch(Array(pattern.utf8)).occurs(in: Data(text.utf8)) == isThere)
    }

    @Test func `agrees with foundation`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<3000 {
            let text = Data((0..<40).map { _ in UInt8.random(in: 0...1, using: &generator) })
            let pattern = Data(
                (0..<Int.random(in: 1...8, using: &generator)).map { _ in UInt8.random(in: 0...1, using: &generator) })
            // A slice, because its indices do not start at zero.
            let slice = text.dropFirst(5)
            #expect(ByteSearch(Array(pattern)).occurs(in: slice) == (slice.range(of: pattern) != nil))
        }
    }

    @Test func `finds each occurrence from a start`() {
        let search = ByteSearch(Array("\n--b".utf8))
        let bytes = Array("x\n--b\n--\n--b".utf8)
        bytes.withUnsafeBytes { bytes in
            #expect(search.firstIndex(in: bytes) == 1)
            #expect(search.firstIndex(in: bytes, from: 2) == 8)
            #expect(search.firstIndex(in: bytes, from: 9) == nil)
            #expect(search.firstIndex(in: bytes, from: 100) == nil)
        }
    }
}
