import Foundation
import PatchbayTestKit
import Testing

@testable import JSON

@Suite struct JSONWriterTests {
    @Test(
        arguments: [
            (["b": 1, "a": [1.5, nil, true]], #"{"a":[1.5,null,true],"b":1}"#), ([:], "{}"), ([], "[]"),
            (1e300, "1e+300"),
            (
                "\u{0}\u{1F}\u{7F}\"\\/\u{8}\u{C}\n\r\tä\u{2028}",
                "\"\\u0000\\u001f\u{7F}\\\"\\\\/\\b\\f\\n\\r\\tä\u{2028}\""
            ),
        ] as [(JSONValue, String)])
    func `JSON is compact with sorted members`(value: JSONValue, text: String) throws {
        #expect(try String(decoding: value.data(), as: UTF8.self) == text)
        #expect(value.description == text)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `infinity and NaN are rejected, and null in descriptions`(number: Double) {
        let value = JSONValue.array([.number(number), 1])
        let error = #expect(throws: JSONError.self) { try value.data() }
        #expect(error?.code == .invalidValue)
        #expect(value.description == "[null,1]")
    }

    @Test func `values nested too deep are rejected, and null in descriptions`() throws {
        func nested(_ levels: Int) -> JSONValue { (0..<levels).reduce(7) { value, _ in ["a": [value]] } }
        let half = JSONScanner.maximumDepth / 2
        #expect(try JSONValue(parsing: nested(half).data()) == nested(half))
        #expect(throws: JSONError.self) { try nested(half + 1).data() }
        #expect(nested(half + 1).description.contains("null"))
        // The depth decreases after an array.
        #expect(try JSONValue.array(Array(repeating: [[1]], count: 500)).data().count == 500 * 6 + 1)
    }

    @Test func `random values round-trip`() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            let value = JSONValue.random(depth: 4, using: &generator)
            let read = try JSONValue(parsing: value.data())
            #expect(read == value)
            // Minus zero equals zero, so equality alone would not detect a change.
            #expect(read.description == value.description)
        }
    }

    @Test func `boundary numbers round-trip`() throws {
        let powers: [Int64] = (0..<63).map { 1 << Int64($0) }
        let edgesOfIntegers: [Int64] = [.min, .min + 1, 0, .max - 1, .max]
        let integers = edgesOfIntegers + powers + powers.map { -$0 } + powers.map { $0 - 1 }
        for integer in integers {
            #expect(try JSONValue(parsing: JSONValue.integer(integer).data()) == .integer(integer))
        }
        var generator = SeededGenerator(seed: 9)
        let edges: [Double] = [
            0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .pi, 1e15, 1e16, 1e17, 0x1p63,
        ]
        let random: [Double] = (0..<20_000).map { _ in Double(bitPattern: generator.next()) }
        let doubles = edges + edges.map { -$0 } + random
        for double in doubles where double.isFinite {
            let read = try JSONValue(parsing: JSONValue.number(double).data())
            guard case .number(let number) = read else {
                Issue.record("\(double) came back as \(read)")
                continue
            }
            #expect(number.bitPattern == double.bitPattern)
        }
    }

    @Test func `every Unicode scalar round-trips`() throws {
        var text = String.UnicodeScalarView()
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 1) where value < 0x3000 || value % 97 == 0 {
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        }
        let value = JSONValue.string(String(text))
        guard case .string(let read) = try JSONValue(parsing: value.data()) else { return #expect(Bool(false)) }
        #expect(Array(read.utf8) == Array(String(text).utf8))
    }
}

extension JSONValue {
    fileprivate static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: .integer(Int64(truncatingIfNeeded: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
        case 3: .number(randomNumber(using: &generator))
        case 4, 5: .string(randomText(using: &generator))
        case 6:
            .array(
                (0..<Int.random(in: 0..<5, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            .object(
                Dictionary(
                    (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
                        (randomText(using: &generator), random(depth: depth - 1, using: &generator))
                    }
                ) { _, last in last })
        }
    }

    private static func randomNumber(using generator: inout SeededGenerator) -> Double {
        let number = Double(bitPattern: generator.next())
        return number.isFinite ? number : -0.0
    }

    private static func randomText(using generator: inout SeededGenerator) -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x1F, 0x20...0x7F, 0x80...0x7FF, 0x800...0xFFFF, 0x10000...0x10FFFF, 0x22...0x5C,
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            let range = ranges.randomElement(using: &generator) ?? 0...0
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { text.append(scalar) }
        }
        return String(text)
    }
}
