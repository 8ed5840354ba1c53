package import Foundation
import PatchbayErrors

/// The secret of a private key, without its encoding.
package struct PrivateKeyContents: Hashable, Sendable, RedactedStringConvertible {
    package let kind: KeyKind
    /// Ed25519: the seed of 32 bytes. P-256: the scalar of 32 bytes, big-endian. RSA: `RSAPrivateKey` of PKCS #1.
    package let bytes: Data

    /// Nil if the bytes are not a key of this kind.
    package init?(_ kind: KeyKind, _ bytes: Data) {
        switch kind {
        case .ed25519: guard bytes.count == 32 else { return nil }
        case .p256:
            // libcrypto accepts any number here.
            guard bytes.count == 32, bytes.contains(where: { $0 != 0 }), bytes.lexicographicallyPrecedes(Self.order)
            else { return nil }
        case .rsa, .rsaPSS: guard RSAPublicKeyEncoding.numbers(ofPrivate: bytes) != nil else { return nil }
        }
        self.kind = kind
        self.bytes = bytes
    }

    /// The order of the group of P-256 (FIPS 186-5; SP 800-186, section 3.2.1.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Reads DER: PKCS #8 (RFC 5958), or the older forms of RSA (RFC 8017) and P-256 (RFC 5915) keys.
    package init?(der: Data) {
        guard let contents = Self.pkcs8(der) ?? Self(.rsa, der) ?? Self.ellipticKey(der) else { return nil }
        self = contents
    }

    private static func pkcs8(_ der: Data) -> Self? {
        var outer = DERReader(der)
        guard var info = outer.takeContents(.sequence), info.takeContents(.integer) != nil,
            let algorithm = info.takeContents(.sequence), let kind = KeyKind(algorithm: algorithm),
            let key = info.takeContents(.octetString).map({ Data($0.bytes) })
        else { return nil }
        switch kind {
        case .rsa, .rsaPSS: return Self(kind, key)
        case .p256: return ellipticKey(key, isP256: true)
        case .ed25519:
            var inner = DERReader(key)
            return inner.takeContents(.octetString).flatMap { Self(.ed25519, Data($0.bytes)) }
        }
    }

    /// - Parameter isP256: true if the curve is known; otherwise the key has to name it.
    private static func ellipticKey(_ der: Data, isP256: Bool = false) -> Self? {
        var outer = DERReader(der)
        guard var key = outer.takeContents(.sequence), key.takeContents(.integer) != nil,
            let scalar = key.takeContents(.octetString)
        else { return nil }
        if !isP256 {
            var curve = key.takeContents(.element0)
            guard curve?.takeContents(.objectIdentifier).map({ Array($0.bytes) }) == AlgorithmIdentifiers.p256 else {
                return nil
            }
        }
        return Self(.p256, Data(scalar.bytes))
    }

    /// PKCS #8 in DER.
    package var der: Data {
        let key: [UInt8] =
            switch kind {
            case .ed25519: DERWriter.element(.octetString, Array(bytes))
            case .p256: DERWriter.sequence(DERWriter.integer([1]) + DERWriter.element(.octetString, Array(bytes)))
            case .rsa, .rsaPSS: Array(bytes)
            }
        return Data(
            DERWriter.sequence(
                DERWriter.integer([0]) + kind.identifier + DERWriter.element(.octetString, key)))
    }

    /// The kind.
    package var description: String { "private key, \(kind)" }
}
