import Foundation

/// Converts signatures of ECDSA between r and s of the curve's size each, and DER (RFC 3279, section 2.2.3).
package enum ECDSASignature {
    /// Nil if it is no DER signature of this curve.
    package static func raw(der: [UInt8], on curve: EllipticCurve) -> [UInt8]? {
        var outer = DERReader(Data(der))
        guard var numbers = outer.takeContents(.sequence), let r = numbers.takeContents(.integer),
            let s = numbers.takeContents(.integer)
        else { return nil }
        var raw: [UInt8] = []
        raw.reserveCapacity(2 * curve.size)
        for number in [r, s] {
            let digits = number.bytes.drop { $0 == 0 }
            guard digits.count <= curve.size else { return nil }
            raw.append(contentsOf: repeatElement(0, count: curve.size - digits.count))
            raw.append(contentsOf: digits)
        }
        return raw
    }

    /// Nil for another number of bytes than twice the curve's size.
    package static func der(raw: [UInt8], on curve: EllipticCurve) -> [UInt8]? {
        guard raw.count == 2 * curve.size else { return nil }
        return DERWriter.sequence(
            DERWriter.integer(raw.prefix(curve.size)) + DERWriter.integer(raw.suffix(curve.size)))
    }
}
