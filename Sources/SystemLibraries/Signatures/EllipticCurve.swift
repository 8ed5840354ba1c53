/// Curve of ECDSA keys (FIPS 186-5; SP 800-186, section 3.2.1).
package enum EllipticCurve: Hashable, Sendable, CaseIterable {
    case p256
    case p384

    /// The number of bytes of a scalar, a coordinate, and each half of a signature.
    package var size: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        }
    }

    /// The name of FIPS 186-5, which JSON Web Keys and libcrypto use too.
    package var name: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        }
    }

    /// The order of the group, big-endian.
    var order: [UInt8] {
        switch self {
        case .p256:
            [
                0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ]
        case .p384:
            [UInt8](repeating: 0xFF, count: 24) + [
                0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2,
                0x48, 0xB0, 0xA7, 0x7A, 0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
            ]
        }
    }

    /// The object identifier in DER, without tag and length (RFC 5480, section 2.1.1.1).
    var identifier: [UInt8] {
        switch self {
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        }
    }

    /// The curve of an object identifier; nil for another one.
    init?(identifier: [UInt8]) {
        guard let curve = Self.allCases.first(where: { $0.identifier == identifier }) else { return nil }
        self = curve
    }

    /// The kind of its keys.
    var kind: KeyKind {
        switch self {
        case .p256: .p256
        case .p384: .p384
        }
    }
}
