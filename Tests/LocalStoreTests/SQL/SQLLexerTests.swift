import Testing

@testable import LocalStore

@Suite struct SQLLexerTests {
    private func kinds(_ sql: String) throws -> [SQLToken.Kind] {
        try SQLLexer.tokens(of: Array(sql.utf8)).dropLast().map(\.kind)
    }

    static let tokens: [(String, [SQLToken.Kind])] = [
        ("", []), ("  \t\n\r\u{c} ", []), ("-- all of it", []), ("/* never ended", []),
        ("\u{FEFF}a", [.word("a", .none)]),
        ("/**/a/* x */b--c\nd", [.word("a", .none), .word("b", .none), .word("d", .none)]),
        ("a_$1é", [.word("a_$1é", .none)]),
        ("\"a\"\"b\" `a``b` [a\"b]", [.word("a\"b", .double), .word("a`b", .backtick), .word("a\"b", .bracket)]),
        ("'it''s' ''", [.text(Array("it's".utf8)), .text([])]),
        ("x'00fF' X''", [.blob([0, 255]), .blob([])]),
        ("1 007 9223372036854775807", [.integer(1), .integer(7), .integer(.max)]),
        ("9223372036854775808", [.real(9_223_372_036_854_775_808)]),
        ("1. .5 1e3 1.5E-1 2e+0", [.real(1), .real(0.5), .real(1000), .real(0.15), .real(2)]),
        ("0x10 0XfFfFfFfFfFfFfFfF", [.integer(16), .integer(-1)]),
        (
            "? ?7 :a @b $c",
            [
                .numberedParameter(nil), .numberedParameter(7), .namedParameter(":a"), .namedParameter("@b"),
                .namedParameter("$c"),
            ]
        ),
        (
            "<=>=<><<>>||->>",
            [.lessOrEqual, .greaterOrEqual, .notEqual, .shiftLeft, .shiftRight, .concatenate, .longArrow].map {
                .symbol($0)
            }
        ),
        ("a.b", [.word("a", .none), .symbol(.dot), .word("b", .none)]),
    ]

    @Test(arguments: tokens.indices)
    func `texts are split into tokens`(index: Int) throws {
        #expect(try kinds(Self.tokens[index].0) == Self.tokens[index].1)
    }

    @Test(arguments: [
        ("'a", 0), ("a \"b", 2), ("`", 0), ("[a", 0), ("x'1'", 0), ("x'gg'", 0), ("1a", 0), ("0x1g", 0), ("1e5x", 0),
        ("0x11111111111111111", 0), ("a ! b", 2), ("{", 0), ("a\0", 1), (":", 0), ("?0", 1), ("?99999", 1),
    ])
    func `invalid tokens are reported with their offset`(sql: String, offset: Int) throws {
        let error = #expect(throws: StoreError.self) { try kinds(sql) }
        #expect(error?.code == .syntax)
        #expect(error?.offset == offset)
    }

    @Test func `tokens have their range`() throws {
        let tokens = try SQLLexer.tokens(of: Array("é = 'ab'".utf8))
        #expect(tokens.map(\.range) == [0..<2, 3..<4, 5..<9, 9..<9])
    }
}
