import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import Testing

/// What is encoded and decoded by one style and back.
@Suite struct QueryCodingTests {
    private struct Search: Codable, Hashable {
        enum Order: String, Codable { case ascending = "asc", descending = "desc" }
        struct Price: Codable, Hashable { var min: Int; var max: Double? }

        var text = "sofa & more"
        var isNew = true
        var perPage: Int? = 20
        var order = Order.descending
        var tags = ["a", "b c"]
        var price = Price(min: 1, max: 9.5)
        var since = Date(timeIntervalSince1970: 1_700_000_000)
        var token = Data([0xFB, 0xFF, 0])
        var site = URL(string: "https://example.com/?a=b")
        var none: String?
    }

    @Test(arguments: [
        (
            QueryStyle.standard,
            """
            text=sofa%20%26%20more&isNew=true&perPage=20&order=desc&tags=a&tags=b%20c&price%5Bmin%5D=1\
            &price%5Bmax%5D=9.5&since=2023-11-14T22%3A13%3A20Z&token=%2B%2F8A&site=https%3A%2F%2Fexample.com%2F%3Fa%3Db
            """
        ),
        (
            QueryStyle(
                arrays: .brackets, nesting: .dots, names: .snakeCase, dates: .secondsSince1970, bytes: .base64URL,
                booleans: .numbers, nils: .empty),
            """
            text=sofa%20%26%20more&is_new=1&per_page=20&order=desc&tags%5B%5D=a&tags%5B%5D=b%20c&price.min=1\
            &price.max=9.5&since=1700000000&token=-_8A&site=https%3A%2F%2Fexample.com%2F%3Fa%3Db&none=
            """
        ),
        (
            QueryStyle(arrays: .comma, names: .kebabCase, dates: .millisecondsSince1970, nils: .nameOnly),
            """
            text=sofa%20%26%20more&is-new=true&per-page=20&order=desc&tags=a%2Cb%20c&price%5Bmin%5D=1\
            &price%5Bmax%5D=9.5&since=1700000000000&token=%2B%2F8A&site=https%3A%2F%2Fexample.com%2F%3Fa%3Db&none
            """
        ),
    ])
    func `properties are written in the order of the type, and read again`(style: QueryStyle, text: String) throws {
        let query = try Query(encoding: Search(), style: style)
        #expect(query.text() == text)
        #expect(try Query(parsing: text).decode(Search.self, style: style) == Search())
        #expect(try Form(encoding: Search(), style: style).items == query)
    }

    /// OpenAPI 3.1, section 4.8.12.2.2 (style values), for parameters named `color` in a query.
    @Test(arguments: [
        ("form, explode", ArrayStyle.repeated, "color=blue&color=black&color=brown"),
        ("form", .comma, "color=blue,black,brown"),
        ("spaceDelimited", .space, "color=blue%20black%20brown"),
        ("pipeDelimited", .pipe, "color=blue%7Cblack%7Cbrown"),
        ("brackets", .brackets, "color[]=blue&color[]=black&color[]=brown"),
        ("indices", .indices, "color[0]=blue&color[1]=black&color[2]=brown"),
    ])
    func `arrays are written in OpenAPI's styles`(name: String, arrays: ArrayStyle, text: String) throws {
        let style = QueryStyle(arrays: arrays)
        var query = Query()
        try query.append("color", encoding: ["blue", "black", "brown"], style: style)
        #expect(query == Query(parsing: text), "\(name)")
        #expect(try Query(encoding: ["color": ["blue", "black", "brown"]], style: style) == query)
        #expect(try query.decode([String: [String]].self, style: style) == ["color": ["blue", "black", "brown"]])
        var plain = Query()
        plain.append("color", ["blue", "black", "brown"], style: arrays)
        #expect(plain == query)
        var empty = Query()
        try empty.append("color", encoding: [String](), style: style)
        #expect(empty.isEmpty)
    }

    private struct Color: Codable, Hashable { var R = 100; var G = 200; var B = 150; var alpha: Double? }

