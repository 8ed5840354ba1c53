import Foundation
import Testing

@testable import JSON

// Behavior 2: strategies.
@Suite struct JSONCodingStrategyTests {
    private func date(_ coding: JSONCoding.Dates, _ text: String) throws -> Double {
        try JSONCoding { $0.dates = coding }.decode([Date].self, from: "[\(text)]")[0].timeIntervalSince1970
    }

    @Test func `dates in all forms`() throws {
        #expect(try date(.deferredToDate, "0") == 978_307_200)
        #expect(try date(.secondsSince1970, "1.5") == 1.5)
        #expect(try date(.millisecondsSince1970, "1500") == 1.5)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy/MM/dd"
        #expect(try date(.formatted(formatter), #""1970/01/02""#) == 86400)
        let custom = JSONCoding.Dates.custom(
            decode: { try Date(timeIntervalSince1970: $0.singleValueContainer().decode(Double.self) * 60) },
            encode: { _, _ in })
        #expect(try date(custom, "2") == 120)
        for strategy in [JSONCoding.Dates.secondsSince1970, .iso8601, .formatted(formatter)] {
            #expect(throws: DecodingError.self) { try date(strategy, #""no date""#) }
            #expect(throws: DecodingError.self) { try date(strategy, "null") }
            #expect(throws: DecodingError.self) { try date(strategy, "{}") }
        }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799),
        ("2026-11-26T01:02:03+02:30", 1_795_645_923),
        ("1969-12-31T23:59:59Z", -1), ("1900-03-01T00:00:00-01:00", -2_203_887_600),
        ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("0000-03-01T00:00:00Z", -62_162_035_200),
        ("2024-01-01T00:00:00.5Z", 1_704_067_200.5), ("2024-01-01T00:00:00.125+00:00", 1_704_067_200.125),
        ("2024-01-01T00:00:00.123456789Z", 1_704_067_200.123456789),
        ("2024-01-01T00:00:00.1234567891234Z", 1_704_067_200.123456789),
        ("2024-01-01t00:00:00.5z", 1_704_067_200.5), ("2024-01-01T00:00:00.5+0100", 1_704_063_600.5),
        (#"2024-01-01T00\u003a00:00.5Z"#, 1_704_067_200.5),
    ])
    func `dates of RFC 3339, with fractions`(text: String, seconds: Double) throws {
        #expect(abs(try date(.iso8601, "\"\(text)\"") - seconds) < 1e-6)
    }

    @Test func `a date of ISO 8601 is the same as Foundation's, or has a fraction`() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        for text in [
            "2026-01-31T12:30:00Z", "2026-01-31T12:30:00+01:00", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
            "2026-01-31", "2026-01-31 12:30:00Z", "2026-01-31T12:30:00", "20260131T123000Z",
            "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z", "2026-01-31T12:30:60Z", "2026-01-31T12:30:00+0100",
            "2026-01-31T12:30:00+01", "2026-01-31T12:30:00+1", "2026-01-31T12:30:00+01:0", "", "x",
            "2026-01-31T12:30:00Zx", "1850-05-05T00:00:00Z", "2023-02-29T00:00:00Z",
        ] {
            let json = Data("[\"\(text)\"]".utf8)
            let expected = try? decoder.decode([Date].self, from: json)
            let decoded = try? JSONCoding { $0.dates = .iso8601 }.decode([Date].self, from: json)
            #expect(decoded == expected, "\(text)")
        }
    }

    @Test func `data in all forms`() throws {
        #expect(try JSONCoding.standard.decode(Data.self, from: #""AQID""#) == Data([1, 2, 3]))
        #expect(try JSONCoding { $0.data = .deferredToData }.decode([Data].self, from: "[[1,2]]") == [Data([1, 2])])
        let custom = JSONCoding.DataForm.custom(
            decode: { Data(try $0.singleValueContainer().decode(String.self).utf8) }, encode: { _, _ in })
        #expect(try JSONCoding { $0.data = custom }.decode(Data.self, from: #""a""#) == Data([0x61]))
        for text in [#""A""#, "1", "null", "[]"] {
            #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Data.self, from: text) }
        }
    }

    @Test func `URLs and identifiers`() throws {
        for text in [#"["http://example.com/a?b=c#d"]"#, #"["a b"]"#, #"[""]"#, "[1]", "[null]"] {
            #expect(Outcomes([URL].self, text).ours == Outcomes([URL].self, text).foundation, "\(text)")
        }
        let identifier = UUID()
        #expect(try JSONCoding.standard.decode([UUID].self, from: "[\"\(identifier)\"]") == [identifier])
        #expect(Outcomes([UUID].self, #"["x"]"#).ours == Outcomes([UUID].self, #"["x"]"#).foundation)
    }

    @Test func `names in snake case, but not those of dictionaries`() {
        struct Names: Decodable, Equatable {
            var oneTwo: Int?
            var myURLString: Int?
            var privateName: Int?
            var nested: [String: Names]?
            var list: [Names]?

            private enum CodingKeys: String, CodingKey {
                case oneTwo, myURLString, nested, list
                case privateName = "_privateName_"
            }
        }
        for text in [
            #"{"one_two":1,"my_url_string":2,"my_uRLString":3}"#, #"{"_private_name_":1,"one__two":2}"#,
            #"{"nested":{"one_two":{"one_two":5}},"list":[{"one_two":1},{"one_two":"x"}]}"#,
            #"{"oneTwo":1,"one_two":2}"#, #"{"one_two":1,"oneTwo":2}"#, #"{"nested":{"a_b":{"one_two":"x"}}}"#,
        ] {
            let outcomes = Outcomes(Names.self, text, .snakeCase)
            #expect(outcomes.ours == outcomes.foundation, "\(text)")
        }
        let dictionary = Outcomes([String: [String: Int]].self, #"{"a_b":{"c_d":1}}"#, .snakeCase)
        #expect(dictionary.ours == .value(["a_b": ["c_d": 1]]) && dictionary.foundation == dictionary.ours)
    }

    @Test func `an object is decoded by tries, as a type with keys and as a dictionary, in either order`() throws {
        struct Names: Decodable {
            var oneTwo: Int
            var threeFour: Int
        }
        struct Tries: Decodable {
            var found: [String: Int]

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                _ = try? container.decode(Names.self)
                found = try container.decode([String: Int].self)
                let names = try? container.decode(Names.self)
                if found["three_four"] != nil { #expect(names?.oneTwo == 1 && names?.threeFour == 3) }
            }
        }
        let coding = JSONCoding { $0.keys = .snakeCase }
        for found in [["one_two": 1], ["one_two": 1, "three_four": 3]] {
            #expect(try coding.decode(Tries.self, from: JSONEncoder().encode(found)).found == found)
        }
    }

    @Test func `names converted by the app`() {
        for text in [#"{"x":1}"#, #"{"x":"a"}"#, #"{"y":1}"#] {
            struct Converted: Decodable, Equatable {
                var value: Int
                private enum CodingKeys: String, CodingKey { case value = "1x" }
            }
            let outcomes = Outcomes(Converted.self, text, .prefixedKeys)
            #expect(outcomes.ours == outcomes.foundation, "\(text)")
        }
    }

    @Test func `infinity and NaN as strings`() throws {
        let coding = CoderSettings.floatStrings.coding
        let numbers = try coding.decode([Double].self, from: #"["+","-","nan",1]"#)
        #expect(numbers[0] == .infinity && numbers[1] == -.infinity && numbers[2].isNaN && numbers[3] == 1)
        #expect(try coding.decode(Float.self, from: #""-""#) == -.infinity)
        for text in [#"["x"]"#, #"["+"]"#] {
            #expect(Outcomes([Double].self, text).ours == Outcomes([Double].self, text).foundation)
        }
        #expect(throws: DecodingError.self) { try coding.decode(Double.self, from: #""x""#) }
    }

    @Test(arguments: [
        ("one_two_three", "oneTwoThree"), ("_one_two_", "_oneTwo_"), ("one", "one"), ("One", "One"), ("", ""),
        ("___", "___"),
        ("one__two", "oneTwo"), ("one_TWO", "oneTwo"), ("__a_b", "__aB"), ("a_1_b", "a1B"), ("_oneTwo", "_oneTwo"),
    ])
    func `snake case is converted as Foundation does`(text: String, name: String) {
        #expect(SnakeCase.camelCase(text) == name)
    }

    @Test(arguments: [
        ("oneTwoThree", "one_two_three"), ("myURLProperty", "my_url_property"), ("one", "one"), ("URL", "u_rl"),
        ("aB", "a_b"), ("", ""), ("singleP", "single_p"), ("x1Y2", "x1_y2"), ("_oneTwo", "_one_two"), ("A", "a"),
    ])
    func `camel case is converted as Foundation does`(name: String, text: String) throws {
        #expect(SnakeCase.snakeCase(name) == text)
        let data = try CoderSettings.snakeCase.encoder.encode(OneMember(name: name))
        #expect(String(decoding: data, as: UTF8.self) == "{\"\(text)\":1}")
    }

    private struct OneMember: Encodable {
        let name: String
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: TextKey.self)
            try container.encode(1, forKey: TextKey(name))
        }
    }
}
