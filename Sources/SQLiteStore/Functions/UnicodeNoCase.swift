import Foundation

/// Comparison of UTF-8 texts without regard to case; see ``SQLiteStore/Collation/unicodeNoCase``.
enum UnicodeNoCase {
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> ComparisonResult {
        // Fast path, which gives the same order: the canonical form of ASCII text is the text itself.
        if isASCII(left), isASCII(right) {
            for (one, other) in zip(left, right) where lowercase(one) != lowercase(other) {
                return order(lowercase(one), lowercase(other))
            }
            return order(left.count, right.count)
        }
        return order(folded(left), folded(right))
    }

    private static func order<Value: Comparable>(_ one: Value, _ other: Value) -> ComparisonResult {
        one == other ? .orderedSame : one < other ? .orderedAscending : .orderedDescending
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.allSatisfy { $0 < 0x80 } }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    private static func folded(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes, as: UTF8.self).uppercased().lowercased()
    }
}
