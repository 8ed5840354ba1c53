import Testing

@testable import PatchbayMigration

@Suite struct LexerTests {
    private func words(_ text: String, _ language: SourceLanguage = .swift) -> [String] {
        Lexer.read(Array(text.utf8), as: language).tokens.filter(\.isWord).map(\.text)
    }

    private func problems(_ text: String, _ language: SourceLanguage = .swift) -> [SourceProblem] {
        Lexer.read(Array(text.utf8), as: language).problems
    }

    @Test(arguments: [
        ("a // b\nc", ["a", "c"]),
        ("a /* b /* c */ d */ e", ["a", "e"]),
        ("a \"b \\\" c\" d", ["a", "d"]),
        ("a \"b \\(c.d(\"e\")) f\" g", ["a", "c", "d", "g"]),
        ("a \"\"\"\nb \"c\" \\(d)\n\"\"\" e", ["a", "d", "e"]),
        ("a #\"b \\(c) \"d\" \\#(e)\"# f", ["a", "e", "f"]),
        ("a #/b\"c/# d", ["a", "d"]),
        ("let `class` = 1", ["let", "class", "1"]),
        ("ä.größe", ["ä", "größe"]),
    ])
    func `comments and literals of Swift are skipped, interpolations are not`(text: String, expected: [String]) {
        #expect(words(text) == expected)
        #expect(problems(text) == [])
    }

    @Test(arguments: [
        ("a /* b /* c */ d", ["a", "d"]),
        ("a // b \\\nc\nd", ["a", "d"]),
        ("a @\"b \\(c)\" d", ["a", "d"]),
        ("a '\"' b '\\'' c", ["a", "b", "c"]),
        ("#pragma mark - User's\na", ["a"]),
        ("a @\"b \\\nc\" d", ["a", "d"]),
        ("a @\"b \\\r\nc\" d", ["a", "d"]),
    ])
    func `comments and literals of Objective-C are skipped`(text: String, expected: [String]) {
        #expect(words(text, .objectiveC) == expected)
        #expect(problems(text, .objectiveC) == [])
    }

    @Test(arguments: [
        ("a\nlet b = \"c\nd", 2, "unterminated string", ["a", "let", "b", "d"]),
        ("a\n/* b\nc", 2, "unterminated comment", ["a"]),
        ("\"\"\"\na", 1, "unterminated string", []),
        ("a \"\\(b\nc", 1, "unterminated string", ["a", "b", "c"]),
        ("#/a", 1, "unterminated regular expression", []),
    ])
    func `an unterminated literal is a problem at its line, and the rest is read`(
        text: String, line: Int, problem: String, expected: [String]
    ) {
        #expect(problems(text) == [SourceProblem(line: line, text: problem)])
        #expect(words(text) == expected)
    }

    @Test func `lines are counted within literals and comments`() {
        let tokens = Lexer.read(Array("a\n/*\n*/\n\"\"\"\n\\\n\"\"\"\nb".utf8), as: .swift).tokens
        #expect(tokens.last?.line == 7)
        #expect(tokens.last?.startsLine == true)
    }

    @Test func `deep nesting does not exhaust the stack`() {
        let text = String(repeating: "\"\\(", count: 100_000)
        #expect(!problems(text).isEmpty)
        #expect(Brackets(Lexer.read(Array(String(repeating: "(", count: 100_000).utf8), as: .swift).tokens)[0] == nil)
    }
}
