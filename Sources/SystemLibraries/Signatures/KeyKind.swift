/// Kind of an asymmetric key.
package enum KeyKind: Hashable, Sendable, CaseIterable {
    /// Edwards-curve key (RFC 8032).
    case ed25519
    /// Key of the curve P-256 (FIPS 186-5).
    case p256
    /// Key of the curve P-384 (FIPS 186-5).
    case p384
    /// RSA key (RFC 8017) for any scheme.
    case rsa
    /// RSA key only for RSASSA-PSS (RFC 4055, section 1.2).
    case rsaPSS

    /// Whether the key is one of RSA, with or without restriction.
    package var isRSA: Bool { self == .rsa || self == .rsaPSS }

    /// The curve of an ECDSA key; nil for the other kinds.
    package var curve: EllipticCurve? {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .ed25519, .rsa, .rsaPSS: nil
        }
    }

    /// Reads the contents of an `AlgorithmIdentifier` of PKCS #8 or SubjectPublicKeyInfo; nil for another kind.
    init?(algorithm: DERReader) {
        var algorithm = algorithm
        switch algorithm.takeContents(.objectIdentifier).map({ Array($0.bytes) }) {
        case AlgorithmIdentifiers.ed25519: self = .ed25519
        case AlgorithmIdentifiers.rsaEncryption: self = .rsa
        case AlgorithmIdentifiers.rsaPSS:
            guard algorithm.bytes.isEmpty || RSAPSSParameters.allowSHA512(algorithm) else { return nil }
            self = .rsaPSS
        case AlgorithmIdentifiers.ellipticCurve:
            let identifier = algorithm.takeContents(.objectIdentifier)
            guard let curve = identifier.flatMap({ EllipticCurve(identifier: Array($0.bytes)) }) else { return nil }
            self = curve.kind
        default: return nil
        }
    }

    /// `AlgorithmIdentifier` in DER.
    var identifier: [UInt8] {
        switch self {
        case .ed25519: DERWriter.sequence(DERWriter.element(.objectIdentifier, AlgorithmIdentifiers.ed25519))
        case .p256: Self.identifier(of: .p256)
        case .p384: Self.identifier(of: .p384)
        case .rsa:
            DERWriter.sequence(
                DERWriter.element(.objectIdentifier, AlgorithmIdentifiers.rsaEncryption) + DERWriter.element(.null, []))
        case .rsaPSS: DERWriter.sequence(DERWriter.element(.objectIdentifier, AlgorithmIdentifiers.rsaPSS))
        }
    }

    private static func identifier(of curve: EllipticCurve) -> [UInt8] {
        DERWriter.sequence(
            DERWriter.element(.objectIdentifier, AlgorithmIdentifiers.ellipticCurve)
                + DERWriter.element(.objectIdentifier, curve.identifier))
    }
}

/// Object identifiers in DER, without tag and length (RFC 3279, RFC 4055, RFC 5480, RFC 8410).
enum AlgorithmIdentifiers {
    static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    /// A key only for RSASSA-PSS.
    static let rsaPSS: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]
    static let ellipticCurve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// The mask generation function of RSASSA-PSS.
    static let mgf1: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x08]
    static let sha512: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]
    static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
}
