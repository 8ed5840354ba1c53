import Foundation
import Testing

@testable import JSON

// Behavior 4: the encoder. Most tests compare sorted text with that of Foundation's encoder.
@Suite struct JSONCodingEncodingTests {
    private func text(_ value: some Encodable, _ format: JSONCoding.Format = []) throws -> String {
        String(decoding: try JSONCoding { $0.format = format }.encode(value), as: UTF8.self)
    }

    private func expectSame(
        _ value: some Encodable, _ settings: CoderSettings = CoderSettings(),
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        for isPretty in [false, true] {
            var coding = settings.coding
            coding.format = isPretty ? [.sortedKeys, .pretty, .escapedSlashes] : .sortedKeys
            settings.encoder.outputFormatting =
                isPretty ? [.sortedKeys, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
            let expected = String(decoding: try settings.encoder.encode(value), as: UTF8.self)
            let encoded = String(decoding: try coding.encode(value), as: UTF8.self)
            #expect(encoded == expected, sourceLocation: location)
        }
    }

    private let line = Line(
        points: [Point(x: 1, y: 0.5, name: "a/b"), Point(x: -2)], tags: ["b": 2, "a": 1, "ä": 3], style: .dotted,
        next: [Line(points: [])])

    @Test func `types of all kinds are written as Foundation does`() throws {
        try expectSame(line)
        try expectSame([Shape.circle(radius: 1.5), .square(2, label: nil), .square(3, label: "x"), .empty])
        try expectSame([1: "a", 2: "b"])
        try expectSame([Line.Style.solid: 1])
        try expectSame(Nested(a: 1, b: [2, 3, 4, 5], c: nil))
        try expectSame(Dog(name: "Rex", age: 3))
        try expectSame(Cat(name: "Tom", lives: 9))
        try expectSame([Int?.none, 1])
        try expectSame([String: [String: [Int]]]())
        try expectSame([[[Int]]]([[[]], [[1, 2], []]]))
        try expectSame("fragment")
        try expectSame(true)
        try expectSame(Int?.none)
        try expectSame([URL(string: "http://example.com/a")!])
        try expectSame([Decimal(string: "1.50")!, Decimal(string: "-12345678901234567890.123")!])
        try expectSame(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        try expectSame(JSONValue.object(["b": [1, 2.5, nil], "a": "x"]))
        try expectSame(["a": JSONValue.object(["b": 1])])
    }

    @Test func `members are in the order of the type`() throws {
        #expect(try text(Point(x: 1, y: 2, name: "n")) == #"{"x":1,"y":2,"name":"n"}"#)
        #expect(try text(Point(x: 1, y: 2, name: "n"), .sortedKeys) == #"{"name":"n","x":1,"y":2}"#)
    }

    @Test func `integers of all sizes`() throws {
        try expectSame([Int8.min, .max])
        try expectSame([UInt8.min, .max])
        try expectSame([Int64.min, -1, 0, 1, .max])
        try expectSame([UInt64.min, .max])
        try expectSame([Int128.min, .max])
        try expectSame([UInt128.max])
        try expectSame([Int16.min, .max])
        try expectSame([UInt32.max])
    }

    @Test func `numbers have the fewest digits that round-trip`() throws {
        let numbers = [
            0, -0.0, 1, 0.1, 1e15, 1e16, 1e21, 1.5e300, .leastNonzeroMagnitude, 1e-5, 0.0001, 123456789.125, .pi,
            .greatestFiniteMagnitude,
            -1e100, 9_007_199_254_740_992, 1e22, 4_503_599_627_370_496.5,
        ]
        try expectSame(numbers)
        try expectSame(numbers.map { Float($0) }.filter(\.isFinite))
        for number in numbers { #expect(try JSONCoding.standard.decode(Double.self, from: text(number)) == number) }
    }

    @Test func `strings are escaped where JSON requires it`() throws {
        try expectSame((0..<0x80).map { String(UnicodeScalar(UInt8($0))) })
        try expectSame(["", "ä\u{80}\u{2028}😀\u{FFFE}", "a/b", "\"\\", String(repeating: "ab\"c", count: 100)])
        try expectSame(["a\"b/\n": 1])
        #expect(try text("a/b") == #""a/b""#)
        #expect(try text("a/b", .escapedSlashes) == #""a\/b""#)
    }

    @Test func `dates and data in all forms`() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy"
        let dates: [(JSONCoding.Dates, JSONEncoder.DateEncodingStrategy)] = [
            (.deferredToDate, .deferredToDate), (.secondsSince1970, .secondsSince1970),
            (.millisecondsSince1970, .millisecondsSince1970), (.iso8601, .iso8601),
            (.formatted(formatter), .formatted(formatter)),
            (
                .custom(decode: { _ in Date() }, encode: { try "\($0.timeIntervalSince1970)".encode(to: $1) }),
                .custom { try "\($0.timeIntervalSince1970)".encode(to: $1) }
            ),
            (.custom(decode: { _ in Date() }, encode: { _, _ in }), .custom { _, _ in }),
        ]
        for (ours, foundation) in dates {
            let settings = CoderSettings(coding: JSONCoding { $0.dates = ours })
            settings.encoder.dateEncodingStrategy = foundation
            try expectSame(["a": date], settings)
            try expectSame([date], settings)
        }
        let withMilliseconds = JSONCoding { $0.dates = .iso8601WithMilliseconds }
        #expect(String(decoding: try withMilliseconds.encode(date), as: UTF8.self) == #""2023-11-14T22:13:20.250Z""#)
        #expect(try withMilliseconds.decode(Date.self, from: withMilliseconds.encode(date)) == date)
        for seconds in [700_000_000.0, -700_000_000] {
            let dates = (0..<1000).map { Date(timeIntervalSinceReferenceDate: seconds + Double($0) / 1000) }
            #expect(try withMilliseconds.decode([Date].self, from: withMilliseconds.encode(dates)) == dates)
        }
        for (seconds, text) in [(0.9996, "00:00:01.000Z"), (-0.0004, "00:00:00.000Z"), (-0.0006, "23:59:59.999Z")] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(String(decoding: try withMilliseconds.encode(date), as: UTF8.self).hasSuffix("T\(text)\""))
        }
        try expectSame([Data([1, 2, 255])])
        let settings = CoderSettings(coding: JSONCoding { $0.data = .deferredToData })
        settings.encoder.dataEncodingStrategy = .deferredToData
        try expectSame([Data([1, 2, 255])], settings)
    }

    @Test func `names are converted, but not those of dictionaries`() throws {
        struct Names: Encodable {
            var oneTwo = 1
            var myURLString = ["aB": ["cD": 2]]
        }
        try expectSame(Names(), .snakeCase)
        try expectSame(["x": Names()], .prefixedKeys)
    }

    @Test func `infinity and NaN are strings or an error with a path`() throws {
        try expectSame([Double.infinity, -.infinity, .nan, 1], .floatStrings)
        try expectSame(["a": [Float.infinity]], .floatStrings)
        for (value, path) in [
            (AnyEncodable([1, Double.nan]), ["Index 1"]),
            (AnyEncodable(["a": ["b": [[Double.infinity]]]]), ["a", "b", "Index 0", "Index 0"]),
            (AnyEncodable(Double.nan), []), (AnyEncodable(["k": Float.nan]), ["k"]),
            (AnyEncodable([Point(x: 1, y: .nan)]), ["Index 0", "y"]),
            (AnyEncodable(["a": [1, Decimal.nan]]), ["a", "Index 1"]), (AnyEncodable(["k": Decimal.nan]), ["k"]),
        ] {
            let error = #expect(throws: EncodingError.self) { try JSONCoding.standard.encode(value) }
            guard case .invalidValue(_, let context)? = error else { return #expect(Bool(false)) }
            #expect(context.codingPath.map(\.stringValue) == path)
        }
        #expect(throws: EncodingError.self) { try JSONCoding.standard.encode(Decimal.nan) }
        let strings = JSONCoding {
            $0.nonConformingFloats = .strings(positiveInfinity: "∞", negativeInfinity: "-∞", nan: "?")
        }
        let data = try strings.encode([Decimal.nan, 1])
        #expect(String(decoding: data, as: UTF8.self) == #"["?",1]"#)
        let decimals = try strings.decode([Decimal].self, from: data)
        #expect(decimals.map(\.isNaN) == [true, false] && decimals.last == 1)
        #expect(throws: DecodingError.self) { try strings.decode(Decimal.self, from: #""∞""#) }
        #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Decimal.self, from: #""?""#) }
    }

    private struct AnyEncodable: Encodable {
        let body: any Encodable
        init(_ body: any Encodable) { self.body = body }
        func encode(to encoder: any Encoder) throws { try body.encode(to: encoder) }
    }

    /// Encodes by a closure.
    private struct Encoding: Encodable {
        let body: (any Encoder) throws -> Void
        init(_ body: @escaping (any Encoder) throws -> Void) { self.body = body }
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    @Test func `containers that are open at the same time`() throws {
        try expectSame(
            Encoding { encoder in
                var container = encoder.unkeyedContainer()
                var object = container.nestedContainer(keyedBy: TextKey.self)
                _ = container.nestedUnkeyedContainer()
                let last = container.superEncoder()
                try object.encode(1, forKey: TextKey("a"))
                try container.encodeNil()
                var single = last.singleValueContainer()
                try single.encode(5)
                var inner = object.nestedUnkeyedContainer(forKey: TextKey("b"))
                try inner.encode("c")
            })
        try expectSame(
            Encoding { encoder in
                var container = encoder.container(keyedBy: TextKey.self)
                var first = container.nestedContainer(keyedBy: TextKey.self, forKey: TextKey("a"))
                try first.encode(1, forKey: TextKey("x"))
                var second = container.nestedContainer(keyedBy: TextKey.self, forKey: TextKey("a"))
                try second.encode(2, forKey: TextKey("y"))
                _ = container.superEncoder()
            })
    }

    @Test func `of members with the same name the last one counts`() throws {
        try expectSame(
            Encoding { encoder in
                var container = encoder.container(keyedBy: TextKey.self)
                try container.encode(1, forKey: TextKey("a"))
                try container.encode(2, forKey: TextKey("b"))
                try container.encode([3], forKey: TextKey("a"))
            })
        // More names than are compared while they are written.
        try expectSame(
            Encoding { encoder in
                var container = encoder.container(keyedBy: TextKey.self)
                for number in 0..<200 { try container.encode(number, forKey: TextKey("name \(number % 150)")) }
            })
    }

    @Test func `a value that encodes nothing is an empty object, or an error`() throws {
        try expectSame([Encoding { _ in }])
        try expectSame(["a": Encoding { _ in }])
        #expect(throws: EncodingError.self) { try JSONCoding.standard.encode(Encoding { _ in }) }
    }

    @Test func `a caught error leaves nothing behind`() throws {
        let value = Encoding { encoder in
            var container = encoder.container(keyedBy: TextKey.self)
            try? container.encode(Double.nan, forKey: TextKey("a"))
            try container.encode(1, forKey: TextKey("b"))
            try? container.encode([["x": Double.nan]], forKey: TextKey("c"))
            try? container.encode(
                Encoding { encoder in
                    var inner = encoder.container(keyedBy: TextKey.self)
                    _ = inner.superEncoder()
                    try inner.encode(1, forKey: TextKey("y"))
                    throw CocoaError(.coderInvalidValue)
                }, forKey: TextKey("d"))
            var list = container.nestedUnkeyedContainer(forKey: TextKey("e"))
            try? list.encode(Double.nan)
            try list.encode(2)
            #expect(list.count == 1)
        }
        #expect(try text(value) == #"{"b":1,"e":[2]}"#)
    }

    @Test func `wrong use of containers is an error`() throws {
        let uses: [(any Encoder) throws -> Void] = [
            { encoder in
                _ = encoder.unkeyedContainer()
                _ = encoder.container(keyedBy: TextKey.self)
            },
            { encoder in
                var single = encoder.singleValueContainer()
                try single.encode(1)
                try single.encode(2)
            },
            { encoder in
                var outer = encoder.unkeyedContainer()
                var kept: (any UnkeyedEncodingContainer)?
                try outer.encode(Encoding { kept = $0.unkeyedContainer() })
                try kept?.encode(1)
            },
            { encoder in
                var outer = encoder.unkeyedContainer()
                var kept: (any UnkeyedEncodingContainer)?
                try outer.encode(Encoding { kept = $0.unkeyedContainer() })
                _ = kept?.nestedUnkeyedContainer()
            },
        ]
        for use in uses { #expect(throws: EncodingError.self) { try JSONCoding.standard.encode(Encoding(use)) } }
    }

    @Test func `a value that contains itself is an error`() {
        final class Loop: Encodable {
            var next: Loop?
            private enum CodingKeys: CodingKey { case next }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(next, forKey: .next)
            }
        }
        let loop = Loop()
        loop.next = loop
        defer { loop.next = nil }
        #expect(throws: EncodingError.self) { try JSONCoding.standard.encode(loop) }
    }

    @Test func `a value that contains itself through the encoder of a superclass is an error`() throws {
        final class Loop: Encodable {
            let isKeyed: Bool
            var next: Loop?
            init(isKeyed: Bool) { self.isKeyed = isKeyed }
            func encode(to encoder: any Encoder) throws {
                if isKeyed {
                    var container = encoder.container(keyedBy: TextKey.self)
                    try container.encode(1, forKey: TextKey("a"))
                    try next?.encode(to: container.superEncoder(forKey: TextKey("next")))
                } else {
                    var container = encoder.unkeyedContainer()
                    try container.encode(1)
                    try next?.encode(to: container.superEncoder())
                }
            }
        }
        for isKeyed in [true, false] {
            let loop = Loop(isKeyed: isKeyed)
            loop.next = loop
            defer { loop.next = nil }
            let error = #expect(throws: EncodingError.self) { try JSONCoding.standard.encode(loop) }
            guard case .invalidValue(_, let context)? = error else { return #expect(Bool(false)) }
            #expect(context.debugDescription == "The value is nested more than 512 levels deep.")
            #expect(context.codingPath.count == 512)
        }
    }

    @Test func `the coding path is that of the value`() throws {
        nonisolated(unsafe) var paths: [[String]] = []
        let probe = Encoding { encoder in
            paths.append(encoder.codingPath.map(\.stringValue))
            var single = encoder.singleValueContainer()
            try single.encodeNil()
        }
        _ = try JSONCoding { $0.keys = .snakeCase }.encode(["aB\"c": [probe, probe]])
        #expect(paths == [["aB\"c", "Index 0"], ["aB\"c", "Index 1"]])
    }

    @Test func `random records round-trip, and Foundation reads them`() throws {
        var random = RandomJSON(seed: 4)
        var count = 0
        for _ in 0..<3000 {
            guard let record = try? JSONCoding.standard.decode(RandomRecord.self, from: random.record()) else {
                continue
            }
            let data = try JSONCoding.standard.encode(record)
            #expect(try JSONCoding.standard.decode(RandomRecord.self, from: data) == record)
            #expect(try JSONDecoder().decode(RandomRecord.self, from: data) == record)
            count += 1
        }
        #expect(count > 50)
    }
}
