import Testing

@testable import StoreCore

@Suite struct SQLScannerTests {
    /// The tokens as text: parameters as they are, `q` for a quote, `;` and `.` for others.
    private func tokens(_ text: String) -> [String] {
        var scanner = SQLScanner(text)
        var tokens: [String] = []
        while let token = scanner.next() {
            switch token {
            case .word(let range): tokens.append(scanner.text(range))
            case .quoted: tokens.append("q")
            case .numberedParameter(let number): tokens.append(number.map { "?\($0)" } ?? "?")
            case .namedParameter(let name): tokens.append(name)
            case .semicolon: tokens.append(";")
            case .other: tokens.append(".")
            }
        }
        return tokens
    }

    @Test(arguments: [
        ("SELECT a1, _b FROM t", ["SELECT", "a1", ".", "_b", "FROM", "t"]),
        ("?1 ? ?32766", ["?1", "?", "?32766"]),
        (":a @b $c :a::b(x) :", [":a", "@b", "$c", ":a::b(x)", "."]),
        ("':a' \":b\" `:c` [:d] :e", ["q", "q", "q", "q", ":e"]),
        ("'it''s ?' ?", ["q", "?"]),
        ("-- ? :a ;\n ? /* ? ; */ ; /* open ?", ["?", ";"]),
        ("x'00' 'open ?", ["x", "q", "q"]),
        ("[open ?", ["q"]),
        ("a->>'$.x' # ! ~ ?", ["a", ".", ".", ".", "q", ".", ".", ".", "?"]),
        ("größe = :größe", ["größe", ".", ":größe"]),
        ("\u{FEFF}SELECT \u{FEFF}?", ["SELECT", "?"]),
        ("a$b 'x'';' ;", ["a$b", "q", ";"]),
        ("", []), ("--", []), ("/*", []), ("'", ["q"]), ("?", ["?"]), ("$", ["."]), ("-", ["."]), ("/", ["."]),
        ("\u{0}", ["."]), ("'a''", ["q"]), (":a(b", [":a", ".", "b"]),
    ])
    func `any SQL is split into tokens`(text: String, expected: [String]) { #expect(tokens(text) == expected) }

    @Test func `every prefix of a statement is scanned`() {
        let text = "SELECT 'a''b', \"c\", `d`, [e], :f(g), $h::i, ?7, x'00' -- j\n FROM k /* l */ WHERE m->>'$' = @n;"
        for count in 0...text.utf8.count { _ = tokens(String(decoding: Array(text.utf8.prefix(count)), as: UTF8.self)) }
        #expect(tokens(text).last == ";")
    }

    @Test(
        arguments: [
            (":a :b :a", ["a", "b"]), ("? :a ?1 :b", [nil, "a", "b"]), ("?3 :a", [nil, nil, nil, "a"]),
            (":a @a", ["a", "a"]), (":\u{301}a", ["\u{301}a"]), ("", []), ("?0 :a", ["a"]), ("':a'", []),
        ] as [(String, [String?])])
    func `parameters are numbered as in SQLite`(text: String, names: [String?]) throws {
        #expect(ParameterNames(of: text).names == names)
    }
}
