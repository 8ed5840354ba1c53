import Foundation
import PatchbayTestKit
import ResponseDecoding

/// Output of a parser: a value or an error.
enum Outcome<Output: Hashable>: Hashable {
    case value(Output)
    case error(StreamDecodingError.Code, line: Int, prefix: Data)
}

extension ByteStreamParser where Output: Hashable {
    /// All outcomes of a copy of this parser for chunks.
    func outcomes(of pieces: [Data], finishing isFinishing: Bool = true) -> [Outcome<Output>] {
        var parser = self
        var outcomes: [Outcome<Output>] = []
        for piece in pieces {
            parser.push(piece)
            parser.drain(into: &outcomes)
        }
        if isFinishing {
            parser.finish()
            parser.drain(into: &outcomes)
        }
        return outcomes
    }

    /// All outcomes for a string in one chunk.
    func outcomes(of text: String, finishing isFinishing: Bool = true) -> [Outcome<Output>] {
        outcomes(of: [Data(text.utf8)], finishing: isFinishing)
    }

    /// The values of a string, without errors.
    func values(of text: String, finishing isFinishing: Bool = true) -> [Output] {
        outcomes(of: text, finishing: isFinishing).compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    private mutating func drain(into outcomes: inout [Outcome<Output>]) {
        while true {
            do {
                guard let value = try next() else { return }
                outcomes.append(.value(value))
            } catch {
                outcomes.append(.error(error.code, line: error.line, prefix: error.linePrefix))
            }
        }
    }
}

extension Data {
    /// The bytes in two chunks.
    func cut(at place: Int) -> [Data] { [prefix(place), dropFirst(place)] }

    /// The bytes in chunks of one byte.
    var singleBytes: [Data] { map { Data([$0]) } }

    /// The bytes in chunks of random lengths, some of them empty.
    func randomPieces(using generator: inout SeededGenerator) -> [Data] {
        var rest = self
        var pieces: [Data] = []
        while !rest.isEmpty {
            let count = Int.random(in: 0...Swift.min(rest.count, 9), using: &generator)
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    /// Random bytes, many of them special to the parsers.
    static func random(of parts: [String], using generator: inout SeededGenerator) -> Data {
        var data = Data()
        for _ in 0..<Int.random(in: 0...40, using: &generator) {
            if Int.random(in: 0..<12, using: &generator) == 0 {
                data.append(UInt8.random(in: 0x80...0xFF, using: &generator))
            } else {
                data.append(contentsOf: (parts.randomElement(using: &generator) ?? "").utf8)
            }
        }
        return data
    }
}
