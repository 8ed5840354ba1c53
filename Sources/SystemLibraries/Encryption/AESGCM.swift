/// Authenticated encryption: AES-256 in Galois/counter mode (NIST SP 800-38D), by the system's cryptography.
///
/// A pair of key and nonce must be used once only.
package enum AESGCM {
    /// Bytes of a key.
    package static let keySize = 32
    /// Bytes of a nonce.
    package static let nonceSize = 12
    /// Bytes by which encrypted data is longer.
    package static let tagSize = 16

    /// Random bytes of the system's generator, which is a cryptographic one.
    package static func randomBytes(_ count: Int) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}
