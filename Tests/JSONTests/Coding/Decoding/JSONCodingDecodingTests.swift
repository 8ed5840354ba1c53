import Foundation
import Testing

@testable import JSON

// Behavior 2: the semantics of Foundation's decoder, of which most tests decode the same text with both.
@Suite struct JSONCodingDecodingTests {
    private func expectSame<Value: Decodable & Equatable>(
        _ type: Value.Type, _ texts: [String], _ settings: CoderSettings = CoderSettings(),
        _ location: SourceLocation = #_sourceLocation
    ) {
        for text in texts {
            let outcomes = Outcomes(type, text, settings)
            #expect(outcomes.ours == outcomes.foundation, "\(type): \(text)", sourceLocation: location)
        }
    }

    @Test func `structs with optional, null and missing members`() {
        expectSame(
            Point.self,
            [
                #"{"x":1}"#, #"{"x":1,"y":2,"name":"n"}"#, #"{"name":null,"y":null,"x":-3}"#, #"{"y":1}"#, "{}",
                #"{"x":null}"#, #"{"x":"1"}"#, #"{"x":1,"y":"a"}"#, #"{"x":1,"y":[]}"#, "[]", "null", "1", #""x""#,
                #" { "z" : [ 1 , { } ] , "x" : 7 } "#, #"{"x":true}"#, #"{"x":1,"name":{}}"#, #"{"x":1.5}"#,
            ])
        expectSame(
            Line.self,
            [
                #"{"points":[]}"#, #"{"points":[{"x":1},{"x":2,"y":0.5}],"tags":{"a":1,"b":2},"style":"dotted"}"#,
                #"{"points":[{"x":1}],"next":[{"points":[]},{"points":[{"x":1}],"next":[]}]}"#,
                #"{"points":[{"x":1},{"y":2}]}"#, #"{"points":[1]}"#, #"{"points":[],"style":"dashed"}"#,
                #"{"points":[],"style":1}"#, #"{"points":[],"tags":{"a":null}}"#, #"{"points":[],"tags":{"a":"b"}}"#,
                #"{"points":[],"next":[{"points":[{"x":"no"}]}]}"#, #"{"points":{}}"#,
            ])
    }

    @Test func `integers keep all bits, and do not wrap or round`() {
        let numbers = [
            "0", "-0", "1", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "65535", "65536",
            "2147483647",
            "2147483648", "-2147483648", "4294967295", "4294967296", "9007199254740993", "9223372036854775807",
            "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
            "18446744073709551616", "1.0", "1e2", "1E+2", "100e-2", "12.50e1", "1.5", "0.1e1", "1e18", "1e19", "1e30",
            "0e5", "9007199254740993.0", "true", "null", #""1""#, "[]", "{}",
        ]
        for type in [Int8.self, Int16.self, Int32.self, Int64.self, Int.self] as [any Integer.Type] {
            func check<Value: Integer>(_ type: Value.Type) { expectSame([Value].self, numbers.map { "[\($0)]" }) }
            check(type)
        }
        for type in [UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt.self] as [any Integer.Type] {
            func check<Value: Integer>(_ type: Value.Type) { expectSame([Value].self, numbers.map { "[\($0)]" }) }
            check(type)
        }
    }

    private typealias Integer = FixedWidthInteger & Codable & Equatable

