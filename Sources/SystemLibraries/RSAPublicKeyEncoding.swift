package import Foundation

/// Writes RSA public keys in DER (X.690): `RSAPublicKey` of PKCS #1 (RFC 8017, appendix A.1.1).
package enum RSAPublicKeyEncoding {
    /// The encoding of a key's numbers, which are big-endian.
    package static func pkcs1(modulus: Data, exponent: Data) -> Data {
        Data(element(0x30, integer(modulus) + integer(exponent)))
    }

    /// An INTEGER: without leading zeros, except one if the first bit would make it negative.
    private static func integer(_ bytes: Data) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let isPositive = digits.first.map { $0 < 0x80 } ?? false
        return element(0x02, isPositive ? digits : [0] + digits)
    }

    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        guard contents.count >= 0x80 else { return [tag, UInt8(contents.count)] + contents }
        let length = withUnsafeBytes(of: contents.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + contents
    }
}
