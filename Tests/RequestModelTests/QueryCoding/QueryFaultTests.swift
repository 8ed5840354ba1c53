import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import Testing

/// Values that no query can have, and queries that are no value.
@Suite struct QueryFaultTests {
    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `infinity and NaN are errors that name the parameter`(number: Double) {
        expect("Cannot write \"price[min]\" in a query: not a finite number.") {
            try Query(encoding: ["price": ["min": number]])
        }
        expect("Cannot write \"price\" in a query: not a finite number.") { try Query(encoding: ["price": [number]]) }
        expect("Cannot write \"x\" in a query: not a finite number.") { try Query(encoding: ["x": Float(number)]) }
        expect("Cannot write \"x\" in a query: the date is outside the years 1 to 9999.") {
            try Query(encoding: ["x": Date(timeIntervalSince1970: number)])
        }
        for style in [QueryStyle(dates: .secondsSince1970), QueryStyle(dates: .millisecondsSince1970)] {
            #expect(throws: HTTPMessageError.self) {
                try Query(encoding: ["x": Date(timeIntervalSince1970: number)], style: style)
            }
        }
        #expect(throws: HTTPMessageError.self) { try Query(encoding: ["x": Decimal.nan]) }
    }

    @Test func `values that a style cannot write are errors`() throws {
        let comma = QueryStyle(arrays: .comma)
        expect("Cannot write \"a\" in a query: an element contains the delimiter \",\"; use another `ArrayStyle`.") {
            try Query(encoding: ["a": ["x", "y,z"]], style: comma)
        }
        for value in [["a": [["x"]]], ["a": [[], ["x", "y"]]]] {
            expect(
                "Cannot write \"a\" in a query: an array in one parameter has no objects and no arrays; "
                    + "use `ArrayStyle.indices`."
            ) { try Query(encoding: value, style: comma) }
        }
        #expect(throws: HTTPMessageError.self) { try Query(encoding: ["a": [["k": 1]]], style: comma) }
        expect("Cannot write \"b[c]\" in a query: a key with a bracket or a period; use one without.") {
            try Query(encoding: ["a": ["b[c]": 1]])
        }
        expect("Cannot write \"a\" in a query: a dictionary with an empty key; use another one.") {
            try Query(encoding: ["a": ["": 1, "b": 2]])
        }
        #expect(throws: HTTPMessageError.self) { try Query(encoding: ["": ["x": 1]]) }
        // Where it can be read back it is written.
        #expect(try Query(encoding: ["": 1]).decode([String: Int].self) == ["": 1])
        for style in [QueryStyle(nesting: .dots), QueryStyle(nesting: .comma)] {
            let query = try Query(encoding: ["a": ["": 1]], style: style)
            #expect(try query.decode([String: [String: Int]].self, style: style) == ["a": ["": 1]])
        }
    }

    @Test func `errors show no name that is in a value`() {
        let comma = QueryStyle(nesting: .comma)
        expect("Parameter \"a\" is not a valid Int; check its value.") {
            try Query(parsing: "a=hunter2,x").decode([String: [String: Int]].self, style: comma)
        }
        expect("Parameter \"a[b]\" is not a valid Int; check its value.") {
            try Query(parsing: "a[b]=x").decode([String: [String: Int]].self, style: comma)
        }
        expect(
            "Parameter \"a\" has properties of its own beside its value; expected all in one parameter, or none."
        ) { try Query(parsing: "a=b,1&a[c]=2").decode([String: [String: Int]].self, style: comma) }
    }

    @Test func `objects that one parameter cannot have are errors`() {
        let comma = QueryStyle(nesting: .comma)
        let advice = "an object in one parameter has no objects and no arrays; use `QueryStyle.Nesting.brackets`."
        expect("Cannot write \"a\" in a query: \(advice)") { try Query(encoding: ["a": ["b": ["c": 1]]], style: comma) }
        expect("Cannot write \"a\" in a query: \(advice)") { try Query(encoding: ["a": ["b": [1]]], style: comma) }
        expect(
            "Cannot write \"a\" in a query: a name contains the delimiter \",\"; use another `QueryStyle.Nesting`."
        ) { try Query(encoding: ["a": ["b,c": 1]], style: comma) }
        expect(
            "Cannot write \"a\" in a query: the value of \"b\" contains the delimiter \",\"; "
                + "use another `QueryStyle.Nesting`."
        ) { try Query(encoding: ["a": ["b": "hunter,2"]], style: comma) }
        expect(
            "Cannot write \"a[b]\" in a query: a nil has no form without a value in one parameter; "
                + "use `Nils.omitted` or `Nils.empty`."
        ) { try Query(encoding: ["a": ["b": Int?.none]], style: QueryStyle(nesting: .pipe, nils: .nameOnly)) }
    }

    @Test(arguments: [
        ("a=b", "Parameter \"a\" has a name without a value; expected names and values with the delimiter between."),
        (
            "a=b,1,c",
            "Parameter \"a\" has a name without a value; expected names and values with the delimiter between."
        ),
        ("a=b,1,b,2", "Parameter \"a\" has a name twice; expected each once."),
        ("a=b,x", "Parameter \"a\" is not a valid Int; check its value."),
    ])
    func `one parameter that is no object is an error`(text: String, message: String) {
        expect(message) {
            try Query(parsing: text).decode([String: [String: Int]].self, style: QueryStyle(nesting: .comma))
        }
    }

    @Test func `a value without properties is an error`() {
        let message = "Cannot write a value without named properties as a query; append it under a name."
        expect(message) { try Query(encoding: 1) }
        expect(message) { try Query(encoding: ["a", "b"]) }
        expect(message) { try Query(encoding: [["a": 1]]) }
        expect(message) { try Query(encoding: [[1]]) }
    }

    @Test func `deep nesting is an error`() throws {
        let list = (0..<200).reduce(List()) { list, _ in List(next: list) }
        #expect(throws: HTTPMessageError.self) { try Query(encoding: list) }
        #expect(throws: HTTPMessageError.self) {
            try Query(["a" + String(repeating: "[b]", count: 500_000): "1"]).decode([String: String].self)
        }
        #expect(throws: HTTPMessageError.self) {
            try Query([String(repeating: "a.", count: 500_000): "1"])
                .decode([String: String].self, style: QueryStyle(nesting: .dots))
        }
        #expect(throws: HTTPMessageError.self) { try Query().decode(Endless.self) }
    }

    @Test func `errors of a type name the property`() {
        expect("Cannot encode type Failing as a query at \"secret\".") { try Query(encoding: Failing()) }
        expect("Cannot decode type Failing from a query at \"secret\".") { try Query().decode(Failing.self) }
    }

    @Test(arguments: [
        ("b=1", "Parameter \"a\" is missing; expected a value of type Int."),
        ("a=hunter2", "Parameter \"a\" is not a valid Int; check its value."),
        ("a=1&a=2", "Parameter \"a\" occurs 2 times; expected one value of type Int."),
        ("a=", "Parameter \"a\" is not a valid Int; check its value."),
        ("a=99999999999999999999", "Parameter \"a\" is not a valid Int; check its value."),
        ("a=1&b[c]=x", "Parameter \"b[c]\" is not a valid Double; check its value."),
        ("a=1&b[c]=nan", "Parameter \"b[c]\" is not a valid Double; check its value."),
        ("a=1&b[c]=1&d=1&d=x", "Parameter \"d[1]\" is not a valid Bool; check its value."),
    ])
    func `queries that are no value are errors that name the parameter`(text: String, message: String) {
        struct B: Codable { var c: Double? }
        struct Value: Codable { var a: Int; var b: B?; var d: [Bool]? }
        expect(message) { try Query(parsing: text).decode(Value.self) }
    }

    @Test func `random queries become values or errors`() {
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let names = [
                "a", "b", "c", "a[", "a]", "[]", "a[]", "a[0]", "a[-1]", "a[9999999999999999999]", "a.b", ".", "b[c]",
                "",
            ]
            let query = Query(
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    let parts = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                        names.randomElement(using: &generator) ?? ""
                    }
                    return Query.Item(parts.joined(), Bool.random(using: &generator) ? generator.text() : nil)
                })
            for nesting in QueryStyle.Nesting.allCases {
                for arrays in ArrayStyle.allCases {
                    let style = QueryStyle(arrays: arrays, nesting: nesting, nils: .nameOnly)
                    _ = try? query.decode([String: [String: [String?]]].self, style: style)
                    _ = try? query.decode([String: [[String]]].self, style: style)
                    guard let values = try? query.decode([String: [String?]].self, style: style),
                        let again = try? Query(encoding: values, style: style)
                    else { continue }
                    _ = try? again.decode([String: [String?]].self, style: style)
                }
            }
        }
    }

    @Test(arguments: ArrayStyle.allCases, [QueryStyle.Nesting.brackets, .dots])
    func `random values are read as they were written`(arrays: ArrayStyle, nesting: QueryStyle.Nesting) throws {
        struct Part: Codable, Hashable { var name: String?; var ratio: Double; var flags: [Bool]? }
        struct Whole: Codable, Hashable {
            var text: String
            var numbers: [Int]
            var part: Part
            var parts: [String: Part]
            var data: Data
            var date: Date
        }
        for seed in 0..<100 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            func part() -> Part {
                let flags = (0..<Int.random(in: 1...3, using: &generator)).map { _ in Bool.random(using: &generator) }
                return Part(
                    name: Bool.random(using: &generator) ? generator.text() : nil,
                    ratio: Double.random(in: -1e20...1e20, using: &generator), flags: flags)
            }
            let whole = Whole(
                text: generator.text(),
                numbers: (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    Int(truncatingIfNeeded: generator.next())
                },
                part: part(), parts: ["a": part(), "b c": part()], data: Data(generator.text().utf8),
                date: Date(timeIntervalSince1970: Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 4)
            )
            for bytes in QueryStyle.Bytes.allCases {
                let style = QueryStyle(arrays: arrays, nesting: nesting, names: .snakeCase, bytes: bytes)
                let text = try Query(encoding: whole, style: style).text(as: .form)
                #expect(try Query(parsing: text, as: .form).decode(Whole.self, style: style) == whole, "seed \(seed)")
            }
        }
    }

    private func expect(_ message: String, _ body: () throws -> Any) {
        let error = #expect(throws: HTTPMessageError.self) { _ = try body() }
        #expect(error?.code == .invalidQueryValue)
        #expect(error?.message == message)
    }

    private final class List: Encodable {
        let next: List?
        init(next: List? = nil) { self.next = next }
    }

    private final class Endless: Decodable {
        let next: Endless
        init(from decoder: any Decoder) throws {
            next = try decoder.container(keyedBy: Failing.CodingKeys.self).decode(Endless.self, forKey: .secret)
        }
    }

    fileprivate struct Failing: Codable {
        enum CodingKeys: String, CodingKey { case secret }
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            throw DecodingError.dataCorruptedError(forKey: .secret, in: container, debugDescription: "hunter2")
        }
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                "hunter2", .init(codingPath: [CodingKeys.secret], debugDescription: "hunter2"))
        }
    }
}