    @Test func `integers of 128 bits`() throws {
        let largest = "170141183460469231731687303715884105727"
        #expect(
            try JSONCoding.standard.decode([Int128].self, from: "[\(largest),-\(largest),1e10]") == [
                .max, -.max, 10_000_000_000,
            ])
        #expect(try JSONCoding.standard.decode(UInt128.self, from: "340282366920938463463374607431768211455") == .max)
        #expect(throws: DecodingError.self) {
            try JSONCoding.standard.decode(UInt128.self, from: "340282366920938463463374607431768211456")
        }
    }

    @Test func `floating-point numbers, decimals and Booleans`() {
        let numbers = [
            "0", "-0", "1", "-1.5", "1e22", "1e23", "0.1", "1.7976931348623157e308", "1e309", "-1e309", "5e-324",
            "1e-400",
            "3.4028235e38", "3.5e38", "1.4e-45", "1e-46", "18446744073709551615", "18446744073709551616", "1e128",
            "123456789012345678901234567890.5", "0.00000000000000000000000000000000000001", "true", #""1""#, "null",
        ]
        expectSame([Double].self, numbers.map { "[\($0)]" })
        expectSame([Float].self, numbers.map { "[\($0)]" })
        expectSame([Decimal].self, numbers.map { "[\($0)]" })
        expectSame([Bool].self, ["[true,false]", "[1]", "[0]", #"["true"]"#, "[[]]"])
        expectSame(Double.self, numbers)
        expectSame([Double?].self, ["[1,null,2.5]", "[]"])
    }

    @Test func `decimals are exact`() throws {
        let digits = "12345678901234567890123456789012345678"
        #expect(try JSONCoding.standard.decode(Decimal.self, from: digits) == Decimal(string: digits))
        #expect(try JSONCoding.standard.decode(Decimal.self, from: "0.1") == Decimal(string: "0.1"))
    }

    @Test func `strings with escapes and all of Unicode`() {
        expectSame(
            [String].self,
            [
                #"["","a","ä","😀","a longer string than fits into sixteen bytes","\"\\\/\b\f\n\r\t"]"#,
                #"["\u0061\u00e4\u20ac\ud83d\ude00\u0000"]"#, "[\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10FFFF}\"]",
                #"["\ud83d"]"#, #"["\ud83dx"]"#, #"["\ude00"]"#, #"["\ud83d\u0041"]"#, "[1]", "[null]", "[{}]",
            ])
        expectSame([String: Int].self, [#"{"":1,"ä":2,"\u0061":3,"😀":4}"#, #"{"a":"b"}"#])
    }

    @Test func `member names are compared as strings`() {
        struct Names: Decodable, Equatable {
            var a: Int?
            var é: Int?
            var K: Int?
        }
        // A letter with a combining accent, escapes, the Kelvin sign.
        expectSame(Names.self, ["{\"e\u{301}\":1}", #"{"\u00e9":1,"\u0061":2}"#, "{\"\u{212A}\":3}", #"{"\u004B":4}"#])
    }

    @Test func `of duplicate members the first one counts, in any order of decoding`() {
        struct Reversed: Decodable, Equatable {
            var b: Int?
            var a: Int?
        }
        for text in [
            #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2,"b":3}"#, #"{"b":1,"b":2,"a":3,"b":4}"#,
        ] {
            expectSame(Reversed.self, [text])
            expectSame([String: Int].self, [text])
        }
    }

    @Test func `objects of many members are found in any order`() throws {
        struct Reading: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: TextKey.self)
                #expect(container.allKeys.count == 1000)
                for number in (0..<1000).reversed() {
                    #expect(try container.decode(Int.self, forKey: TextKey("name \(number)")) == number)
                }
                #expect(!container.contains(TextKey("name")))
            }
        }
        let members = (0..<1000).map { "\"name \($0)\":\($0)" }.joined(separator: ",")
        _ = try JSONCoding.standard.decode(Reading.self, from: "{\(members)}")
    }

    @Test func `enums with payloads`() {
        expectSame(
            [Shape].self,
            [
                #"[{"circle":{"radius":1.5}},{"square":{"_0":2,"label":"a"}},{"empty":{}}]"#, #"[{"square":{"_0":2}}]"#,
                #"[{"circle":{}}]"#, #"[{"oval":{}}]"#, #"[{"circle":{"radius":1},"empty":{}}]"#, "[{}]", #"["empty"]"#,
            ])
    }

    @Test func `dictionaries with other keys`() {
        expectSame([Int: String].self, [#"{"1":"a","-2":"b"}"#, "{}", #"{"x":"a"}"#])
        expectSame([Line.Style: Int].self, [#"["solid",1,"dotted",2]"#, #"["solid"]"#, "[]", #"{"solid":1}"#])
        expectSame([[String: [Int]]].self, [#"[{"a":[1]},{}]"#, #"[{"a":[null]}]"#])
    }

    @Test func `nested containers and class hierarchies`() throws {
        expectSame(
            Nested.self,
            [
                #"{"inner":{"a":1},"list":[null,[2,{"a":3}],[4,{"a":5}]],"other":6}"#, #"{"inner":{"a":1},"list":[]}"#,
                #"{"inner":{"a":1},"list":[],"other":null}"#, #"{"inner":{},"list":[]}"#, #"{"inner":[],"list":[]}"#,
                #"{"inner":{"a":1},"list":{}}"#, #"{"inner":{"a":1},"list":[[2]]}"#, #"{"inner":{"a":1},"list":[[]]}"#,
                #"{"inner":{"a":1},"list":[[2,null]]}"#, #"{"list":[]}"#, #"{"inner":{"a":1},"list":[[2,{"a":"x"}]]}"#,
            ])
        let dog = try JSONCoding.standard.decode(Dog.self, from: #"{"age":3,"super":{"name":"Rex"}}"#)
        #expect(dog.age == 3 && dog.name == "Rex")
        let cat = try JSONCoding.standard.decode(Cat.self, from: #"{"name":"Tom","lives":9}"#)
        #expect(cat.lives == 9 && cat.name == "Tom")
        let error = Outcome<Int> { try JSONCoding.standard.decode(Dog.self, from: #"{"age":3}"#).age }
        #expect(error == Outcome { try JSONDecoder().decode(Dog.self, from: Data(#"{"age":3}"#.utf8)).age })
    }

    @Test func `any JSON through containers`() {
        for text in [#"{"a":[1,2.5,"x",true,null,{"b":{}}],"ä":[]}"#, "[[[]],{}]", "null", "0", #""""#, " true "] {
            expectSame(Anything.self, [text])
            expectSame(Anything?.self, [text])
        }
    }

    @Test func `a value of any JSON is the same as a parsed one, but for duplicate members`() throws {
        let text = #"{"a":[1,2.5,"x",true,null,{"b":{}}],"i":9223372036854775807,"j":9223372036854775808,"k":-0}"#
        #expect(try JSONCoding.standard.decode(JSONValue.self, from: text) == JSONValue(parsing: text))
        #expect(try JSONCoding.standard.decode([String: JSONValue].self, from: text)["a"]?[1] == 2.5)
    }

    @Test func `a container that a type keeps can be read after decoding`() throws {
        struct Keeping: Decodable {
            let decoder: any Decoder
            let container: KeyedDecodingContainer<TextKey>
            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                container = try decoder.container(keyedBy: TextKey.self)
            }
        }
        let kept = try JSONCoding.standard.decode(
            [Keeping].self, from: #"[{"a":1,"b":[1,2]},{"a":"text of some length"}]"#)
        #expect(try kept[1].container.decode(String.self, forKey: TextKey("a")) == "text of some length")
        #expect(try kept[0].container.decode([Int].self, forKey: TextKey("b")) == [1, 2])
        #expect(kept[1].decoder.codingPath.map(\.intValue) == [1])
    }

    @Test func `the coding path and user information are those of the value`() throws {
        struct Path: Decodable {
            let path: [String]
            let value: Int?
            init(from decoder: any Decoder) throws {
                path = decoder.codingPath.map(\.stringValue)
                value = decoder.userInfo[.probe] as? Int
            }
        }
        let coding = JSONCoding { $0.userInfo = [.probe: 7] }
        let paths = try coding.decode([String: [Path]].self, from: #"{"a":[1,{"b":2}]}"#)
        #expect(paths["a"]?.map(\.path) == [["a", "Index 0"], ["a", "Index 1"]])
        #expect(paths["a"]?[0].value == 7)
    }
}

extension CodingUserInfoKey {
    static let probe = CodingUserInfoKey(rawValue: "probe")!
}
