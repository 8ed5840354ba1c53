import Foundation

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

/// Reader of DER elements with definite lengths.
struct DERReader {
    enum Tag: UInt8 {
        case integer = 0x02
        case octetString = 0x04
        case objectIdentifier = 0x06
        case sequence = 0x30
    }

    private(set) var bytes: ArraySlice<UInt8>

    init(_ data: Data) { bytes = Array(data)[...] }
    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Takes the next element; nil if it has another tag or a malformed length.
    mutating func takeContents(_ tag: Tag) -> DERReader? {
        var rest = bytes
        guard rest.popFirst() == tag.rawValue, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // At most three bytes: keys are small.
            let count = Int(first & 0x7F)
            guard (1...3).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        bytes = rest.dropFirst(length)
        return DERReader(rest.prefix(length))
    }
}
