import Foundation
import SystemLibraries

/// Reads RSA private keys in DER (X.690): PKCS #1 (RFC 8017, appendix A.1.2), alone or in PKCS #8 (RFC 5958).
enum RSAKeyEncoding {
    /// The object identifier 1.2.840.113549.1.1.1, rsaEncryption.
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]

    /// The PKCS #1 form of a key; nil if it is not an RSA private key.
    static func pkcs1(fromPrivateKey der: Data) -> Data? {
        if publicKey(ofPKCS1: der) != nil { return der }
        var outer = DERReader(der)
        guard var info = outer.takeContents(.sequence), info.takeContents(.integer) != nil,
            var algorithm = info.takeContents(.sequence),
            algorithm.takeContents(.objectIdentifier).map({ Array($0.bytes) }) == rsaEncryption,
            let key = info.takeContents(.octetString).map({ Data($0.bytes) }), publicKey(ofPKCS1: key) != nil
        else { return nil }
        return key
    }

    /// The modulus and the public exponent of a private key in PKCS #1.
    static func publicKey(ofPKCS1 der: Data) -> RSAPublicKey? {
        var outer = DERReader(der)
        guard var key = outer.takeContents(.sequence), key.takeContents(.integer) != nil,
            let modulus = key.takeContents(.integer), let exponent = key.takeContents(.integer),
            !modulus.bytes.isEmpty, !exponent.bytes.isEmpty, key.takeContents(.integer) != nil
        else { return nil }
        return RSAPublicKey(
            modulus: Data(modulus.bytes.drop { $0 == 0 }), exponent: Data(exponent.bytes.drop { $0 == 0 }))
    }
}
