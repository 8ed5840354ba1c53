import Foundation
import PatchbayTestKit

/// Long inputs for a parser, made of short parts that are repeated: many names, many errors, deep nesting.
struct GrowthInputs {
    /// A beginning, a part that is repeated, and an end.
    struct Pattern: CustomStringConvertible {
        let start: [UInt8]
        let part: [UInt8]
        /// Repeated after the parts as often as they are, for what is nested.
        let close: [UInt8]
        let end: [UInt8]

        /// The input of about a size, or of more parts.
        func input(ofSize size: Int, times factor: Int = 1) -> Data {
            let count = max(1, size / (part.count + close.count)) * factor
            var bytes = start
            for _ in 0..<count { bytes += part }
            for _ in 0..<count { bytes += close }
            return Data(bytes + end)
        }

        var description: String {
            let texts = [start, part, close, end].map { String(decoding: $0, as: UTF8.self).debugDescription }
            return "\(texts[0]), \(texts[1]) and \(texts[2]) many times, \(texts[3])"
        }
    }

    private var random: SeededGenerator
    private let samples: [[UInt8]]
    private let words: [[UInt8]]
    private let pairs: [(String, String)] = [
        ("[", "]"), ("{\"a\":", "}"), ("(", ")"), ("<a>", "</a>"), ("\"", "\""), ("{\"a\":[", "]}"),
    ]

    init(_ target: FuzzTarget, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        samples = target.samples.filter { !$0.isEmpty }.map(Array.init)
        let common = [
            "\"", "\\", "\r\n", "\n", ",", ";", ":", "=", " ", "%", "/", "(", "{", "[", "<", "é", "a", "&", ".",
        ]
        words = (target.words + common).map { Array($0.utf8) }
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    mutating func next() -> Pattern {
        switch below(4) {
        case 0:
            let part = (0...below(3)).flatMap { _ in words[below(words.count)] }
            return Pattern(start: [], part: part, close: [], end: [])
        case 1:
            let (open, close) = pairs[below(pairs.count)]
            return around(Array(open.utf8), close: below(3) == 0 ? [] : Array(close.utf8))
        case 2 where !samples.isEmpty:
            // A part of a sample, many times in its place.
            let sample = samples[below(samples.count)]
            let place = below(sample.count)
            let end = min(sample.count, place + 1 + below(40))
            return Pattern(
                start: Array(sample[..<place]), part: Array(sample[place..<end]), close: [], end: Array(sample[end...]))
        default: return around((0...below(2)).flatMap { _ in words[below(words.count)] }, close: [])
        }
    }

    private mutating func around(_ part: [UInt8], close: [UInt8]) -> Pattern {
        let sample = samples.isEmpty ? [] : samples[below(samples.count)]
        let place = below(sample.count + 1)
        return Pattern(start: Array(sample[..<place]), part: part, close: close, end: Array(sample[place...]))
    }
}
