import Foundation
import JSON
import Testing

@Suite struct JSONValueFoundationTests {
    @Test func `Foundation JSON objects are converted`() throws {
        let table: [(Any, JSONValue)] = [
            ("text", "text"), (1, 1), (Int8(5), 5), (UInt8(255), 255), (Int64.min, .integer(.min)), (1.5, 1.5),
            (Float(0.5), 0.5), (true, true), (false, false), (NSNull(), nil), (Optional<Int>.none as Any, nil),
            (Optional(3) as Any, 3), ([1, "a", [true]] as [Any], [1, "a", [true]]), (["a": ["b": 1]], ["a": ["b": 1]]),
            (NSNumber(value: 7), 7), (NSString("ns"), "ns"), (NSArray(array: [1, 2]), [1, 2]),
            (NSDictionary(dictionary: ["k": "v"]), ["k": "v"]), (["x": nil] as JSONValue, ["x": nil]),
            (UInt64(Int64.max), .integer(.max)), (10_000_000_000_000_000_000 as UInt64, 1e19),
        ]
        for (object, value) in table { #expect(try JSONValue(foundation: object) == value, "\(object)") }
    }

    @Test func `a decimal number keeps its digits or is rejected, and a fraction keeps those of a Double`() throws {
        let table: [(String, JSONValue?)] = [
            ("7", 7), ("-12345678901234567", .integer(-12_345_678_901_234_567)),
            ("9223372036854775807", .integer(.max)),
            ("0.1", 0.1), ("1.50", 1.5), ("-123456.789", .number(-123_456.789)), ("1e30", 1e30), ("1.25e-20", 1.25e-20),
            ("9223372036854775808", nil), ("18446744073709551615", nil), ("12345678901234567.89", nil),
            ("999999999999999.8", .number(999_999_999_999_999.8)), ("0.33333333333333333333", .number(1.0 / 3)),
        ]
        for (text, value) in table {
            let decimal = try #require(Decimal(string: text))
            for object in [decimal, NSDecimalNumber(decimal: decimal), [decimal]] as [Any] {
                let expected = object is [Any] ? value.map { JSONValue.array([$0]) } : value
                #expect((try? JSONValue(foundation: object)) == expected, "\(text)")
            }
        }
        #expect(try JSONValue(foundation: 3.14 as Decimal) == .number(3.14))
        #expect(try JSONValue(foundation: -0.3 as Decimal) == .number(-0.3))
    }

    @Test func `dictionaries with AnyHashable keys are converted if the keys are strings`() throws {
        let object: [AnyHashable: Any] = ["a": 1, NSString("b"): ["c": true] as [AnyHashable: Any]]
        #expect(try JSONValue(foundation: object) == ["a": 1, "b": ["c": true]])
        let wrapped: [AnyHashable: AnyHashable] = ["t": true, "i": Int8(1), "s": "x", "l": [1, 2]]
        #expect(try JSONValue(foundation: wrapped) == ["t": true, "i": 1, "s": "x", "l": [1, 2]])
        #expect(try JSONValue(foundation: AnyHashable("x")) == "x")
    }

    @Test
    func `values without a JSON representation are rejected, and not quoted`() throws {
        struct Secret { let word = "hush" }
        let table: [(Any, String)] = [
            (Secret(), "Secret"), (["a": [Secret()]], "Secret"), (Date(timeIntervalSince1970: 0), "Date"),
            ([1: "x"] as [AnyHashable: Any], "`String` keys"), (Data("hush".utf8), "Data"),
            (UInt64.max, "digits"), (["a": UInt.max], "use a string"),
        ]
        for (object, words) in table {
            let error = #expect(throws: JSONError.self) { try JSONValue(foundation: object) }
            #expect(error?.code == .invalidValue)
            #expect(error?.message.contains(words) == true, "\(words): \(error?.message ?? "")")
            #expect(error?.message.contains("hush") == false)
        }
    }

    @Test func `the depth limit is that of the parser`() throws {
        var nested: Any = [Any]()
        for _ in 0..<99 { nested = [nested] }
        #expect(throws: Never.self) { try JSONValue(foundation: nested).data() }
        for _ in 0..<100 { nested = [nested] }
        #expect(throws: JSONError.self) { try JSONValue(foundation: nested) }
    }

    @Test func `values round-trip`() throws {
        let value: JSONValue = ["a": [1, 1.5, true, nil, "x"], "b": [:]]
        #expect(try JSONValue(foundation: value.foundationObject) == value)
    }
}
