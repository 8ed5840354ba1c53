import Foundation
import PatchbayTestKit

/// Generator of inputs for a parser: valid ones with a few changes, and its words in any order.
struct InputGenerator {
    private var random: SeededGenerator
    private let samples: [[UInt8]]
    private let words: [[UInt8]]

    init(_ target: FuzzTarget, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        samples = target.samples.isEmpty ? [[]] : target.samples.map(Array.init)
        // The words of a target, and parts of its samples.
        let common = ["\"", "\\", "\r\n", "\n", ",", ";", ":", "=", " ", "\0", "%", "/", "(", "{", "[", "<", "é", "😀"]
        words = (target.words + common).map { Array($0.utf8) } + [[0xFF], [0x80], [0xC3], [0xED, 0xA0, 0x80]]
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    mutating func next() -> Data {
        if below(4) == 0 { return Data((0..<below(16)).flatMap { _ in words[below(words.count)] }) }
        var bytes = samples[below(samples.count)]
        for _ in 0..<below(6) { change(&bytes) }
        return Data(bytes.prefix(1200))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        let end = min(bytes.count, place + 1 + below(8))
        switch below(8) {
        case 0 where place < end: bytes[place] ^= 1 << UInt8(below(8))
        case 1 where place < end: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes.insert(contentsOf: words[below(words.count)], at: place)
        case 5: bytes.removeSubrange(place...)
        case 6:
            let other = samples[below(samples.count)]
            bytes.replaceSubrange(place..., with: other[below(other.count + 1)...])
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        }
    }
}
