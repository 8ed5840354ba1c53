import Foundation
import StoreCore
import SystemLibraries

/// SQL text compared bytewise, unlike `String`, whose equality is Unicode canonical equivalence.
struct SQLText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    static func == (one: SQLText, other: SQLText) -> Bool { one.hasBytes(of: other.text) }

    /// True when both are the same string in memory, and so equal: usually the caller passes the same literal again.
    ///
    /// Compares the representation, not the bytes of the text: the same storage and count, or the same small string.
    @inline(__always)
    func isIdentical(to other: String) -> Bool {
        withUnsafeBytes(of: text) { one in
            withUnsafeBytes(of: other) { other in
                one.baseAddress.flatMap { start in
                    other.baseAddress.map { memcmp(start, $0, MemoryLayout<String>.size) == 0 }
                } ?? false
            }
        }
    }

    /// True when the bytes are equal.
    @inline(__always)
    func hasBytes(of other: String) -> Bool {
        let isEqual = text.utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard one.count == other.count else { return false }
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                return memcmp(start, otherStart, one.count) == 0
            }
        }
        return isEqual.flatMap { $0 } ?? text.utf8.elementsEqual(other.utf8)
    }

    func hash(into hasher: inout Hasher) {
        _ = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
