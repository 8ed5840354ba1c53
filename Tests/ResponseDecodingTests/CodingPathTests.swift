import Testing

@testable import ResponseDecoding

@Suite struct CodingPathTests {
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int?
        init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
        init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
    }

    @Test(arguments: [
        ([], ""), (["a"], "a"), (["a", "b-2", "ä"], "a.b-2.ä"), (["a b", "c"], #"["a b"].c"#), ([""], #"[""]"#),
        (["a\n\"b"], #"["a\n\"b"]"#), (["a.b"], #"["a.b"]"#),
    ])
    func `member names are joined by dots or quoted`(names: [String], text: String) {
        #expect(CodingPath(names.map(Key.init(stringValue:))).description == text)
    }

    @Test func `array indices are in brackets`() {
        #expect(CodingPath([Key(intValue: 0), Key(intValue: 12), Key(stringValue: "a")]).description == "[0][12].a")
        #expect(CodingPath([Key(stringValue: "items"), Key(intValue: 3)]).subject == "items[3]")
        #expect(CodingPath([]).subject == "The root value")
    }

    @Test func `long names and paths are truncated`() {
        let name = Key(stringValue: String(repeating: "x", count: 100_000))
        #expect(CodingPath([name]).description.count == 64 + 4)
        #expect(CodingPath(Array(repeating: name, count: 100)).description.count == 257)
    }

    @Test func `a name of one character may have any number of marks`() {
        let name = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(CodingPath([Key(stringValue: name)]).description.utf8.count < 2000)
        #expect(CodingPath((0..<10).map { _ in Key(stringValue: name) }).description.utf8.count < 2000)
    }
}
