package import Foundation

/// A public key without its encoding.
package struct PublicKeyContents: Hashable, Sendable {
    package let kind: KeyKind
    /// Ed25519: 32 bytes. ECDSA: the point, not compressed: 4 and two coordinates. RSA: `RSAPublicKey` of PKCS #1.
    package let bytes: Data

    /// Nil if the bytes are not a key of this kind.
    package init?(_ kind: KeyKind, _ bytes: Data) {
        switch kind {
        case .ed25519: guard bytes.count == 32 else { return nil }
        case .p256: guard Self.isPoint(bytes, of: .p256) else { return nil }
        case .p384: guard Self.isPoint(bytes, of: .p384) else { return nil }
        case .rsa, .rsaPSS: guard RSAPublicKeyEncoding.numbers(ofPublic: bytes) != nil else { return nil }
        }
        self.kind = kind
        self.bytes = bytes
    }

    private static func isPoint(_ bytes: Data, of curve: EllipticCurve) -> Bool {
        bytes.count == 1 + 2 * curve.size && bytes.first == 4
    }

    /// Reads DER: SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7), or `RSAPublicKey` (RFC 8017).
    package init?(der: Data) {
        guard let contents = Self.subjectPublicKeyInfo(der) ?? Self(.rsa, der) else { return nil }
        self = contents
    }

    private static func subjectPublicKeyInfo(_ der: Data) -> Self? {
        var outer = DERReader(der)
        guard var info = outer.takeContents(.sequence), let algorithm = info.takeContents(.sequence),
            let kind = KeyKind(algorithm: algorithm),
            let bits = info.takeContents(.bitString), bits.bytes.first == 0
        else { return nil }
        return Self(kind, Data(bits.bytes.dropFirst()))
    }

    /// SubjectPublicKeyInfo in DER.
    package var der: Data {
        Data(DERWriter.sequence(kind.identifier + DERWriter.element(.bitString, [0] + Array(bytes))))
    }
}
