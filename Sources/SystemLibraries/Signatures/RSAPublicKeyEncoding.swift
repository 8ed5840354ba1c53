package import Foundation

/// Writes and reads RSA public keys in DER (X.690): `RSAPublicKey` of PKCS #1 (RFC 8017, appendix A.1.1).
package enum RSAPublicKeyEncoding {
    /// The encoding of a key's numbers, which are big-endian.
    package static func pkcs1(modulus: Data, exponent: Data) -> Data {
        Data(DERWriter.sequence(DERWriter.integer(modulus) + DERWriter.integer(exponent)))
    }

    /// The modulus and the exponent, big-endian without leading zeros; nil if it is no public key.
    package static func numbers(ofPublic pkcs1: Data) -> (modulus: Data, exponent: Data)? {
        var outer = DERReader(pkcs1)
        guard var key = outer.takeContents(.sequence) else { return nil }
        return numbers(&key)
    }

    /// The modulus and the public exponent of a private key in PKCS #1 (appendix A.1.2); nil if it is not one.
    package static func numbers(ofPrivate pkcs1: Data) -> (modulus: Data, exponent: Data)? {
        var outer = DERReader(pkcs1)
        guard var key = outer.takeContents(.sequence), key.takeContents(.integer) != nil,
            let numbers = numbers(&key), key.takeContents(.integer) != nil
        else { return nil }
        return numbers
    }

    /// The number of bits of a number without leading zeros.
    package static func bitCount(_ number: Data) -> Int {
        number.first.map { number.count * 8 - $0.leadingZeroBitCount } ?? 0
    }

    private static func numbers(_ key: inout DERReader) -> (modulus: Data, exponent: Data)? {
        guard let modulus = oddNumber(&key), let exponent = oddNumber(&key), exponent != [1] else { return nil }
        return (Data(modulus), Data(exponent))
    }

    /// A positive odd number: the modulus is a product of odd primes, and the exponent is at least 3 (RFC 8017, section
    /// 3.1).
    private static func oddNumber(_ key: inout DERReader) -> ArraySlice<UInt8>? {
        // The first bit is that of a negative number.
        guard let bytes = key.takeContents(.integer)?.bytes, let first = bytes.first, first < 0x80,
            let last = bytes.last, last & 1 == 1
        else { return nil }
        return bytes.drop { $0 == 0 }
    }
}
