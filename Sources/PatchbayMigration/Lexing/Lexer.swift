/// Splits Swift or Objective-C into tokens, and skips comments and the text of string literals.
///
/// It never fails: damaged text gives the tokens that it has, and a problem with its line. Bytes above 127 are letters.
/// A regular expression between bare slashes is read as operators and words.
struct Lexer {
    private let bytes: [UInt8]
    private let language: SourceLanguage
    private var index = 0
    private var line = 1
    private var startsLine = true
    private(set) var tokens: [Token] = []
    private(set) var problems: [SourceProblem] = []

    /// Interpolations within interpolations that are read as code; deeper ones are text.
    private static let deepest = 16

    init(_ bytes: [UInt8], _ language: SourceLanguage) {
        self.bytes = bytes
        self.language = language
    }

    /// The tokens of a text, and what is wrong with it.
    static func read(_ bytes: [UInt8], as language: SourceLanguage) -> (tokens: [Token], problems: [SourceProblem]) {
        var lexer = Lexer(bytes, language)
        lexer.tokens.reserveCapacity(bytes.count / 6)
        lexer.readCode(depth: 0, isInterpolation: false, isOneLine: false)
        return (lexer.tokens, lexer.problems)
    }

    private func byte(_ offset: Int = 0) -> UInt8 {
        index + offset < bytes.count ? bytes[index + offset] : 0
    }

    private func isAt(_ text: StaticString) -> Bool {
        guard index + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { buffer in
            for (offset, byte) in buffer.enumerated() where bytes[index + offset] != byte { return false }
            return true
        }
    }

    private mutating func add(_ kind: Token.Kind, _ text: String, line: Int) {
        tokens.append(Token(kind: kind, text: text, line: line, startsLine: startsLine))
        startsLine = false
    }

    private mutating func report(_ text: String, line: Int) {
        if problems.count < 20 { problems.append(SourceProblem(line: line, text: text)) }
    }

    /// Reads code until the end, or the parenthesis that ends an interpolation.
    private mutating func readCode(depth: Int, isInterpolation: Bool, isOneLine: Bool) {
        var parentheses = 0
        while index < bytes.count {
            let current = bytes[index]
            switch current {
            case UInt8(ascii: "\n"):
                if isOneLine { return }
                line += 1
                index += 1
                startsLine = true
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                index += 1
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                skipLine()
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                skipComment()
            case UInt8(ascii: "\""):
                readString(hashes: 0, depth: depth)
            case UInt8(ascii: "#"):
                readHash(depth: depth)
            case UInt8(ascii: "'") where language == .objectiveC:
                readCharacter()
            case UInt8(ascii: "`"):
                index += 1
            case _ where current.isWordByte:
                readWord()
            default:
                if current == UInt8(ascii: "(") { parentheses += 1 }
                if current == UInt8(ascii: ")") {
                    if isInterpolation, parentheses == 0 { return }
                    parentheses -= 1
                }
                if current > 32 { add(.sign(current), "", line: line) }
                index += 1
            }
        }
    }

    private mutating func readWord() {
        let start = index
        while index < bytes.count, bytes[index].isWordByte { index += 1 }
        add(.word, String(decoding: bytes[start..<index], as: UTF8.self), line: line)
    }

    /// Skips to the end of a line; in Objective-C a backslash continues it.
    private mutating func skipLine() {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
            if language == .objectiveC, bytes[index] == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "\n") {
                line += 1
                index += 1
            }
            index += 1
        }
    }

    /// Skips a comment; Swift's may contain others.
    private mutating func skipComment() {
        let start = line
        var depth = 0
        while index < bytes.count {
            if isAt("/*"), depth == 0 || language == .swift {
                depth += 1
                index += 2
            } else if isAt("*/") {
                depth -= 1
                index += 2
                if depth == 0 { return }
            } else {
                if bytes[index] == UInt8(ascii: "\n") {
                    line += 1
                    startsLine = true
                }
                index += 1
            }
        }
        report("unterminated comment", line: start)
    }

    /// Reads `#`: a raw string, a regular expression, a directive, or a sign.
    private mutating func readHash(depth: Int) {
        if language == .objectiveC {
            add(.sign(UInt8(ascii: "#")), "", line: line)
            index += 1
            // Text, which may contain an apostrophe.
            if isAt("pragma") || isAt("error") || isAt("warning") { skipLine() }
            return
        }
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        switch byte(hashes) {
        case UInt8(ascii: "\""):
            index += hashes
            readString(hashes: hashes, depth: depth)
        case UInt8(ascii: "/"):
            skipRegularExpression(hashes: hashes)
        default:
            add(.sign(UInt8(ascii: "#")), "", line: line)
            index += hashes
        }
    }

    private mutating func skipRegularExpression(hashes: Int) {
        let start = line
        index += hashes + 1
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "/"), hasHashes(hashes, after: 1) {
                index += 1 + hashes
                return
            }
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
        report("unterminated regular expression", line: start)
    }

    private func hasHashes(_ count: Int, after offset: Int) -> Bool {
        for number in 0..<count where byte(offset + number) != UInt8(ascii: "#") { return false }
        return true
    }

    private mutating func readCharacter() {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
            if bytes[index] == UInt8(ascii: "\\") {
                index += 1
            } else if bytes[index] == UInt8(ascii: "'") {
                index += 1
                return
            }
            index += 1
        }
    }

    /// Reads a literal from its first quote. Interpolated code gives tokens after that of the literal.
    private mutating func readString(hashes: Int, depth: Int) {
        let start = line
        let isMultiline = language == .swift && isAt("\"\"\"")
        let quotes = isMultiline ? 3 : 1
        index += quotes
        let first = index
        let position = tokens.count
        add(.string, "", line: start)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n") where !isMultiline:
                report("unterminated string", line: start)
                return
            case UInt8(ascii: "\n"):
                line += 1
                index += 1
            case UInt8(ascii: "\\") where hasHashes(hashes, after: 1):
                let next = byte(1 + hashes)
                index += 1 + hashes
                if next == UInt8(ascii: "("), language == .swift, depth < Self.deepest {
                    index += 1
                    readCode(depth: depth + 1, isInterpolation: true, isOneLine: !isMultiline)
                }
                // A string of Objective-C continues on the next line; in Swift the end of a line is counted above.
                let continues = language == .objectiveC
                if continues, byte() == UInt8(ascii: "\r"), byte(1) == UInt8(ascii: "\n") { index += 1 }
                if continues, byte() == UInt8(ascii: "\n") { line += 1 }
                if index < bytes.count, continues || bytes[index] != UInt8(ascii: "\n") { index += 1 }
            case UInt8(ascii: "\""):
                if (!isMultiline || isAt("\"\"\"")) && hasHashes(hashes, after: quotes) {
                    if index - first < 256, position == tokens.count - 1 {
                        tokens[position].text = String(decoding: bytes[first..<index], as: UTF8.self)
                    }
                    index += quotes + hashes
                    return
                }
                index += 1
            default:
                index += 1
            }
        }
        report("unterminated string", line: start)
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 128...:
            true
        default: false
        }
    }
}
