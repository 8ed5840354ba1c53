import Testing

@testable import LocalStore

@Suite struct SQLIdentifierTests {
    @Test func namesIgnoreTheCaseOfASCIILetters() {
        #expect(SQLIdentifier("Jacks") == "jACKS")
        #expect(SQLIdentifier("jack") != "jacks")
        #expect(SQLIdentifier("[a") != "{a")
        #expect(SQLIdentifier("Ä") != "ä")
        #expect(Set<SQLIdentifier>(["A", "a", "b"]).count == 2)
    }

    @Test func quotesInNamesAreDoubled() {
        #expect(SQLIdentifier("plain").quoted == "\"plain\"")
        #expect(SQLIdentifier("a\"b").quoted == "\"a\"\"b\"")
        #expect(SQLIdentifier("\"; DROP TABLE t").quoted == "\"\"\"; DROP TABLE t\"")
    }

    @Test(arguments: [("patchbay_delta", true), ("Patchbay_", true), ("patchbay", false), ("a_patchbay_", false)])
    func reservedNamesHaveThePrefix(name: String, isReserved: Bool) {
        #expect(SQLIdentifier(name).isReserved == isReserved)
    }

    @Test func validNamesAreNotEmptyAndContainNoNUL() {
        #expect(SQLIdentifier("a b").isValid)
        #expect(!SQLIdentifier("").isValid)
        #expect(!SQLIdentifier("a\0b").isValid)
    }
}
