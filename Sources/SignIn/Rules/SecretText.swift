import Foundation
import HTTPMessages
import SystemLibraries

/// Random texts for one sign-in.
enum SecretText {
    /// 32 random bytes in base64url: 43 characters, as RFC 7636, section 4.1, recommends.
    static func random(using generator: inout some RandomNumberGenerator) -> String {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64URLEncodedString()
    }

    /// The challenge of a code verifier: `S256` (RFC 7636, section 4.2).
    /// - Throws: `SystemLibraryError` (`failed`).
    static func challenge(of verifier: String) throws(SystemLibraryError) -> String {
        Data(try MessageDigest.digest(of: Array(verifier.utf8), .sha256)).base64URLEncodedString()
    }

    /// Compares two secrets in a time that depends on their lengths only.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
