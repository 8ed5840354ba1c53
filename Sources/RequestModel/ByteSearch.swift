import Foundation

/// Boyer-Moore-Horspool substring search over bytes.
struct ByteSearch {
    private let pattern: [UInt8]
    /// How far to shift the pattern, by the byte at its end: to align that byte with its last occurrence in the
    /// pattern.
    private let skips: [Int]

    init(_ pattern: [UInt8]) {
        self.pattern = pattern
        var skips = [Int](repeating: max(1, pattern.count), count: 256)
        for (index, byte) in pattern.dropLast().enumerated() { skips[Int(byte)] = pattern.count - 1 - index }
        self.skips = skips
    }

    func occurs(in data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var end = pattern.count
            while end <= bytes.count {
                if bytes[(end - pattern.count)..<end].elementsEqual(pattern) { return true }
                end += skips[Int(bytes[end - 1])]
            }
            return false
        }
    }
}
