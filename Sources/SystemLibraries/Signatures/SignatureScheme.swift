/// Signature algorithm with its hash and its form.
package enum SignatureScheme: Hashable, Sendable, CaseIterable {
    /// Ed25519 (RFC 8032), of 64 bytes.
    case ed25519
    /// ECDSA with P-256 and SHA-256, as r and s of 32 bytes each (RFC 7518, section 3.4).
    case ecdsaP256
    /// ECDSA with P-384 and SHA-384, as r and s of 48 bytes each (RFC 7518, section 3.4).
    case ecdsaP384
    /// RSASSA-PSS with SHA-512, MGF1 with SHA-512 and a salt of 64 bytes (RFC 8017).
    case rsaPSS
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017).
    case rsaPKCS1

    /// The kind of its keys; RSASSA-PSS also has those of ``KeyKind/rsaPSS``.
    package var kind: KeyKind {
        switch self {
        case .ed25519: .ed25519
        case .ecdsaP256: .p256
        case .ecdsaP384: .p384
        case .rsaPSS, .rsaPKCS1: .rsa
        }
    }

    /// Whether a key of a kind may make and verify such signatures.
    package func accepts(_ kind: KeyKind) -> Bool { kind == self.kind || self == .rsaPSS && kind == .rsaPSS }

    /// Says that a key is of another kind.
    func check(_ kind: KeyKind, library: String) throws(SystemLibraryError) {
        guard accepts(kind) else {
            throw SystemLibraryError(
                .failed, library: library, "A key of the kind \(kind) has no signatures of the scheme \(self).")
        }
    }
}
