import Foundation
import LocalStore
import TestSupport
import Testing

@testable import StoreCore

@Suite struct RowEncoderTests {
    /// A value of each kind of column.
    private struct Sample: Encodable {
        enum Color: String, Codable { case red }
        struct Point: Codable {
            var y = 2
            var x = 1
            var at: Date? = Date(timeIntervalSince1970: 0.5)
        }
        struct Celsius: RawRepresentable, Codable { var rawValue = 21.5 }

        var text = "a"
        var flag = true
        var small = Int8(-3)
        var big = UInt64(7)
        var huge: Int128? = -8
        var real = 0.5
        var float = Float(0.25)
        var missing: String?
        var color = Color.red
        var noColor: Color?
        var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        var date = Date(timeIntervalSince1970: 1.25)
        var url = URL(string: "https://example.com/a")
        var bytes = Data([1, 2])
        var amount = Decimal(string: "12.345")
        var temperature = Celsius()
        var list = [1, 2]
        var names: [String: String] = ["b": "/", "a": "é"]
        var point: Point? = Point()
        var sourceURL: Int? = nil
    }

    private func row(_ record: some Encodable, _ coding: StoreCoding = StoreCoding()) throws -> [String: StoreValue] {
        let encoder = RowEncoder(type(of: record), coding)
        #expect(try encoder.append(record))
        let batch = encoder.batch
        #expect(batch.rowCount == 1)
        return Dictionary(
            uniqueKeysWithValues: batch.columns.indices.map {
                (batch.columns[$0].text, batch.value(row: 0, column: $0))
            })
    }

    @Test func `each type has its storage class`() throws {
        let expected: [String: StoreValue] = [
            "text": "a", "flag": 1, "small": -3, "big": 7, "huge": -8, "real": 0.5, "float": 0.25, "missing": nil,
            "color": "red",
            "noColor": nil, "id": "01020304-0506-0708-090A-0B0C0D0E0F10", "date": "1970-01-01 00:00:01.250",
            "url": "https://example.com/a", "bytes": .blob(Data([1, 2])), "amount": "12.345", "temperature": 21.5,
            "list": "[1,2]", "names": #"{"a":"é","b":"/"}"#,
            "point": #"{"at":"1970-01-01 00:00:00.500","x":1,"y":2}"#, "sourceURL": nil,
        ]
        #expect(try row(Sample()) == expected)
    }

    @Test func `a coding changes dates, UUIDs and names`() throws {
        let numbers = try row(Sample(), StoreCoding(dates: .unixMilliseconds, uuids: .blob, keys: .snakeCase))
        #expect(numbers["date"] == 1250)
        #expect(numbers["id"] == .blob(Data(1...16)))
        #expect(numbers["point"] == #"{"at":500,"x":1,"y":2}"#)
        #expect(numbers.keys.contains("source_url") && numbers.keys.contains("no_color"))
        let lowercase = try row(Sample(), StoreCoding(uuids: .lowercaseText))
        #expect(lowercase["id"] == "01020304-0506-0708-090a-0b0c0d0e0f10")
        let seconds = try row(Sample(), StoreCoding(dates: .unixSeconds))
        #expect(seconds["date"] == 1.25)
        #expect(seconds["point"] == #"{"at":0.5,"x":1,"y":2}"#)
        let reference = try row(Sample(), StoreCoding(dates: .referenceSeconds))
        #expect(reference["date"] == -978_307_198.75)
        #expect(reference["point"] == #"{"at":-978307199.5,"x":1,"y":2}"#)
    }

    @Test(arguments: [
        ("1234567.12345678", true, true), ("0.123456789012345", true, true), ("0.1234567890123456", false, false),
        ("9223372036854775807", true, false), ("9223372036854775808", false, false),
        ("-9223372036854775808", true, false),
        ("1234567890123450000000", true, true), ("1000000000000000000000000", false, false),
        ("0.00000000000000000000012", false, false), ("-0.0000000000000000000012", true, true), ("0", true, true),
    ])
    func `a numeric column keeps integers of 64 bits and 15 digits`(text: String, numeric: Bool, real: Bool) {
        #expect(DecimalText.isPreserved(text, in: .numeric) == numeric)
        #expect(DecimalText.isPreserved(text, in: .integer) == numeric)
        #expect(DecimalText.isPreserved(text, in: .real) == real)
        #expect(DecimalText.isPreserved(text, in: .text) && DecimalText.isPreserved(text, in: .blob))
    }

    @Test(arguments: [
        ("isPinned", "is_pinned"), ("id", "id"), ("sourceURL", "source_url"), ("sourceURLString", "source_url_string"),
        ("URL", "url"), ("aB", "a_b"), ("already_snake", "already_snake"), ("v2Name", "v2_name"), ("", ""),
    ])
    func `snake case splits words`(key: String, column: String) {
        #expect(StoreCoding.Keys.snakeCase.columnName(of: key) == column)
        #expect(StoreCoding.Keys.asWritten.columnName(of: key) == key)
    }

    /// A record with keys in any order.
    private struct Keyed: Encodable {
        let values: [(String, Int?)]

