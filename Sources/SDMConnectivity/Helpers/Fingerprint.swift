import Foundation
import SystemLibraries

/// A digest that stands for a secret: the same in every process, and of no use without the secret.
enum Fingerprint {
    /// The SHA-256 digest of a text in Base64.
    static func text(of secret: String) -> String { text(of: Array(secret.utf8)) }

    /// The SHA-256 digest of bytes in Base64; a value that equals no other one if the system cannot compute it.
    static func text(of secret: [UInt8]) -> String {
        guard let digest = try? MessageDigest.digest(of: secret, .sha256) else { return UUID().uuidString }
        return Data(digest).base64EncodedString()
    }
}
