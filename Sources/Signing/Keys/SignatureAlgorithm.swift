import SystemLibraries

/// Algorithm of a signature, by its name of RFC 9421, section 6.2.2.
@nonexhaustive public enum SignatureAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// Ed25519 (RFC 8032): the first choice for a new key; it is fast, and its keys are short.
    case ed25519
    /// ECDSA with the curve P-256 and SHA-256, r and s of 32 bytes each: `ES256` of RFC 7518.
    case ecdsaP256SHA256 = "ecdsa-p256-sha256"
    /// ECDSA with the curve P-384 and SHA-384, r and s of 48 bytes each: `ES384` of RFC 7518.
    case ecdsaP384SHA384 = "ecdsa-p384-sha384"
    /// RSASSA-PSS with SHA-512, MGF1 with SHA-512 and a salt of 64 bytes: `PS512` of RFC 7518.
    case rsaPSSSHA512 = "rsa-pss-sha512"
    /// RSASSA-PKCS1-v1_5 with SHA-256: `RS256` of RFC 7518. Prefer ``rsaPSSSHA512``.
    case rsaPKCS1SHA256 = "rsa-v1_5-sha256"
    /// HMAC with SHA-256 (RFC 2104): both sides have the same secret.
    case hmacSHA256 = "hmac-sha256"

    /// The scheme of a pair of keys; nil for a shared secret.
    var scheme: SignatureScheme? {
        switch self {
        case .ed25519: .ed25519
        case .ecdsaP256SHA256: .ecdsaP256
        case .ecdsaP384SHA384: .ecdsaP384
        case .rsaPSSSHA512: .rsaPSS
        case .rsaPKCS1SHA256: .rsaPKCS1
        case .hmacSHA256: nil
        }
    }

    /// The algorithm of a key, unless another one is asked for.
    init(_ kind: KeyKind) {
        switch kind {
        case .ed25519: self = .ed25519
        case .p256: self = .ecdsaP256SHA256
        case .p384: self = .ecdsaP384SHA384
        case .rsa, .rsaPSS: self = .rsaPSSSHA512
        }
    }
}
