package import Foundation

/// Reader of DER elements with definite lengths (X.690).
package struct DERReader {
    package enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case null = 0x05
        case objectIdentifier = 0x06
        case sequence = 0x30
        /// The element 0 of a structure, explicitly tagged: the version of a certificate, the curve of a key, a hash.
        case element0 = 0xA0
        /// The element 1, explicitly tagged: the mask of RSASSA-PSS.
        case element1 = 0xA1
        /// The element 2, explicitly tagged: the salt of RSASSA-PSS.
        case element2 = 0xA2
    }

    package private(set) var bytes: ArraySlice<UInt8>

    package init(_ data: Data) { bytes = Array(data)[...] }
    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Takes the next element; nil if it has another tag or a malformed length.
    package mutating func takeContents(_ tag: Tag) -> DERReader? {
        var rest = bytes
        guard rest.popFirst() == tag.rawValue, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // At most three bytes: keys and certificates are small.
            let count = Int(first & 0x7F)
            guard (1...3).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        bytes = rest.dropFirst(length)
        return DERReader(rest.prefix(length))
    }

    /// Takes the next element with its tag and length.
    package mutating func takeElement(_ tag: Tag) -> Data? {
        let start = bytes
        guard takeContents(tag) != nil else { return nil }
        return Data(start.prefix(start.count - bytes.count))
    }
}
