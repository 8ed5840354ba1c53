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

    private static func numbers(_ key: inout DERReader) -> (modulus: Data, exponent: Data)? {
        guard let modulus = key.takeContents(.integer), let exponent = key.takeContents(.integer),
            !modulus.bytes.isEmpty, !exponent.bytes.isEmpty
        else { return nil }
        return (Data(modulus.bytes.drop { $0 == 0 }), Data(exponent.bytes.drop { $0 == 0 }))
    }
}
