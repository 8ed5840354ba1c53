import Foundation
import PatchbayTestKit

/// Generator of JSON texts, valid ones and mutated ones.
struct RandomJSON {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func number() -> String {
        switch below(8) {
        case 0: return "\(below(600) - 300)"
        case 1: return "\(finite())"
        case 2: return "\(Int64(bitPattern: generator.next()))"
        case 3: return "\(generator.next())"
        case 4: return "\(below(100_000)).\(below(100_000))e\(below(60) - 30)"
        case 5: return "\(generator.next()).\(generator.next())e\(below(600) - 320)"
        case 6: return pick(Self.numbers)
        default: return "\(below(6))"
        }
    }

    private mutating func finite() -> Double {
        let number = Double(bitPattern: generator.next())
        return number.isFinite ? number : 0.5
    }

    mutating func string() -> String { pick(Self.strings) }

    mutating func value(depth: Int = 0) -> String {
        switch below(depth > 3 ? 6 : 9) {
        case 0: return "null"
        case 1: return pick(["true", "false"])
        case 2, 3: return number()
        case 4, 5: return string()
        case 6:
            let elements = (0..<below(5)).map { _ in value(depth: depth + 1) }
            return "[" + elements.joined(separator: pick([",", ", ", " ,\n"])) + "]"
        default:
            let members = (0..<below(6)).map { _ in
                pick(Self.keys) + pick([":", " : "]) + value(depth: depth + 1)
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    /// A document that mostly fits `RandomRecord`.
    mutating func record() -> String {
        var members: [String] = []
        func add(_ name: String, _ value: String, _ random: inout RandomJSON) {
            guard random.below(3) > 0 else { return }
            let isOdd = random.below(12) == 0
            members.append("\"\(name)\":\(isOdd ? random.value(depth: 2) : value)")
        }
        add("a", number(), &self)
        add("b", string(), &self)
        add("c", number(), &self)
        add("d", "[\(number()),\(number())]", &self)
        add("e", "{\"p\":\(number())}", &self)
        add("f", "true", &self)
        add("g", "{\"x\":\(below(9)),\"y\":[{\"x\":1,\"z\":\(string())}]}", &self)
        add("h", number(), &self)
        add("i", number(), &self)
        add("j", number(), &self)
        add("k", pick([number(), string()]), &self)
        add("l", string(), &self)
        add("m", string(), &self)
        add("first_name", string(), &self)
        if below(2) == 0 { members.shuffle(using: &generator) }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// Changes, inserts, removes or repeats up to three bytes, or cuts the end off.
    mutating func mutated(_ text: String) -> Data {
        var bytes = [UInt8](text.utf8)
        for _ in 0..<below(4) {
            guard !bytes.isEmpty else { break }
            let index = below(bytes.count)
            switch below(6) {
            case 0: bytes[index] = UInt8(truncatingIfNeeded: generator.next())
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(pick(Self.bytes), at: index)
            case 3: bytes.removeSubrange(index...)
            case 4: bytes[index] = pick(Self.bytes)
            default: bytes.insert(contentsOf: bytes[index...].prefix(below(8) + 1), at: index)
            }
        }
        return Data(bytes)
    }

    private static let bytes = [UInt8]("{}[]\",:0123456789eE+-.ntf\\u \n".utf8)
    private static let numbers = [
        "0", "-0", "1.0", "1e2", "1E+2", "10e-1", "1.50", "123456789012345678901234567890",
        "0.1234567890123456789012345",
        "1e308", "1e309", "5e-324", "9007199254740993", "18446744073709551615", "18446744073709551616", "1.5", "255",
        "256",
        "3.4e38", "3.5e38", "2.2250738585072011e-308", "1e23", "8.5e22", "-9223372036854775808", "0e999",
    ]
    private static let strings = [
        #""""#, #""a""#, #""äöü""#, #""\u00e4\n\t\\\"\/\b\f\r""#, #""\ud83d\ude00""#, #""\ud83d""#, #""\ude00""#,
        #""http://a/b?c=d""#, #""AQID""#, #""AQ==""#, #""2026-01-31T12:30:00Z""#, #""NaN""#, #""\u0000""#, #""\x""#,
        #""a long string with more than sixteen bytes in it""#, "\"😀é漢字\"", "\"\u{1}\"", "\"a\tb\"",
    ]
    private static let keys = [
        #""a""#, #""b""#, #""c""#, #""x""#, #""y""#, #""\u0061""#, "\"é\"", "\"e\u{301}\"", #""""#, #""first_name""#,
        #""firstName""#, #""K""#, "\"\u{212A}\"",
    ]
}

/// A type with members of most kinds, all optional.
struct RandomRecord: Codable, Equatable {
    var a: Int?
    var b: String?
    var c: Double?
    var d: [Double]?
    var e: [String: Double]?
    var f: Bool?
    var g: Inner?
    var h: Decimal?
    var i: UInt8?
    var j: Float?
    var k: Date?
    var l: Data?
    var m: URL?
    var firstName: String?

    struct Inner: Codable, Equatable {
        var x: Int
        var y: [Inner]?
        var z: String?
    }
}
