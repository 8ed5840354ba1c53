import Foundation
import Testing

@testable import JSON

// Behavior 3: errors with paths and locations.
@Suite struct JSONCodingErrorTests {
    private func context(_ text: String) throws -> DecodingError.Context {
        do {
            _ = try JSONCoding.standard.decode([Line].self, from: text)
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context)
        {
            return context
        }
        throw CocoaError(.coderReadCorrupt)
    }

    @Test func `a rejected value has a path, an offset, a line and a column`() throws {
        let text = "[\n  {\"points\": [{\"x\": 1}]},\n  {\"points\": [{\"x\": \"a\"}]}\n]"
        let context = try context(text)
        #expect(context.codingPath.map(\.stringValue) == ["Index 1", "points", "Index 0", "x"])
        #expect(context.codingPath.map(\.intValue) == [1, nil, 0, nil])
        let error = try #require(context.underlyingError as? JSONError)
        #expect(error.code == .unexpectedValue)
        #expect(error.location == JSONLocation(offset: 48, line: 3, column: 21))
        #expect(error.message == "Unexpected value at byte 48, line 3; see the DecodingError around this one.")
    }

    @Test(arguments: [
        ("[{}]", ["Index 0"], 1), (#"[{"points":null}]"#, ["Index 0", "points"], 11),
        (#"[{"points":[{"x":1.5}]}]"#, ["Index 0", "points", "Index 0", "x"], 17),
        (#"[{"points":[],"tags":{"b":{}}}]"#, ["Index 0", "tags", "b"], 26), ("{}", [], 0),
        (#"[{"points":[],"tags":{"4":"a"}}]"#, ["Index 0", "tags", "4"], 26),
        (#"[{"points":[],"style":"x"}]"#, ["Index 0", "style"], 22),
    ])
    func `each kind of error has them`(text: String, path: [String], offset: Int) throws {
        let context = try context(text)
        #expect(context.codingPath.map(\.stringValue) == path)
        #expect((context.underlyingError as? JSONError)?.location?.offset == offset)
    }

    @Test func `keys in the path of an error are those of the types`() throws {
        let context = try context(#"[{"points":[{"x":"a"}]}]"#)
        func isEnum(_ key: any CodingKey) -> Bool { Mirror(reflecting: key).displayStyle == .enum }
        #expect(context.codingPath.map(isEnum) == [false, true, false, true])
        let error = #expect(throws: EncodingError.self) {
            try JSONCoding.standard.encode(Line(points: [Point(x: 1, y: .infinity)]))
        }
        guard case .invalidValue(_, let context)? = error else { return #expect(Bool(false)) }
        #expect(context.codingPath.map(isEnum) == [true, false, true])
    }

    @Test func `invalid JSON has a location`() throws {
        let context = try context("[\n1 2]")
        #expect(context.codingPath.isEmpty)
        let error = try #require(context.underlyingError as? JSONError)
        #expect(error.code == .invalidSyntax)
        #expect(error.location == JSONLocation(offset: 4, line: 2, column: 3))
        #expect(error.message == "Invalid JSON at byte 4: expected a comma or ].")
    }

    @Test func `no error quotes a string of the text`() throws {
        for text in [
            #"[{"points":"secret"}]"#, #"[{"points":[{"x":"secret"}]}]"#, #"["secret"#,
            #"[{"points":[],"style":"secret"}]"#,
        ] {
            #expect(!"\(try context(text))".contains("secret"))
        }
        #expect(
            try context(#"[{"points":[],"style":"secret"}]"#).debugDescription
                == "Cannot initialize Style with this value.")
        let error = try #require(throws: DecodingError.self) {
            try JSONCoding.standard.decode(ClosedRange<String>.self, from: #"["secret","a"]"#)
        }
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `an error that a type throws has the place of its path`() throws {
        struct Item: Decodable { var lineStyles: [String: [Line.Style]] }
        let coding = JSONCoding { $0.keys = .snakeCase }
        let error = #expect(throws: DecodingError.self) {
            try coding.decode(Item.self, from: "{\"line_styles\":\n{\"a_b\":[\"solid\",\"x\"]}}")
        }
        let context = try #require(error?.context)
        #expect(context.codingPath.map(\.stringValue) == ["lineStyles", "a_b", "Index 1"])
        let location = (context.underlyingError as? JSONError)?.location
        #expect(location == JSONLocation(offset: 32, line: 2, column: 17))
    }

    @Test func `an error keeps the cause that its type gives`() throws {
        struct Picky: Decodable {
            struct Cause: Error {}
            init(from decoder: any Decoder) throws {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "Too picky.", underlyingError: Cause()))
            }
        }
        let error = #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Picky.self, from: "1") }
        #expect(error?.context?.underlyingError is Picky.Cause)
    }

    @Test func `an error in a type that catches errors keeps its container in place`() throws {
        struct Lenient: Decodable {
            var numbers: [Int] = []
            var others = 0
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    if let number = try? container.decode(Int.self) {
                        numbers.append(number)
                    } else {
                        _ = try container.decode(Anything.self)
                        others += 1
                    }
                }
                #expect(throws: DecodingError.self) { try container.decode(Int.self) }
                #expect(throws: DecodingError.self) { try container.decodeNil() }
                #expect(throws: DecodingError.self) { try container.superDecoder() }
                #expect(try container.decodeIfPresent(Int.self) == nil)
            }
        }
        let lenient = try JSONCoding.standard.decode(Lenient.self, from: #"[1,"a",[2],3,{"x":[]},null,4]"#)
        #expect(lenient.numbers == [1, 3, 4] && lenient.others == 4)
    }

    @Test func `many rejected values do not count lines each time`() throws {
        // Each element is tried as several types, and each attempt throws. The line of an error is counted only once.
        let text = "[" + String(repeating: "\"a\",\n", count: 50_000) + "0]"
        guard case .array(let elements) = try JSONCoding.standard.decode(Anything.self, from: text) else {
            return #expect(Bool(false))
        }
        #expect(elements.count == 50_001)
    }
}