    @Test(arguments: [
        ("deepObject", QueryStyle.Nesting.brackets, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        ("form", .comma, "color=R%2C100%2CG%2C200%2CB%2C150"),
        ("spaceDelimited", .space, "color=R%20100%20G%20200%20B%20150"),
        ("pipeDelimited", .pipe, "color=R%7C100%7CG%7C200%7CB%7C150"),
        ("dots", .dots, "color.R=100&color.G=200&color.B=150"),
    ])
    func `objects are written in OpenAPI's styles, and read again`(
        name: String, nesting: QueryStyle.Nesting, text: String
    ) throws {
        let style = QueryStyle(nesting: nesting)
        var query = Query()
        try query.append("color", encoding: Color(), style: style)
        #expect(query.text() == text, "\(name)")
        #expect(try Query(encoding: ["color": Color()], style: style) == query)
        #expect(try query.decode([String: Color].self, style: style) == ["color": Color()])
        // As a server gets it from another program.
        let plain = text.replacing("%2C", with: ",").replacing("%7C", with: "|")
        #expect(try Query(parsing: plain).decode([String: Color].self, style: style) == ["color": Color()])
        let pairs = ["color": ["R": 100, "G": 200, "B": 150]]
        #expect(try query.decode([String: [String: Int]].self, style: style) == pairs)
        #expect(try Query(encoding: pairs, style: style).decode([String: [String: Int]].self, style: style) == pairs)
    }

    @Test func `an object in one parameter may be empty, have nil and be one of several`() throws {
        struct Value: Codable, Hashable { var color: Color?; var names: [String: String]; var items: [Color] }
        for nesting in [QueryStyle.Nesting.comma, .space, .pipe] {
            let style = QueryStyle(arrays: .indices, nesting: nesting)
            let value = Value(color: nil, names: [:], items: [Color(R: 1, alpha: 0.5), Color()])
            #expect(try Query(encoding: value, style: style).map(\.name) == ["items[0]", "items[1]"])
            #expect(try Query(encoding: value, style: style).decode(Value.self, style: style) == value)
            #expect(try Query(parsing: "names=").decode([String: [String: Int]].self, style: style) == ["names": [:]])
        }
        let empty = QueryStyle(nesting: .comma, nils: .empty)
        let query = try Query(encoding: ["color": Color()], style: empty)
        #expect(query["color"] == "R,100,G,200,B,150,alpha,")
        #expect(try query.decode([String: Color].self, style: empty) == ["color": Color()])
        // Objects that have a parameter for each value are read in any style.
        #expect(try Query(parsing: "c[R]=1&c[G]=2&c[B]=3").decode([String: Color].self, style: empty)["c"]?.B == 3)
    }

    @Test func `an object with explode and a string are parameters`() throws {
        // Style form with explode: the properties are parameters.
        #expect(try Query(encoding: Color()).text() == "R=100&G=200&B=150")
        #expect(try Query(parsing: "R=100&G=200&B=150").decode(Color.self) == Color())
        var string = Query()
        try string.append("color", encoding: "blue")
        try string.append("empty", encoding: "")
        #expect(string.text() == "color=blue&empty=")
    }

    @Test(arguments: [ArrayStyle.repeated, .brackets, .indices], [QueryStyle.Nesting.brackets, .dots])
    func `arrays of objects and of arrays have an index`(arrays: ArrayStyle, nesting: QueryStyle.Nesting) throws {
        struct Item: Codable, Hashable { var id: Int; var tags: [String] = [] }
        struct Order: Codable, Hashable { var items: [Item]; var grid: [[Int]] }
        let style = QueryStyle(arrays: arrays, nesting: nesting)
        let order = Order(items: (0..<12).map { Item(id: $0, tags: ["t", "u"]) }, grid: [[1, 2], [3]])
        let query = try Query(encoding: order, style: style)
        #expect(query[nesting == .dots ? "items[11].id" : "items[11][id]"] == "11")
        #expect(try query.decode(Order.self, style: style) == order)
        let shuffled = Query(query.reversed().filter { !$0.name.contains("tags") && !$0.name.contains("grid") })
        #expect(try shuffled.decode(Order.self, style: style).items.map(\.id) == Array(0..<12))
    }

    @Test func `arrays are read in any style with a parameter for each value`() throws {
        struct Tags: Codable, Hashable { var tags: [Int] }
        for text in ["tags=1&tags=2", "tags[]=1&tags[]=2", "tags[1]=2&tags[0]=1", "tags=1&tags[7]=2"] {
            #expect(try Query(parsing: text).decode(Tags.self).tags == [1, 2])
        }
        #expect(try Query().decode(Tags.self).tags == [])
        #expect(try Query(parsing: "tags=1,2").decode(Tags.self, style: QueryStyle(arrays: .comma)).tags == [1, 2])
    }

    @Test func `dictionaries are written in the order of their keys`() throws {
        let values = ["b": 1, "a": 2, "perPage": 3, "ä": 4]
        #expect(
            try Query(encoding: values, style: QueryStyle(names: .snakeCase)).map(\.name) == ["a", "b", "perPage", "ä"])
        #expect(try Query(encoding: values).decode([String: Int].self, style: QueryStyle(names: .snakeCase)) == values)
        #expect(try Query(encoding: ["a": ["b": ["c": 1]]]).text() == "a%5Bb%5D%5Bc%5D=1")
    }

