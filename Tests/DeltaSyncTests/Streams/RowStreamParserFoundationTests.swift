import Foundation
import PatchbayTestKit
import Testing

@testable import DeltaSync
@testable import StoreCore

/// Differential test: random streams, valid and damaged, read by the row parser and by Foundation.
///
/// Both must give the same rows, and reject the same streams, except that Foundation accepts:
/// - a trailing comma;
/// - numbers out of the range of `Double`, and lone surrogates;
/// - JSON that is not a list of rows with these columns, each at most once.
@Suite struct RowStreamParserFoundationTests {
    private static let columns = ["a", "b", "c", "naïve"]

    @Test(arguments: 0..<8) func `valid streams are read like Foundation reads them`(seed: UInt64) throws {
        var generator = StreamGenerator(seed: seed, columns: Self.columns)
        for _ in 0..<150 {
            let stream = Data(generator.stream().utf8)
            let read = try ReadRows(stream, columns: Self.columns, chunkSize: generator.chunkSize())
            try #require(read.isComplete, "\(read.message ?? "") in \(String(decoding: stream, as: UTF8.self))")
            let rows = read.rows.map { $0.map(Comparable.init) }
            let other = try #require(try foundationRows(stream))
            let difference = zip(other.joined(), rows.joined()).first { $0 != $1 }
            #expect(other == rows, "\(difference.map { "\($0)" } ?? "")")
        }
    }

    @Test(arguments: 100..<108) func `damaged streams are rejected like Foundation rejects them`(seed: UInt64) throws {
        var generator = StreamGenerator(seed: seed, columns: Self.columns)
        var refused = 0
        for _ in 0..<300 {
            let stream = generator.damaged(Data(generator.stream().utf8))
            let read = try ReadRows(stream, columns: Self.columns, chunkSize: generator.chunkSize())
            let other = try? foundationRows(stream)
            if read.isComplete {
                #expect(
                    other == read.rows.map { $0.map(Comparable.init) }, "\(String(decoding: stream, as: UTF8.self))")
            } else {
                refused += 1
                guard read.code == .malformed || read.code == .truncated, other != nil else { continue }
                #expect(Self.isKnownLeniency(read, stream), "\(read) \(String(decoding: stream, as: UTF8.self))")
            }
        }
        #expect(refused > 100)
    }

    @Test(arguments: 200..<204) func `numbers are correctly rounded`(seed: UInt64) throws {
        var generator = StreamGenerator(seed: seed, columns: ["a"])
        for _ in 0..<3000 {
            let text = generator.number()
            let value = try #require(ReadRows("[[\(text)]]", columns: ["a"], shape: .lists).rows.first?.first)
            switch value {
            case .integer(let value): #expect("\(value)" == text)
            case .real(let value): #expect(value.bitPattern == Double(text)?.bitPattern, "\(text)")
            default: Issue.record("\(text)")
            }
        }
    }

    private static func isKnownLeniency(_ read: ReadRows, _ stream: Data) -> Bool {
        guard let message = read.message, let offset = read.offset else { return false }
        if message.contains("surrogate") || message.contains("range of a double") { return true }
        let before = stream.prefix(offset).last { !" \n\r\t".utf8.contains($0) }
        return before == UInt8(ascii: ",") && offset < stream.count && "]}".utf8.contains(stream[offset])
    }

    private func foundationRows(_ stream: Data) throws -> [[Comparable]]? {
        let object = try JSONSerialization.jsonObject(with: stream)
        guard let rows = object as? [[String: Any]] else { return nil }
        return rows.map { row in Self.columns.map { Comparable(row[$0]) } }
    }
}

/// Comparable form of a cell from either parser.
private enum Comparable: Equatable {
    case null, integer(Int64), real(Double), text(String), nested(NSObject)

    init(_ value: StoreValue) {
        switch value {
        case .null, .blob: self = .null
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value)
        case .text(let text):
            let nested = text.first == "[" || text.first == "{"
            let object = nested ? try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSObject : nil
            self = object.map { .nested($0) } ?? .text(text)
        }
    }

    init(_ value: Any?) {
        switch value {
        // A string that looks like a list cannot be distinguished from a list here.
        case let text as String: self = Comparable(StoreValue.text(text))
        case let number as NSNumber:
            let isWhole = "\(number)" == "\(number.int64Value)"
            self = isWhole ? .integer(number.int64Value) : Comparable(StoreValue.real(number.doubleValue))
        case let object as NSObject where !(object is NSNull): self = .nested(object)
        default: self = .null
        }
    }

    /// Tolerance: Foundation parses many digits as a decimal number, which it does not round correctly to a double.
    private static func isNear(_ one: Double, _ other: Double) -> Bool {
        abs(one - other) <= 1e-14 * max(abs(one), abs(other))
    }

    static func == (one: Comparable, other: Comparable) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.integer(let one), .integer(let other)): one == other
        case (.real(let one), .real(let other)): isNear(one, other)
        case (.integer(let one), .real(let other)), (.real(let other), .integer(let one)): isNear(Double(one), other)
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        case (.nested(let one), .nested(let other)): one == other
        default: false
        }
    }
}

