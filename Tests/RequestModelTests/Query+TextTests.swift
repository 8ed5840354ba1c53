import PatchbayTestKit
import RequestModel
import Testing

@Suite struct QueryTextTests {
    @Test func `missing and empty values differ`() {
        #expect(Query(parsing: "a&b=&c=1&a=2") == ["a": .flag, "b": "", "c": "1", "a": "2"])
        #expect((["a": .flag, "b": "", "": "x"] as Query).text() == "a&b=&=x")
    }

    @Test func `plus is a space in forms only`() {
        #expect(Query(parsing: "a=1+2%2B3", as: .form)["a"] == "1 2+3")
        #expect(Query(parsing: "a=1+2%2B3", as: .percent)["a"] == "1+2+3")
    }

    @Test(arguments: [
        ("a=100%", "100%"), ("a=%4", "%4"), ("a=%zz", "%zz"), ("a=%%41", "%A"), ("a=%e4%", "\u{FFFD}%"),
        ("a==", "="), ("a=b=c", "b=c"), ("a=?x", "?x"),
    ])
    func `accepts any input`(text: String, value: String) {
        #expect(Query(parsing: text) == ["a": value])
        #expect(Query(parsing: text, as: .form) == ["a": value])
    }

    @Test func `skips empty items`() {
        #expect(Query(parsing: "").isEmpty)
        #expect(Query(parsing: "&&a=1&") == ["a": "1"])
        #expect((["": .flag, "a": "1"] as Query).text() == "a=1")
        #expect((["a": "1", "": .flag] as Query).text() == "a=1")
    }

    @Test(arguments: [QueryEncoding.percent, .form]) func `reads back what it wrote`(encoding: QueryEncoding) {
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let query = generator.query()
            let text = query.text(as: encoding)
            #expect(Query(parsing: text, as: encoding) == query, "seed \(seed)")
            #expect(Query(parsing: text, as: encoding).text(as: encoding) == text, "seed \(seed)")
            #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }
}