    @Test func `numbers of any width`() throws {
        let numbers = ["a": Int128.max, "b": .min]
        #expect(try Query(encoding: numbers).text() == "a=\(Int128.max)&b=\(Int128.min)")
        #expect(try Query(encoding: numbers).decode([String: Int128].self) == numbers)
        #expect(try Query(encoding: ["a": UInt8.max]).decode([String: UInt128].self) == ["a": 255])
        #expect(try Query(encoding: ["a": Decimal(string: "-0.1")]).decode([String: Decimal].self) == ["a": -0.1])
        for text in ["0x10", "1,5", "1 ", "", "inf", "1e999"] {
            let query: Query = ["a": text]
            #expect(throws: HTTPMessageError.self) { try query.decode([String: Decimal].self) }
        }
    }

    @Test func `a coding key may have brackets`() throws {
        struct Filter: Codable, Hashable {
            enum CodingKeys: String, CodingKey { case status = "filter[status]", page = "page.number" }
            var status: String
            var page: Int
        }
        let query = try Query(encoding: Filter(status: "open", page: 2))
        #expect(query == ["filter[status]": "open", "page.number": "2"])
        for nesting in QueryStyle.Nesting.allCases {
            #expect(try query.decode(Filter.self, style: QueryStyle(nesting: nesting)).status == "open")
        }
    }

    @Test func `subclasses and nil in arrays`() throws {
        #expect(try Query(encoding: Derived(1, 2)).text() == "b=2&super%5Ba%5D=1")
        let derived = try Query(encoding: Derived(1, 2)).decode(Derived.self)
        #expect(derived.a == 1 && derived.b == 2)
        let numbers: [String: [Int?]] = ["n": [1, nil, 3]]
        let style = QueryStyle(arrays: .indices, nils: .nameOnly)
        #expect(try Query(encoding: numbers, style: style) == ["n[0]": "1", "n[1]": .flag, "n[2]": "3"])
        #expect(try Query(encoding: numbers, style: style).decode([String: [Int?]].self, style: style) == numbers)
        #expect(try Query(encoding: numbers) == ["n": "1", "n": "3"])
        #expect(try Query(encoding: String?.none).isEmpty)
    }

    @Test(arguments: [
        ("2026-11-26T08:30:00Z", 1_795_681_800.0), ("2026-11-26T09:30:00.25+01:00", 1_795_681_800.25),
        ("2026-11-26t08:30:00z", 1_795_681_800), ("1969-12-31T23:59:59.5Z", -0.5), ("2026-11-26", 1_795_651_200),
        ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("2024-02-29T00:00:00-12:30", 1_709_209_800),
    ])
    func `dates are read in RFC 3339`(text: String, seconds: Double) throws {
        #expect(try Query(["at": text]).decode([String: Date].self) == ["at": Date(timeIntervalSince1970: seconds)])
    }

    @Test(arguments: [
        "", "2026", "2026-13-01", "2026-02-29T00:00:00Z", "2026-11-26T24:00:00Z", "2026-11-26T08:30:00", "x",
        "-1-01-01",
        "2026-11-26T08:30:00.Z", "2026-11-26T08:30:00+1:00", "2026-11-26T08:30:00Zx", "２026-11-26",
    ])
    func `other dates are an error`(text: String) {
        #expect(throws: HTTPMessageError.self) { try Query(["at": text]).decode([String: Date].self) }
    }

    @Test func `dates are written with milliseconds if there are any`() throws {
        for (seconds, text) in [
            (0.0, "1970-01-01T00:00:00Z"), (-0.5, "1969-12-31T23:59:59.500Z"), (0.0004, "1970-01-01T00:00:00Z"),
            (951_782_400.125, "2000-02-29T00:00:00.125Z"), (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
        ] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(try Query(encoding: ["at": date])["at"] == text)
        }
    }

    private class Base: Codable {
        var a: Int
        init(_ a: Int) { self.a = a }
    }

    private final class Derived: Base {
        private enum CodingKeys: String, CodingKey { case b }
        var b: Int
        init(_ a: Int, _ b: Int) {
            self.b = b
            super.init(a)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(b, forKey: .b)
            try super.encode(to: container.superEncoder())
        }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            b = try container.decode(Int.self, forKey: .b)
            try super.init(from: container.superDecoder())
        }
    }
}
