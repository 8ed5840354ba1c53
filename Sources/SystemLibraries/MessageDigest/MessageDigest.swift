/// Message digest, computed from bytes that arrive in pieces. Use one from one thread at a time.
///
/// The system's implementation, or the code of this module where the system has none or refuses it: libcrypto may be
/// missing, or be a FIPS build without MD5, and CommonCrypto lacks SHA-512/256.
package final class MessageDigest {
    /// The algorithms of HTTP Digest authentication (RFC 7616, section 3.2) and of digest fields (RFC 9530).
    package enum Algorithm: Hashable, Sendable, CaseIterable {
        /// MD5 (RFC 1321): broken as a signature; only for servers that know nothing else.
        case md5
        /// SHA-256 (FIPS 180-4).
        case sha256
        /// SHA-512 (FIPS 180-4).
        case sha512
        /// SHA-512/256 (FIPS 180-4): not a prefix of SHA-512, because its initial state differs.
        case sha512t256

        /// The size of the digest in bytes.
        package var byteCount: Int {
            switch self {
            case .md5: 16
            case .sha256, .sha512t256: 32
            case .sha512: 64
            }
        }
    }

    private var engine: any DigestEngine

    /// Starts a digest.
    package init(_ algorithm: Algorithm) {
        engine = LoadedDigest(algorithm) ?? Self.portableEngine(algorithm)
    }

    /// Starts a digest without the system's libraries, for tests.
    package init(portable algorithm: Algorithm) { engine = Self.portableEngine(algorithm) }

    private static func portableEngine(_ algorithm: Algorithm) -> any DigestEngine {
        switch algorithm {
        case .md5: BlockDigest<MD5>()
        case .sha256: BlockDigest<SHA256>()
        case .sha512: BlockDigest<SHA512>()
        case .sha512t256: BlockDigest<SHA512T256>()
        }
    }

    /// True if the system computes this digest.
    package var usesSystem: Bool { engine is LoadedDigest }

    /// Adds bytes.
    package func update(_ bytes: UnsafeRawBufferPointer) { engine.update(bytes) }

    /// Adds bytes.
    package func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { engine.update($0) } }

    /// The digest of all bytes. Call it once, at the end.
    /// - Throws: `SystemLibraryError` (`failed`).
    package func finish() throws(SystemLibraryError) -> [UInt8] { try engine.finish() }

    /// The digest of bytes in memory.
    /// - Throws: `SystemLibraryError` (`failed`).
    package static func digest(of bytes: [UInt8], _ algorithm: Algorithm) throws(SystemLibraryError) -> [UInt8] {
        let digest = MessageDigest(algorithm)
        digest.update(bytes)
        return try digest.finish()
    }
}

/// An implementation of a message digest.
protocol DigestEngine {
    mutating func update(_ bytes: UnsafeRawBufferPointer)
    mutating func finish() throws(SystemLibraryError) -> [UInt8]
}