/// Generator of row streams.
private struct StreamGenerator {
    private var random: SeededGenerator
    private let columns: [String]

    init(seed: UInt64, columns: [String]) {
        random = SeededGenerator(seed: seed)
        self.columns = columns
    }

    mutating func chunkSize() -> Int { [1, 2, 3, 7, 16, 61, 1000, 65536].randomElement(using: &random) ?? 1 }

    mutating func stream() -> String {
        let rows = (0..<Int.random(in: 0...6, using: &random)).map { _ in row() }
        return blank() + "[" + blank() + rows.joined(separator: blank() + "," + blank()) + blank() + "]" + blank()
    }

    private mutating func row() -> String {
        let count = Int.random(in: 0...columns.count, using: &random)
        let names = chance(4) ? columns.shuffled(using: &random) : columns
        let members = names.prefix(count).map { name in
            blank() + string(name) + blank() + ":" + blank() + value(depth: 0) + blank()
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0...(depth < 3 ? 9 : 7), using: &random) {
        case 0: return ["null", "true", "false"].randomElement(using: &random) ?? ""
        case 1...3: return number()
        case 4...7: return string(text())
        case 8:
            let count = Int.random(in: 0...3, using: &random)
            return "[" + blank() + (0..<count).map { _ in value(depth: depth + 1) }.joined(separator: ", ") + "]"
        default:
            let count = Int.random(in: 0...3, using: &random)
            let members = (0..<count).map { "\"m\($0)\":" + blank() + value(depth: depth + 1) }
            return "{" + members.joined(separator: blank() + ",") + blank() + "}"
        }
    }

    mutating func number() -> String {
        let sign = chance(3) ? "-" : ""
        switch Int.random(in: 0...5, using: &random) {
        case 0: return "\(Int64.random(in: .min ... .max, using: &random))"
        case 1: return sign + "\(Int.random(in: 1...100, using: &random))"
        case 2: return sign + "\(Int.random(in: 1...1000, using: &random)).\(Int.random(in: 0...99999, using: &random))"
        case 3: return "\(Double(bitPattern: UInt64.random(in: 1..<0x7FE0_0000_0000_0000, using: &random)))"
        case 4: return sign + "\(Int.random(in: 1...9, using: &random))e\(Int.random(in: -300...300, using: &random))"
        default:
            return sign + digits(Int.random(in: 1...40, using: &random)) + "."
                + digits(Int.random(in: 1...30, using: &random))
        }
    }

    private mutating func digits(_ count: Int) -> String {
        "\(Int.random(in: 1...9, using: &random))"
            + (1..<max(count, 1)).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
    }

    private mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "7", " ", "\"", "\\", "/", "\n", "\u{1}", "\u{7F}", "é", "ß", "€", "한", "😀", "\u{10FFFF}", "[",
            "{",
            "0", "x",
        ]
        let count = Int.random(in: 0...24, using: &random)
        return String(String.UnicodeScalarView((0..<count).map { _ in scalars.randomElement(using: &random) ?? "a" }))
    }

    /// A quoted string, with all required escapes and some optional ones.
    private mutating func string(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n" where chance(2): quoted += "\\n"
            case _ where scalar.value < 0x20 || chance(12):
                for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                    let hex = String(unit, radix: 16, uppercase: chance(2))
                    quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                }
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Changes one or two bytes, or truncates the stream.
    mutating func damaged(_ stream: Data) -> Data {
        var bytes = Array(stream)
        for _ in 0..<Int.random(in: 1...2, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let byte = Array("{}[]:,\"\\0e-.u1n \u{1}é".utf8).randomElement(using: &random) ?? 0
            switch Int.random(in: 0...3, using: &random) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            case 2: bytes.remove(at: place)
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return Data(bytes)
    }

    private mutating func blank() -> String {
        chance(6) ? [" ", "\n", "\t", "\r\n  "].randomElement(using: &random) ?? "" : ""
    }
    private mutating func chance(_ inverse: Int) -> Bool { Int.random(in: 0..<inverse, using: &random) == 0 }
}
