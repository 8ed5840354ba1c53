package import Foundation

/// Boyer-Moore-Horspool substring search over bytes.
///
/// Takes time proportional to the bytes if the first byte of the pattern does not occur again in it, as in the line
/// break before a multipart boundary; in general, up to that times the length of the pattern.
package struct ByteSearch: Sendable {
    package let pattern: [UInt8]
    /// How far to shift the pattern, by the byte at its end: to align that byte with its last occurrence in the
    /// pattern.
    private let skips: [Int]

    package init(_ pattern: [UInt8]) {
        self.pattern = pattern
        var skips = [Int](repeating: max(1, pattern.count), count: 256)
        for (index, byte) in pattern.dropLast().enumerated() { skips[Int(byte)] = pattern.count - 1 - index }
        self.skips = skips
    }

    package func occurs(in data: Data) -> Bool { data.withUnsafeBytes { firstIndex(in: $0) != nil } }

    /// The index of the first occurrence that starts at or after `start`.
    package func firstIndex(in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        let length = pattern.count
        guard let base = bytes.baseAddress, length > 0 else { return length == 0 ? start : nil }
        return pattern.withUnsafeBufferPointer { pattern in
            skips.withUnsafeBufferPointer { skips in
                guard let text = pattern.baseAddress else { return nil }
                var last = start + length - 1
                while last < bytes.count {
                    let byte = bytes[last]
                    let first = last - (length - 1)
                    if byte == pattern[length - 1], memcmp(base + first, text, length) == 0 {
                        return first
                    }
                    last += skips[Int(byte)]
                }
                return nil
            }
        }
    }
}
