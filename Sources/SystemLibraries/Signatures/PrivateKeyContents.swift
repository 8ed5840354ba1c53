package import Foundation
import PatchbayErrors

/// The secret of a private key, without its encoding.
package struct PrivateKeyContents: Hashable, Sendable, RedactedStringConvertible {
    package let kind: KeyKind
    /// Ed25519: the seed of 32 bytes. ECDSA: the scalar of the curve's size, big-endian. RSA: PKCS #1.
    package let bytes: Data

    /// Nil if the bytes are not a key of this kind.
    package init?(_ kind: KeyKind, _ bytes: Data) {
        switch kind {
        case .ed25519: guard bytes.count == 32 else { return nil }
        case .p256: guard Self.isScalar(bytes, of: .p256) else { return nil }
        case .p384: guard Self.isScalar(bytes, of: .p384) else { return nil }
        case .rsa, .rsaPSS: guard RSAPublicKeyEncoding.numbers(ofPrivate: bytes) != nil else { return nil }
        }
        self.kind = kind
        self.bytes = bytes
    }

    /// Whether bytes are a number from 1 to below the order; libcrypto accepts any number.
    private static func isScalar(_ bytes: Data, of curve: EllipticCurve) -> Bool {
        bytes.count == curve.size && bytes.contains { $0 != 0 } && bytes.lexicographicallyPrecedes(curve.order)
    }

    /// Reads DER: PKCS #8 (RFC 5958), or the older forms of RSA (RFC 8017) and ECDSA (RFC 5915) keys.
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
        case .p256, .p384: return ellipticKey(key, on: kind.curve)
        case .ed25519:
            var inner = DERReader(key)
            return inner.takeContents(.octetString).flatMap { Self(.ed25519, Data($0.bytes)) }
        }
    }

    /// - Parameter curve: nil if the key has to name it.
    private static func ellipticKey(_ der: Data, on curve: EllipticCurve? = nil) -> Self? {
        var outer = DERReader(der)
        guard var key = outer.takeContents(.sequence), key.takeContents(.integer) != nil,
            let scalar = key.takeContents(.octetString)
        else { return nil }
        var named = key.takeContents(.element0)
        let identifier = named?.takeContents(.objectIdentifier).map { Array($0.bytes) }
        let curve = curve ?? identifier.flatMap { EllipticCurve(identifier: $0) }
        return curve.flatMap { Self($0.kind, Data(scalar.bytes)) }
    }

    /// PKCS #8 in DER.
    package var der: Data {
        let key: [UInt8] =
            switch kind {
            case .ed25519: DERWriter.element(.octetString, Array(bytes))
            case .p256, .p384:
                DERWriter.sequence(DERWriter.integer([1]) + DERWriter.element(.octetString, Array(bytes)))
            case .rsa, .rsaPSS: Array(bytes)
            }
        return Data(
            DERWriter.sequence(
                DERWriter.integer([0]) + kind.identifier + DERWriter.element(.octetString, key)))
    }

    /// The kind.
    package var description: String { "private key, \(kind)" }
}
