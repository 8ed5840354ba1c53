extension SAPService {
    /// A scheme of authentication that a server accepts.
    public enum Scheme: Hashable, Sendable {
        /// Basic, in UTF-8 (RFC 7617).
        case basic
        /// Digest (RFC 7616) with one algorithm, as `-sess` variant or not. Without `qop` values the challenge has
        /// the form of RFC 2069.
        case digest(DigestAlgorithm, session: Bool = false, qop: [DigestQuality] = [.auth])
    }

    /// A hash algorithm of Digest.
    public enum DigestAlgorithm: String, Hashable, Sendable, CaseIterable {
        /// `MD5`
        case md5 = "MD5"
        /// `SHA-256`
        case sha256 = "SHA-256"
        /// `SHA-512-256`
        case sha512_256 = "SHA-512-256"
    }

    /// A quality of protection of Digest.
    public enum DigestQuality: String, Hashable, Sendable, CaseIterable {
        /// `auth`: method and URL are protected.
        case auth
        /// `auth-int`: the body is protected too.
        case authInt = "auth-int"
    }
}
