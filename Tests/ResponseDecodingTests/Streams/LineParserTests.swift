import Foundation
import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite struct LineParserTests {
    private static let endings: [LineEnding] = [.lf, .lfOrCRLF, .lfOrCRLFOrCR]
    private static let text = "\u{FEFF}ä\r\n\r\n€ b\n\r🎈\r\rlast\u{FEFF}\r\n\n1\u{85}2\u{2028}3\rend"

    @Test(arguments: [
        ("", [], [], []),
        ("a", ["a"], ["a"], ["a"]),
        ("a\n", ["a"], ["a"], ["a"]),
        ("\n", [""], [""], [""]),
        ("\n\na", ["", "", "a"], ["", "", "a"], ["", "", "a"]),
        ("a\r\nb", ["a\r", "b"], ["a", "b"], ["a", "b"]),
        ("a\rb", ["a\rb"], ["a\rb"], ["a", "b"]),
        ("a\r\r\nb\r", ["a\r\r", "b\r"], ["a\r", "b\r"], ["a", "", "b"]),
        ("\n\r", ["", "\r"], ["", "\r"], ["", ""]),
        ("\r\n\r\n", ["\r", "\r"], ["", ""], ["", ""]),
        ("a\u{2028}b\u{B}c\u{85}", ["a\u{2028}b\u{B}c\u{85}"], ["a\u{2028}b\u{B}c\u{85}"], ["a\u{2028}b\u{B}c\u{85}"]),
    ])
    func `lines are split by each set of terminators`(text: String, lf: [String], crlf: [String], cr: [String]) {
        for (ending, lines) in zip(Self.endings, [lf, crlf, cr]) {
            #expect(LineParser(ending: ending).values(of: text) == lines, "\(ending)")
        }
    }

    @Test(arguments: endings)
    func `chunk boundaries do not matter`(ending: LineEnding) {
        let bytes = Data(Self.text.utf8)
        let whole = LineParser(ending: ending).outcomes(of: [bytes])
        #expect(whole.count > 4)
        for place in 0...bytes.count {
            #expect(LineParser(ending: ending).outcomes(of: bytes.cut(at: place)) == whole, "cut at \(place)")
        }
        #expect(LineParser(ending: ending).outcomes(of: bytes.singleBytes) == whole)
    }

    @Test(arguments: 0..<20)
    func `random chunks give the same lines as the whole text`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let parts = ["a", "bc", "\n", "\r", "\r\n", "ä", "🎈", "\0", "\u{FEFF}"]
            let bytes = Data.random(of: parts, using: &generator)
            for ending in Self.endings {
                let parser = LineParser(ending: ending, invalidBytes: .replace, maximumLength: 1000)
                let expected = naiveLines(of: bytes, ending).map { Outcome.value($0) }
                let pieces = bytes.randomPieces(using: &generator)
                #expect(parser.outcomes(of: pieces) == expected, "\(ending): \(pieces.map(Array.init))")
            }
        }
    }

    /// Reference implementation: splits a whole string.
    private func naiveLines(of bytes: Data, _ ending: LineEnding) -> [String] {
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
        // As scalars, because CR LF is one Character.
        var text = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        if ending != .lf { text = text.replacing(["\r", "\n"], with: ["\n"]) }
        if ending == .lfOrCRLFOrCR { text = text.replacing(["\r"], with: ["\n"]) }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(String.UnicodeScalarView(line))
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    @Test func `an incomplete line is buffered`() throws {
        var parser = LineParser()
        parser.push(Data("on".utf8))
        #expect(try parser.next() == nil)
        parser.push(Data("e\n".utf8))
        parser.push(Data("two\nth".utf8))
        #expect(try parser.next() == "one")
        #expect(try parser.next() == "two")
        #expect(try parser.next() == nil)
        parser.finish()
        #expect(try parser.next() == "th")
        parser.push(Data("late\n".utf8))
        #expect(try parser.next() == nil)
    }

    @Test func `a CR ends a line at once, and an LF after it is skipped`() {
        let parser = LineParser(ending: .lfOrCRLFOrCR)
        #expect(parser.outcomes(of: "a\r", finishing: false) == [.value("a")])
        #expect(parser.outcomes(of: [Data("a\r".utf8), Data(), Data("\nb\n".utf8)]) == [.value("a"), .value("b")])
    }

    @Test func `invalid UTF-8 is an error of its line, or replaced`() throws {
        let bytes = Data("fine\nab".utf8) + [0xE2, 0x82] + Data("\nfine\n".utf8) + [0xC3]
        var parser = LineParser()
        parser.push(bytes)
        #expect(try parser.next() == "fine")
        let error = #expect(throws: StreamDecodingError.self) { try parser.next() }
        #expect(error?.code == .invalidText)
        #expect(error?.line == 2)
        #expect(error?.byteOffset == 2)
        #expect(error?.linePrefix == Data([0x61, 0x62, 0xE2, 0x82]))
        #expect(try parser.next() == "fine")
        parser.finish()
        #expect(#expect(throws: StreamDecodingError.self) { try parser.next() }?.line == 4)
        #expect(try parser.next() == nil)
        let replaced = LineParser(invalidBytes: .replace).outcomes(of: bytes.singleBytes)
        #expect(replaced == [.value("fine"), .value("ab\u{FFFD}"), .value("fine"), .value("\u{FFFD}")])
    }

    @Test(arguments: endings)
    func `parsing continues after a line that is too long`(ending: LineEnding) {
        let parser = LineParser(ending: ending, maximumLength: 4)
        let tooLong = Outcome<String>.error(.lineTooLong, line: 2, prefix: Data("abcd".utf8))
        for tail in ["", "e", "efghijkl"] {
            let bytes = Data("1\nabcde\(tail)\nwxyz\n".utf8)
            let expected = [.value("1"), tooLong, .value("wxyz")]
            for place in 0...bytes.count { #expect(parser.outcomes(of: bytes.cut(at: place)) == expected) }
            #expect(parser.outcomes(of: bytes.singleBytes) == expected)
        }
        #expect(parser.outcomes(of: "1\nabcde") == [.value("1"), tooLong])
    }

    @Test func `the CR of a CRLF does not count towards the limit`() {
        let parser = LineParser(maximumLength: 4)
        let tooLong = Outcome<String>.error(.lineTooLong, line: 1, prefix: Data("abcd".utf8))
        for (text, expected) in [
            ("abcd\r\nb", [.value("abcd"), .value("b")]), ("abcd\rX\nb", [tooLong, .value("b")]), ("abcd\r", [tooLong]),
        ] {
            let bytes = Data(text.utf8)
            for place in 0...bytes.count { #expect(parser.outcomes(of: bytes.cut(at: place)) == expected) }
            #expect(parser.outcomes(of: bytes.singleBytes) == expected)
        }
    }

    @Test func `an unterminated line fails once it exceeds the limit`() throws {
        var parser = LineParser()
        for _ in 0..<LineParser.defaultMaximumLength / 4096 {
            parser.push(Data(repeating: 0x61, count: 4096))
            #expect(try parser.next() == nil)
        }
        parser.push(Data([0x61]))
        let error = #expect(throws: StreamDecodingError.self) { try parser.next() }
        #expect(error?.code == .lineTooLong)
        #expect(error?.linePrefix.count == 1024)
        // The rest of the line is skipped without another error.
        parser.push(Data(repeating: 0x61, count: 5_000_000))
        #expect(try parser.next() == nil)
        parser.push(Data("\nb\n".utf8))
        #expect(try parser.next() == "b")
    }

    @Test(arguments: [0, -1, Int.min])
    func `a limit of zero or less permits only empty lines`(limit: Int) {
        let outcomes = LineParser(maximumLength: limit).outcomes(of: "\n\na\n")
        #expect(outcomes == [.value(""), .value(""), .error(.lineTooLong, line: 3, prefix: Data())])
    }
}
