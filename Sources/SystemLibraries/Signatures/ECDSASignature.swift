import Foundation

/// Converts signatures of P-256 between r and s of 32 bytes each, and DER (RFC 3279, section 2.2.3).
package enum ECDSASignature {
    private static let size = 32

    /// Nil if it is no DER signature of this curve.
    package static func raw(der: [UInt8]) -> [UInt8]? {
        var outer = DERReader(Data(der))
        guard var numbers = outer.takeContents(.sequence), let r = numbers.takeContents(.integer),
            let s = numbers.takeContents(.integer)
        else { return nil }
        var raw: [UInt8] = []
        raw.reserveCapacity(2 * size)
        for number in [r, s] {
            let digits = number.bytes.drop { $0 == 0 }
            guard digits.count <= size else { return nil }
            raw.append(contentsOf: repeatElement(0, count: size - digits.count))
            raw.append(contentsOf: digits)
        }
        return raw
    }

    /// Nil for another number of bytes than 64.
    package static func der(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 2 * size else { return nil }
        return DERWriter.sequence(DERWriter.integer(raw.prefix(size)) + DERWriter.integer(raw.suffix(size)))
    }
}
