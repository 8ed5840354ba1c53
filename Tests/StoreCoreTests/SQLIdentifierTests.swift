import Testing

@testable import StoreCore

@Suite struct SQLIdentifierTests {
    @Test func `names ignore the case of ASCII letters`() {
        #expect(SQLIdentifier("Jacks") == "jACKS")
        #expect(SQLIdentifier("jack") != "jacks")
        #expect(SQLIdentifier("[a") != "{a")
        #expect(SQLIdentifier("Ä") != "ä")
        #expect(Set<SQLIdentifier>(["A", "a", "b"]).count == 2)
    }

    @Test func `quotes in names are doubled`() {
        #expect(SQLIdentifier("plain").quoted == "\"plain\"")
        #expect(SQLIdentifier("a\"b").quoted == "\"a\"\"b\"")
        #expect(SQLIdentifier("\"; DROP TABLE t").quoted == "\"\"\"; DROP TABLE t\"")
        // A quote and a combining mark are one character.
        #expect(
            Array(SQLIdentifier("a\"\u{301}; DROP").quoted.unicodeScalars)
                == Array("\"a\"\"\u{301}; DROP\"".unicodeScalars))
    }

    @Test(arguments: [("patchbay_delta", true), ("Patchbay_", true), ("patchbay", false), ("a_patchbay_", false)])
    func `reserved names have the prefix`(name: String, isReserved: Bool) {
        #expect(SQLIdentifier(name).isReserved == isReserved)
    }

    @Test func `valid names are not empty and contain no NUL`() {
        #expect(SQLIdentifier("a b").isValid)
        #expect(!SQLIdentifier("").isValid)
        #expect(!SQLIdentifier("a\0b").isValid)
    }
}
