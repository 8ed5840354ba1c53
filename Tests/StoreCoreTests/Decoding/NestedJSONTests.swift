import Foundation
import LocalStore
import Testing

/// Columns with JSON text.
@Suite struct NestedJSONTests {
    private struct Size: Codable, Equatable {
        var width: Int
        var height: Int
    }

    private struct Note: Decodable, Equatable {
        var tags: [String]
        var size: Size?
        var places: [String: Size] = [:]
    }

    @Test func `arrays, records and dictionaries are read from JSON`() throws {
        let size = Size(width: 3, height: 4)
        let note = Note(tags: ["a", "é"], size: size, places: ["x": size])
        let json: StoreValue = #"{"height":4,"width":3}"#
        let places: StoreValue = #" {"x": {"height":4,"width":3}} "#
        #expect(try decoded(Note.self, ["tags": #"["a","é"]"#, "size": json, "places": places]) == note)
        let blob = StoreValue.blob(Data(#"["a","é"]"#.utf8))
        #expect(try decoded(Note.self, ["tags": blob, "size": json, "places": places]) == note)
        #expect(try decoded(Note.self, ["tags": "[]", "size": nil, "places": "{}"]) == Note(tags: []))
        #expect(try decoded(Size.self, json) == size)
        #expect(try decoded([Size?].self, #"[null,{"height":4,"width":3}]"#) == [nil, size])
        #expect(try decoded([Int].self, ["first": "[1,2]", "second": 3]) == [1, 2])
        #expect(try decoded([Int]?.self, ["first": "[1,2]"]) == [1, 2])
    }

    private struct Times: Decodable, Equatable { var times: [Date] }

    @Test func `dates in JSON are read as those in cells`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.5)
        for (dates, number) in [
            (StoreCoding.Dates.text, "978307200.5"), (.unixSeconds, "978307200.5"),
            (.unixMilliseconds, "978307200500"),
        ] {
            let json = #"["2001-01-01 00:00:00.500","2001-01-01T00:00:00.5Z",\#(number)]"#
            let times = try decoded(Times.self, ["times": .text(json)], StoreCoding(dates: dates))
            #expect(times == Times(times: [date, date, date]))
        }
        expectFailure(
            Times.self, ["times": #"["2001-02-30"]"#],
            "Cannot decode Array<Date> from the row, column \"times\": the value is not valid.")
    }

    @Test func `errors name the column and the property, but no value`() {
        expectFailure(
            Note.self, ["tags": "secret"],
            "Cannot decode JSON from the row, column \"tags\": the value is not valid.")
        expectFailure(
            Note.self, ["tags": 7], "Cannot decode JSON from the row, column \"tags\": found INTEGER.")
        expectFailure(
            Note.self, ["tags": nil],
            "Cannot decode JSON from the row, column \"tags\": found NULL; make the property optional.")
        expectFailure(
            Note.self, ["tags": "[1]"],
            "Cannot decode Array<String> from the row, column \"tags\": found another type than String.")
        expectFailure(
            Note.self, ["tags": "[]", "size": #"{"height":4}"#],
            "Cannot decode Size from the row, column \"size\": found no value for width.")
        expectFailure(
            Note.self, ["tags": "[]", "size": #"{"height":4,"width":"secret"}"#],
            "Cannot decode Size from the row, column \"size\": found another type than Int at width.")
        expectFailure(
            Note.self, ["tags": "[]", "size": nil, "places": #"{"secret":{"width":null,"height":1}}"#],
            "Cannot decode Dictionary<String, Size> from the row, column \"places\": found no value for Int at width.")
        expectFailure(
            Note.self, ["tags": "[]", "size": #"{"height":4,"width":77777777777777777777}"#],
            "Cannot decode Size from the row, column \"size\": the value is not valid at width.")
    }

    /// Asks for nested containers itself.
    private struct Flat: Decodable, Equatable {
        enum Key: CodingKey { case size, tags }
        enum SizeKey: CodingKey { case width }
        let width: Int
        let firstTag: String
        let size: Size

        init(width: Int, firstTag: String, size: Size) {
            self.width = width
            self.firstTag = firstTag
            self.size = size
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let nested = try container.nestedContainer(keyedBy: SizeKey.self, forKey: .size)
            var elements = try container.nestedUnkeyedContainer(forKey: .tags)
            width = try nested.decode(Int.self, forKey: .width)
            firstTag = try elements.decode(String.self)
            size = try Size(from: container.superDecoder(forKey: .size))
        }
    }

    @Test func `nested containers are those of the JSON`() throws {
        let store = MemoryStore()
        try store.execute("CREATE TABLE t (size TEXT, tags TEXT)")
        for width in 1...3 {
            let json = #"{"width":\#(width),"height":0}"#
            let tags = #"["tag \#(width)"]"#
            try store.execute("INSERT INTO t VALUES (\(json), \(tags))")
        }
        let rows = try store.rows(as: Flat.self, "SELECT * FROM t ORDER BY size")
        #expect(
            rows == (1...3).map { Flat(width: $0, firstTag: "tag \($0)", size: Size(width: $0, height: 0)) })
        #expect(throws: StoreError(.undecodable, "Cannot decode Flat from row 1: the value is not valid at width.")) {
            try store.rows(
                as: Flat.self, "SELECT '{\"width\":1e400}' AS size, tags FROM t")
        }
    }

    /// Either of two representations.
    private enum Either: Decodable, Equatable {
        case size(Size)
        case name(String)

        init(from decoder: any Decoder) throws {
            if let size = try? Size(from: decoder) {
                self = .size(size)
            } else {
                self = .name(try decoder.singleValueContainer().decode(String.self))
            }
        }
    }

    private struct Choice: Decodable { let either: Either }

    @Test func `a type may try several representations`() throws {
        let size = Size(width: 3, height: 4)
        #expect(try decoded(Choice.self, ["either": #"{"height":4,"width":3}"#]).either == .size(size))
        #expect(try decoded(Choice.self, ["either": "{plate}"]).either == .name("{plate}"))
        #expect(try decoded(Choice.self, ["either": "plate"]).either == .name("plate"))
    }
}