        init(_ values: (String, Int?)...) { self.values = values }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: TextKey.self)
            for (key, value) in values { try container.encode(value, forKey: TextKey(stringValue: key)) }
        }
    }

    private struct TextKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @Test func `rows share a batch while their keys are the same`() throws {
        let encoder = RowEncoder(Keyed.self, StoreCoding())
        #expect(try encoder.append(Keyed(("a", 1), ("b", 2))))
        #expect(try encoder.append(Keyed(("b", 3), ("a", nil))))
        #expect(try encoder.append(Keyed(("a", 4), ("a", 5), ("b", 6))))
        for other in [Keyed(("a", 7)), Keyed(("a", 7), ("b", 8), ("c", 9)), Keyed(("c", 7), ("d", 8)), Keyed()] {
            #expect(try !encoder.append(other))
        }
        #expect(try encoder.append(Keyed(("a", 7), ("b", 8))))
        let batch = encoder.batch
        #expect(batch.columns == ["a", "b"] && batch.rowCount == 4)
        #expect(
            (0..<4).map { [batch.value(row: $0, column: 0), batch.value(row: $0, column: 1)] }
                == [[1, 2], [nil, 3], [5, 6], [7, 8]])
        encoder.removeRows()
        #expect(try encoder.append(Keyed(("a", 1), ("b", 2), ("c", 3))))
        #expect(encoder.batch.columns == ["a", "b", "c"])
        encoder.removeColumns()
        #expect(try encoder.append(Keyed(("z", 1))))
        #expect(encoder.batch.columns == ["z"] && encoder.batch.value(row: 0, column: 0) == 1)
    }

    private struct Nesting: Encodable {
        enum Key: String, CodingKey { case inner }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            _ = container.nestedUnkeyedContainer(forKey: .inner)
        }
    }
    private struct Holder<Value: Encodable>: Encodable { var secretive: Value }

    @Test func `a record that is no row is refused without its values`() throws {
        func message(_ record: some Encodable) throws -> String {
            let encoder = RowEncoder(type(of: record), StoreCoding())
            let error = #expect(throws: StoreError.self) { _ = try encoder.append(record) }
            #expect(error?.code == .invalidArgument)
            #expect(encoder.batch.isEmpty)
            return error?.message ?? ""
        }
        #expect(try message(7).contains("Int"))
        #expect(try message(["secret"]).contains("Array<String>"))
        #expect(try message(Optional<Sample>.none).contains("Optional"))
        #expect(try message(Keyed()).contains("Keyed"))
        #expect(try message(Keyed(("a", 1), ("A", 2))).contains("A"))
        #expect(try message(Nesting()).contains("inner"))
        #expect(try message(Holder(secretive: UInt64.max)).contains("secretive"))
        #expect(try message(Holder(secretive: Int128.max)).contains("secretive"))
        #expect(try message(UInt128(7)).contains("UInt128"))
        #expect(try message(Holder(secretive: Date(timeIntervalSince1970: .infinity))).contains("secretive"))
        let nested = try message(Holder(secretive: Holder(secretive: ["first": [1.5, .infinity]])))
        #expect(nested.contains("at secretive") && !nested.contains("first") && !nested.contains("inf"))
        #expect(try message(Holder(secretive: Decimal.nan)).contains("secretive"))
        #expect(try message(Holder(secretive: Double.nan)).contains("secretive of type"))
        #expect(try message(Holder(secretive: Float?.some(.nan))).contains("NaN; use nil"))
        #expect(try message(Holder(secretive: Sample.Celsius(rawValue: .nan))).contains("NaN; use nil"))
    }

    @Test func `a record may encode another one`() throws {
        struct Wrapper: Encodable {
            var inner = Holder(secretive: 7)
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(inner)
            }
        }
        #expect(try row(Wrapper()) == ["secretive": 7])
        #expect(try row(Optional(Holder(secretive: 7))) == ["secretive": 7])
    }

    private class Animal: Codable {
        var name = "a"
    }
    private final class Cat: Animal {
        enum CodingKeys: CodingKey { case lives }
        var lives = 9

        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            lives = try container.decode(Int.self, forKey: .lives)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lives, forKey: .lives)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test func `a superclass is encoded into the same row and read from it`() throws {
        let cat = Cat()
        (cat.name, cat.lives) = ("b", 7)
        #expect(try row(cat) == ["lives": 7, "name": "b"])
        let store = MemoryStore()
        try store.execute("CREATE TABLE cat (lives INTEGER, name TEXT)")
        try store.insert([Cat(), cat], into: "cat")
        let cats = try store.rows(as: Cat.self, "SELECT * FROM cat ORDER BY lives")
        #expect(cats.map(\.lives) == [7, 9] && cats.map(\.name) == ["b", "a"])
        try store.close()
    }

    @Test func `errors of a record are rethrown`() throws {
        struct Failing: Encodable {
            struct Reason: Error {}
            func encode(to encoder: any Encoder) throws { throw Reason() }
        }
        let encoder = RowEncoder(Failing.self, StoreCoding())
        #expect(throws: Failing.Reason.self) { _ = try encoder.append(Failing()) }
        let holder = RowEncoder(Holder<Failing>.self, StoreCoding())
        #expect(throws: Failing.Reason.self) { _ = try holder.append(Holder(secretive: Failing())) }
    }
}
