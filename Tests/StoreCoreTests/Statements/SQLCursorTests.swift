import Testing

@testable import StoreCore

@Suite struct SQLCursorTests {
    @Test(arguments: [
        ("a", 0), ("  \t\r\n\u{C}a", 6), ("\u{B}a", 0), ("-- x\na", 5), ("-- x", 4), ("-a", 0), ("/* x */a", 7),
        ("/*/ */a", 6), ("/* x", 4), ("/a", 0), ("\u{FEFF}a", 3), (" -- x\n/* */\u{FEFF} a", 15), ("", 0),
    ])
    func `white space, comments and byte order marks are skipped`(text: String, position: Int) {
        var cursor = SQLCursor(Array(text.utf8))
        cursor.skipSpace()
        #expect(cursor.position == position)
    }

    @Test(arguments: [
        ("'a' b", "a", 3), ("'a''b'", "a'b", 6), ("''", "", 2), ("\"a\"\"b\"", "a\"b", 6), ("`a`", "a", 3),
        ("[a]]", "a", 3), ("[a'b]", "a'b", 5), ("'a", nil, 2), ("'a''", nil, 4), ("[a", nil, 2), ("'", nil, 1),
    ])
    func `quotes and brackets are skipped`(text: String, content: String?, position: Int) {
        var cursor = SQLCursor(Array(text.utf8))
        #expect(cursor.quoted().map { String(decoding: $0, as: UTF8.self) } == content)
        #expect(cursor.position == position)
    }
}
