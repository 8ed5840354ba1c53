import Foundation
import StoreCore
import Testing

@Suite struct StoreValueTests {
    @Test func `values have a kind`() {
        let values: [StoreValue] = [nil, 7, 0.5, "a", .blob(Data([1]))]
        #expect(values.map(\.kind) == [.null, .integer, .real, .text, .blob])
        #expect(values == [.null, .integer(7), .real(0.5), .text("a"), .blob(Data([1]))])
    }

    @Test func `numbers differ from their text`() {
        #expect(StoreValue.integer(1) != .real(1))
        #expect(StoreValue.integer(1) != .text("1"))
        #expect(StoreValue.text("a") != .blob(Data("a".utf8)))
    }

    @Test(arguments: [
        ("2027-01-15 08:00:00.000", "2027-01-15T08:00:00Z", true), ("2027-01-15", "2027-01-15T01:00+01:00", true),
        ("2027-01-15 08:00:00.000", "2027-01-15T08:00:00.0004Z", true),
        ("2027-01-15 08:00:00.000", "2027-01-15T08:00:00.001Z", false), ("2027-01-15", "2027-01-16", false),
        (#"["a", "b"]"#, #"["a","b"]"#, true), (#"{"a":1,"b":[]}"#, #"{ "b" : [ ], "a" : 1 }"#, true),
        (#"["a","b"]"#, #"["b","a"]"#, false), ("[1", "[1 ", false), ("1", "1.0", false), ("Tea", "tea", false),
    ])
    func `a date and a JSON list or object mean the same in other forms`(one: String, other: String, isSame: Bool) {
        let (one, other) = (Optional(StoreValue.text(one)), Optional(StoreValue.text(other)))
        #expect(one.means(other) == isSame && other.means(one) == isSame)
        #expect(one.means(one) && !one.means(.null) && !one.means(.none))
    }
}
